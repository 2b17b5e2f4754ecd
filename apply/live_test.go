// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/proof/plane"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

func TestMain(m *testing.M) { plane.Main(m) }

// stage is a real API server with kinds to write: things, whose conditions are a map by type, and lumps, whose list is atomic.
type stage struct {
	config    *rest.Config
	namespace string
}

func newStage(t testing.TB) *stage {
	t.Helper()
	config := plane.ForTest(t)
	defined.Do(func() { defineKinds(t, config) })
	return &stage{config: config, namespace: plane.Namespace(t, config)}
}

var defined sync.Once // as the tests run at the same time

func defineKinds(t testing.TB, config *rest.Config) {
	t.Helper()
	data, err := os.ReadFile("../examples/toolpolicy/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, kind := range []string{"Thing", "Lump"} {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(data, crd); err != nil {
			t.Fatal(err)
		}
		plural := strings.ToLower(kind) + "s"
		crd.Name = plural + ".example.dev"
		crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Kind: kind, ListKind: kind + "List", Plural: plural,
			Singular: strings.ToLower(kind)}
		status := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"]
		if kind == "Lump" {
			list := status.Properties["conditions"]
			list.XListType, list.XListMapKeys = nil, nil
			status.Properties["conditions"] = list
		}
		crds = append(crds, crd)
	}
	if _, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{CRDs: crds, MaxTime: 5 * time.Minute}); err != nil {
		t.Fatal(err)
	}
}

// client counts its requests in n.
func (s *stage) client(t testing.TB, n *tally) dynamic.Interface {
	t.Helper()
	config := rest.CopyConfig(s.config)
	config.QPS = -1
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counted{n, next} })
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// tally counts requests by method.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *tally) take() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.n
	c.n = nil
	return out
}

type counted struct {
	tally *tally
	next  http.RoundTripper
}

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.tally.mu.Lock()
	if c.tally.n == nil {
		c.tally.n = map[string]int{}
	}
	c.tally.n[r.Method]++
	c.tally.mu.Unlock()
	return c.next.RoundTrip(r)
}

func (s *stage) target(kind string, own *conditions.Kind) apply.Target {
	return apply.Target{Resource: schema.GroupVersionResource{Group: "example.dev", Version: "v1", Resource: strings.ToLower(kind) + "s"},
		Kind:       kind,
		Namespaced: true, ListMap: kind == "Thing", Path: apply.ParsePath(""), Own: own}
}

