// SPDX-License-Identifier: Apache-2.0

// Command tristate declares, derives, reads and checks status conditions of Kubernetes objects. As kubectl-tristate on the PATH it is
// kubectl tristate.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/tristate/tristate/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(cli.New().Run(ctx, os.Args[1:]))
}
