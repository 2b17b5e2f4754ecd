// SPDX-License-Identifier: Apache-2.0

// Package programs has the programs of kars by name, for a binary that is all of them: a test, the demo.
package programs

import (
	"context"
	"io"
	"os"

	"github.com/tristate/tristate/systems/kars/operator/internal/corpus"
	"github.com/tristate/tristate/systems/kars/operator/internal/operator"
	"github.com/tristate/tristate/systems/kars/operator/internal/router"
)

// Run runs a program and returns its exit code, and whether there is one of the name.
func Run(ctx context.Context, name string, args []string, stdout, stderr io.Writer) (code int, known bool) {
	switch name {
	case "kars-router":
		return router.Run(ctx, args, stdout, stderr), true
	case "kars-eval-runner":
		return corpus.Run(ctx, args, stdout, stderr), true
	case "kars-operator":
		return operator.Run(ctx, args, stderr, os.Getenv), true
	}
	return 0, false
}
