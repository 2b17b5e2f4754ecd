// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/verdict"
)

func TestDoubt(t *testing.T) {
	child := func(name string, s verdict.Status) verdict.Child {
		v := &verdict.Verdict{Status: s}
		v.Say("it is " + string(s))
		return verdict.Child{Name: name, Verdict: v}
	}
	tests := map[string]struct {
		parent   verdict.Status
		children []verdict.Child
		want     []string
	}{
		"well over a broken child": {verdict.Current, []verdict.Child{
			child("Pod/a", verdict.Current), child("Pod/c", verdict.Degraded), child("Pod/b", verdict.Failed), child("Pod/d", verdict.InProgress),
		}, []string{"claims Current, but Pod/b is Failed: it is Failed", "claims Current, but Pod/c is Degraded: it is Degraded"}},
		"all well":           {verdict.Current, []verdict.Child{child("Pod/a", verdict.Current), {Name: "Pod/b"}}, nil},
		"no claim, no doubt": {verdict.Failed, []verdict.Child{child("Pod/a", verdict.Failed)}, nil},
	}
	for name, tc := range tests {
		v := verdict.Verdict{Status: tc.parent}
		v.Doubt(tc.children)
		if diff := cmp.Diff(tc.want, v.Contradictions()); diff != "" {
			t.Errorf("%s: want (-) and got (+):\n%s", name, diff)
		}
	}
}
