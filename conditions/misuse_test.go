// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	. "github.com/tristate/tristate/conditions"
	. "github.com/tristate/tristate/conditions/rollup"
	. "github.com/tristate/tristate/conditions/wire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// tries is how often each misuse is tried: memory that is used again is used again at random.
const tries = 100

// Wrong use of a pass that is over: whatever is called, and on whatever copy, no later pass has anything of it.
func TestMisuseReachesNoOtherObject(t *testing.T) {
	late := func(p *Pass) {
		p.Report("Synced", False, "AuthFailed", "of another object")
		p.ReportCondition(cond("Synced", False, "AuthFailed", "of another object", 1, t1))
		Report(p, "Synced", Merged{Condition: cond("Synced", False, "AuthFailed", "of another object", 1, t1),
			Causes: []Cause{cause(ObjectRef{}, "Other", "", "", "", "")}})
		p.ReportError("Synced", fmt.Errorf("of another object"))
		p.Remove("Ready")
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
			p := k.BeginMeta(1, ToMeta(stored), t1)
			p.Commit()
			late(p)
			p.Commit()
		},
	}
	for name, misuse := range tests {
		t.Run(name, func(t *testing.T) {
			k := thing()
			first := func(stored []Condition) Result {
				p := k.Begin(1, stored, t1)
				p.Report("Synced", True, "UpToDate", "")
				return p.Commit()
			}
			stored := first(nil).Conditions()
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
					same(t, "conditions", want.Conditions(), got.Conditions())
					same(t, "errors", texts(want.Errors), texts(got.Errors))
					same(t, "causes", want.Causes("Ready"), got.Causes("Ready"))
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

// Goroutines that go on reporting to a pass that is over, while others reconcile. The race detector watches.
func TestMisuseByOtherGoroutines(t *testing.T) {
	k := steadyKind(DialectCore)
	stored := steadyPass(k, nil, t0, 0).Conditions()
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
					t.Errorf("a pass has something of another: %v %v", got.Conditions(), got.Errors)
				}
			})
		}
		group.Wait()
	}
}

// What a result refers to is never written again: neither by its pass nor by later ones.
func TestResultsStandAlone(t *testing.T) {
	k := thing()
	var results []Result
	var want []string
	text := func(r Result) string { return fmt.Sprintf("%v %v %v", r.Conditions(), r.Owned(), r.Causes("Ready")) }
	var list []metav1.Condition
	for i := range tries {
		p := k.BeginMeta(1, list, t1)
		p.Report("Synced", False, "AuthFailed", fmt.Sprint("object ", i/2))
		r := p.Commit()
		list = ToMeta(r.Conditions())
		results, want = append(results, r), append(want, text(r))
	}
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
}

// The zero values do nothing wrong.
func TestZeroValues(t *testing.T) {
	var p Pass
	same(t, "errors of a zero pass", []string{"the pass was not begun"}, texts(p.Commit().Errors))
	r := Result{}
	same(t, "causes of a zero result", 0, len(r.Causes("Ready")))
	if slices.Contains(r.Superseded, "Ready") || r.Advice(nil).Err != nil {
		t.Error("a zero result says something")
	}
}
