// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"

	api "github.com/tristate/tristate/operators/vworkspace/api/ops/v1alpha1"
	"github.com/tristate/tristate/operators/vworkspace/internal/engine"
	"github.com/tristate/tristate/operators/vworkspace/internal/kit"
)

// Admission returns the function by which the webhook judges an operation that is created, with the rules of the reconciler. problems are
// those of the request itself, which no other object can end; a target that does not exist yet is none. conflict is the operation that it
// will wait for; empty: none.
func Admission(e *kit.Env) func(context.Context, *api.Operation) (problems []string, conflict string, err error) {
	g := &gatherer{Env: e}
	return func(ctx context.Context, o *api.Operation) ([]string, string, error) {
		if problems := engine.Problems(o); len(problems) > 0 {
			return problems, "", nil
		}
		_, free, err := g.rivals(ctx, o, e.Now())
		if err != nil {
			return nil, "", err
		}
		return nil, free(hasStarted), nil
	}
}
