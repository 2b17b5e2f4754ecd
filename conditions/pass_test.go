// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"testing"
	"time"

	. "github.com/tristate/tristate/conditions"
	. "github.com/tristate/tristate/conditions/rollup"
)

// thing is a kind with something of everything.
func thing() *Kind {
	return &Kind{Kind: "Thing", Types: []Type{
		{Name: "Ready", Role: RoleSummary, Imported: true, Summary: &Summary{}},
		{Name: "Synced", Role: RoleDependent, Aliases: []string{"Snyced"}, Reasons: []Reason{
			{Name: "AuthFailed", Aliases: []string{"AuthFialed"}, Status: False, Class: ClassTerminal, Severity: SeverityError},
			{Name: "StoreMissing", Status: False, Class: ClassTransient, Severity: SeverityWarning},
			{Name: "Waiting", Status: Unknown, Class: ClassProgress},
			{Name: "UpToDate", Status: True, Class: ClassOK},
		}},
		{Name: "Degraded", Role: RoleDependent, Polarity: Negative, Presence: PresenceWhenTrue, Reasons: []Reason{
			{Name: "Slow", Status: True, Severity: SeverityWarning}, {Name: "Fine", Status: False},
		}},
	}}
}

type report struct {
	conditionType string
	status        Status
	reason, text  string
}

// foreign and others are conditions of other writers; settled is the list of a healthy [thing] that was reconciled at generation 3.
var (
	foreign = cond("Theirs", True, "Whatever @ x", "", 1, t0)
	others  = cond("Others", Unknown, "", "", 9, t2)
	settled = []Condition{cond("Ready", True, reasonHealthy, "", 3, t0), foreign, cond("Synced", True, "UpToDate", "", 3, t0)}
)

// commits are passes over a [thing] at t1, by what they show.
type commits map[string]struct {
	stored     []Condition
	generation int64       // of the object
	change     func(*Kind) // of the declaration; nil: none
	reports    []report
	removed    []string // types that the pass removes
	want       []Condition
	unchanged  bool // the pass has nothing to write
	superseded []string
	errors     []string
}

// run runs each pass, and after it one with the same facts, which changes nothing.
func (tests commits) run(t *testing.T) {
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			k := thing()
			if tt.change != nil {
				tt.change(k)
			}
			before := append([]Condition(nil), tt.stored...)
			p := k.Begin(tt.generation, tt.stored, t1.Add(300*time.Millisecond))
			for _, r := range tt.reports {
				p.Report(r.conditionType, r.status, r.reason, r.text)
			}
			for _, r := range tt.removed {
				p.Remove(r)
			}
			got := p.Commit()
			same(t, "conditions", tt.want, got.Conditions())
			same(t, "changed", !tt.unchanged, got.Changed)
			same(t, "superseded", tt.superseded, got.Superseded)
			same(t, "errors", tt.errors, texts(got.Errors))
			same(t, "the stored list afterwards", before, append([]Condition(nil), tt.stored...))
			var owned []Condition
			for _, c := range tt.want {
				if i := Position(k, c.Type); i >= 0 && !k.Types[i].Foreign {
					owned = append(owned, c)
				}
			}
			same(t, "owned", owned, got.Owned())
			second := k.Begin(tt.generation, got.Conditions(), t2)
			for _, r := range tt.reports {
				second.Report(r.conditionType, r.status, r.reason, r.text)
			}
			for _, r := range tt.removed {
				second.Remove(r)
			}
			if again := second.Commit(); again.Changed {
				same(t, "conditions of a second pass", got.Conditions(), again.Conditions())
				t.Error("a second pass with the same facts changes something")
			}
		})
	}
}

