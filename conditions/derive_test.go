// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"testing"
	"time"

	. "github.com/tristate/tristate/conditions"
	. "github.com/tristate/tristate/conditions/rollup"
)

// fixed is a step with a result that is known beforehand.
func fixed(s Status, reason, message string) func(*View) (Merged, bool) {
	return func(*View) (Merged, bool) {
		var m Merged
		m.Condition.Status, m.Condition.Reason, m.Condition.Message = s, reason, message
		return m, true
	}
}

func nothing(*View) (Merged, bool) { return Merged{}, false }

// summed is a step that computes the declared summary.
func summed(v *View) (Merged, bool) {
	c, ok := v.Summarize()
	return Merged{Condition: c}, ok
}

// derive registers a step that returns the result of a merge.
func derive(p *Pass, conditionType string, step func(*View) (Merged, bool)) {
	p.Derive(conditionType, func(v *View) (Condition, []Cause, bool) {
		m, ok := step(v)
		return m.Condition, m.Causes, ok
	})
}

func TestDerive(t *testing.T) {
	types := []Type{
		{Name: "Ready", Role: RoleSummary, Imported: true, Summary: &Summary{}},
		{Name: "Up", Role: RoleDependent, Foreign: true},
		{Name: "Derived", Role: RoleDependent, Imported: true},
	}
	up := cond("Up", True, "Runs", "", 1, t0)
	tests := map[string]struct {
		change func(k *Kind)
		stored []Condition
		state  *State
		run    func(p *Pass)
		want   []string
		causes []string // of Ready
	}{
		"a step sees the result of the one before it": {
			stored: []Condition{up},
			run: func(p *Pass) {
				derive(p, "Derived", fixed(False, "Broken", "it is"))
				derive(p, "Ready", func(v *View) (Merged, bool) {
					c := v.Condition("Derived")
					if !c.LastTransitionTime.Time.Equal(t1) || c.ObservedGeneration != 1 {
						t.Errorf("not stamped: %v", c)
					}
					return fixed(c.Status, "Of"+c.Reason, "")(v)
				})
			},
			want: []string{"Ready=False OfBroken", "Up=True Runs", "Derived=False Broken it is"},
		},
		"a summary reads a step that was registered behind it": {
			stored: []Condition{up},
			run: func(p *Pass) {
				derive(p, "Ready", summed)
				derive(p, "Derived", fixed(False, "Broken", "it is"))
			},
			want:   []string{"Ready=False Broken Derived(Broken): it is", "Up=True Runs", "Derived=False Broken it is"},
			causes: []string{"Derived=False Broken"},
		},
		"a change that has not lasted is not seen": {
			change: func(k *Kind) { k.Types[2].GoBadAfter = time.Minute },
			stored: []Condition{up, cond("Derived", True, "Fine", "", 1, t0)},
			state:  new(State),
			run: func(p *Pass) {
				derive(p, "Derived", fixed(False, "Broken", ""))
				derive(p, "Ready", summed)
			},
			want: []string{"Ready=True Healthy", "Up=True Runs", "Derived=True Fine"},
		},
		"no result removes the condition": {
			change: func(k *Kind) { k.Types[2].Optional = true },
			stored: []Condition{up, cond("Derived", False, "Broken", "", 1, t0)},
			run: func(p *Pass) {
				derive(p, "Derived", nothing)
				derive(p, "Ready", summed)
			},
			want: []string{"Ready=True Healthy", "Up=True Runs"},
		},
		"no result leaves a condition that cannot change": {
			change: func(k *Kind) { k.Types[2].Lifecycle = LifecycleTerminal },
			stored: []Condition{up, cond("Derived", True, "Done", "", 1, t0)},
			run: func(p *Pass) {
				derive(p, "Derived", nothing)
				derive(p, "Ready", summed)
			},
			want: []string{"Ready=True Healthy", "Up=True Runs", "Derived=True Done"},
		},
		"what is reported takes part": {
			stored: []Condition{up},
			run: func(p *Pass) {
				p.Report("Derived", False, "Refused", "by hand")
				derive(p, "Derived", fixed(True, "Fine", ""))
				derive(p, "Ready", summed)
			},
			want:   []string{"Ready=False Refused Derived(Refused): by hand", "Up=True Runs", "Derived=False Refused by hand"},
			causes: []string{"Derived=False Refused"},
		},
		"an alias of a reason is read under its name": {
			change: func(k *Kind) {
				k.Types[1].Reasons = []Reason{{Name: "Lost", Aliases: []string{"Losst"}, Status: False}}
			},
			stored: []Condition{cond("Up", False, "Losst", "", 1, t0)},
			run: func(p *Pass) {
				derive(p, "Derived", fixed(True, "Fine", ""))
				derive(p, "Ready", summed)
			},
			want:   []string{"Up=False Losst", "Ready=False Lost Up(Lost)", "Derived=True Fine"},
			causes: []string{"Up=False Lost"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			k := &Kind{Kind: "Thing", Types: append([]Type(nil), types...)}
			if tt.change != nil {
				tt.change(k)
			}
			pass := func(stored []Condition, now time.Time) Result {
				p := k.Begin(1, stored, now)
				p.SetState(tt.state)
				tt.run(p)
				return p.Commit()
			}
			first := pass(tt.stored, t1)
			same(t, "errors", 0, len(first.Errors))
			var got []string
			for _, c := range first.Conditions() {
				text := c.Type + "=" + string(c.Status) + " " + c.Reason
				if c.Message != "" {
					text += " " + c.Message
				}
				got = append(got, text)
			}
			same(t, "conditions", len(tt.want), len(got))
			for _, want := range tt.want {
				if !contains(got, want) {
					t.Errorf("want %q among %q", want, got)
				}
			}
			if tt.causes != nil {
				same(t, "causes", tt.causes, causeTexts(first.Causes("Ready")))
			}
			if second := pass(first.Conditions(), t1); second.Changed && tt.want[0] != "Ready=False OfBroken" {
				t.Errorf("a second pass changes %v", second.Transitions)
			}
		})
	}
}

func contains(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}

// A view is of no use after its step, and a step that is registered after Commit is not run.
func TestDerive_late(t *testing.T) {
	k := thing()
	var kept *View
	p := k.Begin(1, nil, t1)
	derive(p, "Ready", func(v *View) (Merged, bool) {
		kept = v
		return summed(v)
	})
	p.Commit()
	if _, ok := kept.Summarize(); ok || kept.Condition("Ready") != nil {
		t.Error("a view serves after its step")
	}
	derive(p, "Ready", func(*View) (Merged, bool) {
		t.Error("a step runs after Commit")
		return Merged{}, false
	})
	if r := p.Commit(); len(r.Errors) == 0 {
		t.Error("the late call is not reported")
	}
	p = k.Begin(1, nil, t1)
	derive(p, "Nobody", nothing)
	same(t, "errors", 1, len(p.Commit().Errors))
}
