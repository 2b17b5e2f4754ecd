// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"testing"
)

func TestGates(t *testing.T) {
	type g = gate
	tests := map[string]struct {
		stored []Condition
		gates  []gate
		want   Condition // Ready
		errors []string
	}{
		"missing is Unknown": {
			gates: []gate{g{"example.com/Ready", Positive}},
			want:  cond("Ready", Unknown, ReasonNotReported, "example.com/Ready(NotReported): not reported", 1, t1),
		},
		"open": {
			stored: []Condition{cond("Gate", True, "Open", "", 1, t0)}, gates: []gate{{"Gate", ""}}, want: cond("Ready", True, ReasonHealthy, "", 1, t1),
		},
		"closed": {
			stored: []Condition{cond("Gate", False, "Closed", "by hand", 1, t0)}, gates: []gate{{"Gate", Positive}},
			want: cond("Ready", False, "Closed", "Gate(Closed): by hand", 1, t1),
		},
		"negative": {
			stored: []Condition{cond("Blocked", True, "Held", "", 1, t0)}, gates: []gate{{"Blocked", Negative}},
			want: cond("Ready", False, "Held", "Blocked(Held)", 1, t1),
		},
		"negative and open": {
			stored: []Condition{cond("Blocked", False, "Free", "", 1, t0)}, gates: []gate{{"Blocked", Negative}}, want: cond("Ready", True, ReasonHealthy, "", 1, t1),
		},
		"several count by name, each once": {
			gates: []gate{{"Z", Positive}, {"A", Positive}, {"Z", ""}},
			want:  cond("Ready", Unknown, ReasonNotReported, "A(NotReported): not reported; Z(NotReported): not reported", 1, t1),
		},
		"a declared type counts once, with its own polarity": {
			gates: []gate{{"Snyced", Negative}}, want: cond("Ready", True, ReasonHealthy, "", 1, t1),
			errors: []string{"Thing: gate Snyced: the polarity is declared positive and given as negative"},
		},
		"an informational type counts": {
			stored: []Condition{cond("Info", False, "Off", "", 1, t0)}, gates: []gate{{"Info", Positive}},
			want: cond("Ready", False, "Off", "Info(Off)", 1, t1),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			k := thing()
			k.Types = append(k.Types, Type{Name: "Info", Role: RoleInformational, Presence: OnceTrue})
			permutations(tt.gates, func(gates []gate) {
				p := k.Begin(1, tt.stored, t1)
				p.Report("Synced", True, "UpToDate", "")
				for _, g := range gates {
					p.Gate(g.conditionType, g.polarity)
				}
				got := p.Commit()
				same(t, "Ready", tt.want, got.Conditions[Find(got.Conditions, "Ready")])
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
		return p.Commit().Conditions[1].Status
	}())
}
