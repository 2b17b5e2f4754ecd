// SPDX-License-Identifier: Apache-2.0

package expr

import "testing"

func TestQualify(t *testing.T) {
	tests := map[string]struct{ source, want string }{
		"field": {"status.phase == 'Ready'", "self.status.phase == 'Ready'"},
		"has":   {"has(status.x) && !has(spec.y)", "has(self.status.x) && !has(self.spec.y)"},
		"bound": {"status.conditions.filter(e, e.type == 'Ready').all(e, e.status == 'True')",
			"self.status.conditions.filter(e, e.type == 'Ready').all(e, e.status == 'True')"},
		"shadowed":       {"status.list.exists(status, status.ok) && status.ok", "self.status.list.exists(status, status.ok) && self.status.ok"},
		"free in a loop": {"status.list.all(e, e.n == metadata.generation)", "self.status.list.all(e, e.n == self.metadata.generation)"},
		"types":          {"type(status.x) == int && int(status.y) > 1", "type(self.status.x) == int && int(self.status.y) > 1"},
		"optional":       {"status.?x.orValue(spec.y)", "self.status.?x.orValue(self.spec.y)"},
		"index and map":  {"{'a': status.x}[data['k']] in [spec.z]", "{'a': self.status.x}[self.data['k']] in [self.spec.z]"},
		"not only ASCII": {"'müde ☂' == status.x", "'müde ☂' == self.status.x"},
		"lines":          {"status.x\n  && status.y", "self.status.x\n  && self.status.y"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Qualify(test.source, "self")
			if err != nil || got != test.want {
				t.Errorf("want %q, got %q, %v", test.want, got, err)
			}
		})
	}
	if _, err := Qualify("status.", "self"); err == nil {
		t.Error("a syntax error was not reported")
	}
}

// FuzzQualify: a qualified expression still parses.
func FuzzQualify(f *testing.F) {
	f.Add("status.list.exists(e, e.x == metadata.y) && has(spec.z)")
	f.Add("[1, 'ü'].map(x, {x: status}) != null ? a : b")
	f.Fuzz(func(t *testing.T, source string) {
		out, err := Qualify(source, "self")
		if err != nil {
			return
		}
		if _, err := Qualify(out, "x"); err != nil {
			t.Errorf("%q became %q: %v", source, out, err)
		}
	})
}
