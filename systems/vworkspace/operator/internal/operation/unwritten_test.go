// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"errors"
	"testing"
	"time"

	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestUnwritten: a refused write is one fact. An error that no retry mends ends the operation; any other is the message of Running until
// the write succeeds.
func TestUnwritten(t *testing.T) {
	jobs := schema.GroupResource{Group: "batch", Resource: "jobs"}
	for name, test := range map[string]struct {
		facts  Facts
		err    error
		end    string
		reason string // in the message of Running
	}{
		"the creation is denied": {Facts{Started: start}, apierrors.NewForbidden(jobs, "a", errors.New("the policy says no")),
			ReasonEngineFailed, ""},
		"the creation is throttled": {Facts{Started: start}, apierrors.NewTooManyRequests("slow down", 1), "", "slow down"},
		"the API server is away":    {Facts{Started: start}, errors.New("connection refused"), "", "connection refused"},
		"the deletion is denied": {Facts{Started: start, Exists: true, Cancel: "ada", Engine: engine.State{Phase: engine.Waiting}},
			apierrors.NewForbidden(jobs, "a", errors.New("the policy says no")), "",
			`delete the object of the engine: jobs.batch "a" is forbidden: the policy says no`},
	} {
		t.Run(name, func(t *testing.T) {
			f := test.facts
			f.Now = start
			unwritten(&f, test.err)
			p := BeginList(1, nil, start)
			Judge(p, f)
			for _, c := range p.Commit().Conditions() {
				switch {
				case c.Type == TypeRunning && c.Message != test.reason:
					t.Errorf("Running says %q, want %q", c.Message, test.reason)
				case c.Type == TypeFailed && c.Reason != test.end:
					t.Errorf("it ends with %s, want %q", c.Reason, test.end)
				}
			}
			if again := f.again(); test.reason != "" && again.Sub(start) != 5*time.Second {
				t.Errorf("it is looked at again at %s", again)
			}
		})
	}
}
