// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"strings"
	"testing"

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

// TestClaim: an object that exists and was not made by an instance is taken over only as the setting permits, and is marked then.
func TestClaim(t *testing.T) {
	id := applyset.ID(lab())
	helms := func() *unstructured.Unstructured {
		return configMap("helm", map[string]string{"app.kubernetes.io/managed-by": "Helm"})
	}
	agreed := func() *unstructured.Unstructured { return configMap("helm", map[string]string{LabelAdopt: "true"}) }
	own := configMap(applyset.FieldManager, map[string]string{applyset.ApplysetPartOfLabel: id})
	for name, tt := range map[string]struct {
		adopt        Adopt
		object       *unstructured.Unstructured
		want, marked bool
	}{
		"Helm's, by default":               {"", helms(), false, false},
		"Helm's, never":                    {AdoptNever, helms(), false, false},
		"Helm's, always":                   {AdoptAlways, helms(), true, true},
		"its owner agrees":                 {AdoptLabelled, agreed(), true, true},
		"its owner agrees, never":          {AdoptNever, agreed(), false, false},
		"its own":                          {AdoptNever, own, true, false},
		"its own, all labels were removed": {AdoptNever, configMap(applyset.FieldManager, nil), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pass{Reconciler: &Reconciler{Shared: &Shared{Adopt: tt.adopt}}, instance: lab()}
			wanted := configMap("", nil)
			wanted.SetAnnotations(map[string]string{})
			err := p.claim(applyset.Resource{ID: "c", Object: wanted, Current: tt.object})
			if (err == nil) != tt.want {
				t.Errorf("error %v, want one: %v", err, !tt.want)
			}
			if err != nil && (!p.trouble(err).Final || !strings.Contains(err.Error(), "ConfigMap/lab-c exists")) {
				t.Errorf("%+v is not for a person, or does not name the object", p.trouble(err))
			}
			if got := wanted.GetAnnotations()[AnnotationAdopted] != ""; got != tt.marked || p.adopted(tt.object) != tt.marked {
				t.Errorf("marked: %v, want %v", got, tt.marked)
			}
		})
	}
}

// TestRemove_adopted: the deletion of an instance takes what the instance made, and releases what it took over.
func TestRemove_adopted(t *testing.T) {
	id := applyset.ID(lab())
	taken := configMap("helm", map[string]string{applyset.ApplysetPartOfLabel: id, "kro.run/node-id": "c", "app": "shop"})
	taken.SetAnnotations(map[string]string{AnnotationAdopted: "1", "owner": "me"})
	made := configMap(applyset.FieldManager, map[string]string{applyset.ApplysetPartOfLabel: id})
	made.SetName("lab-made")
	client := fake.NewSimpleDynamicClient(runtime.NewScheme(), taken, made)
	gvr := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	p := &pass{Reconciler: &Reconciler{Shared: &Shared{Client: client}}, instance: lab(), ctx: t.Context()}
	if err := p.remove([]applyset.OrphanCandidate{{Object: taken, GVR: gvr}, {Object: made, GVR: gvr}}); err != nil {
		t.Fatal(err)
	}
	left, err := client.Resource(gvr).Namespace("default").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(left.Items) != 1 || left.Items[0].GetName() != "lab-c" {
		t.Fatalf("%d objects are left, want lab-c alone", len(left.Items))
	}
	if o := left.Items[0]; len(o.GetLabels()) != 1 || o.GetLabels()["app"] != "shop" || len(o.GetAnnotations()) != 1 {
		t.Errorf("it keeps the labels %v and the annotations %v", o.GetLabels(), o.GetAnnotations())
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
