// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/story"
	"github.com/tristate/tristate/systems"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// mostMemory is how much memory tristate run may take once 61,200 objects are settled, in MB: the resident set, the pages of the program
// among it.
const mostMemory = 250

// TestProcessMemory measures tristate run, as a process of its own, over clusters of Cluster API that are settled: from a server that has
// nothing but lists, so that it takes seconds. TRISTATE_SCALE is the number of machines (make scale in this folder: 20,000).
func TestProcessMemory(t *testing.T) {
	machines := 400
	if s := os.Getenv("TRISTATE_SCALE"); s != "" {
		if _, err := fmt.Sscan(s, &machines); err != nil {
			t.Fatal(err)
		}
	}
	s := newLister(t, machines/20)
	var names []string
	for _, k := range s.set.Kinds() {
		if len(k.Derivations) > 0 {
			names = append(names, k.For.String())
		}
	}
	c := newChild(t, &rest.Config{Host: s.URL}, "--manage", strings.Join(names, ","))
	c.start()
	defer func() { c.end(syscall.SIGKILL) }()
	took := c.settles(s.objects)
	cold := c.cost()
	fmt.Printf("cold start over %d objects: %.1f s, %s, %d MB, at most %d MB\n", s.objects, took.Seconds(), cold.since(cost{}), cold.rss,
		cold.most)
	if changed, _ := c.passes(); changed > 0 || cold.passes != s.objects { // see TestOnceEach
		t.Errorf("%d passes over %d settled objects, %d with a change", cold.passes, s.objects, changed)
	}
	if machines < 20000 {
		return
	}
	time.Sleep(10 * time.Second) // a measurement
	settled := c.cost()
	fmt.Printf("10 s later: %d MB, %d MB of them without the pages of the program\n", settled.rss, settled.own)
	if settled.rss > mostMemory {
		t.Errorf("%d MB for %d objects, want at most %d", settled.rss, s.objects, mostMemory)
	}
}

// lister is an API server that lists and watches, and knows of no change.
type lister struct {
	*httptest.Server
	set         *catalog.Set
	definitions []byte
	cluster     map[string][]string // the objects of one cluster, by resource
	kinds       map[string]string   // by resource
	clusters    int
	objects     int
}

func newLister(t *testing.T, clusters int) *lister {
	t.Helper()
	l := &lister{cluster: map[string][]string{}, kinds: map[string]string{}, clusters: clusters}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	l.set, err = catalog.LoadFS(systems.Catalogs, "cluster-api/catalog.yaml")
	must(err)
	data, err := systems.CRDs.ReadFile("cluster-api/crds.yaml")
	must(err)
	var crds []any
	for _, text := range bytes.Split(data, []byte("\n---")) {
		var crd map[string]any
		must(yaml.Unmarshal(text, &crd))
		if crd["kind"] == "CustomResourceDefinition" {
			crd["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Established", "status": "True"}}}
			crds = append(crds, crd)
		}
	}
	l.definitions, err = json.Marshal(map[string]any{"kind": "CustomResourceDefinitionList", "apiVersion": "apiextensions.k8s.io/v1",
		"metadata": map[string]any{"resourceVersion": "1"}, "items": crds})
	must(err)

	world := story.NewMemoryWorld(l.set)
	must(world.Load(l.one()...))
	settled, err := world.Settle(t.Context())
	must(err)
	for _, o := range settled {
		u := &unstructured.Unstructured{Object: o}
		u.SetNamespace("fleet")
		u.SetResourceVersion("1")
		u.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "leaves", Operation: "Apply", Subresource: "status", FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(
				`{"f:status":{"f:phase":{}` + strings.Repeat(`,"f:filler":{".":{},"f:one":{},"f:two":{}}`, 20) + `}}`)}})
		data, err := json.Marshal(u.Object)
		must(err)
		resource := u.GroupVersionKind().Group + "/" + strings.ToLower(u.GetKind()) + "s"
		l.cluster[resource] = append(l.cluster[resource], string(data))
		l.kinds[strings.ToLower(u.GetKind())+"s"] = u.GetKind()
		l.objects += clusters
	}
	l.Server = httptest.NewServer(http.HandlerFunc(l.serve))
	t.Cleanup(func() { l.CloseClientConnections(); l.Close() })
	return l
}

