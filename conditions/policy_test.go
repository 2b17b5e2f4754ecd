// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/tristate/tristate/conditions"
	. "github.com/tristate/tristate/conditions/wire"
)

func TestInitial(t *testing.T) {
	k := thing()
	k.Types = append(k.Types, Type{Name: "New", Role: RoleDependent, StartHealthy: true, Reasons: []Reason{{Name: "Checked", Status: True},
		{Name: "Assumed", Status: True}}})
	tests := map[string]struct {
		ready Status
		want  Status
	}{
		"on a healthy object":   {True, True},
		"on an unhealthy one":   {False, Unknown},
		"on one not looked at":  {Unknown, Unknown},
		"on an object that has": {"", Unknown}, // no conditions yet
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var stored []Condition
			if tt.ready != "" {
				stored = append(stored, cond("Ready", tt.ready, "R", "", 1, t0))
			}
			p := k.Begin(1, stored, t1)
			p.Report("Synced", True, "UpToDate", "")
			list := p.Commit().Conditions()
			same(t, "New", tt.want, list[Find(list, "New")].Status)
			same(t, "Ready", tt.want, list[Find(list, "Ready")].Status)
			if tt.want == True {
				same(t, "reason", "Assumed", list[Find(list, "New")].Reason)
			}
		})
	}
}

func TestLifecycle(t *testing.T) {
	tests := map[Lifecycle]struct{ reports, want string }{
		"":                  {"UTTUFT", "UTTUFT"},
		"level":             {"UTTUFT", "UTTUFT"},
		"per-run":           {"UTTUFT", "UTTUFT"},
		LifecycleMonotonic:  {"UFTUFTRF", "UFTTTT-F"},
		LifecycleTerminal:   {"UFTUFTRF", "UFTTTT-F"},
		LifecycleCompletion: {"UUFTRUTF", "UUFF-UTT"},
	}
	for lifecycle, tt := range tests {
		t.Run(string(lifecycle), func(t *testing.T) {
			k := &Kind{Kind: "Run", Types: []Type{{Name: "Succeeded", Lifecycle: lifecycle, Reasons: []Reason{
				{Name: "Failed", Status: False}, {Name: "Running", Status: Unknown}, {Name: "Done", Status: True},
			}}}}
			var list []Condition
			got := ""
			for i, r := range tt.reports {
				p := k.Begin(int64(i+1), list, t0.Add(time.Duration(i)*time.Second))
				switch r {
				case 'T':
					p.Report("Succeeded", True, "Done", fmt.Sprint("pass ", i))
				case 'F':
					p.Report("Succeeded", False, "Failed", fmt.Sprint("pass ", i))
				case 'U':
					p.Report("Succeeded", Unknown, "Running", fmt.Sprint("pass ", i))
				case 'R':
					p.Remove("Succeeded")
				}
				list = p.Commit().Conditions()
				if len(list) == 0 {
					got += "-"
					continue
				}
				got += string(list[0].Status[0])
				same(t, "generation", int64(i+1), list[0].ObservedGeneration)
			}
			same(t, "statuses", tt.want, got)
		})
	}
}

// What cannot change any more needs no new look to count.
func TestWhatIsFinalDoesNotGoStale(t *testing.T) {
	k := thing()
	k.Types[1].Lifecycle = LifecycleTerminal
	p := k.Begin(9, []Condition{cond("Ready", True, reasonHealthy, "", 1, t0), cond("Synced", True, "UpToDate", "done", 1, t0)}, t1)
	list := p.Commit().Conditions()
	same(t, "conditions", []Condition{cond("Ready", True, reasonHealthy, "", 9, t0), cond("Synced", True, "UpToDate", "done", 1, t0)}, list)
}

func TestRetired(t *testing.T) {
	k := thing()
	k.Retired = []string{"Compiled", "Loaded"}
	stored := []Condition{
		cond("Compiled", False, "Old", "", 1, t0), cond("Theirs", True, "X", "", 1, t0), cond("Ready", True, reasonHealthy, "", 1, t0),
		cond("Loaded", True, "Old", "", 7, t0), cond("Synced", True, "UpToDate", "", 1, t0),
	}
	got := k.Begin(1, stored, t1).Commit()
	same(t, "conditions", []Condition{stored[1], stored[2], stored[3], stored[4]}, got.Conditions())
	same(t, "transitions", []Transition{{Type: "Compiled", From: stored[0]}}, got.Transitions)
	same(t, "superseded", []string{"Loaded"}, got.Superseded) // a newer version of the operator still has it
	same(t, "second pass", false, k.Begin(1, got.Conditions(), t2).Commit().Changed)
	for name, want := range map[string]bool{"Compiled": true, "Synced": true, "Snyced": true, "Theirs": false} {
		same(t, "owns "+name, want, k.OwnedType(name) != "")
	}
}

// An alias is written by its right name within the limits of the schema, whatever is stored.
func TestARenamedConditionIsValid(t *testing.T) {
	stored := []Condition{cond("Snyced", True, "", strings.Repeat("a", 4*MaxMessageBytes), 1, time.Time{})}
	list := thing().Begin(1, stored, t1).Commit().Conditions()
	for i := range list {
		if errs := Validate(&list[i], DialectCore); len(errs) > 0 {
			t.Error(errs)
		}
	}
	same(t, "Synced", True, list[Find(list, "Synced")].Status)
}

// Any number of top-level conditions, each with its own dependents and polarity, and one over others.
func TestSeveralTops(t *testing.T) {
	k := &Kind{Kind: "Database", Types: []Type{
		{Name: "Ready", Role: RoleSummary, Imported: true, Summary: &Summary{Of: []string{"Serving", "Degraded"}}},
		{Name: "Degraded", Role: RoleSummary, Polarity: Negative, Imported: true, Summary: &Summary{Of: []string{"Replicated", "BackedUp"}}},
		{Name: "Succeeded", Role: RoleSummary, Imported: true, Lifecycle: LifecycleCompletion, Summary: &Summary{Of: []string{"Migrated"}}},
		{Name: "Serving", Role: RoleDependent}, {Name: "Replicated", Role: RoleDependent}, {Name: "BackedUp", Role: RoleDependent},
		{Name: "Migrated", Role: RoleDependent},
	}}
	list := []Condition(nil)
	for i, step := range []struct{ serving, replicated, backedUp, migrated, want string }{
		{"T", "T", "T", "U", "Ready=True Degraded=False Succeeded=Unknown"},
		{"T", "T", "F", "U", "Ready=False Degraded=True Succeeded=Unknown"},
		{"T", "U", "T", "T", "Ready=Unknown Degraded=Unknown Succeeded=True"},
		{"F", "T", "T", "F", "Ready=False Degraded=False Succeeded=True"}, // the migration is over
	} {
		p := k.Begin(1, list, t0.Add(time.Duration(i)*time.Minute))
		for name, s := range map[string]string{"Serving": step.serving, "Replicated": step.replicated, "BackedUp": step.backedUp,
			"Migrated": step.migrated} {
			p.Report(name, map[string]Status{"T": True, "F": False, "U": Unknown}[s], "Because", "")
		}
		got := p.Commit()
		list = got.Conditions()
		same(t, fmt.Sprint("step ", i), step.want, fmt.Sprintf("Ready=%s Degraded=%s Succeeded=%s", list[0].Status, list[1].Status,
			list[2].Status))
	}
}
