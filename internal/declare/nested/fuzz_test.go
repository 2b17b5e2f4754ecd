// SPDX-License-Identifier: Apache-2.0

package nested_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/nested"
)

// FuzzSet: no value and no path make reading panic, and what was set is read.
func FuzzSet(f *testing.F) {
	f.Add([]byte(`{"spec":{"a":[{"b":1}],"c":"x"}}`), "spec.a")
	f.Add([]byte(`{"spec":7}`), "spec..c")
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		var object map[string]any
		if json.Unmarshal(data, &object) != nil || object == nil {
			return
		}
		steps := strings.Split(path, ".")
		nested.At(object, steps...)
		nested.Map(object, steps...)
		nested.List(object, steps...)
		nested.Text(object, steps...)
		nested.Number(object, steps...)
		nested.Maps(object, steps...)
		nested.Set(object, "new", steps...)
		if got := nested.At(object, steps...); !cmp.Equal(got, any("new")) {
			t.Errorf("%q is %v after it was set", path, got)
		}
	})
}