// TestCommit: a pass fills what is declared, compares with the stored list and stamps once.
func TestCommit(t *testing.T) {
	commits{
		"first visit": {
			generation: 1,
			want: []Condition{
				cond("Ready", Unknown, "Waiting", "Synced(Waiting)", 1, t1),
				cond("Synced", Unknown, "Waiting", "", 1, t1),
			},
		},
		"all healthy": {
			generation: 1,
			reports:    []report{{"Synced", True, "UpToDate", ""}},
			want: []Condition{
				cond("Ready", True, reasonHealthy, "", 1, t1),
				cond("Synced", True, "UpToDate", "", 1, t1),
			},
		},
		"a second pass writes nothing": {
			stored:     settled,
			generation: 3,
			reports:    []report{{"Synced", True, "UpToDate", ""}},
			want:       settled,
			unchanged:  true,
		},
		"nothing reported keeps what is stored": {
			stored:     settled,
			generation: 3,
			want:       settled,
			unchanged:  true,
		},
		"a new generation is written without moving the time": {
			stored:     settled,
			generation: 4,
			reports:    []report{{"Synced", True, "UpToDate", ""}},
			want: []Condition{
				cond("Ready", True, reasonHealthy, "", 4, t0),
				foreign,
				cond("Synced", True, "UpToDate", "", 4, t0),
			},
		},
		"what was not looked at at this generation makes the summary Unknown": {
			stored:     settled,
			generation: 4,
			want: []Condition{
				cond("Ready", Unknown, reasonStale, "Synced(Stale): observed at an older generation", 4, t1),
				foreign,
				cond("Synced", True, "UpToDate", "", 3, t0),
			},
		},
		"a status moves the time, declared order takes the places of owned entries, others keep theirs": {
			stored: []Condition{
				foreign,
				cond("Synced", True, "UpToDate", "", 3, t0),
				others,
				cond("Ready", True, reasonHealthy, "", 3, t0),
			},
			generation: 3,
			reports: []report{
				{"Synced", False, "StoreMissing", "no store"},
				{"Degraded", True, "Slow", "9 s"},
			},
			want: []Condition{
				foreign,
				cond("Ready", False, reasonUnhealthy, "Synced(StoreMissing): no store; Degraded(Slow): 9 s", 3, t1),
				others,
				cond("Synced", False, "StoreMissing", "no store", 3, t1),
				cond("Degraded", True, "Slow", "9 s", 3, t1),
			},
		},
		"a message alone does not move the time": {
			stored:     settled,
			generation: 3,
			reports:    []report{{"Synced", True, "UpToDate", "new"}},
			want: []Condition{
				cond("Ready", True, reasonHealthy, "", 3, t0),
				foreign,
				cond("Synced", True, "UpToDate", "new", 3, t0),
			},
		},
		"a stored time loses its fraction only when it is written": {
			stored: []Condition{
				cond("Ready", True, reasonHealthy, "", 3, t0),
				cond("Synced", True, "UpToDate", "", 3, t0.Add(time.Millisecond)),
			},
			generation: 3,
			reports:    []report{{"Synced", True, "UpToDate", "new"}},
			want: []Condition{
				cond("Ready", True, reasonHealthy, "", 3, t0),
				cond("Synced", True, "UpToDate", "new", 3, t0),
			},
		},
		"a stored condition without a time gets one": {
			stored: []Condition{
				cond("Ready", True, reasonHealthy, "", 3, t0),
				cond("Synced", True, "UpToDate", "", 3, time.Time{}),
			},
			generation: 3,
			reports:    []report{{"Synced", True, "UpToDate", ""}},
			want: []Condition{
				cond("Ready", True, reasonHealthy, "", 3, t0),
				cond("Synced", True, "UpToDate", "", 3, t1),
			},
		},
		"an older observer does not overwrite": {
			stored: []Condition{
				cond("Ready", True, reasonHealthy, "", 5, t0),
				cond("Synced", True, "UpToDate", "", 5, t0),
			},
			generation: 4,
			reports:    []report{{"Synced", False, "AuthFailed", ""}},
			want: []Condition{
				cond("Ready", True, reasonHealthy, "", 5, t0),
				cond("Synced", True, "UpToDate", "", 5, t0),
			},
			unchanged:  true,
			superseded: []string{"Ready", "Synced"},
		},
		"an older observer does not remove": {
			stored: []Condition{
				cond("Ready", True, reasonHealthy, "", 5, t0),
				cond("Synced", True, "UpToDate", "", 5, t0),
			},
			generation: 4,
			removed:    []string{"Synced"},
			want: []Condition{
				cond("Ready", True, reasonHealthy, "", 5, t0),
				cond("Synced", True, "UpToDate", "", 5, t0),
			},
			unchanged:  true,
			superseded: []string{"Ready", "Synced"},
		},
	}.run(t)
}

