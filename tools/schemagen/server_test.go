// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/systems"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

func TestMain(m *testing.M) { plane.Main(m) }

var (
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	catalogued  = schema.GroupVersionResource{Group: "tristate.dev", Version: "v1alpha1", Resource: "conditioncatalogs"}
	strict      = metav1.ApplyOptions{FieldManager: "schemagen-test", Force: true}
)

// install applies the definition and waits until the server serves it.
func install(t *testing.T, cfg *rest.Config) dynamic.ResourceInterface {
	t.Helper()
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var crd unstructured.Unstructured
	if err := yaml.Unmarshal(catalog.CRDYAML, &crd.Object); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Resource(definitions).Apply(t.Context(), crd.GetName(), &crd, strict); err != nil {
		t.Fatal(err)
	}
	objects := client.Resource(catalogued)
	err = wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 5*time.Minute, true, func(ctx context.Context) (bool, error) {
		stored, err := client.Resource(definitions).Get(ctx, crd.GetName(), metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		list, _, _ := unstructured.NestedSlice(stored.Object, "status", "conditions")
		reached := map[any]any{}
		for _, c := range list {
			if m, ok := c.(map[string]any); ok {
				reached[m["type"]] = m["status"]
			}
		}
		if reached["NonStructuralSchema"] == "True" {
			t.Fatalf("the schema is not structural: %v", list)
		}
		if reached["Established"] != "True" {
			return false, nil
		}
		_, err = objects.List(ctx, metav1.ListOptions{Limit: 1})
		return err == nil, nil
	})
	if err != nil {
		t.Fatalf("%s is not served: %v", crd.GetName(), err)
	}
	return objects
}

