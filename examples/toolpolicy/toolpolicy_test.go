// SPDX-License-Identifier: Apache-2.0

package toolpolicy

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions/wire"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestJudge(t *testing.T) {
	tests := map[string]struct {
		facts Facts
		want  []string
	}{
		"in force": {Facts{Referrers: []string{"a"}},
			[]string{"Ready=True InForce", "Compiled=True ProfileStored", "Enforced=True RouterEnforcing"}},
		"nobody refers": {Facts{},
			[]string{"Ready=Unknown NoSandboxesReferencing", "Compiled=True ProfileStored", "Enforced=Unknown NoSandboxesReferencing"}},
		"two causes, one reason": {Facts{SpecError: errors.New("rules[0]: empty"), WriteError: errors.New("disk full"), Referrers: []string{"a"}},
			[]string{"Ready=False SpecInvalid", "Compiled=False SpecInvalid", "Enforced=True RouterEnforcing"}},
		"degraded": {Facts{Referrers: []string{"a"}, UnknownTools: []string{"hammer"}},
			[]string{"Ready=True InForce", "Compiled=True ProfileStored", "Enforced=True RouterEnforcing", "Degraded=True ToolUnknown"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			policy := &ToolPolicy{}
			policy.Generation = 3
			p := Begin(policy, now)
			Judge(p, test.facts)
			result := p.Commit()
			var got []string
			for _, c := range result.Conditions() {
				got = append(got, fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if len(result.Errors) > 0 || !result.Changed {
				t.Errorf("errors %v, changed %v", result.Errors, result.Changed)
			}
			// a second pass over the written conditions writes nothing
			policy.Status.Conditions = wire.ToMeta(result.Conditions())
			p = Begin(policy, now.Add(time.Hour))
			Judge(p, test.facts)
			if p.Commit().Changed {
				t.Error("a second pass writes again")
			}
		})
	}
}

func TestJudge_namesEveryCause(t *testing.T) {
	p := Begin(&ToolPolicy{}, now)
	Judge(p, Facts{SpecError: errors.New("rules[0]: empty"), WriteError: errors.New("disk full")})
	for _, c := range p.Commit().Conditions() {
		if c.Type == TypeCompiled && !(strings.Contains(c.Message, "rules[0]: empty") && strings.Contains(c.Message, "disk full")) {
			t.Errorf("message %q does not name both causes", c.Message)
		}
	}
}
