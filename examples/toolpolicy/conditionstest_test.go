// SPDX-License-Identifier: Apache-2.0

package toolpolicy

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/conditionstest"
	"github.com/tristate/tristate/conditions/wire"
)

// TestOverTime follows one policy from its first pass to an error in its spec and back, with the help of conditionstest.
func TestOverTime(t *testing.T) {
	policy := &ToolPolicy{}
	var timeline conditionstest.Timeline
	coverage := conditionstest.Coverage{Kinds: []*conditions.Kind{Kind}}
	at := now
	pass := func(facts Facts) conditions.Result {
		p := Begin(policy, at)
		Judge(p, facts)
		result := coverage.Commit(t, Kind, p)
		policy.Status.Conditions = wire.ToMeta(result.Conditions())
		timeline.Observe(at, result.Conditions())
		return result
	}
	for _, facts := range []Facts{
		{},
		{Referrers: []string{"a"}, Outdated: []string{"a"}},
		{Referrers: []string{"a"}},
		{Referrers: []string{"a"}, SpecError: errors.New("rules[0]: empty")},
		{Referrers: []string{"a"}},
	} {
		conditionstest.Quiet(t, func() conditions.Result { return pass(facts) })
		at = at.Add(time.Minute)
	}
	timeline.Never(t, "Ready=True", "Enforced=True")    // no claim before the routers follow
	timeline.Whenever(t, "Ready=True", "Compiled=True") // nor over a broken spec
	timeline.Entered(t, "Compiled=False", 1)            // once, not with every pass
	timeline.Within(t, "Enforced=True", 3*time.Minute)
	want := "Ready U(NoSandboxesReferencing)0s F(RouterOutdated)1m0s T(InForce)2m0s F(SpecInvalid)3m0s T(InForce)4m0s"
	ready, _, _ := strings.Cut(timeline.String(), "\n")
	if diff := cmp.Diff(want, ready); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if r := coverage.Report(); r.Reached != 6 { // to ask for every cell is for TestMain
		t.Errorf("coverage: %s", r)
	}
}

var laws = conditionstest.Judge[Facts]{Kind: Kind,
	Judge: func(stored []conditions.Condition, f Facts, now time.Time) conditionstest.Pass {
		p := BeginList(1, stored, now)
		Judge(p, f)
		return p
	},
	Facts: []Facts{{}, {SpecError: errors.New("rules[0]: empty")}, {WriteError: errors.New("refused")}, {UnknownTools: []string{"awk"}},
		{Referrers: []string{"a", "b"}}, {Referrers: []string{"a"}, Outdated: []string{"a"}}},
}

func TestLaws(t *testing.T) { laws.Check(t) }
func FuzzLaws(f *testing.F) { laws.Fuzz(f) }