// TestSeveralFacts: declared precedence picks the reason of a condition with several facts, and its message names all.
func TestSeveralFacts(t *testing.T) {
	commits{
		"precedence picks the reason, the message names all": {
			generation: 1,
			reports: []report{
				{"Synced", True, "UpToDate", "x"},
				{"Synced", False, "StoreMissing", "no store"},
				{"Synced", False, "AuthFailed", "401"},
			},
			want: []Condition{
				cond("Ready", False, "AuthFailed", "Synced(AuthFailed): AuthFailed: 401; StoreMissing: no store", 1, t1),
				cond("Synced", False, "AuthFailed", "AuthFailed: 401; StoreMissing: no store", 1, t1),
			},
		},
		"the same cell twice": {
			generation: 1,
			reports: []report{
				{"Synced", False, "AuthFailed", "b"},
				{"Synced", False, "AuthFailed", "a"},
				{"Synced", False, "AuthFailed", "b"},
			},
			want: []Condition{
				cond("Ready", False, "AuthFailed", "Synced(AuthFailed): a; b", 1, t1),
				cond("Synced", False, "AuthFailed", "a; b", 1, t1),
			},
		},
		"contradictory facts about a neutral type": {
			generation: 1,
			change:     func(k *Kind) { k.Types = []Type{{Name: "Phase", Polarity: Neutral}} },
			reports: []report{
				{"Phase", True, "X", "b"},
				{"Phase", False, "X", "a"},
			},
			want: []Condition{cond("Phase", False, "X", "a; b", 1, t1)},
		},
		"a report to a summary takes part": {
			generation: 1,
			change:     func(k *Kind) { k.Types[0].Reasons = []Reason{{Name: "Invalid", Status: False}} },
			reports: []report{
				{"Synced", True, "UpToDate", ""},
				{"Ready", False, "Invalid", "bad"},
			},
			want: []Condition{
				cond("Ready", False, "Invalid", "bad", 1, t1),
				cond("Synced", True, "UpToDate", "", 1, t1),
			},
		},
		"a report to a summary is never better than its dependents": {
			generation: 1,
			change: func(k *Kind) {
				k.Types[0].Reasons = []Reason{{Name: "Fine", Status: True}, {Name: "Bad", Status: False}}
			},
			reports: []report{
				{"Synced", False, "AuthFailed", ""},
				{"Ready", True, "Fine", ""},
			},
			want: []Condition{
				cond("Ready", False, "AuthFailed", "Synced(AuthFailed)", 1, t1),
				cond("Synced", False, "AuthFailed", "", 1, t1),
			},
		},
		"summaries that summarize each other": {
			generation: 1,
			change: func(k *Kind) {
				k.Types = []Type{{Name: "A", Summary: &Summary{Of: []string{"B"}}}, {Name: "B", Summary: &Summary{Of: []string{"A"}}}}
			},
			want: []Condition{
				cond("A", Unknown, ReasonNotReported, "B(NotReported): A(NotReported): not reported", 1, t1),
				cond("B", Unknown, ReasonNotReported, "A(NotReported): not reported", 1, t1),
			},
			errors: []string{"Thing: conditions B and A summarize each other"},
		},
	}.run(t)
}

