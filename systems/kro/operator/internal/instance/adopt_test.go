// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/kubernetes-sigs/kro/pkg/controller/instance/applyset"
	"github.com/kubernetes-sigs/kro/pkg/dynamiccontroller"
	"github.com/kubernetes-sigs/kro/pkg/graph"
	kroruntime "github.com/kubernetes-sigs/kro/pkg/runtime"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"
)

func lab() *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "kro.run/v1alpha1", "kind": "Lab"}}
	o.SetName("lab")
	o.SetNamespace("default")
	o.SetUID("1")
	return o
}

// configMap returns a ConfigMap as a writer left it.
func configMap(manager string, labels map[string]string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	o.SetName("lab-c")
	o.SetNamespace("default")
	o.SetUID(types.UID("uid-" + manager))
	o.SetLabels(labels)
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: manager, Operation: metav1.ManagedFieldsOperationApply}})
	return o
}

// passOf returns a pass of an operator that has just started.
func passOf(t *testing.T, adopt Adopt, objects ...runtime.Object) *pass {
	t.Helper()
	return &pass{Reconciler: &Reconciler{Shared: &Shared{Adopt: adopt, Namespace: "kro-system",
		Client: fake.NewSimpleDynamicClient(runtime.NewScheme(), objects...)}}, instance: lab(), ctx: t.Context()}
}

// TestClaim: an object that exists and was not made by an instance is taken over only as the setting permits, and gets no proof.
func TestClaim(t *testing.T) {
	id := applyset.ID(lab())
	helms := func() *unstructured.Unstructured {
		return configMap("helm", map[string]string{"app.kubernetes.io/managed-by": "Helm"})
	}
	agreed := func() *unstructured.Unstructured { return configMap("helm", map[string]string{LabelAdopt: "true"}) }
	own := configMap(applyset.FieldManager, map[string]string{applyset.ApplysetPartOfLabel: id})
	for name, tt := range map[string]struct {
		adopt  Adopt
		object *unstructured.Unstructured
		want   bool
	}{
		"Helm's, by default":               {"", helms(), false},
		"Helm's, never":                    {AdoptNever, helms(), false},
		"Helm's, always":                   {AdoptAlways, helms(), true},
		"its owner agrees":                 {AdoptLabelled, agreed(), true},
		"its owner agrees, never":          {AdoptNever, agreed(), false},
		"its own":                          {AdoptNever, own, true},
		"its own, all labels were removed": {AdoptNever, configMap(applyset.FieldManager, nil), true},
	} {
		t.Run(name, func(t *testing.T) {
			p := passOf(t, tt.adopt)
			wanted := configMap("", nil)
			wanted.SetAnnotations(map[string]string{})
			err := p.claim(applyset.Resource{ID: "c", Object: wanted, Current: tt.object})
			if (err == nil) != tt.want {
				t.Errorf("error %v, want one: %v", err, !tt.want)
			}
			if err != nil && (!p.trouble(err).Final || !strings.Contains(err.Error(), "ConfigMap/lab-c exists")) {
				t.Errorf("%+v is not for a person, or does not name the object", p.trouble(err))
			}
			if got := wanted.GetAnnotations()[AnnotationMade]; got != "" {
				t.Errorf("it has the proof %q", got)
			}
		})
	}
}

