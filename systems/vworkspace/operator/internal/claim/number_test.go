// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestExact: no digest is of a number that another number has the digest of.
func TestExact(t *testing.T) {
	for text, want := range map[string]bool{
		"9007199254740992": true, "9007199254740993": false, "-9007199254740993": false, "18446744073709551615": false, "1e20": true,
		"100000000000000000000": true, "0.1": true, "0.10": true, "0.1000000000000000055511151231257827": false, "0": true, "-0.0": true,
		"0e99": true, "1e-400": false, "1e400": false, "1e-999999999": false, "5e-324": true, "123456789.25": true,
		strings.Repeat("9", 5000): false, `{"a":[1,{"b":9007199254740993}]}`: false, `{"a":[1,{"b":"9007199254740993"}]}`: true,
	} {
		err := Exact([]byte(text))
		if err == nil != want || err != nil && (!errors.Is(err, ErrInexact) || len(err.Error()) > 200) {
			t.Errorf("%.60s: %v, want exact %v", text, err, want)
		}
		if digest, err := Digest(map[string]any{"n": json.RawMessage(text)}); err == nil != want {
			t.Errorf("%.60s: the digest is %q, %v", text, digest, err)
		}
	}
}
