// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"fmt"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestFirst: the first status has the initial cells, and the initial phase; without an initial cell there is none.
func TestFirst(t *testing.T) {
	ready := conditions.Type{Name: "Ready", Role: conditions.RoleSummary, Reasons: []conditions.Reason{{Name: "Lost", Status: conditions.False},
		{Name: "Accepted", Status: conditions.False, Initial: true, Message: "%s"}, {Name: "Serving", Status: conditions.True}}}
	kind := &conditions.Kind{Kind: "Lamp", Types: []conditions.Type{ready},
		Phases: []conditions.Phase{{Name: "Pending", Initial: true}, {Name: "Ready", Cells: []string{"Ready=True"}}, {Name: "Working"}}}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	k := Kind[*gadget, int]{Conditions: kind}
	o := &gadget{ObjectMeta: metav1.ObjectMeta{Generation: 3}}
	got, ok := k.first(o, now)
	r := got.result
	if len(r.Errors) > 0 || len(r.Conditions()) != 1 || r.Conditions()[0].Reason != "Accepted" || r.Conditions()[0].ObservedGeneration != 3 ||
		r.Conditions()[0].Message != "" || !ok || fmt.Sprintf("%+v", got.Status) != "&{Phase:Pending}" {
		t.Errorf("%+v", got)
	}
	kind.Types[0].Reasons[1].Initial = false
	if _, ok := k.first(o, now); ok {
		t.Error("a first pass without an initial cell")
	}
}

// TestWithPhase: the phase is filled in where the status leaves it empty.
func TestWithPhase(t *testing.T) {
	type common struct{ Phase string }
	empty, own := &struct{ common }{}, &struct{ common }{common{"Active"}}
	withPhase(empty, "Ready")
	withPhase(own, "Ready")
	if empty.Phase != "Ready" || own.Phase != "Active" {
		t.Errorf("%q and %q", empty.Phase, own.Phase)
	}
	if got := withPhase(&struct{ Count int }{1}, "Ready"); got == nil {
		t.Error("a status without a phase is lost")
	}
	if withPhase(nil, "") != nil || withPhase(nil, "Ready") == nil {
		t.Error("a status of the phase alone")
	}
}
