// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"errors"
	"testing"
	"time"

	. "github.com/tristate/tristate/conditions"
)

// cells is a kind with messages and delays of its own.
func cells() *Kind {
	return &Kind{Kind: "Thing", Dialect: DialectCore, Types: []Type{
		{Name: "Ready", Polarity: Positive, Role: RoleDependent, Presence: PresenceAlways, Reasons: []Reason{
			{Name: "Refused", Status: False, Class: ClassTransient, Message: "100 %% refused: %s", Retry: 20 * time.Second},
			{Name: "Missing", Status: False, Class: ClassTransient},
			{Name: "Waiting", Status: Unknown, Class: ClassProgress, Message: "0 %% done", Deadline: &Deadline{After: time.Hour}},
			{Name: "Fine", Status: True, Class: ClassOK}}},
		{Name: "Synced", Polarity: Positive, Role: RoleDependent, Presence: PresenceAlways, Reasons: []Reason{
			{Name: "Missing", Status: False, Class: ClassTransient}, {Name: "Waiting", Status: Unknown, Class: ClassProgress,
				Deadline: &Deadline{After: time.Hour}},
			{Name: "Fine", Status: True, Class: ClassOK}}},
	}}
}

// TestReportCell: a cell that is carried as a value is the cell, with the message that is declared; the empty one is none.
func TestReportCell(t *testing.T) {
	for name, test := range map[string]struct {
		cell, text string
		want       Condition
		errors     []string
	}{
		"a text in a message": {cell: "False/Refused", text: "no disk", want: cond("Ready", False, "Refused", "100 % refused: no disk", 1,
			t1)},
		"a message without": {cell: "Unknown/Waiting", text: "left out", want: cond("Ready", Unknown, "Waiting", "0 % done", 1, t1)},
		"no message":        {cell: "True/Fine", text: "as it is", want: cond("Ready", True, "Fine", "as it is", 1, t1)},
		"none":              {want: cond("Ready", Unknown, "Waiting", "", 1, t1)},
		"not a cell of the type": {cell: "True/Refused", want: cond("Ready", True, "Fine", "", 1, t1),
			errors: []string{`Thing: condition Ready does not declare True with reason "Refused"`}},
	} {
		t.Run(name, func(t *testing.T) {
			p := cells().Begin(1, nil, t1)
			p.ReportCell("Ready", test.cell, test.text)
			got := p.Commit()
			same(t, "condition", test.want, got.Conditions()[0])
			same(t, "errors", test.errors, texts(got.Errors))
		})
	}
}

func TestText(t *testing.T) {
	same(t, "verbs", "2 of 3", Text("%d of %d", 2, 3))
	same(t, "an escape", "100%", Text("100%%"))
	same(t, "no verbs", "plain", Text("plain"))
	if n := testing.AllocsPerRun(100, func() { Text("plain") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestRetry: the delay of a reason is when to look again, in each pass anew. It is no error for the queue; a transient condition without a
// delay is one, whatever else is waited for.
func TestRetry(t *testing.T) {
	pass := func(stored []Condition, now time.Time, ready, synced string, err error) (Result, Advice) {
		p := cells().Begin(1, stored, now)
		p.ReportCell("Ready", ready, "x")
		p.ReportCell("Synced", synced, "")
		p.ReportError("Synced", err)
		r := p.Commit()
		return r, r.Advice(nil)
	}
	first, advice := pass(nil, t1, "False/Refused", "True/Fine", nil)
	same(t, "when", t1.Add(20*time.Second), first.RequeueAt)
	same(t, "error", nil, advice.Err)
	again, advice := pass(first.Conditions(), t2, "False/Refused", "True/Fine", nil)
	same(t, "changed", false, again.Changed)
	same(t, "when, in a pass that changes nothing", 20*time.Second, advice.Wait(t2))
	_, advice = pass(nil, t1, "False/Missing", "Unknown/Waiting", nil)
	if advice.Err == nil || advice.Wait(t1) != time.Hour {
		t.Errorf("a deadline takes the back-off of another condition away: %+v", advice)
	}
	_, advice = pass(nil, t1, "True/Fine", "", &Fault{After: time.Minute, Err: errors.New("429")})
	same(t, "a fault that says when", time.Minute, advice.Wait(t1))
	same(t, "its error", nil, advice.Err)
}