// TestUndeclared: what is not declared, or what the API server refuses, becomes what the catalog declares as fallback; an error names it.
func TestUndeclared(t *testing.T) {
	commits{
		"an undeclared reason falls back and is named": {
			generation: 1,
			reports:    []report{{"Synced", False, "Oops", "text"}},
			want: []Condition{
				cond("Ready", False, "StoreMissing", "Synced(StoreMissing): text", 1, t1),
				cond("Synced", False, "StoreMissing", "text", 1, t1),
			},
			errors: []string{`Thing: condition Synced does not declare False with reason "Oops"`},
		},
		"a declared reason with another status falls back": {
			generation: 1,
			reports:    []report{{"Synced", True, "AuthFailed", ""}},
			want: []Condition{
				cond("Ready", True, reasonHealthy, "", 1, t1),
				cond("Synced", True, "UpToDate", "", 1, t1),
			},
			errors: []string{`Thing: condition Synced does not declare True with reason "AuthFailed"`},
		},
		"a status that does not exist": {
			generation: 1,
			reports:    []report{{"Synced", "Maybe", "AuthFailed", ""}},
			want: []Condition{
				cond("Ready", Unknown, "Waiting", "Synced(Waiting)", 1, t1),
				cond("Synced", Unknown, "Waiting", "", 1, t1),
			},
			errors: []string{`Thing: condition Synced does not declare Maybe with reason "AuthFailed"`},
		},
		"an undeclared type is an error and changes nothing": {
			stored:     settled,
			generation: 3,
			reports: []report{
				{"Zzz", True, "X", ""},
				{"Aaa", True, "X", ""},
			},
			want:      settled,
			unchanged: true,
			errors:    []string{`Thing: condition "Aaa" is not declared`, `Thing: condition "Zzz" is not declared`},
		},
		"foreign types are read, never written": {
			stored: []Condition{
				cond("Ready", True, reasonHealthy, "", 3, t0),
				cond("Snyced", False, "AuthFailed", "401", 0, t0),
			},
			generation: 3,
			change:     func(k *Kind) { k.Types[1].Foreign = true },
			reports:    []report{{"Synced", True, "UpToDate", ""}},
			want: []Condition{
				cond("Ready", False, "AuthFailed", "Synced(AuthFailed): 401", 3, t1),
				cond("Snyced", False, "AuthFailed", "401", 0, t0),
			},
			errors: []string{"Thing: condition Synced is foreign: another writer owns it, and it cannot be reported"},
		},
		"a type that the API server refuses is left out": {
			generation: 1,
			change:     func(k *Kind) { k.Types = []Type{{Name: "no good", Reasons: nil}} },
			reports:    []report{{"no good", True, "X", ""}},
			unchanged:  true,
			errors:     []string{`Thing: condition "no good": type is not a qualified name of at most 316 bytes`},
		},
		"a reason that the API server refuses is replaced": {
			generation: 1,
			change:     func(k *Kind) { k.Types = []Type{{Name: "A", Reasons: []Reason{{Name: "no good", Status: True}}}} },
			reports:    []report{{"A", True, "no good", ""}},
			want:       []Condition{cond("A", True, reasonUndeclared, "", 1, t1)},
			errors: []string{
				`Thing: condition "A": reason "no good" must have 1 to 1024 letters, digits, '_', ',' and ':', begin with a letter and not end in ',' or ':'`,
			},
		},
	}.run(t)
}

