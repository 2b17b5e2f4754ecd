// SPDX-License-Identifier: Apache-2.0

// Command vworkspace-controlplane is a control plane for tests and demos; see package controlplane.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(controlplane.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
