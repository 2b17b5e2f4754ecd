// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/crd"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// TestRelated_unknownKind holds the kinds that are read below an object whose kind has no catalog: those of its own API groups and those
// that operators commonly create, and no others.
func TestRelated_unknownKind(t *testing.T) {
	cfg := plane.ForTest(t)
	namespace := plane.Namespace(t, cfg)
	group := namespace + ".example.dev"
	serve(t, cfg, group, "App")
	serve(t, cfg, "parts."+group, "Part")
	serve(t, cfg, "other-"+group, "Stranger")
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	create := func(gv, resource, text string) *unstructured.Unstructured {
		t.Helper()
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatal(err)
		}
		parsed, _ := schema.ParseGroupVersion(gv)
		out, err := client.Resource(parsed.WithResource(resource)).Namespace(namespace).Create(t.Context(), u, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	app := create(group+"/v1", "apps", "{apiVersion: "+group+
		"/v1, kind: App, metadata: {name: shop}, spec: {keyRef: {apiVersion: v1, kind: Secret, name: key}}}")
	owner := ", ownerReferences: [{apiVersion: " + group + "/v1, kind: App, name: shop, uid: " + string(app.GetUID()) + "}]"
	create("parts."+group+"/v1", "parts", "{apiVersion: parts."+group+"/v1, kind: Part, metadata: {name: cart"+owner+"}}")
	create("v1", "configmaps", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings"+owner+"}}")

	counted := &requests{}
	counting := rest.CopyConfig(cfg)
	counting.Wrap(counted.wrap)
	c, err := Connect(t.Context(), counting, Options{Namespace: namespace, Warn: func(w string) { t.Errorf("warning: %s", w) }})
	if err != nil {
		t.Fatal(err)
	}
	g := relation.New(nil)
	v := &relation.View{Graph: g, Judge: func(*relation.Object) relation.Judgement { return relation.Judgement{Verdict: "Current"} }}
	ids, failed := c.Roots(t.Context(), g, []Query{{Type: "app." + group, Name: "shop"}})
	if failed = append(failed, c.Related(t.Context(), v, ids)...); len(failed) > 0 {
		t.Fatal(failed)
	}
	var got []string
	for _, child := range v.Build(ids[0]).Children {
		got = append(got, child.Kind+"/"+child.Name+" "+child.Edge)
		if child.Missing() != (child.Name == "key") {
			t.Errorf("%s: missing is %v", child.ID, child.Missing())
		}
	}
	if diff := cmp.Diff([]string{"ConfigMap/settings owner", "Part/cart owner", "Secret/key keyRef"}, got); diff != "" {
		t.Errorf("children: -want +got\n%s", diff)
	}
	for _, path := range counted.paths {
		if strings.Contains(path, "strangers") || strings.Contains(path, "events") || strings.Contains(path, "leases") {
			t.Errorf("%s is read", path)
		}
	}
	slices.Sort(counted.paths)
	if twice := slices.Compact(slices.Clone(counted.paths)); len(twice) != len(counted.paths) {
		t.Errorf("something is read twice: %v", counted.paths)
	}
	if len(counted.paths) > 40 {
		t.Errorf("%d requests: %v", len(counted.paths), counted.paths)
	}
	t.Logf("%d requests", len(counted.paths))
}

// serve installs a kind of any form and waits until it is served.
func serve(t *testing.T, cfg *rest.Config, group, kind string) {
	t.Helper()
	plural := strings.ToLower(kind) + "s"
	definition, err := yaml.Marshal(map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": plural + "." + group},
		"spec": map[string]any{"group": group, "scope": "Namespaced",
			"names": map[string]any{"kind": kind, "plural": plural, "singular": strings.ToLower(kind), "listKind": kind + "List"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Resource(crd.Resource).Delete(context.Background(), plural+"."+group, metav1.DeleteOptions{}); err != nil {
			t.Log(err)
		}
	})
	if err := live.Install(t.Context(), cfg, definition); err != nil {
		t.Fatal(err)
	}
}