func (s *stage) create(t testing.TB, client dynamic.Interface, kind, name string) *unstructured.Unstructured {
	t.Helper()
	made, err := client.Resource(s.target(kind, nil).Resource).Namespace(s.namespace).Create(t.Context(),
		&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.dev/v1", "kind": kind, "metadata": map[string]any{"name": name},
			"spec": map[string]any{"tools": []any{"hammer"}}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func (s *stage) get(ctx context.Context, client dynamic.Interface, kind, name string) (*unstructured.Unstructured, []conditions.Condition,
	error) {
	got, err := client.Resource(s.target(kind, nil).Resource).Namespace(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, nil, err
	}
	list, _, _ := unstructured.NestedSlice(got.Object, "status", "conditions")
	stored, _ := wire.FromUnstructured(list)
	return got, stored, nil
}

func TestLiveRequests(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, kindName := range []string{"Thing", "Lump"} {
		t.Run(kindName, func(t *testing.T) {
			n := &tally{}
			client := s.client(t, n)
			k := kind("A", "B")
			s.create(t, client, kindName, "requests")
			status := &apply.Status{Target: s.target(kindName, k), Writer: &apply.Writer{Client: client, Manager: "ours"}}
			read := map[string]int{"GET": 1}
			first := map[string]int{"PATCH": 1}
			if kindName == "Lump" {
				first["GET"] = 1
			}
			at := start
			pass := func(want map[string]int, fields apply.Fields, cells ...string) []string {
				t.Helper()
				object, stored, err := s.get(t.Context(), client, kindName, "requests")
				if err != nil {
					t.Fatal(err)
				}
				diff(t, "requests of a read", read, n.take())
				at = at.Add(time.Minute)
				if err := status.ApplyWith(t.Context(), object, commit(k, stored, at, cells...), fields); err != nil {
					t.Fatal(err)
				}
				diff(t, fmt.Sprint("requests of ", cells, fields), want, n.take())
				object, stored, err = s.get(t.Context(), client, kindName, "requests")
				if err != nil {
					t.Fatal(err)
				}
				n.take()
				profile, _, _ := unstructured.NestedString(object.Object, "status", "profile")
				return append(show(stored), profile)
			}
			n.take()
			fields := apply.Fields{"profile": "p1", "sandboxes": 2}
			pass(first, fields, "A False", "B True")
			pass(nil, fields, "A False", "B True")
			diff(t, "stored", []string{"A True Good 3m0s", "B True Good 1m0s", "p1"}, pass(first, fields, "A True", "B True"))
			diff(t, "stored", []string{"A True Good 3m0s", "B True Good 1m0s", "p2"}, pass(first, apply.Fields{"profile": "p2", "sandboxes": 2},
				"A True", "B True"))
			// a type and a field go with the same request
			diff(t, "stored", []string{"A True Good 3m0s", ""}, pass(first, apply.Fields{"profile": nil, "sandboxes": 2}, "A True", "B Unknown"))
		})
	}
}

// TestTakeover: an operator that wrote by Update before, under this or another name, becomes one that applies. What it stops to
// report goes, though its former self held it; what the former self holds besides stays.
func TestTakeover(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	tests := map[string]struct {
		untracked bool // the object has no spec, and the API server tracks nothing until it is applied to
		manager   string
		takeover  int // requests of the first change that gives up an entry
		giveUp    int // requests of a later one
		holders   []string
	}{
		"under its own name": {false, "ours", 3, 1, []string{"ours Apply true", "ours Update false"}},
		"under another name": {false, "former", 3, 1, []string{"former Update false", "ours Apply true"}},
		"before tracking":    {true, "any", 3, 1, []string{"before-first-apply Update false", "ours Apply true"}},
		// of somebody that is not adopted nothing is taken, but what is in the way: an apply that is refused, a read, a locked
		// patch, the apply
		"by somebody else": {false, "stranger", 2, 4, []string{"ours Apply true", "stranger Update true"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			n := &tally{}
			client := s.client(t, n)
			k := kind("A", "B", "Old")
			id := "takeover-" + strings.ReplaceAll(name, " ", "-")
			resource := client.Resource(s.target("Thing", k).Resource).Namespace(s.namespace)
			object := s.create(t, client, "Thing", id)
			if test.untracked {
				if err := resource.Delete(t.Context(), id, metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
				delete(object.Object, "spec")
				object.SetResourceVersion("")
				object.SetManagedFields(nil)
				var err error
				if object, err = resource.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			object.Object["status"] = map[string]any{"profile": "p1", "sandboxes": int64(3), "conditions": []any{
				entry("A True", start, 1), entry("B False", start, 1), entry("Old True", start, 1), entry("Foreign True", start, 1)}}
			if _, err := resource.UpdateStatus(t.Context(), object, metav1.UpdateOptions{FieldManager: test.manager}); err != nil {
				t.Fatal(err)
			}
			status := &apply.Status{Target: s.target("Thing", k), Writer: &apply.Writer{Client: client, Manager: "ours", Adopt: []string{"former"}}}
			pass := func(minute, want int, fields apply.Fields, cells ...string) {
				t.Helper()
				object, stored, err := s.get(t.Context(), client, "Thing", id)
				if err != nil {
					t.Fatal(err)
				}
				n.take()
				result := commit(k, stored, start.Add(time.Duration(minute)*time.Minute), cells...)
				if err := status.ApplyWith(t.Context(), object, result, fields); err != nil {
					t.Fatal(err)
				}
				got := 0
				for _, requests := range n.take() {
					got += requests
				}
				if got != want {
					t.Errorf("requests of %v: want %d, got %d", cells, want, got)
				}
			}
			// the change, then Old, which its former self still holds, then the managed fields
			pass(1, test.takeover, apply.Fields{"profile": "p1"}, "A True", "B True", "Old Unknown")
			pass(2, 1, apply.Fields{"profile": "p1"}, "A True", "B False")
			pass(3, 0, apply.Fields{"profile": "p1"}, "A True", "B False")
			pass(4, test.giveUp, apply.Fields{"profile": "p1"}, "A True", "B Unknown")
			object, stored, err := s.get(t.Context(), client, "Thing", id)
			if err != nil {
				t.Fatal(err)
			}
			diff(t, "stored", []string{"A True Good 0s", "Foreign True Good 0s"}, show(stored))
			content, _ := object.Object["status"].(map[string]any)
			if content["sandboxes"] != int64(3) {
				t.Errorf("status %v", content)
			}
			var holders []string
			for _, e := range object.GetManagedFields() {
				if e.Subresource == "status" {
					holders = append(holders, fmt.Sprintf("%s %s %v", e.Manager, e.Operation, bytes.Contains(e.FieldsV1.GetRawBytes(), []byte(`\"A\"`))))
				}
			}
			diff(t, "who holds A", test.holders, sorted(holders))
		})
	}
}

// TestRetired: a renamed type is written under its new name and gone under the old one.
func TestRetired(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, kindName := range []string{"Thing", "Lump"} {
		client := s.client(t, &tally{})
		before := kind("Reddy", "Gone")
		object := s.create(t, client, kindName, "retired")
		status := &apply.Status{Target: s.target(kindName, before), Writer: &apply.Writer{Client: client, Manager: "ours"}}
		if err := status.Apply(t.Context(), object, commit(before, nil, start, "Reddy True", "Gone True")); err != nil {
			t.Fatal(err)
		}
		after := kind("Ready", "Gone")
		after.Types[0].Aliases = []string{"Reddy"}
		status = &apply.Status{Target: s.target(kindName, after), Writer: &apply.Writer{Client: client, Manager: "ours"}}
		object, stored, err := s.get(t.Context(), client, kindName, "retired")
		if err != nil {
			t.Fatal(err)
		}
		if err := status.Apply(t.Context(), object, commit(after, stored, start.Add(time.Minute), "Ready True", "Gone Unknown")); err != nil {
			t.Fatal(err)
		}
		if _, stored, err = s.get(t.Context(), client, kindName, "retired"); err != nil {
			t.Fatal(err)
		}
		diff(t, "stored", []string{"Ready True Good 0s"}, show(stored))
	}
}
