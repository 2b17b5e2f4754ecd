// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"testing"
	"time"

	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
)

// TestLimit: every operation has a time limit, unless the operator has none. That of its parameters wins, then that of the operator, then
// that of its type.
func TestLimit(t *testing.T) {
	tests := map[string]struct {
		kind, engine string
		parameters   api.Parameters
		operator     time.Duration
		want         time.Duration
	}{
		"a backup":                        {engine.Backup, engine.Velero, api.Parameters{}, 0, 30 * time.Minute},
		"a restore":                       {engine.Restore, engine.Velero, api.Parameters{}, 0, 24 * time.Hour},
		"an upgrade":                      {engine.Upgrade, engine.Helm, api.Parameters{}, 0, 24 * time.Hour},
		"a migration":                     {engine.Migration, engine.Workflow, api.Parameters{}, 0, 24 * time.Hour},
		"a command":                       {engine.RunCommand, engine.Job, api.Parameters{}, 0, 24 * time.Hour},
		"a runbook":                       {engine.Runbook, engine.Workflow, api.Parameters{}, 0, 24 * time.Hour},
		"its parameters":                  {engine.Restore, engine.Velero, api.Parameters{TimeoutSeconds: 90}, time.Hour, 90 * time.Second},
		"its parameters, without another": {engine.Restore, engine.Velero, api.Parameters{TimeoutSeconds: 90}, -1, 90 * time.Second},
		"the operator":                    {engine.Restore, engine.Velero, api.Parameters{}, time.Hour, time.Hour},
		"the operator, for a backup":      {engine.Backup, engine.Velero, api.Parameters{}, time.Hour, time.Hour},
		"for ever":                        {engine.Backup, engine.Velero, api.Parameters{}, -1, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := &gatherer{Env: &kit.Env{Settings: kit.Settings{OperationTimeout: test.operator}}}
			o := &api.Operation{Spec: api.OperationSpec{Type: test.kind, Engine: test.engine, Parameters: test.parameters}}
			if got := g.limit(o); got != test.want {
				t.Errorf("it may run for %s, want %s", got, test.want)
			}
		})
	}
}
