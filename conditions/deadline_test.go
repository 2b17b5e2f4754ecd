// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/tristate/tristate/conditions"
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
	limit time.Duration // that is set; negative: none is
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
	if o.limit >= 0 {
		p.WaitFor("Ready", o.limit)
	}
	r := p.Commit()
	if len(r.Errors) > 0 {
		o.t.Fatal(r.Errors)
	}
	o.list, o.waits = r.Conditions(), r.Waits
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
			o := &waitingObject{t: t, kind: waiter(c.since, true), limit: -1}
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
	o := &waitingObject{t: t, kind: waiter(SinceCell, true), now: t0, limit: -1}
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
	o := &waitingObject{t: t, kind: waiter(SinceCell, true), now: t0, limit: -1}
	o.waits = []Wait{{Type: "Ready", Reason: "AwaitingEcho", Since: metav1.NewTime(t0.Add(24 * time.Hour))}}
	if r := o.pass(1, "AwaitingEcho", ""); !r.RequeueAt.Equal(t0.Add(30 * time.Minute)) {
		t.Errorf("got %v", r.RequeueAt)
	}
}

// TestDeadline_unreported: a pass that says nothing about the type keeps its wait, and is woken at its end.
func TestDeadline_unreported(t *testing.T) {
	o := &waitingObject{t: t, kind: waiter(SinceCell, true), now: t0, limit: -1}
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
		o := &waitingObject{t: t, kind: kind, limit: -1}
		for _, s := range []struct {
			minute       int
			reason, want string
		}{{0, "Awaiting", "Awaiting"}, {59, "Awaiting", "Awaiting"}, {60, "Awaiting", "TimedOut"}, {70, "Awaiting", "TimedOut"},
			{200, "Awaiting", "TimedOut"}, {201, "Served", "Served"},
			{202, "Awaiting", "Awaiting"}, {262, "Awaiting", "TimedOut"}} {
			o.now = t0.Add(time.Duration(s.minute) * time.Minute)
			if r := o.pass(1, s.reason, ""); r.Conditions()[0].Reason != s.want {
				t.Errorf("then %s, minute %d: want %s, got %s", then, s.minute, s.want, r.Conditions()[0].Reason)
			}
		}
	}
}

