// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStored(t *testing.T) {
	for source, want := range map[string][]string{
		"self.status.conditions.exists(c, c.type == 'A')":                                      {"A"},
		"!self.x && !self.status.conditions.exists(c, c.type == 'A' && c.status == 'True')":    {"A", "True"},
		"size(self.status.conditions.filter(c, c.type == 'A').filter(c, c.reason == 'R')) > 0": {"A", "R"},
		"condition(self, 'A').status == 'True'":                                                nil,
		"self.spec.list.exists(c, c.type == 'A')":                                              nil,
		"related.b.exists(b, b.status.conditions.exists(c, c.type == 'A'))":                    nil,
	} {
		p, issues := Compile(source, ScopeRelated, Bool)
		if len(issues) > 0 {
			t.Fatalf("%s: %v", source, issues)
		}
		got := p.Stored()
		slices.Sort(got)
		if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
			t.Errorf("%s: -want +got\n%s", source, diff)
		}
	}
}
