// SPDX-License-Identifier: Apache-2.0

package conditions

import "testing"

func TestVolatile(t *testing.T) {
	tests := map[string]struct {
		a, b   string
		ignore []Volatile
		want   bool
	}{
		"equal":               {"a", "a", nil, true},
		"nothing is volatile": {"id 1", "id 2", nil, false},
		"request id": {"denied (request id: 3f2a77c0-11ee-4aa0)", "denied (request id: 9b1d20ff-22ab-4bb1)",
			[]Volatile{VolatileIDs}, true},
		"trace=":                  {"failed trace=00f067aa0ba902b7.", "failed trace=11f067aa0ba902b8.", []Volatile{VolatileIDs}, true},
		"a pointer":               {"at 0xc000123456", "at 0xc000abcdef1", []Volatile{VolatileIDs}, true},
		"a word is no id":         {"deadbeef", "defaced", []Volatile{VolatileIDs}, false},
		"a word and an id":        {"on acceded", "on 0acceded1", []Volatile{VolatileIDs}, false},
		"time":                    {"since 2026-01-02T03:04:05Z", "since 2026-01-02T03:04:06.123Z", []Volatile{VolatileTimes}, true},
		"duration":                {"waited 1m30s, giving up", "waited 2m0s, giving up", []Volatile{VolatileDurations}, true},
		"a number is no duration": {"waited 0", "waited 1s", []Volatile{VolatileDurations}, false},
		"numbers":                 {"attempt 3: refused", "attempt 14: refused", []Volatile{VolatileNumbers}, true},
		"numbers count unless declared": {"attempt 3", "attempt 14", []Volatile{VolatileIDs, VolatileTimes, VolatileDurations, VolatileAddresses,
			VolatileOrder}, false},
		"ports": {"read tcp 10.0.0.1:52034->10.0.0.2:443: reset", "read tcp 10.0.0.1:41212->10.0.0.2:443: reset",
			[]Volatile{VolatileAddresses}, true},
		"another host":         {"10.0.0.1:52034->10.0.0.2:443", "10.0.0.1:52034->10.0.0.3:443", []Volatile{VolatileAddresses}, false},
		"order":                {"missing: a, b, c", "missing: c, a, b", []Volatile{VolatileOrder}, true},
		"order of other words": {"missing: a, b, c", "missing: d, a, b", []Volatile{VolatileOrder}, false},
		"separators count":     {"a, 1", "a; 1", []Volatile{VolatileNumbers}, false},
		"other text":           {"denied 3f2a77c0", "allowed 3f2a77c0", []Volatile{VolatileIDs}, false},
		"nothing":              {"", "3", []Volatile{VolatileNumbers}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			same(t, "same", tt.want, sameText(tt.a, tt.b, tt.ignore))
			same(t, "turned round", tt.want, sameText(tt.b, tt.a, tt.ignore))
		})
	}
}

func FuzzVolatile(f *testing.F) {
	f.Add("a 1m 3f2a77c0", "b=2026-01-02 10.0.0.1:1->2.2.2.2:3")
	f.Fuzz(func(t *testing.T, a, b string) {
		all := []Volatile{VolatileIDs, VolatileTimes, VolatileDurations, VolatileNumbers, VolatileAddresses, VolatileOrder}
		if !sameText(a, a, all) || sameText(a, b, all) != sameText(b, a, all) {
			t.Errorf("%q and %q", a, b)
		}
		if sameText(a, b, nil) != (a == b) {
			t.Errorf("%q and %q without volatile parts", a, b)
		}
	})
}
