// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/systems/kro/operator/internal/operator"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const single = `- id: first
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-1"}, data: {a: b}}`

// orphanSteps are the steps of the comparison in which a definition is deleted before its instances.
func orphanSteps(t *testing.T) []step {
	t.Helper()
	keeper := rgd(t, "keeper", "Keeper", fields, single)
	left, stays := instance(t, "Keeper", "left", ""), instance(t, "Keeper", "stays", "")
	first := object("v1", "ConfigMap", "default", "left-1")
	missing := cells("False DefinitionMissing", "GraphResolved", "False DefinitionMissing", "resources.kro.run/first", "True ResourceReady")
	return []step{
		{
			name:   "a definition that will be deleted",
			do:     makes(keeper, left, stays),
			at:     stays,
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
		},
		{
			name:    "the definition is deleted",
			do:      removes(keeper),
			at:      stays,
			person:  true,
			ours:    missing,
			theirs:  cells("True Ready"),
			message: "definition keeper: it does not exist",
		},
		{
			name:   "one of its instances is deleted",
			do:     func(t *testing.T, s *side) { s.remove(t, left) },
			at:     stays,
			person: true,
			ours:   missing,
			theirs: cells("True Ready"),
			check: func(t *testing.T, s *side) {
				if s.name == "tristate" { // kro keeps it until the definition is made again
					s.gone(t, left)
					s.gone(t, first)
				}
			},
		},
		{
			name:   "the definition is made again",
			do:     makes(keeper),
			at:     stays,
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
			check: func(t *testing.T, s *side) {
				s.gone(t, left)
				s.gone(t, first)
			},
		},
	}
}

// orphaned: instances whose definition is deleted report that, also after a restart and where the definition is made again with another
// kind. One that is deleted goes with its resources, alone or with its CustomResourceDefinition.
func orphaned(t *testing.T, s *side) {
	definition := rgd(t, "leaver", "Leaver", fields, single)
	a, b, c, d := instance(t, "Leaver", "leave-a", ""), instance(t, "Leaver", "leave-b", ""), instance(t, "Leaver", "leave-c", ""),
		instance(t, "Leaver", "leave-d", "")
	child := func(o *unstructured.Unstructured) *unstructured.Unstructured {
		return object("v1", "ConfigMap", "default", o.GetName()+"-1")
	}
	makes(definition, a, b, c)(t, s)
	for _, o := range objects(a, b, c) {
		s.expect(t, o, map[string]string{"Ready": "True AllReady"})
	}
	removes(definition)(t, s)
	missing := map[string]string{"Ready": "False DefinitionMissing", "GraphResolved": "False DefinitionMissing",
		"InstanceSynced": "True Synced", "resources.kro.run/first": "True ResourceReady"}
	s.expect(t, a, missing)
	removes(b)(t, s)
	s.gone(t, child(b))

	s.end(t)
	s.begin(t) // nothing depends on what the process remembers
	s.edit(t, a, func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, "other", "spec", "outcome")
	})
	s.expect(t, a, map[string]string{"Ready": "False DefinitionMissing", "GraphResolved": "False DefinitionMissing"})
	s.create(t, d)
	s.expect(t, d, map[string]string{"Ready": "False DefinitionMissing", "resources.kro.run/first": ""})
	if s.read(t, child(d)) != nil {
		t.Error("an instance that was made without a definition has resources")
	}
	removes(a)(t, s)
	s.gone(t, child(a))

	other := rgd(t, "leaver", "Comer", fields, single)
	granted := other.DeepCopy()
	granted.SetName("comer")
	s.grantKinds(t, granted)
	s.create(t, other)
	s.expect(t, other, map[string]string{"Ready": "True AllReady"})
	s.mentions(t, c, "GraphResolved", "definition leaver: it makes Comer now")
	heir := rgd(t, "heir", "Leaver", fields, single) // another definition takes the kind over
	s.create(t, heir)
	s.expect(t, heir, map[string]string{"Ready": "True AllReady"})
	s.expect(t, c, map[string]string{"Ready": "True AllReady", "GraphResolved": "True Resolved"})
	removes(heir)(t, s)
	s.mentions(t, c, "GraphResolved", "definition heir: it does not exist")
	removes(d)(t, s)
	removes(object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "leavers.kro.run"))(t, s)
	s.gone(t, child(c))

	// With --allow-crd-deletion the kind, its instances and their resources go with the definition.
	s.grant(t, "kro-crds", rbacv1.PolicyRule{APIGroups: []string{"apiextensions.k8s.io"}, Resources: []string{"customresourcedefinitions"},
		Verbs: []string{"delete"}})
	s.may(t, "delete", "apiextensions.k8s.io", "customresourcedefinitions")
	s.end(t)
	usual := s.run
	s.run = configured(operator.Options{DeleteKinds: true})
	s.begin(t)
	e := instance(t, "Comer", "come-e", "")
	s.create(t, e)
	s.expect(t, e, map[string]string{"Ready": "True AllReady"})
	removes(other)(t, s)
	s.gone(t, object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "comers.kro.run"))
	s.gone(t, child(e))
	s.end(t)
	s.run = usual
	s.begin(t)
}

// kept: a catalog that somebody edits or deletes is applied again, also where its CustomResourceDefinition was deleted and is installed
// again.
func kept(t *testing.T, s *side) {
	published := object("tristate.dev/v1alpha1", "ConditionCatalog", "", "webapps.kro.run")
	before := s.read(t, published)
	same := func() error {
		now := s.read(t, published)
		if now == nil {
			return errors.New("there is no catalog")
		}
		for _, path := range [][]string{{"spec"}, {"metadata", "labels"}, {"metadata", "ownerReferences"}} {
			want, _, _ := unstructured.NestedFieldNoCopy(before.Object, path...)
			have, _, _ := unstructured.NestedFieldNoCopy(now.Object, path...)
			if diff := cmp.Diff(want, have); diff != "" {
				return fmt.Errorf("%v (-want +got):\n%s", path, diff)
			}
		}
		return nil
	}
	for name, change := range map[string]func(*unstructured.Unstructured){
		"a condition is removed": func(u *unstructured.Unstructured) {
			list, _, _ := unstructured.NestedSlice(u.Object, "spec", "conditions")
			_ = unstructured.SetNestedSlice(u.Object, list[:len(list)-1], "spec", "conditions")
		},
		"a meaning is changed": func(u *unstructured.Unstructured) {
			list, _, _ := unstructured.NestedSlice(u.Object, "spec", "conditions")
			list[0].(map[string]any)["meaning"] = "Nothing."
			_ = unstructured.SetNestedSlice(u.Object, list, "spec", "conditions")
		},
		"its labels and its owner are removed": func(u *unstructured.Unstructured) {
			u.SetLabels(nil)
			u.SetOwnerReferences(nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s.edit(t, published, change)
			s.eventually(t, same)
		})
	}
	t.Run("it is deleted", func(t *testing.T) {
		s.remove(t, published)
		s.eventually(t, same)
	})
	t.Run("its CustomResourceDefinition is deleted and installed again", func(t *testing.T) {
		crd := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(catalog.CRDYAML, &crd.Object); err != nil {
			t.Fatal(err)
		}
		removes(crd)(t, s)
		s.create(t, crd)
		s.eventually(t, same)
	})
}