// TestRemove_made: the deletion of an instance takes what the instance created, also after a restart, and releases everything else that
// has its labels: what it took over, a copy with all labels and annotations, and the work of another writer under the name of kro.
func TestRemove_made(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	key := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret",
		"data": map[string]any{"key": base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))}}}
	key.SetName("kro-operator-made")
	key.SetNamespace("kro-system")
	key.SetCreationTimestamp(metav1.NewTime(start))
	owner := lab()
	owner.SetCreationTimestamp(metav1.NewTime(start.Add(-time.Hour)))
	gvr := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	object := func(name, manager string, at time.Duration) *unstructured.Unstructured {
		o := configMap(manager, map[string]string{applyset.ApplysetPartOfLabel: applyset.ID(lab()), "kro.run/node-id": "c", "app": "shop"})
		o.SetName(name)
		o.SetUID(types.UID(name))
		o.SetCreationTimestamp(metav1.NewTime(start.Add(at)))
		o.SetAnnotations(map[string]string{"owner": "me"})
		return o
	}
	created := object("lab-created", applyset.FieldManager, time.Minute)
	before := passOf(t, "", key.DeepCopy()) // the operator that created it
	if err := before.claim(applyset.Resource{ID: "c", Object: created}); err != nil {
		t.Fatal(err)
	}
	copied := object("lab-copied", applyset.FieldManager, time.Minute)
	copied.SetAnnotations(created.GetAnnotations())
	for name, tt := range map[string]struct {
		object *unstructured.Unstructured
		goes   bool
	}{
		"created":                             {created, true},
		"created before there were proofs":    {object("lab-former", applyset.FieldManager, -time.Minute), true},
		"taken over":                          {object("lab-taken", applyset.FieldManager, time.Minute), false},
		"older than the instance":             {object("lab-old", applyset.FieldManager, -2*time.Hour), false},
		"a copy with the proof of its source": {copied, false},
		"labels alone, written by a person":   {object("lab-labels", "kubectl", -time.Minute), false},
	} {
		t.Run(name, func(t *testing.T) {
			p := passOf(t, "", key.DeepCopy(), tt.object.DeepCopy())
			p.instance = owner
			if err := p.remove([]applyset.OrphanCandidate{{Object: tt.object, GVR: gvr}}); err != nil {
				t.Fatal(err)
			}
			left, err := p.Client.Resource(gvr).Namespace("default").List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if tt.goes != (len(left.Items) == 0) {
				t.Fatalf("%d objects are left, goes: %v", len(left.Items), tt.goes)
			}
			for _, o := range left.Items {
				if len(o.GetLabels()) != 1 || o.GetLabels()["app"] != "shop" || len(o.GetAnnotations()) != 1 {
					t.Errorf("it keeps the labels %v and the annotations %v", o.GetLabels(), o.GetAnnotations())
				}
			}
		})
	}
}

// TestCurrent_otherSet: a child whose label names another set is not up to date, so that the apply set reports it.
func TestCurrent_otherSet(t *testing.T) {
	stored := configMap(applyset.FieldManager, map[string]string{applyset.ApplysetPartOfLabel: "applyset-OTHER-v1"})
	wanted := configMap("", nil)
	unstructured.RemoveNestedField(wanted.Object, "metadata", "managedFields")
	unstructured.RemoveNestedField(wanted.Object, "metadata", "uid")
	if current(applyset.Resource{Object: wanted, Current: stored}, applyset.ID(lab())) {
		t.Error("an object of another set counts as up to date")
	}
}

// recorder records what is watched.
type recorder struct {
	dynamiccontroller.InstanceWatcher
	requests []dynamiccontroller.WatchRequest
}

func (r *recorder) Watch(request dynamiccontroller.WatchRequest) error {
	r.requests = append(r.requests, request)
	return nil
}

// TestCollection_watch: the items of a collection may be in any namespace, and are watched there.
func TestCollection_watch(t *testing.T) {
	gvr := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	watched := &recorder{}
	p := &pass{Reconciler: &Reconciler{Shared: &Shared{Client: fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{gvr: "ConfigMapList"})}}, instance: lab(), ctx: t.Context(), watcher: watched}
	n := &node{Node: &kroruntime.Node{Spec: &graph.Node{Meta: graph.NodeMeta{ID: "c", GVR: gvr, Namespaced: true,
		Type: graph.NodeTypeCollection}}}}
	if err := p.collection(n, nil); err != nil {
		t.Fatal(err)
	}
	if len(watched.requests) != 1 || watched.requests[0].Namespace != "" {
		t.Errorf("watched: %+v, want all namespaces", watched.requests)
	}
}
