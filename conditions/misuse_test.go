// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// tries is how often each misuse is tried: memory that is used again is used again at random.
const tries = 100

// Wrong use of a pass that is over: whatever is called, and on whatever copy, no later pass has anything of it.
func TestMisuseReachesNoOtherObject(t *testing.T) {
	late := func(p *Pass) {
		p.Report("Synced", False, "AuthFailed", "of another object")
		p.ReportCondition(cond("Synced", False, "AuthFailed", "of another object", 1, t1))
		p.ReportMerged("Synced", Merged{Condition: cond("Synced", False, "AuthFailed", "of another object", 1, t1),
			Causes: []Cause{cause(Ref{}, "Other", "", "", "", "")}})
		p.ReportError("Synced", fmt.Errorf("of another object"))
		p.Retract("Ready")
		p.Gate("OfAnotherObject", Positive)
		p.SetState(&State{})
	}
	tests := map[string]func(k *Kind, stored []Condition){
		"a handle that is kept": func(k *Kind, stored []Condition) {
			p := k.Begin(1, stored, t1)
			p.Commit()
			late(p)
		},
		"a copy after the commit of the original": func(k *Kind, stored []Condition) {
			p := k.Begin(1, stored, t1)
			c := *p
			p.Commit()
			late(&c)
		},
		"the original after the commit of a copy": func(k *Kind, stored []Condition) {
			p := k.Begin(1, stored, t1)
			c := *p
			c.Commit()
			late(p)
		},
		"a commit of each copy": func(k *Kind, stored []Condition) {
			p := k.Begin(1, stored, t1)
			c := *p
			c.Commit()
			p.Commit()
			late(p)
			late(&c)
		},
		"a pass over metav1 conditions": func(k *Kind, stored []Condition) {
			var m MetaPass
			p := m.Begin(k, 1, ToMeta(stored), t1)
			p.Commit()
			again := m.Begin(k, 1, ToMeta(stored), t1)
			late(&again)
			late(&p)
			m.Commit()
		},
	}
	for name, misuse := range tests {
		t.Run(name, func(t *testing.T) {
			var reported atomic.Int32
			k := thing()
			k.OnMisuse = func(error) { reported.Add(1) }
			first := func(stored []Condition) Result {
				p := k.Begin(1, stored, t1)
				p.Report("Synced", True, "UpToDate", "")
				return p.Commit()
			}
			stored := first(nil).Conditions
			want := first(stored)
			for range tries {
				misuse(k, stored)
				// Two passes at a time: whatever the misuse left behind is taken over by one of them.
				one, two := k.Begin(1, stored, t1), k.Begin(1, stored, t1)
				misuse(k, stored)
				for _, p := range []*Pass{one, two} {
					p.Report("Synced", True, "UpToDate", "")
				}
				for _, p := range []*Pass{one, two} {
					got := p.Commit()
					same(t, "conditions", want.Conditions, got.Conditions)
					same(t, "errors", texts(want.Errors), texts(got.Errors))
					same(t, "causes", want.Causes("Ready"), got.Causes("Ready"))
				}
				if t.Failed() {
					return
				}
			}
			if n := reported.Load(); n < 2*tries*7 {
				t.Errorf("%d calls were reported of at least %d", n, 2*tries*7)
			}
		})
	}
}

// Goroutines that go on reporting to a pass that is over, while others reconcile. The race detector watches.
func TestMisuseByOtherGoroutines(t *testing.T) {
	k := steadyKind(Core)
	stored := steadyPass(k, nil, t0, 0).Conditions
	for range tries {
		over := k.Begin(3, stored, t1)
		c := *over
		over.Commit()
		var group sync.WaitGroup
		for range 2 {
			inGroup(&group, func() {
				for i := range 10 {
					c.Report(k.Types[i].Name, False, "Broken", "of another object")
				}
				c.Commit()
			})
			inGroup(&group, func() {
				if got := steadyPass(k, stored, t1, 0); got.Changed || len(got.Errors) > 0 {
					t.Errorf("a pass has something of another: %v %v", got.Conditions, got.Errors)
				}
			})
		}
		group.Wait()
	}
}

// What a result refers to is never written again: neither by its pass nor by later ones.
func TestResultsStandAlone(t *testing.T) {
	var seen []Input
	k := thing()
	k.Types[0].Summary.Merge = func(in []Input, o MergeOptions) (Merged, bool) {
		seen = append(seen, in...)
		return Summarize(in, MergeOptions{Target: o.Target})
	}

	var results []Result
	var want []string
	text := func(r Result) string { return fmt.Sprintf("%v %v %v", r.Conditions, r.Owned, r.Causes("Ready")) }
	inputs := func() string {
		var b strings.Builder
		for _, in := range seen {
			fmt.Fprintf(&b, "%+v;", in.Condition)
		}
		return b.String()
	}
	var list []metav1.Condition
	for i := range tries {
		var m MetaPass
		p := m.Begin(k, 1, list, t1)
		p.Report("Synced", False, "AuthFailed", fmt.Sprint("object ", i/2))
		r := m.Commit()
		list = ToMeta(r.Conditions)
		results, want = append(results, r), append(want, text(r))
	}
	before := inputs()
	for i := range tries {
		p := k.Begin(1, nil, t1)
		p.Report("Synced", False, "AuthFailed", fmt.Sprint("another ", i))
		p.Commit()
	}
	var got []string
	for _, r := range results {
		got = append(got, text(r))
	}
	same(t, "results", want, got)
	if after := inputs(); !strings.HasPrefix(after, before) {
		t.Error("what a strategy kept was written again")
	}
}

// The zero values do nothing wrong.
func TestZeroValues(t *testing.T) {
	var m MetaPass
	same(t, "errors of a zero pass", []string{"the pass was not begun"}, texts(m.Commit().Errors))
	r := Result{}
	same(t, "causes of a zero result", 0, len(r.Causes("Ready")))
	if slices.Contains(r.Superseded, "Ready") || r.Advice(nil).Err != nil {
		t.Error("a zero result says something")
	}
}