// TestStoredNames: a type has one entry in the list, by its declared name.
func TestStoredNames(t *testing.T) {
	commits{
		"an alias of a reason is written by its right name": {
			generation: 1,
			reports:    []report{{"Synced", False, "AuthFialed", ""}},
			want: []Condition{
				cond("Ready", False, "AuthFailed", "Synced(AuthFailed)", 1, t1),
				cond("Synced", False, "AuthFailed", "", 1, t1),
			},
		},
		"an alias in the list is read, and replaced by the right name": {
			stored: []Condition{
				cond("Snyced", True, "UpToDate", "", 3, t0),
				cond("Ready", True, reasonHealthy, "", 3, t0),
			},
			generation: 3,
			want: []Condition{
				cond("Ready", True, reasonHealthy, "", 3, t0),
				cond("Synced", True, "UpToDate", "", 3, t0),
			},
		},
		"the right name wins over an alias": {
			stored: []Condition{
				cond("Snyced", False, "AuthFailed", "", 3, t2),
				cond("Synced", True, "UpToDate", "", 3, t0),
				cond("Ready", True, reasonHealthy, "", 3, t0),
			},
			generation: 3,
			want: []Condition{
				cond("Ready", True, reasonHealthy, "", 3, t0),
				cond("Synced", True, "UpToDate", "", 3, t0),
			},
		},
		"a repeated entry of an owned type is dropped": {
			stored: []Condition{
				cond("Ready", True, reasonHealthy, "", 3, t0),
				cond("Synced", True, "UpToDate", "", 3, t0),
				cond("Synced", False, "AuthFailed", "", 3, t0),
			},
			generation: 3,
			want: []Condition{
				cond("Ready", True, reasonHealthy, "", 3, t0),
				cond("Synced", True, "UpToDate", "", 3, t0),
			},
		},
	}.run(t)
}

// TestNotReported: presence, removal, and what a type becomes that a pass did not reach.
func TestNotReported(t *testing.T) {
	commits{
		"presence: a negative type leaves when it is no longer True": {
			stored: []Condition{
				cond("Ready", False, "Slow", "Degraded(Slow)", 3, t0),
				cond("Synced", True, "UpToDate", "", 3, t0),
				cond("Degraded", True, "Slow", "", 3, t0),
			},
			generation: 3,
			reports:    []report{{"Degraded", False, "Fine", ""}},
			want: []Condition{
				cond("Ready", True, reasonHealthy, "", 3, t1),
				cond("Synced", True, "UpToDate", "", 3, t0),
			},
		},
		"a type that is removed leaves the list": {
			stored:     settled,
			generation: 3,
			removed:    []string{"Synced"},
			want: []Condition{
				cond("Ready", Unknown, ReasonNotReported, "Synced(NotReported): not reported", 3, t1),
				foreign,
			},
		},
		"a report outweighs a removal": {
			stored:     settled,
			generation: 3,
			reports:    []report{{"Synced", True, "UpToDate", ""}},
			removed:    []string{"Synced"},
			want:       settled,
			unchanged:  true,
		},
		"not reached becomes Unknown where declared": {
			stored:     settled,
			generation: 3,
			change:     func(k *Kind) { k.Types[1].Unreported = UnreportedUnknown },
			want: []Condition{
				cond("Ready", Unknown, "Waiting", "Synced(Waiting)", 3, t1),
				foreign,
				cond("Synced", Unknown, "Waiting", "", 3, t1),
			},
		},
		"not reached fails where declared": {
			stored:     settled,
			generation: 3,
			change:     func(k *Kind) { k.Types[1].Unreported = UnreportedFail },
			want: []Condition{
				cond("Ready", Unknown, "Waiting", "Synced(Waiting)", 3, t1),
				foreign,
				cond("Synced", Unknown, "Waiting", "", 3, t1),
			},
			errors: []string{"Thing: condition Synced was not reached in this pass"},
		},
	}.run(t)
}

