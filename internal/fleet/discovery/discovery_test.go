// SPDX-License-Identifier: Apache-2.0

package discovery

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/proof/plane"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	upstream "k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// finder is what Types and client-go's mappers have in common.
type finder interface {
	ResourceFor(schema.GroupVersionResource) (schema.GroupVersionResource, error)
	KindFor(schema.GroupVersionResource) (schema.GroupVersionKind, error)
	RESTMapping(schema.GroupKind, ...string) (*meta.RESTMapping, error)
}

// found returns all answers about words and kinds, one a line.
func found(f finder, words []schema.GroupVersionResource, kinds []schema.GroupVersionKind) []string {
	var out []string
	for _, word := range words {
		resource, err := f.ResourceFor(word)
		out = append(out, fmt.Sprint(word, " is ", resource, meta.IsNoMatchError(err)))
		kind, err := f.KindFor(word)
		out = append(out, fmt.Sprint(word, " is a ", kind, meta.IsNoMatchError(err)))
	}
	for _, kind := range kinds {
		for _, versions := range [][]string{nil, {kind.Version}, {"v9", kind.Version}} {
			m, err := f.RESTMapping(kind.GroupKind(), versions...)
			if err != nil {
				out = append(out, fmt.Sprint(kind, versions, " has none: ", meta.IsNoMatchError(err)))
				continue
			}
			out = append(out, fmt.Sprint(kind, versions, " is ", m.Resource, m.Scope.Name(), m.GroupVersionKind))
		}
	}
	return out
}

// TestSameAsClientGo: every word for every type of a real API server means what it means to client-go, with aggregated discovery and
// without.
func TestSameAsClientGo(t *testing.T) {
	config := plane.ForTest(t)
	client, err := upstream.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	cached := memory.NewMemCacheClient(client.WithLegacy()) // the order of aggregated answers is random there
	want := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cached), cached, nil)
	_, lists, err := cached.ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	words := []schema.GroupVersionResource{{Resource: "nothing"}, {Group: "nothing", Resource: "pods"}, {Group: "autoscal", Resource: "hpa"},
		{Group: "app", Resource: "deploy"}}
	kinds := []schema.GroupVersionKind{{Kind: "Nothing", Version: "v1"}, {Group: "apps", Kind: "Pod", Version: "v1"}}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.APIResources {
			if strings.Contains(r.Name, "/") {
				continue
			}
			kinds = append(kinds, gv.WithKind(r.Kind))
			for _, name := range append([]string{r.Name, r.SingularName, r.Kind}, r.ShortNames...) {
				words = append(words, schema.GroupVersionResource{Resource: name}, schema.GroupVersionResource{Group: gv.Group, Resource: name},
					gv.WithResource(name))
			}
		}
	}
	if len(words) < 500 {
		t.Fatalf("only %d words", len(words))
	}
	expected := found(want, words, kinds)
	for name, wrap := range map[string]func(http.RoundTripper) http.RoundTripper{
		"aggregated": func(next http.RoundTripper) http.RoundTripper { return next },
		"each version": func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(r *http.Request) (*http.Response, error) {
				r = r.Clone(r.Context())
				r.Header.Set("Accept", "application/json")
				return next.RoundTrip(r)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			config := rest.CopyConfig(config)
			var requests atomic.Int64
			config.Wrap(wrap)
			config.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return roundTrip(func(r *http.Request) (*http.Response, error) {
					requests.Add(1)
					return next.RoundTrip(r)
				})
			})
			types, err := New(config, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(expected, found(types, words, kinds)); diff != "" {
				t.Errorf("-client-go +ours:\n%s", diff)
			}
			if n := requests.Load(); name == "aggregated" && n != 2 {
				t.Errorf("%d requests, want 2", n)
			}
		})
	}
}

