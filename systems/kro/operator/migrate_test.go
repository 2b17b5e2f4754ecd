// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/systems/kro/operator/internal/definition"
	"github.com/tristate/tristate/systems/kro/operator/internal/migrate"
	"github.com/tristate/tristate/systems/kro/operator/internal/operator"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// definitionFile is the CustomResourceDefinition of definitions that the operator installs.
const definitionFile = "config/crd/kro.run_resourcegraphdefinitions.yaml"

func crdIn(t *testing.T, file string) *apiext.CustomResourceDefinition {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiext.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(data, crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

func krosDefinition(t *testing.T) *apiext.CustomResourceDefinition {
	t.Helper()
	folder, err := kroCRDs()
	if err != nil {
		t.Fatal(err)
	}
	return crdIn(t, filepath.Join(folder, "kro.run_resourcegraphdefinitions.yaml"))
}

// TestDefinition: "We will use metav1's Condition from upstream and accept the stricter schema validation": the operator's
// CustomResourceDefinition is kro's in everything but the conditions, and that of GraphRevisions is kro's. UPDATE=1 writes them again.
func TestDefinition(t *testing.T) {
	want, err := yaml.Marshal(definition.Own(krosDefinition(t)))
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ = bytes.Cut(want, []byte("\nstatus:\n")) // of a server
	want = append(want, '\n')
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(definitionFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(definitionFile)
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s is not kro's with the conditions of metav1 (%v)", definitionFile, err)
	}
	folder, err := kroCRDs()
	if err != nil {
		t.Fatal(err)
	}
	const revisions = "internal.kro.run_graphrevisions.yaml"
	want, err = os.ReadFile(filepath.Join(folder, revisions))
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile("config/crd/"+revisions, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err = os.ReadFile("config/crd/" + revisions); err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s is not kro's (%v)", revisions, err)
	}
	schema := crdIn(t, definitionFile).Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"].Properties["conditions"]
	if diff := cmp.Diff([]string{"lastTransitionTime", "message", "reason", "status", "type"}, schema.Items.Schema.Required); diff != "" ||
		*schema.XListType != "map" || !cmp.Equal(schema.XListMapKeys, []string{"type"}) {
		t.Errorf("the conditions are no map by type with the required fields of metav1.Condition: %s", diff)
	}
}

// migration: what kro 0.9.4 stored is taken over, and given back: the operator does not start on kro's definition, the API server refuses
// no stored object afterwards, the specs are the same, and the operator judges what kro wrote.
func migration(t *testing.T, s *side) {
	now := time.Now()
	kros, own := krosDefinition(t), crdIn(t, definitionFile)
	if _, err := migrate.Run(t.Context(), s.API, kros, now); err != nil {
		t.Fatal(err)
	}
	o, err := operator.New(s.Config, operator.Options{Manager: options(), Registry: prometheus.NewPedanticRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "kro-operator migrate") {
		t.Errorf("on kro's definition the operator says %v", err)
	}
	graph := rgd(t, "migrated", "Migrated", fields, deployment("web", "${schema.metadata.name}", ""))
	s.create(t, graph)
	spec := s.read(t, graph).Object["spec"]
	stored := []any{ // two of a type, and neither time nor reason, which kro's schema admits
		map[string]any{"type": "GraphAccepted", "status": "False", "reason": "InvalidResourceGraph", "message": "old"},
		map[string]any{"type": "Ready", "status": "True"},
		map[string]any{"type": "GraphAccepted", "status": "True", "reason": "Valid", "message": "new", "observedGeneration": int64(1),
			"lastTransitionTime": "2025-03-24T21:31:02Z"},
	}
	write := func(list []any) error {
		u := s.read(t, graph)
		if err := unstructured.SetNestedSlice(u.Object, list, "status", "conditions"); err != nil {
			return err
		}
		return s.API.Status().Update(t.Context(), u)
	}
	if err := write(stored); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 0} {
		if n, err := migrate.Run(t.Context(), s.API, own, now); err != nil || n != want {
			t.Errorf("migration %d rewrote %d definitions, want %d: %v", i, n, want, err)
		}
	}
	taken := s.read(t, graph)
	list, _, _ := unstructured.NestedSlice(taken.Object, "status", "conditions")
	if diff := cmp.Diff([]any{stored[2], map[string]any{"type": "Ready", "status": "True", "reason": "Unspecified", "message": "",
		"lastTransitionTime": now.UTC().Format(time.RFC3339)}}, list); diff != "" {
		t.Errorf("conditions after the migration: -want +got\n%s", diff)
	}
	s.eventually(t, func() error { // the API server serves the new schema some time after it takes it
		if err := write(stored); err == nil {
			return errors.New("a condition without a time is taken")
		}
		return nil
	})
	s.run = ours
	s.begin(t)
	s.expect(t, graph, map[string]string{"Ready": "True AllReady", "ResourceGraphReady": "True AllReady",
		"ResourceGraphKindReady": "True Accepted"})
	s.end(t)
	if find(s.read(t, graph), "GraphAccepted") != nil {
		t.Error("the former name of the type is still there")
	}
	if _, err := migrate.Run(t.Context(), s.API, kros, now); err != nil {
		t.Fatal(err)
	}
	back := s.read(t, graph)
	list, _, _ = unstructured.NestedSlice(back.Object, "status", "conditions")
	if len(list) != 1 || list[0].(map[string]any)["type"] != "Ready" {
		t.Errorf("conditions after the way back: %v", list)
	}
	if diff := cmp.Diff(spec, back.Object["spec"]); diff != "" {
		t.Errorf("the spec has changed: %s", diff)
	}
	crd := &apiext.CustomResourceDefinition{}
	if err := s.API.Get(t.Context(), client.ObjectKey{Name: definition.CRDName}, crd); err != nil || definition.Strict(crd) {
		t.Errorf("the CustomResourceDefinition is not kro's again: %v", err)
	}
	if _, err := migrate.Run(t.Context(), s.API, own, now); err != nil { // for the tests that follow
		t.Fatal(err)
	}
}
