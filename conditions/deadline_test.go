// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// waiter is a kind whose Ready waits for two things in turn, each for at most half an hour.
func waiter(since Since, stored bool) *Kind {
	return &Kind{Kind: "Waiter", StatusWaits: stored, Types: []Type{{Name: "Ready", Role: RoleSummary, Reasons: []Reason{
		{Name: "Broken", Status: False, Class: ClassTerminal},
		{Name: "TimedOut", Status: False, Class: ClassTerminal},
		{Name: "AwaitingEcho", Status: False, Class: ClassProgress, Deadline: &Deadline{After: 30 * time.Minute, Since: since, Then: "TimedOut"}},
		{Name: "AwaitingStore", Status: False, Class: ClassProgress, Deadline: &Deadline{After: 30 * time.Minute, Since: since,
			Then: "TimedOut"}},
		{Name: "Served", Status: True, Class: ClassOK},
	}}}}
}

// waitingObject is what is stored of an object between passes.
type waitingObject struct {
	t     *testing.T
	kind  *Kind
	now   time.Time
	list  []Condition
	waits []Wait
}

// none is the token of a wait without work that could get on.
const none = "none"

// pass reports a reason of Ready and stores the result, as a reconciler of which nothing else survives a pass does.
func (o *waitingObject) pass(generation int64, reason, token string) Result {
	o.t.Helper()
	p := o.kind.Begin(generation, o.list, o.now)
	p.SetWaits(o.waits)
	status := False
	if reason == "Served" {
		status = True
	}
	p.Report("Ready", status, reason, "because")
	if token != "" {
		p.Progress("Ready", strings.TrimPrefix(token, none))
	}
	r := p.Commit()
	if len(r.Errors) > 0 {
		o.t.Fatal(r.Errors)
	}
	o.list, o.waits = r.Conditions, r.Waits
	return r
}

// TestDeadline: steps are minutes, generation, reported reason and token, and the reason that is published. "then" is picked when the time
// is over, is taken back when the facts say so, and what is stored alone decides.
func TestDeadline(t *testing.T) {
	type step struct {
		minute        int
		generation    int64
		reason, token string
		want          string
	}
	for name, c := range map[string]struct {
		since Since
		steps []step
	}{
		"over and taken back": {SinceCell, []step{
			{0, 1, "AwaitingEcho", "", "AwaitingEcho"}, {29, 1, "AwaitingEcho", "", "AwaitingEcho"}, {30, 1, "AwaitingEcho", "", "TimedOut"},
			{90, 1, "AwaitingEcho", "", "TimedOut"}, {91, 1, "Served", "", "Served"}, {92, 1, "AwaitingEcho", "", "AwaitingEcho"},
			{122, 1, "AwaitingEcho", "", "TimedOut"}}},
		"one wait after another has its own time, under the same status": {SinceCell, []step{
			{0, 1, "AwaitingEcho", "", "AwaitingEcho"}, {20, 1, "AwaitingStore", "", "AwaitingStore"}, {49, 1, "AwaitingStore", "", "AwaitingStore"},
			{50, 1, "AwaitingStore", "", "TimedOut"},
			{51, 1, "AwaitingEcho", "", "AwaitingEcho"}}},
		"since the cell: a new generation continues": {SinceCell, []step{
			{0, 1, "AwaitingEcho", "", "AwaitingEcho"}, {20, 2, "AwaitingEcho", "", "AwaitingEcho"}, {30, 2, "AwaitingEcho", "", "TimedOut"}}},
		"since the generation: a new one begins anew, also after the end": {SinceGeneration, []step{
			{0, 1, "AwaitingEcho", "", "AwaitingEcho"}, {20, 2, "AwaitingEcho", "", "AwaitingEcho"}, {49, 2, "AwaitingEcho", "", "AwaitingEcho"},
			{50, 2, "AwaitingEcho", "", "TimedOut"},
			{60, 3, "AwaitingEcho", "", "AwaitingEcho"}, {90, 3, "AwaitingEcho", "", "TimedOut"}}},
		"since the generation: one wait continues another": {SinceGeneration, []step{
			{0, 1, "AwaitingEcho", "", "AwaitingEcho"}, {20, 1, "AwaitingStore", "", "AwaitingStore"}, {30, 1, "AwaitingStore", "", "TimedOut"}}},
		"since the generation: drift after a success has its own time": {SinceGeneration, []step{
			{0, 1, "AwaitingEcho", "", "AwaitingEcho"}, {5, 1, "Served", "", "Served"}, {60, 1, "AwaitingEcho", "", "AwaitingEcho"},
			{90, 1, "AwaitingEcho", "", "TimedOut"}}},
		"since progress": {SinceProgress, []step{
			{0, 1, "AwaitingEcho", "1", "AwaitingEcho"}, {25, 1, "AwaitingEcho", "2", "AwaitingEcho"}, {54, 1, "AwaitingEcho", "2", "AwaitingEcho"},
			{55, 1, "AwaitingEcho", "2", "TimedOut"},
			{56, 1, "AwaitingEcho", "3", "AwaitingEcho"}}},
		"since progress: without work to wait for no time runs": {SinceProgress, []step{
			{0, 1, "AwaitingEcho", "1", "AwaitingEcho"}, {10, 1, "AwaitingEcho", none, "AwaitingEcho"},
			{99, 1, "AwaitingEcho", none, "AwaitingEcho"},
			{100, 1, "AwaitingEcho", "1", "AwaitingEcho"}, {129, 1, "AwaitingEcho", "1", "AwaitingEcho"}, {130, 1, "AwaitingEcho", "1", "TimedOut"},
			{131, 1, "AwaitingEcho", none, "AwaitingEcho"}}},
		"another failure comes before": {SinceCell, []step{
			{0, 1, "AwaitingEcho", "", "AwaitingEcho"}, {31, 1, "Broken", "", "Broken"}, {32, 1, "AwaitingEcho", "", "AwaitingEcho"}}},
	} {
		t.Run(name, func(t *testing.T) {
			o := &waitingObject{t: t, kind: waiter(c.since, true)}
			if errs := o.kind.Validate(); errs != nil {
				t.Fatal(errs)
			}
			for _, s := range c.steps {
				o.now = t0.Add(time.Duration(s.minute) * time.Minute)
				r := o.pass(s.generation, s.reason, s.token)
				if got := o.list[0]; got.Reason != s.want {
					t.Errorf("minute %d: want %s, got %s: %s", s.minute, s.want, got.Reason, got.Message)
				}
				if waits := s.want == s.reason && s.token != none && s.reason != "Served" && s.reason != "Broken"; waits == r.RequeueAt.IsZero() {
					t.Errorf("minute %d: an open deadline wakes the object, and nothing else does: %v", s.minute, r.RequeueAt)
				}
				if again := o.pass(s.generation, s.reason, s.token); again.Changed {
					t.Errorf("minute %d: the same pass again changes something", s.minute)
				}
			}
		})
	}
}

