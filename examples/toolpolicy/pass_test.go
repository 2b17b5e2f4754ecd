// SPDX-License-Identifier: Apache-2.0

package toolpolicy

import (
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/conditions/wire"
)

// TestDeclaration: the Go value is the catalog, nothing less.
func TestDeclaration(t *testing.T) {
	set, err := catalog.LoadFS(os.DirFS("."), "catalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(set.Kind(set.Kinds()[0]), Kind); diff != "" {
		t.Errorf("the catalog and the generated declaration differ: -want +got\n%s", diff)
	}
}

// steady is a policy that a pass over the facts does not change.
func steady(t testing.TB, facts Facts) *ToolPolicy {
	t.Helper()
	policy := &ToolPolicy{}
	policy.Generation = 3
	p := Begin(policy, now)
	Judge(p, facts)
	result := p.Commit()
	if len(result.Errors) > 0 {
		t.Fatal(result.Errors)
	}
	policy.Status.Conditions = wire.ToMeta(result.Conditions())
	return policy
}

// TestSteadyPassAllocatesNothing: from Begin to Commit.
func TestSteadyPassAllocatesNothing(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("with the race detector a sync.Pool drops things at random")
	}
	facts := Facts{Referrers: []string{"a"}}
	policy := steady(t, facts)
	allocations := testing.AllocsPerRun(100, func() {
		p := Begin(policy, now)
		Judge(p, facts)
		if p.Commit().Changed {
			t.Error("changed")
		}
	})
	if allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func BenchmarkSteadyPass(b *testing.B) {
	facts := Facts{Referrers: []string{"a"}}
	policy := steady(b, facts)
	b.ReportAllocs()
	for b.Loop() {
		p := Begin(policy, now)
		Judge(p, facts)
		if p.Commit().Changed {
			b.Fatal("changed")
		}
	}
}

// TestMisuseReachesNoOtherObject: a pass that is over does nothing any more, whatever is called on it, its fields, its copies and the
// untyped pass behind it; a hundred times, because memory that is used again is used again at random.
func TestMisuseReachesNoOtherObject(t *testing.T) {
	facts := Facts{Referrers: []string{"a"}}
	policy := steady(t, facts)
	tests := map[string]func(p *Pass){
		"a commit of the untyped pass": func(p *Pass) {
			p.Untyped().Commit()
			p.Compiled.SpecInvalid("of another object")
		},
		"a field that is kept": func(p *Pass) {
			compiled := p.Compiled
			p.Commit()
			compiled.SpecInvalid("of another object")
		},
		"a copy": func(p *Pass) {
			c := *p
			c.Commit()
			p.Compiled.SpecInvalid("of another object")
			p.Commit()
			c.Compiled.SpecInvalid("of another object")
		},
		"a second commit": func(p *Pass) {
			p.Commit()
			p.Compiled.SpecInvalid("of another object")
			if again := p.Commit(); len(again.Errors) != 2 || again.Changed {
				t.Errorf("a late report and a second commit give %v", again.Errors)
			}
		},
		"a goroutine that goes on": func(p *Pass) {
			p.Commit()
			var group sync.WaitGroup
			group.Go(func() { p.Compiled.SpecInvalid("of another object") })
			group.Go(func() { p.Commit() })
			group.Wait()
		},
	}
	for name, misuse := range tests {
		t.Run(name, func(t *testing.T) {
			for range 100 {
				misuse(Begin(policy, now))
				next, other := Begin(policy, now), Begin(policy, now)
				misuse(Begin(policy, now))
				for _, p := range []*Pass{next, other} {
					Judge(p, facts)
					if result := p.Commit(); result.Changed || len(result.Errors) > 0 {
						t.Fatalf("what was reported to a pass that is over came into another: %v %v", result.Conditions(), result.Errors)
					}
				}
			}
		})
	}
}
