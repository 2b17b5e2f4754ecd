// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
)

func TestPrune(t *testing.T) {
	fields := relation.FieldsOf(set(t, linksCatalog))
	child := object(t, `{apiVersion: example.dev/v1, kind: Child, metadata: {namespace: a, name: x, managedFields: [{}], annotations: {big: b}, labels: {team: red}},
		spec: {number: 3, enabled: true, template: {big: b}}, status: {conditions: [{type: Ready, status: "True"}], other: 1}}`)
	want := object(t, `{apiVersion: example.dev/v1, kind: Child, metadata: {namespace: a, name: x, labels: {team: red}},
		spec: {number: 3, enabled: true}, status: {conditions: [{type: Ready, status: "True"}]}}`).Content
	if diff := cmp.Diff(want, fields.Prune(child.GroupKind, child.Content)); diff != "" {
		t.Errorf("a kind that is named: -want +got\n%s", diff)
	}
	other := object(t, `{apiVersion: other.dev/v1, kind: Thing, metadata: {name: x}, spec: {a: 1}, status: {conditions: []}}`)
	want = object(t, `{apiVersion: other.dev/v1, kind: Thing, metadata: {name: x}, status: {conditions: []}}`).Content
	if diff := cmp.Diff(want, fields.Prune(other.GroupKind, other.Content)); diff != "" {
		t.Errorf("a kind that only references lead to: -want +got\n%s", diff)
	}
}

// The conditions are kept at the path of the catalog, and at those that the dialect of a mirror reads.
func TestPrune_lists(t *testing.T) {
	loaded, err := catalog.Load(map[string][]byte{"x.yaml": []byte(`
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: routes.example.org}
spec:
  for: {group: example.org, kind: Route}
  path: status.parents[*].conditions
  conditions: [{type: Ready, meaning: It leads there., reasons: [{reason: Yes, status: "True", meaning: It does.}]}]
---
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: houses.example.org}
spec:
  for: {group: example.org, kind: House}
  dialect: capi-v1beta1
  relations: {main: {kind: Room.example.org, ref: self.spec.main}}
  conditions: [{type: Ready, meaning: One can live there., derive: {mirror: {of: main}}}]
`)})
	if err != nil {
		t.Fatal(err)
	}
	fields := relation.FieldsOf(loaded)
	for given, want := range map[string]string{
		`{kind: Route, apiVersion: example.org/v1, metadata: {name: x}, status: {parents: [{conditions: [{type: Ready}]}], rest: 1}}`: `{kind: Route, apiVersion: example.org/v1, metadata: {name: x}, status: {parents: [{conditions: [{type: Ready}]}]}}`,
		`{kind: Room, apiVersion: example.org/v1, metadata: {name: x}, status: {conditions: [{type: Ready}], rest: 1}}`:               `{kind: Room, apiVersion: example.org/v1, metadata: {name: x}, status: {conditions: [{type: Ready}]}}`,
	} {
		o := object(t, given)
		if diff := cmp.Diff(object(t, want).Content, fields.Prune(o.GroupKind, o.Content)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}
