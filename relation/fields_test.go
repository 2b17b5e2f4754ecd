// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/relation"
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
