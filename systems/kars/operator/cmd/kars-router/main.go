// SPDX-License-Identifier: Apache-2.0

// Command kars-router enforces the policies of one sandbox and reports which it enforces; see package router.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/tristate/tristate/systems/kars/operator/internal/router"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(router.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