// TestDeadline_stored: a wait that begins, goes on at another generation or ends is a change to be written.
func TestDeadline_stored(t *testing.T) {
	o := &waitingObject{t: t, kind: waiter(SinceCell, true), now: t0}
	r := o.pass(1, "AwaitingEcho", "")
	want := []Wait{{Type: "Ready", Reason: "AwaitingEcho", ObservedGeneration: 1, Since: metav1.NewTime(t0)}}
	if !slices.Equal(r.Waits, want) || !r.RequeueAt.Equal(t0.Add(30*time.Minute)) {
		t.Errorf("want %v and half an hour, got %v and %v", want, r.Waits, r.RequeueAt)
	}
	o.waits = nil // a writer lost it
	if r = o.pass(1, "AwaitingEcho", ""); !r.Changed {
		t.Error("a lost wait is not written again")
	}
	if r = o.pass(1, "Served", ""); !r.Changed || r.Waits != nil {
		t.Errorf("a wait that ended is left: %v", r.Waits)
	}
	o.waits = []Wait{{Type: "Ready", Reason: "AwaitingEcho", Since: metav1.NewTime(t0.Add(-time.Hour))}}
	if r = o.pass(1, "Served", ""); !r.Changed || r.Waits != nil {
		t.Errorf("an old wait is left: %v", r.Waits)
	}
}

// TestDeadline_clock: a beginning in the future is none, so that a clock that was set back does not make a wait endless.
func TestDeadline_clock(t *testing.T) {
	o := &waitingObject{t: t, kind: waiter(SinceCell, true), now: t0}
	o.waits = []Wait{{Type: "Ready", Reason: "AwaitingEcho", Since: metav1.NewTime(t0.Add(24 * time.Hour))}}
	if r := o.pass(1, "AwaitingEcho", ""); !r.RequeueAt.Equal(t0.Add(30 * time.Minute)) {
		t.Errorf("got %v", r.RequeueAt)
	}
}

// TestDeadline_unreported: a pass that says nothing about the type keeps its wait, and is woken at its end.
func TestDeadline_unreported(t *testing.T) {
	o := &waitingObject{t: t, kind: waiter(SinceCell, true), now: t0}
	o.pass(1, "AwaitingEcho", "")
	p := o.kind.Begin(1, o.list, t0.Add(time.Minute))
	p.SetWaits(o.waits)
	if r := p.Commit(); r.Changed || len(r.Waits) != 1 || !r.RequeueAt.Equal(t0.Add(30*time.Minute)) {
		t.Errorf("got %+v", r)
	}
}

