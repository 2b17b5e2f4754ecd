// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// show returns the outcome of a pass: the phase, and the conditions that matter; and when time alone changes it.
func show(t *testing.T, f Facts) (string, time.Time) {
	t.Helper()
	p := BeginList(1, nil, f.Now)
	Judge(p, f)
	r := p.Commit()
	if len(r.Errors) > 0 {
		t.Error(r.Errors)
	}
	var out []string
	for _, c := range r.Conditions() {
		if c.Type == TypeFailed || c.Type == TypeCancelled || c.Type == TypeBlocked || c.Status == "True" && c.Type != TypeAccepted ||
			c.Type == TypeAccepted && c.Status == "False" {
			out = append(out, c.Reason)
		}
	}
	again := f.again()
	if at := r.RequeueAt; !at.IsZero() && (again.IsZero() || at.Before(again)) {
		again = at
	}
	return phase(f, r) + ": " + strings.Join(out, " "), again
}

func TestJudge(t *testing.T) {
	at := func(d time.Duration) Facts { return Facts{Now: start.Add(d)} }
	started := func(d time.Duration, s engine.State) Facts {
		return Facts{Now: start.Add(d), Started: start, Exists: true, Engine: s, Timeout: time.Minute}
	}
	tests := map[string]struct {
		facts  Facts
		change func(*Facts)
		want   string
		again  time.Duration // from the start; 0: never
	}{
		"invalid": {at(0), func(f *Facts) { f.Problems = []string{"bad"} }, "Pending: ValidationFailed", 0},
		"the target is not ready": {at(0), func(f *Facts) { f.Unready, f.Unapproved, f.Conflict, f.Dependency = "a", "b", "c", "d" },
			"Pending: TargetNotReady", 0},
		"no approval": {at(0), func(f *Facts) { f.Unapproved, f.Conflict, f.Dependency = "b", "c", "d" },
			"Pending: AwaitingApproval", 0},
		"a conflict":       {at(0), func(f *Facts) { f.Conflict, f.Dependency = "c", "d" }, "Pending: ConflictingOperation", 0},
		"no controller":    {at(0), func(f *Facts) { f.Dependency = "d" }, "Pending: DependencyMissing", 0},
		"a conflict waits": {at(0), func(f *Facts) { f.Conflict, f.Wait = "c", time.Hour }, "Pending: ConflictingOperation", time.Hour},
		"the wait is over": {at(time.Hour), func(f *Facts) { f.Conflict, f.Wait, f.Overdue.Preconditions = "c", time.Hour, true },
			"Failed: PreconditionFailed", 0},
		"an approval and a conflict": {at(100 * time.Hour), func(f *Facts) {
			f.Unapproved, f.Conflict, f.Wait, f.Overdue.Preconditions = "b", "c", time.Hour, true
		}, "Pending: AwaitingApproval", 0},
		"an approval waits for ever": {at(100 * time.Hour), func(f *Facts) { f.Unapproved, f.Wait = "b", time.Hour },
			"Pending: AwaitingApproval", 0},
		"without a window": {at(100 * time.Hour), func(f *Facts) { f.Unready = "a" }, "Pending: TargetNotReady", 0},
		"cancelled while it waits": {at(0), func(f *Facts) { f.Unready, f.Cancel, f.Superseded = "a", "ada", "newer" },
			"Cancelled: UserCancelled", 0},
		"superseded while it waits": {at(0), func(f *Facts) { f.Conflict, f.Superseded = "a", "newer" }, "Cancelled: SupersededByOperation",
			0},
		"waiting": {started(0, engine.State{Phase: engine.Waiting}), nil, "Running: ", time.Minute},
		"running": {started(0, engine.State{Phase: engine.Running}), nil, "Running: EngineStarted", time.Minute},
		"not superseded once it runs": {started(0, engine.State{Phase: engine.Running}), func(f *Facts) { f.Superseded = "newer" },
			"Running: EngineStarted", time.Minute},
		"no validation once it runs": {started(0, engine.State{Phase: engine.Running}),
			func(f *Facts) { f.Problems = []string{"the target is gone"} }, "Running: EngineStarted", time.Minute},
		"done":   {started(0, engine.State{Phase: engine.Succeeded}), nil, "Succeeded: EngineCompleted", 0},
		"failed": {started(0, engine.State{Phase: engine.Failed, Message: "x"}), nil, "Failed: EngineFailed", 0},
		"the last second of its time": {started(time.Minute-time.Second, engine.State{Phase: engine.Running}), nil, "Running: EngineStarted",
			time.Minute},
		"its time is over": {started(time.Minute, engine.State{Phase: engine.Running}), func(f *Facts) { f.Overdue.Engine = true },
			"Failed: Timeout", 0},
		"done in the last moment": {started(time.Hour, engine.State{Phase: engine.Succeeded}), func(f *Facts) { f.Cancel = "ada" },
			"Succeeded: EngineCompleted", 0},
		"failed, then cancelled": {started(0, engine.State{Phase: engine.Failed, Message: "x"}), func(f *Facts) { f.Cancel = "ada" },
			"Failed: EngineFailed", 0},
		"cancelled": {started(0, engine.State{Phase: engine.Running}), func(f *Facts) { f.Cancel = "ada" },
			"Cancelled: UserCancelled", 0},
		"cancelled and not cleaned": {started(0, engine.State{Phase: engine.Running}), func(f *Facts) {
			f.Cancel, f.Unwritten = "ada",
				"forbidden"
		}, "Running: EngineStarted", 5 * time.Second},
		"vanished": {started(55*time.Second, engine.State{}), func(f *Facts) {
			f.Exists, f.Timeout, f.Missing, f.Grace = false, 0, true, time.Minute
		}, "Running: ", time.Minute},
		"vanished for long": {started(time.Minute, engine.State{}), func(f *Facts) {
			f.Exists, f.Timeout, f.Missing, f.Overdue.Missing = false, 0, true, true
		}, "Failed: EngineFailed", 0},
		"somebody else's": {started(0, engine.State{}), func(f *Facts) { f.Foreign = "x" }, "Failed: EngineFailed", 0},
		"refused":         {started(0, engine.State{}), func(f *Facts) { f.Refused = "x" }, "Failed: EngineFailed", 0},
		"an approval that will expire": {at(0), func(f *Facts) { f.Conflict, f.ApprovalTo = "c", start.Add(time.Minute) },
			"Pending: ConflictingOperation", time.Minute},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.change != nil {
				test.change(&test.facts)
			}
			want := test.want
			if test.facts.Unwritten != "" {
				test.want = want
			}
			got, again := show(t, test.facts)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if test.again == 0 != again.IsZero() || !again.IsZero() && again.Sub(start) != test.again {
				t.Errorf("again at %s, want %s after the start", again, test.again)
			}
		})
	}
}