// serve answers each path with a body, and a path that is missing with 503; those that begin with APIGroupDiscoveryList are aggregated.
func serve(t *testing.T, answers map[string]string) *Types {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		content, aggregated := strings.CutPrefix(body, "APIGroupDiscoveryList ")
		w.Header().Set("Content-Type", "application/json")
		if aggregated {
			w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		}
		fmt.Fprint(w, content)
	}))
	t.Cleanup(s.Close)
	types, err := New(&rest.Config{Host: s.URL, QPS: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return types
}

func TestIncomplete(t *testing.T) {
	const pods = `{"groupVersion":"v1","resources":[{"name":"pods","kind":"Pod","namespaced":true,"verbs":["list"]},{"name":"pods/status","kind":"Pod"}]}`
	for name, test := range map[string]struct {
		answers map[string]string
		failed  string // of versions
		err     string // of the whole
	}{
		"each version, one fails": {answers: map[string]string{
			"/api": `{"versions":["v1"]}`, "/api/v1": pods,
			"/apis": `{"groups":[{"name":"broken.example","versions":[{"groupVersion":"broken.example/v1","version":"v1"}]}]}`,
		}, failed: "broken.example/v1: the server is currently unable to handle the request"},
		"aggregated, one is stale": {answers: map[string]string{
			"/api": `APIGroupDiscoveryList {"items":[{"metadata":{},"versions":[{"version":"v1","resources":[{"resource":"pods","scope":"Namespaced",
				"responseKind":{"kind":"Pod","version":"v1"},"verbs":["list"],"subresources":[{"subresource":"status"}]}]}]}]}`,
			"/apis": `APIGroupDiscoveryList {"items":[{"metadata":{"name":"metrics.example"},"versions":[{"version":"v1beta1","freshness":"Stale","resources":[
				{"resource":"nodes","responseKind":{"kind":"NodeMetrics"}}]}]}]}`,
		}, failed: "metrics.example/v1beta1: its server does not answer"},
		"no core group is served": {answers: map[string]string{"/apis": `{"groups":[]}`},
			err: "the server is currently unable to handle the request"},
		"no object": {answers: map[string]string{"/api": `[`, "/apis": `{}`}, err: "/api: unexpected end of JSON input"},
		"nonsense": {answers: map[string]string{"/api": `{"versions":["v1"],"groups":[{}]}`, "/api/v1": pods,
			"/apis": `{"groups":[{"name":"x"},{}]}`}},
	} {
		t.Run(name, func(t *testing.T) {
			types := serve(t, test.answers)
			groups, err := types.Groups()
			if test.err != "" {
				if err == nil || err.Error() != test.err {
					t.Fatalf("error %v, want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for version, err := range Failed(groups...) {
				got += version + ": " + err.Error()
			}
			if got != test.failed {
				t.Errorf("failed: %s\nwant:   %s", got, test.failed)
			}
			for gv, r := range Listable(groups...) {
				if gv != (schema.GroupVersion{Version: "v1"}) || r.Name != "pods" || !r.Status || !r.Namespaced {
					t.Errorf("%v %+v, want pods with a status", gv, r)
				}
			}
			if m, err := types.RESTMapping(schema.GroupKind{Kind: "Pod"}); err != nil || m.Resource.Resource != "pods" {
				t.Errorf("Pod is %v, %v", m, err)
			}
		})
	}
}

// TestReset: an answer is kept until Reset; a failure is not.
func TestReset(t *testing.T) {
	answers := map[string]string{}
	types := serve(t, answers)
	if _, err := types.Groups(); err == nil {
		t.Fatal("no error without an answer")
	}
	answers["/api"], answers["/apis"] = `{}`, `{"groups":[]}`
	if groups, err := types.Groups(); err != nil || len(groups) > 0 {
		t.Fatalf("%v, %v", groups, err)
	}
	answers["/api"], answers["/api/v1"] = `{"versions":["v1"]}`, `{}`
	if groups, _ := types.Groups(); len(groups) > 0 {
		t.Errorf("asked again without Reset: %v", groups)
	}
	types.Reset()
	if groups, _ := types.Groups(); len(groups) != 1 {
		t.Errorf("not asked after Reset: %v", groups)
	}
}
