// SPDX-License-Identifier: Apache-2.0

package toolpolicy

import (
	"os"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/conditions"
)

// TestDeclaration: the Go value is the catalog, nothing less.
func TestDeclaration(t *testing.T) {
	set, err := catalog.LoadFS(os.DirFS("."), "catalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(set.Kinds()[0].Declaration, Kind); diff != "" {
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
	policy.Status.Conditions = conditions.ToMeta(result.Conditions)
	return policy
}

// TestSteadyPassAllocatesNothing: from Begin to Release.
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
		p.Release()
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
		p.Release()
	}
}

// TestAfterCommit: a pass that is over says nothing any more, and harms no other.
func TestAfterCommit(t *testing.T) {
	facts := Facts{Referrers: []string{"a"}}
	policy := steady(t, facts)
	p := Begin(policy, now)
	Judge(p, facts)
	p.Commit()
	next := Begin(policy, now)
	p.Compiled.SpecInvalid("too late")
	if again := p.Commit(); len(again.Errors) == 0 {
		t.Error("a second commit is no error")
	}
	Judge(next, facts)
	if result := next.Commit(); result.Changed {
		t.Errorf("what was reported to a pass that is over came into another: %v", result.Conditions)
	}
	p.Release()
	p.Release()
}
