// SPDX-License-Identifier: Apache-2.0

package operatortest

import (
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/operator"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

type lampStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Phase              string             `json:"phase,omitempty"`
	Used               int64              `json:"used,omitempty"` // by another writer
	Waits              []conditions.Wait  `json:"waits,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Status            lampStatus `json:"status"`
}

func (l *lamp) GetConditions() []metav1.Condition { return l.Status.Conditions }
func (l *lamp) DeepCopyObject() runtime.Object    { out := *l; return &out }

var lampKind = &conditions.Kind{Kind: "Lamp", StatusGeneration: true, StatusWaits: true, Types: []conditions.Type{{
	Name: "Ready", Presence: conditions.PresenceAlways, Reasons: []conditions.Reason{
		{Name: "Broken", Status: conditions.False, Class: conditions.ClassTerminal},
		{Name: "TimedOut", Status: conditions.False, Class: conditions.ClassTransient},
		{Name: "Heating", Status: conditions.False, Class: conditions.ClassProgress, Deadline: &conditions.Deadline{After: 30 * time.Minute,
			Then: "TimedOut"}},
		{Name: "Lit", Status: conditions.True, Class: conditions.ClassOK},
	}}}}

func lit(reason string) (conditions.Status, string) {
	if reason == "Lit" {
		return conditions.True, reason
	}
	return conditions.False, reason
}

// kind has the reason to report as its facts.
var kind = operator.Kind[*lamp, string]{
	Conditions: lampKind, Foreign: []string{"used"},
	Judge: func(o *lamp, reason string, now time.Time) operator.Pass {
		p := lampKind.Begin(o.Generation, wire.FromMeta(o.Status.Conditions), now)
		p.SetWaits(o.Status.Waits)
		status, reason := lit(reason)
		p.Report("Ready", status, reason, "")
		return p
	},
	Conclude: func(_ *lamp, reason string, _ conditions.Result, _ time.Time) operator.Conclusion {
		return operator.Conclusion{Status: &lampStatus{Phase: reason}}
	},
}

// TestDeadline: a wait times out when its deadline passes and not before, whatever restarts in between, also after a jump of the clock;
// another cell takes it back; nothing is written on the way.
func TestDeadline(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ready := func(want string) map[string]string { return map[string]string{"Ready": want} }
	r := New(t, kind, &lamp{ObjectMeta: metav1.ObjectMeta{Generation: 1}, Status: lampStatus{Used: 7}}, start)
	r.Pass("Heating")
	r.Writes(1)
	r.Advance(29 * time.Minute)
	r.Pass("Heating") // a pass in between, as after a restart: a run keeps nothing but the object
	r.Cells(ready("False Heating"))
	r.Writes(0)
	r.Advance(2 * time.Minute)
	r.Cells(ready("False TimedOut"))
	r.Writes(1)
	if at := r.Object.Status.Waits; len(at) != 1 || !at[0].Since.Equal(&metav1.Time{Time: start}) {
		t.Errorf("waits %+v", at)
	}
	r.Advance(24 * time.Hour)
	r.Writes(0)
	r.Pass("Lit")
	r.Cells(ready("True Lit"))
	r.Writes(1)
	if len(r.Object.Status.Waits) != 0 || r.Object.Status.Phase != "Lit" || r.Object.Status.Used != 7 ||
		r.Object.Status.ObservedGeneration != 1 {
		t.Errorf("status %+v", r.Object.Status)
	}

	r.Pass("Heating")
	r.Now = r.Now.Add(-time.Hour) // the clock is set back: the wait began in the future, and begins now
	r.Pass("Heating")
	r.Cells(ready("False Heating"))
	r.Now = r.Now.Add(48 * time.Hour) // and forward, while the operator is down
	r.Pass("Heating")
	r.Cells(ready("False TimedOut"))
	r.Writes(3)
}

// TestUndeclared: a report that the catalog does not have fails the test.
func TestUndeclared(t *testing.T) {
	inner := &failures{TB: t}
	New(inner, kind, &lamp{}, time.Unix(1e9, 0)).Pass("Nonsense")
	if inner.n != 1 {
		t.Errorf("%d failures, want 1", inner.n)
	}
}

type failures struct {
	testing.TB
	n int
}

func (f *failures) Errorf(string, ...any) { f.n++ }