// TestDeadline_kstatus: "something takes longer than expected" makes Stalled True, whatever still reconciles; an actual problem comes
// before it, and it is taken back when the work is done.
func TestDeadline_kstatus(t *testing.T) {
	kind := &Kind{Kind: "Foo", Dialect: DialectKstatus, StatusWaits: true, Types: []Type{
		{Name: "Reconciling", Polarity: Negative, Presence: PresenceWhenKnown, Imported: true, Reasons: []Reason{
			{Name: "Reconciling", Status: True, Class: ClassProgress, Deadline: &Deadline{After: 10 * time.Minute, Since: SinceGeneration}},
			{Name: "Reconciled", Status: False, Class: ClassOK}}},
		{Name: "Stalled", Polarity: Negative, Presence: PresenceWhenKnown, Imported: true, Reasons: []Reason{
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
		list, waits = r.Conditions(), r.Waits
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
		"negative": {After: -time.Second}, "unknown beginning": {After: time.Second, Since: "birth"},
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

// TestDue: after a restart the deadlines are known from what is stored, before any facts are.
func TestDue(t *testing.T) {
	start := t0
	k := &Kind{Types: []Type{
		{Name: "Progressing", Reasons: []Reason{{Name: "Waiting", Deadline: &Deadline{After: 30 * time.Minute}},
			{Name: "Rolling"}}},
		{Name: "Ready", Reasons: []Reason{{Name: "Pulling", Deadline: &Deadline{After: 10 * time.Minute}}}},
	}}
	wait := func(name, reason string, since time.Duration) Wait {
		return Wait{Type: name, Reason: reason, Since: metav1.Time{Time: start.Add(since)}}
	}
	tests := map[string]struct {
		waits []Wait
		now   time.Duration
		want  time.Duration // 0: none
	}{
		"none": {nil, 0, 0},
		"one":  {[]Wait{wait("Progressing", "Waiting", 0)}, time.Minute, 30 * time.Minute},
		"the first of two": {[]Wait{wait("Progressing", "Waiting", 0), wait("Ready", "Pulling", time.Minute)}, 2 * time.Minute,
			11 * time.Minute},
		"one has passed": {[]Wait{wait("Progressing", "Waiting", 0), wait("Ready", "Pulling", 0)}, 20 * time.Minute,
			30 * time.Minute},
		"one of the controller's": {[]Wait{{Type: "Ready", Reason: "Unheard", Since: metav1.Time{Time: start},
			Until: &metav1.Time{Time: start.Add(time.Hour)}}}, time.Minute, time.Hour},
		"a cell without one":     {[]Wait{wait("Progressing", "Rolling", 0)}, time.Minute, 0},
		"a type of others":       {[]Wait{wait("Other", "Waiting", 0)}, time.Minute, 0},
		"a clock that jumped":    {[]Wait{wait("Progressing", "Waiting", 0)}, 240 * time.Hour, 0},
		"a clock that went back": {[]Wait{wait("Progressing", "Waiting", 0)}, -time.Hour, 30 * time.Minute},
	}
	for name, test := range tests {
		got, want := k.Due(test.waits, start.Add(test.now)), time.Time{}
		if test.want != 0 {
			want = start.Add(test.want)
		}
		if !got.Equal(want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestWaitFor: the time that the controller sets for an object counts in place of the declared one, its end is stored, and another time
// moves it; with none the cell lasts for ever. A time that is set is needed where none is declared.
func TestWaitFor(t *testing.T) {
	for name, c := range map[string]struct {
		declared, set time.Duration // set < 0: it is not
		want          time.Duration // 0: never
		stored        bool          // the end
	}{
		"declared": {30 * time.Minute, -1, 30 * time.Minute, false}, "longer": {30 * time.Minute, time.Hour, time.Hour, true},
		"shorter": {30 * time.Minute, time.Minute, time.Minute, true}, "for ever": {30 * time.Minute, 0, 0, false},
		"set alone": {0, time.Minute, time.Minute, true}, "neither": {0, -1, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			kind := waiter(SinceCell, true)
			kind.Types[0].Reasons[2].Deadline.After = c.declared
			if errs := kind.Validate(); errs != nil {
				t.Fatal(errs)
			}
			o := &waitingObject{t: t, kind: kind, now: t0, limit: c.set}
			for range 2 { // also from what is stored
				r := o.pass(1, "AwaitingEcho", "")
				if at := r.RequeueAt; at.IsZero() != (c.want == 0) || !at.IsZero() && !at.Equal(t0.Add(c.want)) {
					t.Fatalf("it is over at %v, want after %s", at, c.want)
				}
				if stored := len(r.Waits) == 1 && r.Waits[0].Until != nil; stored != c.stored || len(r.Waits) != min(1, int(c.want)) {
					t.Fatalf("waits %v", r.Waits)
				}
				o.now = o.now.Add(time.Second)
			}
			if c.want == 0 {
				return
			}
			o.now = t0.Add(c.want)
			if o.pass(1, "AwaitingEcho", ""); o.list[0].Reason != "TimedOut" {
				t.Errorf("%s at the end", o.list[0].Reason)
			}
			o.limit = 10 * time.Hour
			if o.pass(1, "AwaitingEcho", ""); o.list[0].Reason != "AwaitingEcho" {
				t.Errorf("%s, though more time is set", o.list[0].Reason)
			}
		})
	}
}

// TestOverdue: a controller knows before it reports the facts what is over, by what is stored.
func TestOverdue(t *testing.T) {
	o := &waitingObject{t: t, kind: waiter(SinceGeneration, true), now: t0, limit: time.Hour}
	o.pass(1, "AwaitingEcho", "")
	for name, c := range map[string]struct {
		generation  int64
		now, within time.Duration
		want        bool
	}{
		"not yet": {1, time.Hour - time.Second, time.Hour, false}, "over": {1, time.Hour, time.Hour, true},
		"another time by now": {1, time.Hour, 2 * time.Hour, false}, "no time by now": {1, 100 * time.Hour, 0, false},
		"another generation": {2, time.Hour, time.Hour, false}, "a clock that went back": {1, -time.Hour, time.Hour, false},
	} {
		if got := o.kind.Overdue(storedWaits{c.generation, o.waits}, "Ready", c.within, t0.Add(c.now)); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if o.kind.Overdue(storedWaits{1, o.waits}, "Other", time.Second, t0.Add(time.Hour)) {
		t.Error("a type without a wait is overdue")
	}
}

type storedWaits struct {
	generation int64
	waits      []Wait
}

func (s storedWaits) GetGeneration() int64 { return s.generation }
func (s storedWaits) GetWaits() []Wait     { return s.waits }

// holder is a kind with a cell that has to last for five minutes, and one that has to for one.
func holder() *Kind {
	return &Kind{Kind: "Holder", StatusWaits: true, Types: []Type{{Name: "Lost", Polarity: Negative, Reasons: []Reason{
		{Name: "Silent", Status: True, Class: ClassTransient, Hold: 5 * time.Minute},
		{Name: "Broken", Status: True, Class: ClassTerminal},
		{Name: "Heard", Status: False, Class: ClassOK, Hold: time.Minute},
	}}}}
}

// TestHold: steps are minutes, the reported reasons, and the reason that is published. A cell is published once it was reported for the
// declared time without a break, by what is stored alone.
func TestHold(t *testing.T) {
	type step struct {
		minute   float64
		reported string
		want     string
		until    float64 // when it is looked at again; 0: never
	}
	for name, steps := range map[string][]step{
		"it lasts":            {{0, "Heard", "Heard", 0}, {1, "Silent", "Heard", 6}, {5.9, "Silent", "Heard", 6}, {6, "Silent", "Silent", 0}, {90, "Silent", "Silent", 0}},
		"a break":             {{0, "Heard", "Heard", 0}, {1, "Silent", "Heard", 6}, {5, "Heard", "Heard", 0}, {6, "Silent", "Heard", 11}},
		"from the beginning":  {{0, "Silent", "Heard", 5}, {5, "Silent", "Silent", 0}},
		"back for a moment":   {{0, "Silent", "Heard", 5}, {5, "Silent", "Silent", 0}, {6, "Heard", "Silent", 7}, {6.5, "Silent", "Silent", 0}, {6.6, "Heard", "Silent", 7.6}, {7.6, "Heard", "Heard", 0}},
		"another wins":        {{0, "Silent Broken", "Broken", 5}, {4, "Silent Broken", "Broken", 5}, {5, "Silent Broken", "Silent", 0}, {6, "Silent Broken", "Silent", 0}},
		"another goes before": {{0, "Broken", "Broken", 0}, {1, "Silent Broken", "Broken", 6}, {2, "Silent", "Broken", 6}, {6, "Silent", "Silent", 0}},
	} {
		t.Run(name, func(t *testing.T) {
			kind := holder()
			if errs := kind.Validate(); errs != nil {
				t.Fatal(errs)
			}
			var list []Condition
			var waits []Wait
			for _, s := range steps {
				at := func(minute float64) time.Time { return t0.Add(time.Duration(minute * float64(time.Minute))) }
				for again := range 2 {
					p := kind.Begin(int64(1+again), list, at(s.minute)) // an edit of the spec changes nothing
					p.SetWaits(waits)
					for _, reason := range strings.Fields(s.reported) {
						p.Report("Lost", map[string]Status{"Silent": True, "Broken": True, "Heard": False}[reason], reason, "because")
					}
					r := p.Commit()
					if len(r.Errors) > 0 {
						t.Fatal(r.Errors)
					}
					if got := r.Conditions()[0]; got.Reason != s.want || got.ObservedGeneration != int64(1+again) {
						t.Errorf("minute %v: want %s, got %s of generation %d", s.minute, s.want, got.Reason, got.ObservedGeneration)
					}
					if want := at(s.until); s.until > 0 && !r.RequeueAt.Equal(want) || s.until == 0 && !r.RequeueAt.IsZero() {
						t.Errorf("minute %v: look again %v, want %v", s.minute, r.RequeueAt, s.until)
					}
					list, waits = r.Conditions(), r.Waits
				}
				for i := range list {
					list[i].ObservedGeneration = 1
				}
			}
		})
	}
}

// TestHold_outranked: a cell that has lasted and is outranked stays so: it does not begin anew with each pass.
func TestHold_outranked(t *testing.T) {
	kind := holder()
	r := &kind.Types[0].Reasons
	(*r)[0], (*r)[1] = (*r)[1], (*r)[0] // Broken is first
	var list []Condition
	var waits []Wait
	for i, reported := range []string{"Silent Broken", "Silent Broken", "Silent Broken", "Silent", "Silent Broken", "Silent Broken"} {
		p := kind.Begin(1, list, t0.Add(time.Duration(i)*5*time.Minute))
		p.SetWaits(waits)
		for _, reason := range strings.Fields(reported) {
			p.Report("Lost", True, reason, reason+" text")
		}
		got := p.Commit()
		list, waits = got.Conditions(), got.Waits
		if both := strings.Contains(list[0].Message, "Silent text"); both != (i > 0) {
			t.Errorf("pass %d: %s: %s", i, list[0].Reason, list[0].Message)
		}
	}
}

// TestHold_set: the controller sets the time and the beginning for an object.
func TestHold_set(t *testing.T) {
	p := holder().Begin(1, []Condition{cond("Lost", False, "Heard", "", 1, t0)}, t0)
	p.Report("Lost", True, "Silent", "")
	p.WaitFor("Lost", time.Hour)
	p.WaitSince("Lost", t0.Add(-10*time.Minute))
	r := p.Commit()
	want := []Wait{{Type: "Lost", Reason: "Silent", ObservedGeneration: 1, Since: metav1.NewTime(t0.Add(-10 * time.Minute)),
		Until: &metav1.Time{Time: t0.Add(50 * time.Minute)}}}
	if !slices.EqualFunc(r.Waits, want, Wait.Equal) || !r.RequeueAt.Equal(t0.Add(50*time.Minute)) || r.Conditions()[0].Status != False {
		t.Errorf("got %v, %v, %v", r.Waits, r.RequeueAt, r.Conditions())
	}
	p = holder().Begin(1, []Condition{cond("Lost", False, "Heard", "", 1, t0)}, t0)
	p.Report("Lost", True, "Silent", "")
	p.WaitFor("Lost", 0)
	if r = p.Commit(); r.Conditions()[0].Status != True || r.Waits != nil {
		t.Errorf("without a time it is published at once: %v %v", r.Conditions(), r.Waits)
	}
}

// TestHold_declared: what a declaration may not say.
func TestHold_declared(t *testing.T) {
	for name, change := range map[string]func(*Kind){
		"negative":        func(k *Kind) { k.Types[0].Reasons[0].Hold = -1 },
		"stored nowhere":  func(k *Kind) { k.StatusWaits, k.Types[0].Reasons[2].Hold = false, 0 },
		"two of a status": func(k *Kind) { k.Types[0].Reasons[1].Hold = 1 },
		"with a deadline": func(k *Kind) { k.Types[0].Reasons[1].Deadline, k.Types[0].Reasons[2].Hold = &Deadline{After: 1}, 0 },
	} {
		k := holder()
		if change(k); len(k.Validate()) != 1 {
			t.Errorf("%s: want one error, got %v", name, k.Validate())
		}
	}
}
