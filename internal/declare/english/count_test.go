// SPDX-License-Identifier: Apache-2.0

package english

import "testing"

func TestCount(t *testing.T) {
	tests := []struct {
		n          int
		noun, want string
	}{{0, "object", "0 objects"}, {1, "object", "1 object"}, {2, "entry", "2 entries"}, {1, "entry", "1 entry"}, {3, "status", "3 statuses"},
		{2, "key", "2 keys"}, {2, "match", "2 matches"}, {2, "more cause", "2 more causes"}}
	for _, test := range tests {
		if got := Count(test.n, test.noun); got != test.want {
			t.Errorf("Count(%d, %q) = %q, want %q", test.n, test.noun, got, test.want)
		}
	}
}
