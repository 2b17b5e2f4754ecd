// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tristate/tristate/internal/fleet/input"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// fakeAPI is an API server that serves some objects and fails in the ways that a test sets.
type fakeAPI struct {
	objects []input.Object
	// answers are the failures for requests of a resource: "403", "500", "503", "hang" and "reset"; "*" is every request, discovery included,
	// "objects" every one for objects. With ".all" behind it an answer is for requests in all namespaces. GROUP/VERSION is the discovery of a
	// version, in aggregation too.
	answers map[string]string
	asked   chan string // the path of each request that hangs
	closed  chan struct{}
	mu      sync.Mutex
	paths   []string
}

// fakeResources are the resources of the server; a namespaced one has true.
var fakeResources = map[string]map[string]bool{
	"v1": {"pods Pod": true, "secrets Secret": true, "configmaps ConfigMap": true, "namespaces Namespace": false,
		"nodes Node": false, "services Service": true, "events Event": true},
	"apps/v1":        {"deployments Deployment": true, "replicasets ReplicaSet": true},
	"example.org/v1": {"widgets Widget": true},

	"discovery.k8s.io/v1": {"endpointslices EndpointSlice": true},

	"tristate.dev/v1alpha1": {"conditioncatalogs ConditionCatalog": false},
	"kro.run/v1alpha1":      {"resourcegraphdefinitions ResourceGraphDefinition": false},
}

// server starts a fake API server and writes its kubeconfig: server NAME OBJECTS [RESOURCE=ANSWER ...].
func server(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: server NAME OBJECTS [RESOURCE=ANSWER ...]")
	}
	f := &fakeAPI{answers: map[string]string{}, asked: make(chan string, 1000), closed: make(chan struct{})}
	if args[1] != "-" {
		objects, errs := input.Parse(args[1], []byte(ts.ReadFile(args[1])))
		if len(errs) > 0 {
			ts.Fatalf("%v", errs[0])
		}
		f.objects = objects
	}
	for _, arg := range args[2:] {
		resource, answer, _ := strings.Cut(arg, "=")
		f.answers[resource] = answer
	}
	s := httptest.NewServer(f)
	ts.Defer(func() {
		close(f.closed)
		s.CloseClientConnections()
		s.Close()
	})
	running.Store(ts.Getenv("WORK")+args[0], f)
	config := fmt.Sprintf("{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u, namespace: shop}}], "+
		"clusters: [{name: c, cluster: {server: %q}}], users: [{name: u, user: {}}]}\n", s.URL)
	ts.Check(os.WriteFile(ts.MkAbs("kubeconfig"), []byte(config), 0o600))
	ts.Setenv("KUBECONFIG", ts.MkAbs("kubeconfig"))
	ts.Setenv("SERVER", s.URL)
}

// running are the fake servers of the scripts, by work directory and name.
var running sync.Map

// ServeHTTP is a method of http.Handler.
func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.paths = append(f.paths, r.URL.Path)
	f.mu.Unlock()
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if f.answers["*"] != "" {
		f.misbehave(w, f.answers["*"], "*")
		return
	}
	switch {
	case r.URL.Path == "/api":
		reply(w, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
		return
	case r.URL.Path == "/apis":
		list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList"}}
		served := slices.Collect(maps.Keys(fakeResources))
		for key := range f.answers {
			if strings.Contains(key, "/") {
				served = append(served, key)
			}
		}
		for _, gv := range served {
			if group, version, ok := strings.Cut(gv, "/"); ok {
				v := metav1.GroupVersionForDiscovery{GroupVersion: gv, Version: version}
				list.Groups = append(list.Groups, metav1.APIGroup{Name: group, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v})
			}
		}
		reply(w, list)
		return
	}
	gv, rest := strings.Join(parts[1:min(3, len(parts))], "/"), parts[min(3, len(parts)):]
	if parts[0] == "api" {
		gv, rest = parts[1], parts[2:]
	}
	if len(rest) == 0 {
		if f.answers[gv] != "" {
			f.misbehave(w, f.answers[gv], gv)
			return
		}
		reply(w, resourcesOf(gv))
		return
	}
	namespace := ""
	if rest[0] == "namespaces" && len(rest) > 2 {
		namespace, rest = rest[1], rest[2:]
	}
	answer := cmp.Or(f.answers[rest[0]], f.answers["objects"])
	if namespace == "" {
		answer = cmp.Or(answer, f.answers[rest[0]+".all"], f.answers["objects.all"])
	}
	if answer != "" {
		f.misbehave(w, answer, rest[0])
		return
	}
	name := ""
	if len(rest) > 1 {
		name = rest[1]
	}
	f.objectsOf(w, r, gv, namespace, rest[0], name)
}