// TestDeadline_transition: without stored waits the last transition tells, where it can.
func TestDeadline_transition(t *testing.T) {
	kind := waiter(SinceCell, false)
	if errs := kind.Validate(); len(errs) == 0 {
		t.Error("two waits of one status, and no place for their beginnings: want an error")
	}
	for _, then := range []Status{False, Unknown} {
		kind.Types[0].Reasons = []Reason{
			{Name: "TimedOut", Status: then, Class: ClassTerminal},
			{Name: "Awaiting", Status: False, Class: ClassProgress, Deadline: &Deadline{After: time.Hour, Then: "TimedOut"}},
			{Name: "Served", Status: True, Class: ClassOK},
		}
		if errs := kind.Validate(); errs != nil {
			t.Fatal(errs)
		}
		o := &waitingObject{t: t, kind: kind}
		for _, s := range []struct {
			minute       int
			reason, want string
		}{{0, "Awaiting", "Awaiting"}, {59, "Awaiting", "Awaiting"}, {60, "Awaiting", "TimedOut"}, {70, "Awaiting", "TimedOut"},
			{200, "Awaiting", "TimedOut"}, {201, "Served", "Served"},
			{202, "Awaiting", "Awaiting"}, {262, "Awaiting", "TimedOut"}} {
			o.now = t0.Add(time.Duration(s.minute) * time.Minute)
			if r := o.pass(1, s.reason, ""); r.Conditions[0].Reason != s.want {
				t.Errorf("then %s, minute %d: want %s, got %s", then, s.minute, s.want, r.Conditions[0].Reason)
			}
		}
	}
}

// TestDeadline_kstatus: "something takes longer than expected" makes Stalled True, whatever still reconciles; an actual problem comes
// before it, and it is taken back when the work is done.
func TestDeadline_kstatus(t *testing.T) {
	kind := &Kind{Kind: "Foo", Dialect: Kstatus, StatusWaits: true, Types: []Type{
		{Name: "Reconciling", Polarity: Negative, Presence: WhenKnown, Imported: true, Reasons: []Reason{
			{Name: "Reconciling", Status: True, Class: ClassProgress, Deadline: &Deadline{After: 10 * time.Minute, Since: SinceGeneration}},
			{Name: "Reconciled", Status: False, Class: ClassOK}}},
		{Name: "Stalled", Polarity: Negative, Presence: WhenKnown, Imported: true, Reasons: []Reason{
			{Name: "ProblemObserved", Status: True, Class: ClassTerminal},
			{Name: "ProgressDeadlineExceeded", Status: True, Class: ClassTerminal},
			{Name: "AsExpected", Status: False, Class: ClassOK}}},
	}}
	if errs := kind.Validate(); errs != nil {
		t.Fatal(errs)
	}
	var list []Condition
	var waits []Wait
	for _, s := range []struct {
		minute               int
		generation           int64
		works, problem       bool
		reconciling, stalled string
	}{
		{0, 1, true, false, "True Reconciling", "False AsExpected"},
		{9, 1, true, false, "True Reconciling", "False AsExpected"},
		{10, 1, true, false, "True Reconciling", "True ProgressDeadlineExceeded"},
		{11, 1, true, true, "True Reconciling", "True ProblemObserved"},
		{12, 2, true, false, "True Reconciling", "False AsExpected"},
		{22, 2, true, false, "True Reconciling", "True ProgressDeadlineExceeded"},
		{23, 2, false, false, "False Reconciled", "False AsExpected"},
	} {
		p := kind.Begin(s.generation, list, t0.Add(time.Duration(s.minute)*time.Minute))
		p.SetWaits(waits)
		if s.works {
			p.Report("Reconciling", True, "Reconciling", "2 of 3 replicas")
		}
		if s.problem {
			p.Report("Stalled", True, "ProblemObserved", "a Pod cannot start")
		}
		r := p.Commit()
		list, waits = r.Conditions, r.Waits
		for name, want := range map[string]string{"Reconciling": s.reconciling, "Stalled": s.stalled} {
			at := Find(list, name)
			if at < 0 {
				t.Errorf("minute %d: no %s", s.minute, name)
				continue
			}
			if got := string(list[at].Status) + " " + list[at].Reason; got != want {
				t.Errorf("minute %d: %s: want %s, got %s", s.minute, name, want, got)
			}
		}
	}
}

// TestDeadline_declared: what a declaration may not say.
func TestDeadline_declared(t *testing.T) {
	for name, d := range map[string]Deadline{
		"no time": {Then: "TimedOut"}, "negative": {After: -time.Second}, "unknown beginning": {After: time.Second, Since: "birth"},
		"unknown follower": {After: time.Second, Then: "Nothing"}, "itself": {After: time.Second, Then: "AwaitingEcho"},
		"another wait": {After: time.Second, Then: "AwaitingStore"},
	} {
		kind := waiter(SinceCell, true)
		kind.Types[0].Reasons[2].Deadline = &d
		if errs := kind.Validate(); len(errs) != 1 {
			t.Errorf("%s: want one error, got %v", name, errs)
		}
	}
}