func TestDialectCAPIv1beta1(t *testing.T) {
	k := &Kind{Kind: "Machine", Dialect: DialectCAPIv1beta1, Types: []Type{
		{Name: "Ready", Role: RoleSummary, Imported: true, Summary: &Summary{Counter: true}},
		{Name: "InfrastructureReady", Role: RoleDependent, Imported: true,
			Reasons: []Reason{{Name: "Missing", Status: False, Severity: SeverityWarning}}},
		{Name: "BootstrapReady", Role: RoleDependent, Imported: true, Presence: PresenceWhenKnown},
	}}
	p := k.Begin(7, nil, t1)
	p.ReportCondition(bare("InfrastructureReady", False, SeverityInfo, "Provisioning @ AWSMachine/m", "text", t0))
	p.ReportCondition(bare("BootstrapReady", True, SeverityInfo, "", "", t0))
	got := p.Commit()
	want := []Condition{
		bare("Ready", False, SeverityInfo, "Provisioning @ AWSMachine/m", "1 of 2 completed", t1),
		bare("InfrastructureReady", False, SeverityInfo, "Provisioning @ AWSMachine/m", "text", t1),
		bare("BootstrapReady", True, "", "", "", t1),
	}
	same(t, "conditions", want, got.Conditions())
	same(t, "errors", []string(nil), texts(got.Errors))

	p = k.Begin(8, got.Conditions(), t2)
	p.Report("InfrastructureReady", False, "Missing", "")
	p.Remove("BootstrapReady")
	got = p.Commit()
	want = []Condition{
		bare("Ready", False, SeverityWarning, "Missing", "0 of 2 completed", t1),
		bare("InfrastructureReady", False, SeverityWarning, "Missing", "", t1),
	}
	same(t, "conditions", want, got.Conditions())

	p = k.Begin(8, got.Conditions(), t2)
	p.Remove("InfrastructureReady")
	p.Remove("BootstrapReady")
	got = p.Commit()
	same(t, "a summary of nothing", []Condition(nil), append([]Condition(nil), got.Conditions()...))
	same(t, "transitions", 2, len(got.Transitions))
}

func TestTransitions(t *testing.T) {
	k := thing()
	stored := []Condition{cond("Ready", True, reasonHealthy, "", 3, t0), cond("Synced", True, "UpToDate", "", 3, t0)}
	p := k.Begin(3, stored, t1)
	p.Report("Synced", False, "StoreMissing", "")
	got := p.Commit()
	want := []Transition{
		{Type: "Ready", From: stored[0], To: got.Conditions()[0], Severity: SeverityWarning},
		{Type: "Synced", From: stored[1], To: got.Conditions()[1], Class: ClassTransient, Severity: SeverityWarning},
	}
	same(t, "transitions", want, got.Transitions)
}

func TestDwell(t *testing.T) {
	k := &Kind{Kind: "Thing", Types: []Type{{
		Name: "Ready", GoBadAfter: 2 * time.Minute, RecoverAfter: time.Minute,
		Reasons: []Reason{{Name: "Bad", Status: False}, {Name: "Good", Status: True}},
	}}}
	var memory State
	list := []Condition{cond("Ready", True, "Good", "", 1, t0)}
	steps := []struct {
		after  time.Duration
		report Status
		want   Status
		look   time.Duration // 0: never
	}{
		{0, False, True, 2 * time.Minute},
		{time.Minute, False, True, 2 * time.Minute},
		{90 * time.Second, True, True, 0}, // back before it was published: waiting starts anew
		{100 * time.Second, False, True, 220 * time.Second},
		{220 * time.Second, False, False, 0},
		{230 * time.Second, True, False, 290 * time.Second},
		{290 * time.Second, True, True, 0},
	}
	for i, step := range steps {
		p := k.Begin(1, list, t1.Add(step.after))
		p.SetState(&memory)
		reason := "Good"
		if step.report == False {
			reason = "Bad"
		}
		p.Report("Ready", step.report, reason, "")
		got := p.Commit()
		var look time.Duration
		if !got.RequeueAt.IsZero() {
			look = got.RequeueAt.Sub(t1)
		}
		if got.Conditions()[0].Status != step.want || look != step.look {
			t.Errorf("step %d: got %s, look again after %s, want %s, %s", i, got.Conditions()[0].Status, look, step.want, step.look)
		}
		list = got.Conditions()
	}

	p := k.Begin(1, []Condition{cond("Ready", True, "Good", "", 1, t0)}, t1)
	p.ReportCondition(cond("Ready", False, "Bad", "", 0, t1.Add(-3*time.Minute)))
	if got := p.Commit(); got.Conditions()[0].Status != False {
		t.Error("a fact that has lasted long enough is not published")
	}
}

