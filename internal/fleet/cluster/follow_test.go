// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/fleet/discovery"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/proof/plane"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// selected is a transport that collects the paths that are asked for, with their selectors.
type selected struct {
	mu   sync.Mutex
	list []string
}

func (r *selected) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		r.mu.Lock()
		r.list = append(r.list, strings.Trim(req.URL.Path+" "+req.URL.Query().Get("fieldSelector")+" "+req.URL.Query().Get("labelSelector"), " "))
		r.mu.Unlock()
		return next.RoundTrip(req)
	})
}

func (r *selected) sorted() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(slices.Values(r.list))
}

// following follows queries; next returns one event after the other in words.
func following(t *testing.T, config *rest.Config, queries []Query) (next func() string) {
	t.Helper()
	slow := rest.CopyConfig(config)
	plane.Slow(slow)
	client, err := dynamic.NewForConfig(slow)
	if err != nil {
		t.Fatal(err)
	}
	types, err := discovery.New(plane.ForTest(t), nil) // whose requests are not those of the follower
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	events := (&Cluster{Client: client, Served: types}).Follow(ctx, queries...).Events
	t.Cleanup(func() {
		stop()
		for range events { // until it is closed
		}
	})
	return func() string {
		select {
		case e := <-events:
			switch {
			case e.Object != nil:
				return fmt.Sprintf("%d %s", e.Query, e.Object.Name)
			case e.Gone.Name != "":
				return fmt.Sprintf("%d gone %s", e.Query, e.Gone.Name)
			}
			return strings.TrimSpace(fmt.Sprintf("%d %s %s", e.Query, e.State, e.Why))
		case <-time.After(5 * time.Minute):
			t.Fatal("nothing happened for a minute")
		}
		return ""
	}
}

func settings(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": name, "labels": map[string]any{"test": "follow"}}}}
}