// TestAccepted: an operation is Accepted=True as soon as admission and the operator have validated the request, whatever it then waits for.
// Where no admission webhook runs the message says that it was the operator alone.
func TestAccepted(t *testing.T) {
	tests := map[string]struct {
		facts Facts
		want  [3]string
	}{
		"free": {Facts{}, [3]string{"True", ReasonAdmissionPassed, ""}},
		"blocked": {Facts{Conflict: "a", Unapproved: "b", Dependency: "c", Unready: "d"},
			[3]string{"True", ReasonAdmissionPassed, ""}},
		"no webhook": {Facts{NoWebhook: true},
			[3]string{"True", ReasonAdmissionPassed, "validated by the operator, which runs without its admission webhook"}},
		"the target was deleted meanwhile": {Facts{Problems: []string{"no target"}},
			[3]string{"False", ReasonValidationFailed, "no target"}},
		"invalid, and stored without admission": {Facts{NoWebhook: true, Problems: []string{"a", "b"}},
			[3]string{"False", ReasonValidationFailed, "a; b"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.facts.Now = start
			p := BeginList(1, nil, start)
			Judge(p, test.facts)
			for _, c := range p.Commit().Conditions() {
				if c.Type == TypeAccepted {
					if diff := cmp.Diff(test.want, [3]string{string(c.Status), c.Reason, c.Message}); diff != "" {
						t.Errorf("-want +got\n%s", diff)
					}
				}
			}
		})
	}
}

func op(name, kind string, created int, change func(*api.Operation)) api.Operation {
	o := api.Operation{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name),
		CreationTimestamp: metav1.Time{Time: start.Add(time.Duration(created) * time.Second)}},
		Spec: api.OperationSpec{Type: kind, Engine: engine.Job}}
	if change != nil {
		change(&o)
	}
	return o
}

func waitsFor(reason string) func(*api.Operation) {
	return func(o *api.Operation) {
		o.Status.Conditions = []metav1.Condition{{Type: TypeBlocked, Status: metav1.ConditionTrue, Reason: reason}}
	}
}

// waiting returns the operations that wait for something that others cannot end.
func waiting(all []api.Operation) map[types.UID]bool {
	out := map[types.UID]bool{}
	for _, o := range all {
		c := meta.FindStatusCondition(o.Status.Conditions, TypeBlocked)
		out[o.UID] = c != nil && c.Reason != ReasonConflictingOperation
	}
	return out
}