func TestPresenceOnceTrue(t *testing.T) {
	k := &Kind{Kind: "Thing", Types: []Type{{Name: "Initialized", Presence: PresenceOnceTrue}}}
	var list []Condition
	for i, step := range []struct {
		status Status
		want   int
	}{{False, 0}, {Unknown, 0}, {True, 1}, {False, 1}} {
		p := k.Begin(1, list, t1)
		p.Report("Initialized", step.status, "Because", "")
		if list = p.Commit().Conditions(); len(list) != step.want {
			t.Errorf("step %d: %d conditions, want %d", i, len(list), step.want)
		}
	}
}

func TestPassAfterCommit(t *testing.T) {
	p := thing().Begin(1, nil, t1)
	p.Commit()
	p.Report("Synced", True, "UpToDate", "")
	p.ReportCondition(Condition{})
	p.Remove("Synced")
	p.SetState(&State{})
	got := p.Commit()
	same(t, "changed", false, got.Changed)
	same(t, "errors of a second commit", []string{
		"Thing: the pass is already committed: Report of condition Synced does nothing",
		"Thing: the pass is already committed: ReportCondition does nothing",
		"Thing: the pass is already committed: Remove of condition Synced does nothing",
		"Thing: the pass is already committed: SetState does nothing",
		"Thing: the pass is already committed: Commit does nothing",
	}, texts(got.Errors))
	var none *Pass
	for _, p := range []*Pass{none, {}} {
		p.Report("Synced", True, "UpToDate", "")
		same(t, "errors of a pass that was not begun", []string{"the pass was not begun"}, texts(p.Commit().Errors))
	}
}

// What cannot be true does not stay: negative generations, and times in the future.
func TestImpossibleStoredValues(t *testing.T) {
	future := t1.Add(1000 * time.Hour)
	tests := map[string]struct {
		generation int64
		stored     Condition
		report     bool
		want       Condition
	}{
		"a negative generation of the object": {-7, cond("Synced", True, "UpToDate", "", 0, t0), true,
			cond("Synced", True, "UpToDate", "", 0, t0)},
		"a negative generation that is stored": {2, cond("Synced", True, "UpToDate", "", -3, t0), true,
			cond("Synced", True, "UpToDate", "", 2, t0)},
		"one that is not reported": {2, cond("Synced", True, "UpToDate", "", -3, t0), false,
			cond("Synced", True, "UpToDate", "", 0, t0)},
		"a time in the future": {2, cond("Synced", True, "UpToDate", "", 2, future), true,
			cond("Synced", True, "UpToDate", "", 2, t1)},
		"one that is not reported in the future": {2, cond("Synced", True, "UpToDate", "", 2, future), false,
			cond("Synced", True, "UpToDate", "", 2, t1)},
		"a clock that is a little ahead": {2, cond("Synced", True, "UpToDate", "", 2, t1.Add(MaxClockSkew)), true,
			cond("Synced", True, "UpToDate", "", 2, t1.Add(MaxClockSkew))},
		"a newer observer's time in the future": {2, cond("Synced", True, "UpToDate", "", 3, future), true,
			cond("Synced", True, "UpToDate", "", 3, future)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			k := thing()
			list := []Condition{tt.stored}
			for i := range 2 {
				p := k.Begin(tt.generation, list, t1)
				if tt.report {
					p.Report("Synced", True, "UpToDate", "")
				}
				got := p.Commit()
				same(t, "errors", []string(nil), texts(got.Errors))
				same(t, "condition", tt.want, got.Conditions()[Find(got.Conditions(), "Synced")])
				if i > 0 && got.Changed {
					t.Error("a second pass writes again")
				}
				list = got.Conditions()
			}
		})
	}
}

// A fact that holds since a time in the future counts from now: it would wait until then.
func TestDwellSinceTheFuture(t *testing.T) {
	k := thing()
	k.Types[1].GoBadAfter = time.Minute
	stored := []Condition{cond("Synced", True, "UpToDate", "", 1, t0)}
	p := k.Begin(1, stored, t1)
	p.ReportCondition(cond("Synced", False, "AuthFailed", "", 0, t1.Add(1000*time.Hour)))
	same(t, "when to look again", t1.Add(time.Minute), p.Commit().RequeueAt)
}
