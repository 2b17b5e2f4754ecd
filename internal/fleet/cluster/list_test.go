// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadList(t *testing.T) {
	tests := map[string]struct {
		text, next, err string
		want            []any
	}{
		"empty": {text: `{"kind":"PodList","items":[]}`},
		"null":  {text: `{"items":null,"metadata":{"continue":""}}`},
		"numbers": {text: `{"items":[{"a":1,"b":[1.5,9007199254740993,1e3],"c":{"d":-2}}]}`,
			want: []any{map[string]any{"a": int64(1), "b": []any{1.5, int64(9007199254740993), 1000.0}, "c": map[string]any{"d": int64(-2)}}}},
		"pages": {text: `{"metadata":{"continue":"x","other":1},"items":[{}],"apiVersion":"v1"}`, next: "x", want: []any{map[string]any{}}},
		"managed, and being deleted": {
			text: `{"items":[{"metadata":{"name":"a","deletionTimestamp":"2026-01-02T03:04:05Z","managedFields":[{"manager":"m"}]}}]}`,
			want: []any{map[string]any{"metadata": map[string]any{"name": "a", "deletionTimestamp": "2026-01-02T03:04:05Z",
				"managedFields": []any{map[string]any{"manager": "m"}}}}}},
		"a status without times": {
			text: `{"items":[{"metadata":{"name":"a","managedFields":[{"manager":"m","time":"2026-01-02T03:04:07Z"},{"subresource":"status","time":"2026-01-02T03:04:05Z"},{"subresource":"status","time":"2026-01-02T03:04:06Z"}]},"status":{"phase":"Bound"}}]}`,
			want: []any{map[string]any{"metadata": map[string]any{"name": "a",
				"managedFields": []any{map[string]any{"subresource": "status", "time": "2026-01-02T03:04:06Z"}}},
				"status": map[string]any{"phase": "Bound"}}}},
		"an edited spec": {text: `{"items":[{"metadata":{"name":"a","generation":2,"managedFields":[{"manager":"m","time":"2026-01-02T03:04:05Z","fieldsV1":{"f:spec":{"f:replicas":{}}}},{"manager":"l","time":"2026-01-02T03:04:09Z","fieldsV1":{"f:metadata":{}}}]}}]}`,
			want: []any{map[string]any{"metadata": map[string]any{"name": "a", "generation": int64(2),
				"managedFields": []any{map[string]any{"time": "2026-01-02T03:04:05Z", "fieldsV1": map[string]any{"f:spec": map[string]any{}}}}}}}},
		"managed": {text: `{"items":[{"metadata":{"name":"a","managedFields":[{}]}},null]}`,
			want: []any{map[string]any{"metadata": map[string]any{"name": "a"}}}},

		"cut off":       {text: `{"items":[{"a":1}`, err: "EOF", want: []any{map[string]any{"a": int64(1)}}},
		"no list":       {text: `[]`, err: "[ where { should be"},
		"items a map":   {text: `{"items":{}}`, err: "items is {"},
		"items of ints": {text: `{"items":[{},3]}`, err: "items[1]", want: []any{map[string]any{}}},
		"nothing":       {text: ``, err: "EOF"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []any
			next, err := readList(strings.NewReader(test.text), func(content map[string]any) { got = append(got, content) })
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("want error %q, got %v", test.err, err)
			}
			if next != test.next {
				t.Errorf("continue: want %q, got %q", test.next, next)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func FuzzReadList(f *testing.F) {
	f.Add([]byte(`{"metadata":{"continue":"x"},"items":[{"metadata":{"managedFields":[]}},{"a":[1,2.5,{"b":1e400}]}]}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = readList(strings.NewReader(string(data)), func(map[string]any) {})
	})
}
