// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"testing"

	. "github.com/tristate/tristate/conditions"
	. "github.com/tristate/tristate/conditions/rollup"
)

func TestCausesOfAResult(t *testing.T) {
	k := thing()
	k.Types = append(k.Types,
		Type{Name: "MachinesReady", Role: RoleDependent, Imported: true},
		Type{Name: "Available", Role: RoleSummary, Imported: true, Summary: &Summary{Of: []string{"Ready", "MachinesReady"}}})
	p := k.Begin(4, []Condition{cond("Synced", True, "UpToDate", "", 4, t0)}, t1)
	machines := []Input{
		ofObject("b", of("Ready", False, SeverityError, "Crash", "exit 1")), ofObject("a", of("Ready", False, SeverityInfo, "Booting", "")),
		ofObject("c", of("Ready", True, "", "Up", "")),
	}
	m, _ := Aggregate(machines, Options{Target: k.Types[3]})
	Report(p, "MachinesReady", m)
	p.Report("Synced", False, "StoreMissing", "no store")
	p.Report("Synced", False, "AuthFailed", "401")
	p.Report("Degraded", True, "Slow", "9 s")
	got := p.Commit()
	synced := []string{"Synced=False AuthFailed", "Synced=False StoreMissing"}
	deep := []string{"Machine/default/b Ready=False Crash", "Machine/default/a Ready=False Booting"}
	slow := []string{"Degraded=True Slow"}
	same(t, "errors", []string(nil), texts(got.Errors))
	for name, want := range map[string][]string{
		"Synced": synced, "Degraded": slow, "MachinesReady": deep,
		"Ready":     {synced[0], synced[1], deep[0], deep[1], slow[0]}, // two errors, then the warning
		"Available": {synced[0], synced[1], deep[0], deep[1], slow[0]},
		"Nobody's":  nil,
	} {
		same(t, name, want, causeTexts(got.Causes(name)))
	}
	same(t, "severity and message", cause(ObjectRef{}, "Synced", False, SeverityError, "AuthFailed", "401"), got.Causes("Synced")[0])

	// what is over leaves no cause, what was not looked at is one
	p = k.Begin(5, got.Conditions(), t2)
	p.Report("Synced", True, "UpToDate", "")
	p.Report("Degraded", False, "Fine", "")
	got = p.Commit()
	same(t, "Synced", 0, len(got.Causes("Synced")))
	same(t, "Ready", []string{"MachinesReady=Unknown Stale"}, causeTexts(got.Causes("Ready")))
	var none Result
	same(t, "the zero result", 0, len(none.Causes("Ready")))
}

// A fact that waits for its time is no cause of what is published.
func TestCausesOfADwellingCondition(t *testing.T) {
	k := thing()
	k.Types[1].RecoverAfter = 1e12
	var memory State
	stored := []Condition{cond("Ready", False, "AuthFailed", "Synced(AuthFailed): 401", 1, t0), cond("Synced", False, "AuthFailed", "401", 1,
		t0)}
	p := k.Begin(1, stored, t1)
	p.SetState(&memory)
	p.Report("Synced", True, "UpToDate", "")
	p.Report("Synced", True, "UpToDate", "again")
	got := p.Commit()
	same(t, "changed", false, got.Changed)
	same(t, "causes", []string{"Synced=False AuthFailed"}, causeTexts(got.Causes("Ready")))
}

func TestCausesOfACycle(t *testing.T) {
	k := &Kind{Kind: "Thing", Types: []Type{
		{Name: "A", Summary: &Summary{Of: []string{"B", "Nobody"}}}, {Name: "B", Summary: &Summary{Of: []string{"A"}}},
	}}
	got := k.Begin(1, nil, t1).Commit()
	if n := len(got.Causes("A")); n == 0 || n > 4 {
		t.Errorf("causes: %v", got.Causes("A"))
	}
}
