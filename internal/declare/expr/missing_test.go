// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"strings"
	"testing"
)

// TestIsMissing pins the messages of CEL by which a missing field is recognised, and errors that are none.
func TestIsMissing(t *testing.T) {
	self := map[string]any{"spec": map[string]any{"none": nil, "list": []any{nil, int64(1)}, "count": int64(4)}}
	pinned := map[string]bool{}
	for _, message := range missing {
		pinned[message] = false
	}
	for name, test := range map[string]struct {
		source, message string
		values          Values
	}{
		"field":             {"self.spec.gone.deep == 1", "no such key: ", Values{Self: self}},
		"key":               {"self.spec['gone']", "no such key: ", Values{Self: self}},
		"field of null":     {"self.spec.none.x == 1", "no such key: ", Values{Self: self}},
		"field of a number": {"self.spec.count.x == 1", "no such key: ", Values{Self: self}},
		"in a loop":         {"self.spec.list.exists(i, i.x == 1)", "no such key: ", Values{Self: self}},
		"in a call":         {"condition(self.gone, 'Ready').status == 'True'", "no such key: ", Values{Self: self}},
		"literal map":       {"{'a': 1}['b'] == 1", "no such key: ", Values{}},
		"index":             {"self.spec.list[4] == 1", "index out of bounds: ", Values{Self: self}},
		"computed index":    {"[1][self.spec.count] == 1", "index out of bounds: ", Values{Self: self}},
		"variable":          {"self.spec.count == 1", "no such attribute(s): ", Values{}},
		"operator":          {"self.spec.none + 1 == 2", "", Values{Self: self}},
		"function":          {"self.spec.none.startsWith('a')", "", Values{Self: self}},
		"no list":           {"self.spec.none.exists(x, x == 1)", "", Values{Self: self}},
	} {
		t.Run(name, func(t *testing.T) {
			p, issues := Compile(test.source, ScopeSelf, Bool)
			if issues != nil {
				t.Fatal(issues)
			}
			_, err := p.Bool(&Context{}, test.values)
			if err == nil || IsMissing(err) != (test.message != "") || !strings.Contains(err.Error(), test.message) {
				t.Fatalf("want an error with %q, got %v", test.message, err)
			}
			pinned[test.message] = true
		})
	}
	for _, message := range missing {
		if !pinned[message] {
			t.Errorf("no expression fails with %q", message)
		}
	}
}
