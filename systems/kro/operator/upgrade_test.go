// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	revisions "github.com/kubernetes-sigs/kro/api/internal.kro.run/v1alpha1"
	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/tristate/tristate/proof/plane/recorded"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// before is what the operator of commit 86c8337 wrote: that commit with this file in it, run with
//
//	TRISTATE_RECORD=1 go test . -run TestUpgrade
//
// A change of the operator that has to write over it once is listed in [needed]; the record of the next version is made in the same way
// when one is released.
const before = "testdata/before.yaml"

// needed are the writes that this version makes once: the catalog of a kind has a reason more, LastAccepted, and the accepted generation
// of each definition is kept.
var needed = []string{
	"ConditionCatalog /guardeds.kro.run: written", "ConditionCatalog /plains.kro.run: written",
	"GraphRevision /guarded-r00001: created", "GraphRevision /plain-r00001: created",
}

// TestUpgrade: this version takes over what the version before wrote without a needless write: definitions, their kinds and catalogs,
// instances that are ready, that wait and that have failed, and all of their objects.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	s := start(t, "tristate", 1, nil)
	s.run = ours
	kinds := []schema.GroupVersionKind{
		v1alpha1.GroupVersion.WithKind("ResourceGraphDefinition"),
		revisions.GroupVersion.WithKind("GraphRevision"),
		{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"},
		{Group: "tristate.dev", Version: "v1alpha1", Kind: "ConditionCatalog"},
		v1alpha1.GroupVersion.WithKind("Guarded"), v1alpha1.GroupVersion.WithKind("Plain"),
		{Version: "v1", Kind: "ConfigMap"}, {Version: "v1", Kind: "Service"}, {Group: "apps", Version: "v1", Kind: "Deployment"},
	}
	keep := func(o *unstructured.Unstructured) bool {
		switch o.GetKind() {
		case "CustomResourceDefinition":
			return slices.Contains([]string{"guardeds.kro.run", "plains.kro.run"}, o.GetName())
		case "ConfigMap", "Service", "Deployment":
			return o.GetLabels()["kro.run/owned"] == "true"
		}
		return true
	}
	guarded := rgd(t, "guarded", "Guarded", `spec: {outcome: 'string | default="ready"', note: 'string | default="first"'}`, `
- id: settings
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}"}, data: {note: "${schema.spec.note}"}}
- id: door
  template: {apiVersion: v1, kind: Service, metadata: {name: "${settings.metadata.name}"}, spec: {selector: {app: x}, ports: [{port: 80}]}}
`+strings.TrimPrefix(deployment("web", "${schema.metadata.name}", ""), "\n"))
	simple := rgd(t, "plain", "Plain", "spec: {}", `
- id: settings
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}"}, data: {a: b}}
- id: lent
  externalRef: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-lent"}}`)
	up, waits := instance(t, "Guarded", "up", ""), instance(t, "Plain", "waits", "")
	if recorded.Making() {
		s.begin(t)
		for _, o := range []*unstructured.Unstructured{guarded, simple, up, waits} {
			s.create(t, o)
		}
		s.expect(t, up, map[string]string{"Ready": "True AllReady"})
		s.expect(t, waits, map[string]string{"Ready": "Unknown", "resources.kro.run/lent": "Unknown NotFound"})
		s.expect(t, guarded, map[string]string{"Ready": "True AllReady"})
		s.expect(t, simple, map[string]string{"ResourceGraphReady": "Unknown ResourcesNotReady"})
		s.end(t)
		data, err := recorded.Save(t.Context(), s.API, kinds, keep)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(before, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(before)
	if err != nil {
		t.Fatal(err)
	}
	s.grantKinds(t, guarded, simple)
	record, err := recorded.Restore(t.Context(), s.API, s.Admin, data, kinds, keep)
	if err != nil {
		t.Fatal(err)
	}
	s.available(t, "up")
	if err := record.Note(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.begin(t)
	// An instance of each kind that is made now comes after those that were found, and its definition counts all of them.
	s.create(t, instance(t, "Plain", "late-plain", ""))
	s.expect(t, instance(t, "Plain", "late-plain", ""), map[string]string{"Ready": "Unknown"})
	s.create(t, instance(t, "Guarded", "late", "outcome: hang"))
	// A definition that was ready stays so, and its message names the instance that is on its way.
	s.eventually(t, func() error {
		if text := fmt.Sprint(s.read(t, guarded).Object["status"]); !strings.Contains(text, "On its way: default/late") {
			return errors.New("the definition does not name the instance on its way: " + text)
		}
		return nil
	})
	s.expect(t, guarded, map[string]string{"ResourceGraphReady": "True AllReady"})
	changed, err := record.Changed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	changed = slices.DeleteFunc(changed, func(c string) bool {
		// they say what is with late
		return strings.Contains(c, "/late: created") || strings.Contains(c, "/late-plain: created") ||
			c == "ResourceGraphDefinition /guarded: written" || c == "ResourceGraphDefinition /plain: written"
	})
	if !slices.Equal(changed, needed) {
		t.Errorf("over what the version before wrote there was written\n  %s\nwant\n  %s", strings.Join(changed, "\n  "),
			strings.Join(needed, "\n  "))
	}
	for _, w := range s.counts.take() {
		if strings.Contains(w.path, "/guardeds/up/") || strings.Contains(w.path, "/plains/waits/") {
			t.Errorf("a status was sent again: %s of %s: %s %s", w.conditionType, w.path, w.status, w.reason)
		}
	}
}

// available waits until the pods of a Deployment are there.
func (s *side) available(t *testing.T, name string) {
	t.Helper()
	web := object("apps/v1", "Deployment", "default", name)
	s.eventually(t, func() error {
		o := s.read(t, web)
		if o == nil {
			return errors.New(name + " is not there")
		}
		n, _, _ := unstructured.NestedInt64(o.Object, "status", "availableReplicas")
		seen, _, _ := unstructured.NestedInt64(o.Object, "status", "observedGeneration")
		if n == 0 || seen != o.GetGeneration() {
			return errors.New(name + " is not available")
		}
		return nil
	})
}
