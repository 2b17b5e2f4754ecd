// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"testing"

	. "github.com/tristate/tristate/conditions"
	. "github.com/tristate/tristate/conditions/rollup"
)

// gate is a call of Gate.
type gate struct {
	conditionType string
	polarity      Polarity
	of            int
}

func TestGates(t *testing.T) {

	tests := map[string]struct {
		stored []Condition
		gates  []gate
		want   Condition // Ready
		errors []string
	}{
		"missing is Unknown": {
			gates: []gate{{"example.com/Ready", Positive, 0}},
			want:  cond("Ready", Unknown, ReasonNotReported, "example.com/Ready(NotReported): not reported", 1, t1),
		},
		"open": {
			stored: []Condition{cond("Gate", True, "Open", "", 1, t0)}, gates: []gate{{"Gate", "", 0}},
			want: cond("Ready", True, reasonHealthy, "", 1, t1),
		},
		"closed": {
			stored: []Condition{cond("Gate", False, "Closed", "by hand", 1, t0)}, gates: []gate{{"Gate", Positive, 0}},
			want: cond("Ready", False, "Closed", "Gate(Closed): by hand", 1, t1),
		},
		"negative": {
			stored: []Condition{cond("Blocked", True, "Held", "", 1, t0)}, gates: []gate{{"Blocked", Negative, 0}},
			want: cond("Ready", False, "Held", "Blocked(Held)", 1, t1),
		},
		"negative and open": {
			stored: []Condition{cond("Blocked", False, "Free", "", 1, t0)}, gates: []gate{{"Blocked", Negative, 0}},
			want: cond("Ready", True, reasonHealthy, "", 1, t1),
		},
		"several count by name, each once": {
			gates: []gate{{"Z", Positive, 0}, {"A", Positive, 0}, {"Z", "", 0}},
			want:  cond("Ready", Unknown, ReasonNotReported, "A(NotReported): not reported; Z(NotReported): not reported", 1, t1),
		},
		"a declared type counts once, with its own polarity": {
			gates: []gate{{"Snyced", Negative, 0}}, want: cond("Ready", True, reasonHealthy, "", 1, t1),
			errors: []string{"Thing: gate Snyced: the polarity is declared positive and given as negative"},
		},
		"an informational type counts": {
			stored: []Condition{cond("Info", False, "Off", "", 1, t0)}, gates: []gate{{"Info", Positive, 0}},
			want: cond("Ready", False, "Off", "Info(Off)", 1, t1),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			k := thing()
			k.Types = append(k.Types, Type{Name: "Info", Role: RoleInformational, Presence: PresenceOnceTrue})
			permutations(tt.gates, func(gates []gate) {
				p := k.Begin(1, tt.stored, t1)
				p.Report("Synced", True, "UpToDate", "")
				for _, g := range gates {
					p.Gate(g.conditionType, g.polarity)
				}
				got := p.Commit()
				same(t, "Ready", tt.want, got.Conditions()[Find(got.Conditions(), "Ready")])
				same(t, "errors", tt.errors, texts(got.Errors))
				if causes := got.Causes("Ready"); (len(causes) == 0) != (tt.want.Status == True) {
					t.Errorf("causes: %v", causes)
				}
			})
		})
	}
	same(t, "a stale gate", Unknown, func() Status {
		p := thing().Begin(5, []Condition{cond("Gate", True, "Open", "", 4, t0)}, t1)
		p.Report("Synced", True, "UpToDate", "")
		p.Gate("Gate", Positive)
		return p.Commit().Conditions()[1].Status
	}())
}

// Gates come from the spec of an object, so that two of them may name summaries that gate each other, or one that is made of the other.
// They are healthy together, and unhealthy together.
func TestGatesOnSummaries(t *testing.T) {
	ready := Type{Name: "Ready", Role: RoleSummary, Imported: true, Summary: &Summary{Of: []string{"A"}}}
	available := Type{Name: "Available", Role: RoleSummary, Imported: true, Summary: &Summary{Of: []string{"B"}}}
	over := Type{Name: "Available", Role: RoleSummary, Imported: true, Summary: &Summary{Of: []string{"Ready", "B"}}}
	tests := map[string]struct {
		available Type
		gates     []string
		a, b      Status
		want      [2]Status // of Ready and Available
		message   string    // of Ready
	}{
		"each other, healthy":       {available, []string{"Ready", "Available"}, True, True, [2]Status{True, True}, ""},
		"each other, one unhealthy": {available, []string{"Ready", "Available"}, True, False, [2]Status{False, False}, "B(Broken)"},
		"each other, the other":     {available, []string{"Ready", "Available"}, False, True, [2]Status{False, False}, "A(Broken)"},
		"one way": {available, []string{"Available"}, True, False, [2]Status{False, False},
			"Available(Broken): B(Broken)"},
		"one made of the other, healthy": {over, []string{"Available"}, True, True, [2]Status{True, True}, ""},
		"one made of the other":          {over, []string{"Available"}, True, False, [2]Status{False, False}, "B(Broken)"},
		"with another gate": {available, []string{"Ready", "Available", "C"}, True, True, [2]Status{Unknown, Unknown},
			"C(NotReported): not reported"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			k := &Kind{Kind: "Thing", Types: []Type{ready, tt.available, {Name: "A"}, {Name: "B"}}}
			same(t, "the declaration", 0, len(k.Validate()))
			permutations(tt.gates, func(gates []string) {
				p := k.Begin(1, nil, t1)
				p.Report("A", tt.a, "Broken", "")
				p.Report("B", tt.b, "Broken", "")
				for _, g := range gates {
					p.Gate(g, Positive)
				}
				got := p.Commit()
				same(t, "errors", []string(nil), texts(got.Errors))
				same(t, "statuses", tt.want, [2]Status{got.Conditions()[0].Status, got.Conditions()[1].Status})
				same(t, "message", tt.message, got.Conditions()[0].Message)
			})
		})
	}
}
