// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJSON: a list that is written item by item has the bytes of one that is encoded whole.
func TestJSON(t *testing.T) {
	item := Item{Object: ObjectRef{Kind: "Pod", Name: "a<b"}, Verdict: "Failed", Message: "x\ny"}
	for name, test := range map[string]struct {
		items    []Item
		problems []Problem
	}{
		"nothing":  {[]Item{}, nil},
		"items":    {[]Item{item, {Verdict: "Current"}}, nil},
		"problems": {[]Item{item}, []Problem{{Reason: "NotFound", Message: "a"}, {Reason: "Forbidden", Message: "b & c"}}},
		"absent":   {[]Item{}, []Problem{{Reason: "NotFound", Message: "a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var want, got bytes.Buffer
			e := json.NewEncoder(&want)
			e.SetEscapeHTML(false)
			e.SetIndent("", " ")
			if err := e.Encode(NewVerdictList(test.items, test.problems)); err != nil {
				t.Fatal(err)
			}
			if err := JSON(&got, slices.Values(test.items), test.problems...); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.String(), got.String()); diff != "" {
				t.Errorf("-whole +streamed\n%s", diff)
			}
		})
	}
}
