// SPDX-License-Identifier: Apache-2.0

// Command kars-demo plays the story of a sandbox on a real API server of this machine.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/tristate/tristate/proof/plane/kubelet"
	"github.com/tristate/tristate/systems/kars/operator/internal/demo"
	"github.com/tristate/tristate/systems/kars/operator/internal/programs"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if code, known := programs.Run(ctx, os.Getenv(kubelet.Program), os.Args[1:], os.Stdout, os.Stderr); known {
		os.Exit(code)
	}
	os.Exit(demo.Demo.Main(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