// Every catalog we ship can be stored, and is read from the object as it is read from the file.
func TestServerStoresCatalogs(t *testing.T) {
	objects := install(t, plane.ForTest(t))
	names, err := fs.Glob(systems.Catalogs, "*/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no catalogs: %v", err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(systems.Catalogs, name)
		if err != nil {
			t.Fatal(err)
		}
		sources, err := catalog.Parse(name, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range sources {
			applied := apply(t, objects, source.Document)
			stored, err := catalog.FromObject(applied.Object)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(source.Document, stored.Document); diff != "" {
				t.Errorf("%s of %s (-file +object):\n%s", source.Metadata.Name, name, diff)
			}
		}
	}
}

func apply(t *testing.T, objects dynamic.ResourceInterface, document catalog.Document) *unstructured.Unstructured {
	t.Helper()
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	var object unstructured.Unstructured
	if err := json.Unmarshal(data, &object.Object); err != nil {
		t.Fatal(err)
	}
	applied, err := objects.Apply(t.Context(), object.GetName(), &object, strict)
	if err != nil {
		t.Fatalf("%s: %v", object.GetName(), err)
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		if err := objects.Delete(context.Background(), object.GetName(), metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	return applied
}

// minimal returns a catalog with one type.
func minimal() catalog.Document {
	return catalog.Document{APIVersion: catalog.APIVersion, Kind: catalog.DocumentKind, Metadata: catalog.Metadata{Name: "things.example.com"},
		Spec: catalog.Spec{For: catalog.For{Group: "example.com", Kind: "Thing"}, Dialect: "core", Conditions: []catalog.Condition{{
			Type: "Ready", Meaning: "It works.", Reasons: []catalog.Reason{{Reason: "Working", Status: "True", Meaning: "It does."}}}}}}
}

func TestServerRefuses(t *testing.T) {
	objects := install(t, plane.ForTest(t))
	first := func(spec map[string]any) map[string]any { return spec["conditions"].([]any)[0].(map[string]any) }
	tests := map[string]struct {
		edit func(spec map[string]any)
		want string // in the server's message
	}{
		"unknown key": {func(s map[string]any) { first(s)["polarty"] = "positive" },
			`.spec.conditions[0].polarty: field not declared in schema`},
		"missing field": {func(s map[string]any) { delete(first(s), "meaning") }, "spec.conditions[0].meaning: Required value"},
		"enumeration":   {func(s map[string]any) { first(s)["polarity"] = "good" }, `spec.conditions[0].polarity: Unsupported value: "good"`},
		"wrong type":    {func(s map[string]any) { first(s)["optional"] = "true" }, `.spec.conditions[0].optional: expected boolean, got`},
		"bad duration": {func(s map[string]any) { s["deadline"] = "5 min" },
			"spec.deadline in body should match"},
		"negative duration": {func(s map[string]any) { s["deadline"] = "-5m" },
			"spec.deadline in body should match"},
		"below the minimum": {func(s map[string]any) {
			first(s)["derive"] = map[string]any{"aggregate": map[string]any{"of": "a",
				"tolerate": []any{map[string]any{"items": "true", "max": int64(0)}}}}
		}, "should be greater than or equal to 1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			data, err := json.Marshal(minimal())
			if err != nil {
				t.Fatal(err)
			}
			var object unstructured.Unstructured
			if err := json.Unmarshal(data, &object.Object); err != nil {
				t.Fatal(err)
			}
			test.edit(object.Object["spec"].(map[string]any))
			_, err = objects.Apply(t.Context(), object.GetName(), &object, strict)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want %q in it", err, test.want)
			}
			if _, err := catalog.FromObject(object.Object); err == nil {
				t.Error("FromObject accepts it")
			}
		})
	}
}

// A catalog carries conditions of its own, of several writers, and shows them in kubectl's table.
func TestServerKeepsConditions(t *testing.T) {
	cfg := plane.ForTest(t)
	objects := install(t, cfg)
	object := apply(t, objects, minimal())
	status := func(manager, conditionType, status, reason string) error {
		patch := &unstructured.Unstructured{Object: map[string]any{"apiVersion": catalog.APIVersion, "kind": catalog.DocumentKind,
			"metadata": map[string]any{"name": object.GetName()},
			"status": map[string]any{"conditions": []any{map[string]any{"type": conditionType, "status": status, "reason": reason,
				"message": "m", "lastTransitionTime": "2026-01-02T03:04:05Z", "observedGeneration": object.GetGeneration()}}}}}
		_, err := objects.ApplyStatus(t.Context(), object.GetName(), patch, metav1.ApplyOptions{FieldManager: manager, Force: true})
		return err
	}
	if err := status("a", catalog.TypeAccepted, "False", catalog.ReasonInvalid); err != nil {
		t.Fatal(err)
	}
	if err := status("b", "Ready", "True", "Served"); err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][3]string{{"Accepted", "Maybe", "Invalid"}, {"Accepted", "True", "not a reason"}, {"not a type!", "True", "Reason"},
		{"Accepted", "True", ""}} {
		if err := status("a", bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("the server takes %q", bad)
		}
	}
	stored, err := objects.Get(t.Context(), object.GetName(), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := unstructured.NestedSlice(stored.Object, "status", "conditions")
	if len(list) != 2 {
		t.Errorf("conditions of two writers are %v, want both", list)
	}
	if _, err := catalog.FromObject(stored.Object); err != nil {
		t.Errorf("with a status: %v", err)
	}
	if diff := cmp.Diff([]any{"things.example.com", "Thing", "core", "False"}, row(t, cfg, object.GetName())[:4]); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

// row returns the columns of kubectl get for a catalog, without those of -o wide.
func row(t *testing.T, cfg *rest.Config, name string) []any {
	t.Helper()
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg = rest.CopyConfig(cfg)
	cfg.APIPath, cfg.GroupVersion = "/apis", &schema.GroupVersion{Group: catalogued.Group, Version: catalogued.Version}
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	api, err := rest.RESTClientForConfigAndClient(cfg, client)
	if err != nil {
		t.Fatal(err)
	}
	data, err := api.Get().Resource(catalogued.Resource).Name(name).SetHeader("Accept",
		"application/json;as=Table;v=v1;g=meta.k8s.io").Do(t.Context()).Raw()
	if err != nil {
		t.Fatal(err)
	}
	var table metav1.Table
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	var out []any
	for i, column := range table.ColumnDefinitions {
		if column.Priority == 0 {
			out = append(out, table.Rows[0].Cells[i])
		}
	}
	return out
}
