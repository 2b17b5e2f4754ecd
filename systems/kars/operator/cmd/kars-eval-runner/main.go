// SPDX-License-Identifier: Apache-2.0

// Command kars-eval-runner asks a router about the cases of a corpus and prints the report; see package corpus.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/tristate/tristate/systems/kars/operator/internal/corpus"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(corpus.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
