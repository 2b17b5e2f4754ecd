// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"testing"

	. "github.com/tristate/tristate/conditions"
)

// phased is a kind whose phase follows from its conditions.
func phased() *Kind {
	return &Kind{Kind: "Phased", Phases: []Phase{{Name: "Pending", Initial: true}, {Name: "Failed", Cells: []string{"Ready=False/Broken"}},
		{Name: "Degraded", Cells: []string{"Degraded=True", "Ready=False/Lost"}}, {Name: "Ready", Cells: []string{"Ready=True"}},
		{Name: "Working"}},
		Types: []Type{{Name: "Ready", Role: RoleSummary, Reasons: []Reason{{Name: "Broken", Status: False}, {Name: "Lost", Status: False},
			{Name: "Accepted", Status: False, Initial: true, Message: "about %s"}, {Name: "Serving", Status: True}}},
			{Name: "Degraded", Polarity: Negative, Presence: PresenceWhenKnown, Optional: true,
				Reasons: []Reason{{Name: "Part", Status: True}, {Name: "Whole", Status: False}}}}}
}

// TestPhase: the first phase that a cell makes is the word, and the one without cells that of all other objects.
func TestPhase(t *testing.T) {
	for name, c := range map[string]struct {
		list []Condition
		want string
	}{
		"by a reason":        {[]Condition{cond("Ready", False, "Broken", "", 1, t0), cond("Degraded", True, "Part", "", 1, t0)}, "Failed"},
		"by a status":        {[]Condition{cond("Ready", True, "Serving", "", 1, t0), cond("Degraded", True, "Part", "", 1, t0)}, "Degraded"},
		"by the second cell": {[]Condition{cond("Ready", False, "Lost", "", 1, t0)}, "Degraded"},
		"of the other types": {[]Condition{cond("Ready", True, "Serving", "", 1, t0), cond("Degraded", False, "Whole", "", 1, t0)}, "Ready"},
		"of all others":      {[]Condition{cond("Ready", False, "Accepted", "", 1, t0)}, "Working"},
		"without conditions": {nil, "Working"},
	} {
		if got := phased().Phase(c.list); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := new(Kind).Phase(nil); got != "" {
		t.Errorf("without phases: %q", got)
	}
}

// TestRepeat: the stored conditions hold for another generation, and nothing else about them changes; those of others are theirs.
func TestRepeat(t *testing.T) {
	stored := []Condition{cond("Ready", False, "Lost", "why", 1, t0), cond("Others", True, "X", "", 1, t0)}
	p := phased().Begin(2, stored, t1)
	p.Repeat()
	r := p.Commit()
	want := []Condition{cond("Ready", False, "Lost", "why", 2, t0), stored[1]}
	if len(r.Errors) > 0 || len(r.Conditions()) != 2 || r.Conditions()[0] != want[0] || r.Conditions()[1] != want[1] {
		t.Errorf("want %v, got %v, %v", want, r.Conditions(), r.Errors)
	}
}
