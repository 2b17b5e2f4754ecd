// SPDX-License-Identifier: Apache-2.0

// Command vworkspace-demo plays the story of an application on a real API server of this machine.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/tristate/tristate/systems/vworkspace/operator/internal/demo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(demo.Demo.Main(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
