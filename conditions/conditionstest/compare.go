// SPDX-License-Identifier: Apache-2.0

package conditionstest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// IgnoreTime makes cmp compare conditions, of either type, as if they had no lastTransitionTime.
func IgnoreTime() cmp.Option {
	return pin(func(time.Time) time.Time { return time.Time{} })
}

// PinTime makes cmp compare the times of conditions as whole seconds in UTC, as they come back from an API server.
func PinTime() cmp.Option {
	return pin(func(t time.Time) time.Time { return t.UTC().Truncate(time.Second) })
}

// pin changes metav1.Time wherever it is in a condition.
func pin(f func(time.Time) time.Time) cmp.Option {
	inCondition := func(p cmp.Path) bool {
		last, ok := p.Last().(cmp.StructField)
		return ok && last.Name() == "LastTransitionTime"
	}
	return cmp.FilterPath(inCondition, cmp.Transformer("time", func(t metav1.Time) time.Time { return f(t.Time) }))
}

// Commit commits a pass strictly: whatever is undeclared, or not reached where that is to fail, is an error of the test.
func Commit(t testing.TB, pass Pass) conditions.Result {
	t.Helper()
	result := pass.Commit()
	for _, err := range result.Errors {
		t.Errorf("commit: %v", err)
	}
	return result
}

// Strict returns a copy of a kind in which every type that a pass does not reach is an error of its commit, foreign and
// summarised ones aside.
func Strict(kind *conditions.Kind) *conditions.Kind {
	out := *kind
	out.Types = append([]conditions.Type(nil), kind.Types...)
	for i := range out.Types {
		if t := &out.Types[i]; !t.Foreign && t.Summary == nil {
			t.Unreported = conditions.UnreportedFail
		}
	}
	return &out
}

// Quiet runs a whole reconcile twice and fails when the second one still has something to write. reconcile stores what it
// commits, as a reconciler does.
func Quiet(t testing.TB, reconcile func() conditions.Result) {
	t.Helper()
	reconcile()
	if second := reconcile(); second.Changed {
		t.Errorf("a second pass over the same facts writes again: %s", describe(second))
	}
}

func describe(r conditions.Result) string {
	if len(r.Transitions) == 0 {
		return "no status changed, but a reason, a message, a generation or the list did"
	}
	out := ""
	for i, tr := range r.Transitions {
		if i > 0 {
			out += ", "
		}
		out += tr.Type + " from " + cell(tr.From) + " to " + cell(tr.To)
	}
	return out
}

func cell(c conditions.Condition) string {
	switch {
	case c.Type == "":
		return "absent"
	case c.Reason == "":
		return string(c.Status)
	}
	return string(c.Status) + "(" + c.Reason + ")"
}
