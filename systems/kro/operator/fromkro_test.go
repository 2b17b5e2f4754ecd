// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	internalapi "github.com/kubernetes-sigs/kro/api/internal.kro.run/v1alpha1"
	"github.com/tristate/tristate/systems/kro/operator/internal/migrate"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// moved is the number of instances that are taken from kro and given back.
const moved = 20

// TestFromKroAndBack: the steps of the page "From kro and back", with real kro 0.9.4 on both ends and 20 instances. Each keeps its spec and
// its objects, by uid and content; each program goes on where the other one stopped: an edited instance is applied, a deleted object comes
// back, a deleted instance goes with its objects.
func TestFromKroAndBack(t *testing.T) {
	t.Parallel()
	s := start(t, "kro", 1, upstream(1, 0))
	graph := rgd(t, "travel", "Travel", "spec: {note: 'string | default=\"first\"'}", `
- id: settings
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}"}, data: {note: "${schema.spec.note}"}}
- id: door
  template: {apiVersion: v1, kind: Service, metadata: {name: "${schema.metadata.name}"}, spec: {selector: {app: "${settings.metadata.name}"}, ports: [{port: 80}]}}`)
	s.create(t, graph)
	brief := rgd(t, "brief", "Brief", "spec: {}", `
- id: settings
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}"}, data: {a: b}}`)
	s.create(t, brief)
	s.expect(t, brief, map[string]string{"Ready": "True"})
	// revisions is the number of kro's GraphRevisions of a definition.
	revisions := func(definition *unstructured.Unstructured) (n int, err error) {
		var list unstructured.UnstructuredList
		list.SetGroupVersionKind(internalapi.GroupVersion.WithKind("GraphRevisionList"))
		if err := s.API.List(t.Context(), &list); err != nil {
			return 0, err
		}
		for _, r := range list.Items {
			if name, _, _ := unstructured.NestedString(r.Object, "spec", "snapshot", "name"); name == definition.GetName() {
				n++
			}
		}
		return n, nil
	}
	var all []*unstructured.Unstructured
	for i := range moved {
		all = append(all, instance(t, "Travel", fmt.Sprintf("traveller-%d", i), ""))
		s.create(t, all[i])
	}
	ready := func() {
		t.Helper()
		for _, o := range all {
			s.expect(t, o, map[string]string{"Ready": "True"})
		}
	}
	ready()
	// state is what a change of programs has to leave alone: the spec of the definition, and of each instance uid, spec, labels and objects.
	state := func() map[string]any {
		t.Helper()
		out := map[string]any{"definition": s.read(t, graph).Object["spec"]}
		for _, o := range all {
			stored := s.read(t, o)
			out[o.GetName()] = []any{stored.GetUID(), stored.GetGeneration(), stored.Object["spec"], stored.GetFinalizers()}
			for _, kind := range []string{"ConfigMap", "Service"} {
				child := s.read(t, object("v1", kind, "default", o.GetName()))
				if child == nil {
					t.Fatalf("%s/%s is gone", kind, o.GetName())
				}
				out[kind+"/"+o.GetName()] = []any{child.GetUID(), child.Object["data"], child.Object["spec"]}
			}
		}
		return out
	}
	// works shows that the program that runs now maintains what it found.
	works := func(edited, robbed int, note string) {
		s.edit(t, all[edited], func(o *unstructured.Unstructured) { _ = unstructured.SetNestedField(o.Object, note, "spec", "note") })
		settings, door := object("v1", "ConfigMap", "default", all[edited].GetName()), object("v1", "Service", "default", all[robbed].GetName())
		before := s.read(t, door).GetUID()
		s.remove(t, door)
		s.eventually(t, func() error {
			data, _ := s.read(t, settings).Object["data"].(map[string]any)
			if data["note"] != note {
				return fmt.Errorf("the note of %s is %v", settings.GetName(), data["note"])
			}
			if o := s.read(t, door); o == nil || o.GetUID() == before {
				return errors.New("a deleted object does not come back")
			}
			return nil
		})
		last := all[len(all)-1]
		s.remove(t, last)
		s.gone(t, last)
		s.gone(t, object("v1", "ConfigMap", "default", last.GetName()))
		s.gone(t, object("v1", "Service", "default", last.GetName()))
		all = all[:len(all)-1]
		ready()
	}
	s.end(t)
	before := state()

	if _, err := migrate.Run(t.Context(), s.API, crdIn(t, definitionFile), time.Now()); err != nil {
		t.Fatal(err)
	}
	s.name, s.run = "tristate", ours
	s.Install(t, manifest)
	s.install(t)
	s.grantKinds(t, graph)
	s.begin(t)
	s.expect(t, graph, map[string]string{"Ready": "True AllReady", "ResourceGraphReady": "True AllReady", "GraphAccepted": "",
		"GraphRevisionsResolved": ""})
	for _, o := range all {
		s.expect(t, o, map[string]string{"Ready": "True AllReady", "ResourcesReady": "True AllResourcesReady",
			"resources.kro.run/door": "True ResourceReady"})
	}
	if diff := cmp.Diff(before, state()); diff != "" {
		t.Errorf("the operator changed what kro made: -kro +operator\n%s", diff)
	}
	works(0, 1, "second")
	s.remove(t, brief)
	s.eventually(t, func() error {
		if n, err := revisions(brief); err != nil || n != 0 {
			return fmt.Errorf("of a definition that is deleted while kro does not run %d GraphRevisions stay: %v", n, err)
		}
		return nil
	})
	if n, err := revisions(graph); err != nil || n == 0 {
		t.Errorf("kro's GraphRevisions are gone: %v", err)
	}
	s.end(t)
	before = state()

	if _, err := migrate.Run(t.Context(), s.API, krosDefinition(t), time.Now()); err != nil {
		t.Fatal(err)
	}
	s.name, s.run = "kro", upstream(1, 0)
	s.begin(t)
	s.expect(t, graph, map[string]string{"Ready": "True", "GraphAccepted": "True", "KindReady": "True", "ResourceGraphReady": "",
		"ResourceGraphKindReady": ""})
	ready()
	if diff := cmp.Diff(before, state()); diff != "" {
		t.Errorf("kro changed what the operator left: -operator +kro\n%s", diff)
	}
	works(2, 3, "third")
}