// one is a cluster named NAME with twenty machines, whose leaves are healthy.
func (l *lister) one() []map[string]any {
	var out []map[string]any
	add := func(group, kind, name string, owner map[string]any, spec map[string]any) map[string]any {
		metadata := map[string]any{"name": name, "namespace": "fleet", "uid": "uid-" + kind + "-" + name, "generation": int64(1)}
		if owner != nil {
			m := owner["metadata"].(map[string]any)
			metadata["ownerReferences"] = []any{map[string]any{"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": m["name"],
				"uid": m["uid"]}}
		}
		o := map[string]any{"apiVersion": group + "/v1proposal", "kind": kind, "metadata": metadata, "spec": spec}
		k := l.set.Kind((&unstructured.Unstructured{Object: o}).GroupVersionKind().GroupKind())
		var list []any
		for i := range k.Declaration.Types {
			var c conditions.Condition
			c.Type, c.Status, c.LastTransitionTime = k.Declaration.Types[i].Name, conditions.True, metav1.Unix(1767323045, 0)
			if !k.Derives(c.Type) && c.Type != "Paused" {
				list = append(list, wire.ToUnstructured(c, k.Dialect))
			}
		}
		o["status"] = map[string]any{"conditions": list}
		out = append(out, o)
		return o
	}
	ref := func(group, kind, name string) map[string]any {
		return map[string]any{"apiVersion": group + "/v1proposal", "kind": kind, "name": name, "namespace": "fleet"}
	}
	const c = "NAME"
	add(capi, "Cluster", c, nil, map[string]any{"infrastructureRef": ref(infra, "AWSCluster", c),
		"controlPlaneRef": ref(plane1, "KubeadmControlPlane", c)})
	add(infra, "AWSCluster", c, nil, map[string]any{})
	cp := add(plane1, "KubeadmControlPlane", c, nil, map[string]any{"replicas": int64(20), "version": "v1.30.0"})
	for j := range 20 {
		m := fmt.Sprintf("%s-%02d", c, j)
		owner := add(capi, "Machine", m, cp, map[string]any{"clusterName": c, "version": "v1.30.0", "infrastructureRef": ref(infra, "AWSMachine",
			m),
			"bootstrap": map[string]any{"configRef": ref(bootstrap, "KubeadmConfig", m)}})
		add(infra, "AWSMachine", m, owner, map[string]any{})
		add(bootstrap, "KubeadmConfig", m, owner, map[string]any{})
	}
	return out
}

func (l *lister) serve(w http.ResponseWriter, r *http.Request) {
	asked := parse(r)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case asked.verb == "watch" && asked.streamed() && len(l.cluster[asked.group+"/"+asked.resource]) > 0:
		l.each(asked, func(object string) { fmt.Fprintf(w, "{\"type\":\"ADDED\",\"object\":%s}\n", object) })
		fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"apiVersion":"%s/v1proposal","kind":"%s","metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n",
			asked.group, l.kinds[asked.resource])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case asked.verb == "watch" && asked.streamed():
		said := refuse(r, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
		w.WriteHeader(said.StatusCode)
		_, _ = io.Copy(w, said.Body)
	case asked.verb == "watch":
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case r.URL.Path == "/api":
		fmt.Fprint(w, `{"kind":"APIVersions","versions":["v1"]}`)
	case r.URL.Path == "/apis":
		fmt.Fprint(w, `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`)
	case r.URL.Path == "/api/v1":
		fmt.Fprint(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[]}`)
	case asked.resource == "customresourcedefinitions":
		_, _ = w.Write(l.definitions)
	case asked.verb == "list":
		fmt.Fprint(w, `{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[`)
		separator := ""
		l.each(asked, func(object string) {
			fmt.Fprint(w, separator, object)
			separator = ","
		})
		fmt.Fprint(w, "]}")
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	}
}

// each calls for every object of a resource.
func (l *lister) each(asked request, found func(object string)) {
	for i := range l.clusters {
		for _, object := range l.cluster[asked.group+"/"+asked.resource] {
			found(strings.ReplaceAll(object, "NAME", fmt.Sprintf("c%04d", i)))
		}
	}
}
