// SPDX-License-Identifier: Apache-2.0

package nested_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/nested"
)

func TestMembers(t *testing.T) {
	item := map[string]any{"name": "web", "port": int64(80), "share": 2.75}
	object := map[string]any{"spec": map[string]any{"items": []any{item, "odd", nil}, "text": "x"}, "list": []any{}}
	for name, test := range map[string]struct{ got, want any }{
		"the value itself":             {nested.Map(object), object},
		"a map":                        {nested.Map(item), item},
		"no map":                       {nested.Map(object, "spec", "text"), map[string]any(nil)},
		"a text":                       {nested.Text(object, "spec", "text"), "x"},
		"no text":                      {nested.Text(object, "spec", "items"), ""},
		"a path through a text":        {nested.Text(object, "spec", "text", "more"), ""},
		"a missing member":             {nested.At(object, "status", "phase"), nil},
		"nothing":                      {nested.Text(nil, "a"), ""},
		"a list":                       {nested.List(object, "spec", "items"), []any{item, "odd", nil}},
		"the maps of a list":           {nested.Maps(object, "spec", "items"), []map[string]any{item}},
		"a list that is empty":         {nested.Maps(object, "list"), []map[string]any(nil)},
		"a whole number":               {nested.Number(item, "port"), int64(80)},
		"a number without its decimal": {nested.Number(item, "share"), int64(2)},
		"no number":                    {nested.Number(item, "name"), int64(0)},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}
