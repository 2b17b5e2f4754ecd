// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/apply"
	"sigs.k8s.io/yaml"
)

func TestHolders(t *testing.T) {
	tests := map[string]struct {
		entries string
		want    []apply.Holder
	}{
		"nobody": {entries: `[]`},
		"by type": {entries: `
- {manager: a, operation: Apply, subresource: status, fieldsV1: {"f:status": {"f:conditions": {'k:{"type":"Ready"}': {"f:status": {}}, 'k:{"type":"Up"}': {".": {}}}}}}
- {manager: b, operation: Update, fieldsV1: {"f:spec": {}}}
- {manager: c, operation: Update, fieldsV1: {"f:status": {"f:conditions": {".": {}}, "f:phase": {}}}}`,
			want: []apply.Holder{{Manager: "a", Types: []string{"Ready", "Up"}}}},
		"one manager by two operations": {entries: `
- {manager: a, operation: Apply, fieldsV1: {"f:status": {"f:conditions": {'k:{"type":"Up"}': {}}}}}
- {manager: a, operation: Update, fieldsV1: {"f:status": {"f:conditions": {'k:{"type":"Ready"}': {}, 'k:{"type":"Up"}': {}}}}}`,
			want: []apply.Holder{{Manager: "a", Types: []string{"Ready", "Up"}}}},
		"the whole list": {entries: `[{manager: a, fieldsV1: {"f:status": {"f:conditions": {}}}}]`,
			want: []apply.Holder{{Manager: "a", Whole: true}}},
		"nobody knows":     {entries: `[{manager: before-first-apply, fieldsV1: {"f:status": {"f:conditions": {}}}}]`},
		"malformed":        {entries: `[3, {manager: a}, {manager: b, fieldsV1: [1]}, {manager: c, fieldsV1: {"f:status": 1}}, {manager: d, fieldsV1: {"f:status": {"f:conditions": {"k:{": {}}}}}]`, want: []apply.Holder{{Manager: "d"}}},
		"another place":    {entries: `[{manager: a, fieldsV1: {"f:status": {"f:deep": {"f:conditions": {}}}}}]`},
		"the whole object": {entries: `[{manager: a, fieldsV1: {"f:status": {}}}]`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			object := map[string]any{}
			if err := yaml.Unmarshal([]byte("metadata:\n  managedFields: "+strings.ReplaceAll(tt.entries, "\n", "\n  ")), &object); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, apply.Holders(object, apply.ParsePath(""))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