func resourcesOf(gv string) metav1.APIResourceList {
	list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: gv}
	for names, namespaced := range fakeResources[gv] {
		plural, kind, _ := strings.Cut(names, " ")
		short := map[string][]string{"deployments": {"deploy"}, "secrets": {}, "configmaps": {"cm"}, "pods": {"po"}, "services": {"svc"}}[plural]
		list.APIResources = append(list.APIResources, metav1.APIResource{Name: plural, SingularName: strings.ToLower(kind), Kind: kind,
			Namespaced: namespaced,
			Verbs:      metav1.Verbs{"get", "list", "watch"}, ShortNames: short})
		if plural == "deployments" || plural == "replicasets" || plural == "pods" {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: plural + "/status", Kind: kind, Namespaced: namespaced,
				Verbs: metav1.Verbs{"get"}})
		}
	}
	return list
}

func (f *fakeAPI) objectsOf(w http.ResponseWriter, r *http.Request, gv, namespace, resource, name string) {
	kind := ""
	for names := range fakeResources[gv] {
		if plural, k, _ := strings.Cut(names, " "); plural == resource {
			kind = k
		}
	}
	selector, _ := labels.Parse(r.URL.Query().Get("labelSelector"))
	field := strings.TrimPrefix(r.URL.Query().Get("fieldSelector"), "metadata.name=")
	items := []any{}
	for _, o := range f.objects {
		meta, _ := o.Content["metadata"].(map[string]any)
		marks, _ := meta["labels"].(map[string]any)
		set := labels.Set{}
		for key, value := range marks {
			set[key] = fmt.Sprint(value)
		}
		if o.Content["kind"] != kind || namespace != "" && meta["namespace"] != namespace || !selector.Matches(set) || field != "" &&
			!strings.Contains(field, "=") && meta["name"] != field {
			continue
		}
		if name == "" {
			items = append(items, o.Content)
		} else if meta["name"] == name {
			reply(w, o.Content)
			return
		}
	}
	switch {
	case name != "":
		status(w, http.StatusNotFound, "NotFound", fmt.Sprintf("%s %q not found", resource, name))
	case r.URL.Query().Get("sendInitialEvents") != "":
		status(w, http.StatusUnprocessableEntity, "Invalid", "sendInitialEvents is not supported")
	case r.URL.Query().Get("watch") != "":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		select {
		case <-f.closed:
		case <-r.Context().Done():
		}
	default:
		reply(w, map[string]any{"apiVersion": gv, "kind": kind + "List", "metadata": map[string]any{"resourceVersion": "1"}, "items": items})
	}
}

// misbehave answers a request as a bad server does.
func (f *fakeAPI) misbehave(w http.ResponseWriter, answer, resource string) {
	switch answer {
	case "hang":
		f.asked <- resource
		<-f.closed
	case "reset":
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	case "403":
		status(w, http.StatusForbidden, "Forbidden", resource+` is forbidden: User "u" cannot list it`)
	case "503":
		status(w, http.StatusServiceUnavailable, "ServiceUnavailable", "the server is currently unable to handle the request")
	case "401":
		status(w, http.StatusUnauthorized, "Unauthorized", "Unauthorized")
	case "500":
		status(w, http.StatusInternalServerError, "InternalError", "the conversion webhook failed")
	case "garbage":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"items": [{"kind": 3`)
	}
}

func status(w http.ResponseWriter, code int, reason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason,
		"message": message})
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}
