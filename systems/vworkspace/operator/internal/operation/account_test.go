// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"testing"

	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
)

// TestAccount: a Job runs under a ServiceAccount that the administrator has listed or under none, and a command needs an
// approval also where its author has asked for none.
func TestAccount(t *testing.T) {
	for name, test := range map[string]struct {
		kind, account      string
		listed, needsClaim bool
	}{
		"a command":                    {engine.RunCommand, "", true, true},
		"a command, as a listed one":   {engine.RunCommand, "runner", true, true},
		"a command, as another one":    {engine.RunCommand, "admin", false, true},
		"a migration, as a listed one": {engine.Migration, "runner", true, false},
		"a migration, as another one":  {engine.Migration, "admin", false, false},
		"a migration under no account": {engine.Migration, "", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := &api.Operation{Spec: api.OperationSpec{Type: test.kind, Engine: engine.Job,
				Parameters: api.Parameters{Job: &api.JobParameters{Image: "i", ServiceAccountName: test.account}}}}
			e := &kit.Env{Settings: kit.Settings{OperationAccounts: []string{"runner"}}}
			if got := accountProblem(e, o); (got == "") != test.listed {
				t.Errorf("problem %q", got)
			}
			if got := required(o); got != test.needsClaim {
				t.Errorf("needs an approval: %v", got)
			}
		})
	}
}