// TestRequests: a request for each query by name, one for many names, none because something has changed.
func TestRequests(t *testing.T) {
	config := plane.ForTest(t)
	namespace := plane.Namespace(t, config)
	client, err := dynamic.NewForConfig(plane.OfTest(config))
	if err != nil {
		t.Fatal(err)
	}
	maps := client.Resource(configMaps).Namespace(namespace)
	var sent selected
	counted := rest.CopyConfig(config)
	counted.Wrap(sent.wrap)

	queries := []Query{{Type: "configmaps", Name: "one", Namespace: namespace},
		{Type: "configmaps", Namespace: namespace, Selector: "test=follow"},
		{Type: "namespaces", Name: namespace, Namespace: "of-no-meaning"}}
	next := following(t, counted, queries)
	expect := func(want ...string) {
		t.Helper()
		got := make([]string, len(want))
		for i := range got {
			got[i] = next()
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-want +got\n%s", diff)
		}
	}
	expect("0 Served", "1 Served", "2 "+namespace, "2 Served")
	for round := range 5 {
		u := settings("one")
		if round == 0 {
			_, err = maps.Create(t.Context(), u, metav1.CreateOptions{})
		} else {
			_ = unstructured.SetNestedField(u.Object, fmt.Sprint(round), "data", "round")
			_, err = maps.Update(t.Context(), u, metav1.UpdateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		expect("0 one", "1 one")
	}
	if err := maps.Delete(t.Context(), "one", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	expect("0 gone one", "1 gone one")
	path := "/api/v1/namespaces/" + namespace + "/configmaps"
	want := slices.Sorted(slices.Values([]string{path + "  test=follow", path + " metadata.name=one", "/api/v1/namespaces metadata.name=" +
		namespace}))
	if diff := cmp.Diff(want, slices.Compact(sent.sorted())); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if n := len(sent.sorted()); n > 2*len(want) {
		t.Errorf("%d requests for %d watches: %v", n, len(want), sent.sorted())
	}
}

// TestManyNames: more names than a few share a watch, and each query has events about its own object only.
func TestManyNames(t *testing.T) {
	config := plane.ForTest(t)
	namespace := plane.Namespace(t, config)
	client, err := dynamic.NewForConfig(plane.OfTest(config))
	if err != nil {
		t.Fatal(err)
	}
	var sent selected
	counted := rest.CopyConfig(config)
	counted.Wrap(sent.wrap)
	var queries []Query
	var want []string
	for i := range maxNames + 2 {
		name := fmt.Sprintf("map-%d", i)
		queries = append(queries, Query{Type: "configmaps", Name: name, Namespace: namespace})
		want = append(want, fmt.Sprintf("%d %s", i, name), fmt.Sprintf("%d Served", i))
		if _, err := client.Resource(configMaps).Namespace(namespace).Create(t.Context(), settings(name), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	next := following(t, counted, queries)
	var got []string
	for range want {
		got = append(got, next())
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if n := len(sent.sorted()); n > 2 {
		t.Errorf("%d requests for one watch: %v", n, sent.sorted())
	}
}

// TestListOnly: with the verb list alone there is an event for each object, and then one that names the missing verb.
func TestListOnly(t *testing.T) {
	config := plane.ForTest(t)
	namespace := plane.Namespace(t, config)
	client, err := dynamic.NewForConfig(plane.OfTest(config))
	if err != nil {
		t.Fatal(err)
	}
	rbac := schema.GroupVersion{Group: "rbac.authorization.k8s.io", Version: "v1"}
	for resource, object := range map[string]map[string]any{
		"roles": {"apiVersion": rbac.String(), "kind": "Role", "metadata": map[string]any{"name": "list"},
			"rules": []any{map[string]any{"apiGroups": []any{""}, "resources": []any{"configmaps"}, "verbs": []any{"list"}}}},
		"rolebindings": {"apiVersion": rbac.String(), "kind": "RoleBinding", "metadata": map[string]any{"name": "list"},
			"roleRef":  map[string]any{"apiGroup": rbac.Group, "kind": "Role", "name": "list"},
			"subjects": []any{map[string]any{"apiGroup": rbac.Group, "kind": "User", "name": "lister"}}},
	} {
		if _, err := client.Resource(rbac.WithResource(resource)).Namespace(namespace).Create(t.Context(),
			&unstructured.Unstructured{Object: object}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	lister := rest.CopyConfig(config)
	lister.Impersonate.UserName = "lister"
	missing := "0 Forbidden you may not watch configmaps in namespace " + namespace
	// The role may take a moment to be known; until then both verbs are missing.
	next := following(t, lister, []Query{{Type: "configmaps", Name: "none", Namespace: namespace}})
	first := next()
	for strings.Contains(first, "list and watch") {
		first = next()
	}
	if diff := cmp.Diff([]string{"0 Served", missing}, []string{first, next()}); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestFind(t *testing.T) {
	widgets := func(established string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "widgets.example.org"},
			"spec": map[string]any{"group": "example.org", "scope": "Namespaced",
				"names": map[string]any{"plural": "widgets", "kind": "Widget", "shortNames": []any{"wg"}},
				"versions": []any{map[string]any{"name": "v1beta1", "served": true}, map[string]any{"name": "v2", "served": true},
					map[string]any{"name": "v3", "served": false}}},
			"status": map[string]any{"conditions": []any{map[string]any{"type": "Established", "status": established}}}}}
	}
	d := &definitions{f: &Follower{awaited: map[string][]asked{}}}
	put := func(u *unstructured.Unstructured) { d.take(u.GetName(), Event{Object: relation.FromContent(u.Object)}) }
	put(widgets("False"))
	if d.known.Find("widget") != nil {
		t.Error("one that is not established was found")
	}
	put(widgets("True"))
	tests := map[string]string{"widget": "v2", "Widgets": "v2", "wg": "v2", "widgets.example.org": "v2",
		"Widget.v1beta1.example.org": "v1beta1",
		"widget.v3.example.org":      "", "widget.example.com": "", "gadget": "", "wid": ""}
	for word, want := range tests {
		got := ""
		if m := d.known.Find(word); m != nil {
			got = m.Resource.Version
		}
		if got != want {
			t.Errorf("find(%q): version %q, want %q", word, got, want)
		}
	}
	put(&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "odd"}, "spec": "text", "status": []any{}}})
	if d.take("widgets.example.org", Event{Gone: relation.ID{Name: "widgets.example.org"}}); d.known.Find("widget") != nil {
		t.Error("one that is deleted was found")
	}
}