func runs(o *api.Operation) { o.Status.StartedAt = &metav1.Time{Time: start} }
func ended(o *api.Operation) {
	o.Status.StartedAt, o.Status.FinishedAt = &metav1.Time{Time: start}, &metav1.Time{Time: start}
}

// TestConflicts: the older one wins, without deadlock.
func TestConflicts(t *testing.T) {
	tests := map[string]struct {
		self   api.Operation
		others []api.Operation
		want   string
	}{
		"alone":                               {op("a", engine.Upgrade, 0, nil), nil, ""},
		"a younger one waits":                 {op("a", engine.Upgrade, 0, nil), []api.Operation{op("b", engine.Upgrade, 1, nil)}, ""},
		"an older one is first":               {op("b", engine.Upgrade, 1, nil), []api.Operation{op("a", engine.Upgrade, 0, nil)}, "a"},
		"of the same second the name decides": {op("b", engine.Upgrade, 0, nil), []api.Operation{op("a", engine.Upgrade, 0, nil)}, "a"},
		"a younger one that runs":             {op("a", engine.Upgrade, 0, nil), []api.Operation{op("b", engine.Upgrade, 1, runs)}, "b"},
		"one that ended":                      {op("b", engine.Upgrade, 1, nil), []api.Operation{op("a", engine.Upgrade, 0, ended)}, ""},
		"an older one that awaits its approval": {op("b", engine.Upgrade, 1, nil),
			[]api.Operation{op("a", engine.Upgrade, 0, waitsFor(ReasonAwaitingApproval))}, ""},
		"an older one that waits for others": {op("b", engine.Upgrade, 1, nil),
			[]api.Operation{op("a", engine.Upgrade, 0, waitsFor(ReasonConflictingOperation))}, "a"},
		"a command waits":           {op("b", engine.RunCommand, 1, nil), []api.Operation{op("a", engine.Upgrade, 0, runs)}, "a"},
		"restore and backup":        {op("b", engine.Restore, 1, nil), []api.Operation{op("a", engine.Backup, 0, runs)}, "a"},
		"backup and restore":        {op("b", engine.Backup, 1, nil), []api.Operation{op("a", engine.Restore, 0, runs)}, "a"},
		"migration is like upgrade": {op("b", engine.Migration, 1, nil), []api.Operation{op("a", engine.Upgrade, 0, runs)}, "a"},
		"two backups":               {op("b", engine.Backup, 1, nil), []api.Operation{op("a", engine.Backup, 0, runs)}, "a"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if other := inTheWay(&test.self, test.others, nil, waiting(test.others),
				func(o *api.Operation) bool { return o.Status.StartedAt != nil }); other != nil {
				got = other.Name
			}
			if got != test.want {
				t.Errorf("waits for %q, want %q", got, test.want)
			}
		})
	}
}

// TestConcurrent: on one target any two operations exclude each other, of whatever types, unless the policy lets the pair.
func TestConcurrent(t *testing.T) {
	kinds := []string{engine.Backup, engine.Restore, engine.Upgrade, engine.Migration, engine.RunCommand, engine.Runbook}
	allowed := concurrent{{engine.RunCommand, "*"}, {engine.Backup, engine.Runbook}}
	for _, a := range kinds {
		for _, b := range kinds {
			if !concurrent(nil).conflict(a, b) {
				t.Errorf("%s and %s run at a time without a policy", a, b)
			}
			want := a != engine.RunCommand && b != engine.RunCommand && !(a == engine.Backup && b == engine.Runbook) &&
				!(b == engine.Backup && a == engine.Runbook)
			if got := allowed.conflict(a, b); got != want {
				t.Errorf("%s and %s conflict: %v, want %v", a, b, got, want)
			}
		}
	}
}

// TestNoDeadlock: of any set of operations that conflict, one may start, and never two.
func TestNoDeadlock(t *testing.T) {
	all := []api.Operation{op("a", engine.Upgrade, 3, nil), op("b", engine.Restore, 1, waitsFor(ReasonConflictingOperation)),
		op("c", engine.Backup, 2, nil),
		op("d", engine.Migration, 1, nil), op("e", engine.Upgrade, 0, waitsFor(ReasonTargetNotReady))}
	for len(all) > 1 {
		var free []int
		for i := range all {
			if all[i].Name != "e" && inTheWay(&all[i], all, nil, waiting(all),
				func(o *api.Operation) bool { return o.Status.StartedAt != nil }) == nil {
				free = append(free, i)
			}
		}
		if len(free) == 0 {
			t.Fatal("nobody may start")
		}
		for _, i := range free {
			for _, j := range free {
				if i != j {
					t.Fatalf("%s and %s may start at a time", all[i].Name, all[j].Name)
				}
			}
		}
		all = append(all[:free[0]], all[free[0]+1:]...)
	}
}
