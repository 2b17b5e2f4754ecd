// SPDX-License-Identifier: Apache-2.0

package expr

import "testing"

// TestBounded: the cost of an expression is counted where it could exceed a few readings of its object.
func TestBounded(t *testing.T) {
	env, err := environments[ScopeSelf]()
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]bool{
		"self.status.phase in ['Failed', 'Error'] && self.status.health == variables.health":                   true,
		"condition(self, 'Ready').status == 'True' && after(self.metadata.creationTimestamp, duration('15m'))": true,
		"size(self.?status.orValue({})) == 0":                                   true,
		"self.a.?b.orValue(0) + self.c.orValue(0) + self.d > 2":                 true,
		"self.a.exists(c, c.type == 'Ready' && c.status.endsWith('x'))":         true,
		"self.a.filter(c, c.generation < self.metadata.generation)":             true,
		"self.a.exists(c, c.?tasks.orValue([]).exists(t, t.state == 'FAILED'))": true,
		"self.a.exists(c, string(c.status) in ['True', 'true'])":                true,
		"self.a.map(c, c.count).sum() > 3":                                      true,
		"self.a.all(x, self.b.all(y, x == y))":                                  false, // a list for each item
		"self.a.all(x, self.big == self.bigger)":                                false, // and a comparison of them for each item
		"self.a.all(x, x in self.big)":                                          false,
		"self.a.all(x, self.big.contains(x))":                                   false,
		"self.a.all(x, size(self.big) > 1)":                                     false,
		"self.a.all(x, x.matches(self.big))":                                    false,
		"self.a.all(x, condition(self, 'Ready').status == x)":                   false,
		"self.a.exists(x, self.big + self.big == x)":                            false,
		"variables.a + variables.a":                                             false, // which doubles, and may double again
		"self.a.map(x, self.b).flatten()":                                       false,
		"self.a.distinct()":                                                     false, // each with each
		"self.a.filter(x, x > 1).exists(y, self.a.filter(z, z > y).size() > 0)": false,
	} {
		checked, issues := env.Compile(source)
		if issues.Err() != nil {
			t.Errorf("%s: %v", source, issues.Err())
		} else if got := bounded(checked.NativeRep().Expr()); got != want {
			t.Errorf("%s: want %t, got %t", source, want, got)
		}
	}
}
