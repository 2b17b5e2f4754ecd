// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/systems"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

const (
	capi      = "cluster.x-k8s.io"
	infra     = "infrastructure.cluster.x-k8s.io"
	bootstrap = "bootstrap.cluster.x-k8s.io"
	plane1    = "controlplane.cluster.x-k8s.io"
)

// fleet is clusters of Cluster API on a real API server.
type fleet struct {
	*bench
	set *catalog.Set

	mu      sync.Mutex
	objects []*unstructured.Unstructured
}

func newFleet(t *testing.T) *fleet {
	f := &fleet{bench: newBench(t)}
	data, err := systems.CRDs.ReadFile("cluster-api/crds.yaml")
	f.must(err)
	f.must(live.Install(f.patient(), f.config, data))
	f.set, err = catalog.LoadFS(systems.Catalogs, "cluster-api/catalog.yaml")
	f.must(err)
	f.bench.set = f.set
	for _, k := range f.set.Kinds() {
		if len(k.Derivations) > 0 {
			f.manage = append(f.manage, k.For)
		}
	}
	return f
}

// build makes clusters with machines: all owners before what they own.
func (f *fleet) build(clusters, machines int) {
	var group sync.WaitGroup
	for i := range clusters {
		group.Go(func() { f.cluster(fmt.Sprintf("c%02d", i), machines) })
		if i%4 == 3 {
			group.Wait()
		}
	}
	group.Wait()
}

func (f *fleet) cluster(c string, machines int) {
	f.add(capi, "Cluster", c, nil, map[string]any{"infrastructureRef": f.ref(infra, "AWSCluster", c),
		"controlPlaneRef": f.ref(plane1, "KubeadmControlPlane", c)})
	f.add(infra, "AWSCluster", c, nil, map[string]any{})
	cp := f.add(plane1, "KubeadmControlPlane", c, nil, map[string]any{"replicas": int64(machines), "version": "v1.30.0",
		"kubeadmConfigSpec": map[string]any{},
		"machineTemplate":   map[string]any{"infrastructureRef": f.ref(infra, "AWSMachineTemplate", c)}})
	for j := range machines {
		m := fmt.Sprintf("%s-%02d", c, j)
		owner := f.add(capi, "Machine", m, cp, map[string]any{"clusterName": c, "version": "v1.30.0",
			"infrastructureRef": f.ref(infra, "AWSMachine", m),
			"bootstrap":         map[string]any{"configRef": f.ref(bootstrap, "KubeadmConfig", m)}})
		f.add(infra, "AWSMachine", m, owner, map[string]any{})
		f.add(bootstrap, "KubeadmConfig", m, owner, map[string]any{})
	}
}

func (f *fleet) ref(group, kind, name string) map[string]any {
	return map[string]any{"apiVersion": group + "/v1proposal", "kind": kind, "name": name, "namespace": f.namespace}
}

func (f *fleet) resource(o *unstructured.Unstructured) dynamic.ResourceInterface {
	gvk := o.GroupVersionKind()
	return f.client.Resource(schema.GroupVersionResource{Group: gvk.Group, Version: gvk.Version, Resource: strings.ToLower(gvk.Kind) +
		"s"}).Namespace(f.namespace)
}

// add creates an object.
func (f *fleet) add(group, kind, name string, owner *unstructured.Unstructured, spec map[string]any) *unstructured.Unstructured {
	f.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": group + "/v1proposal", "kind": kind,
		"metadata": map[string]any{"name": name}, "spec": spec}}
	if owner != nil {
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(),
			UID: owner.GetUID()}})
	}
	made, err := f.resource(o).Create(f.Context(), o, metav1.CreateOptions{})
	if err != nil {
		f.Errorf("create %s/%s: %v", kind, name, err)
		return o
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.objects = append(f.objects, made)
	return made
}

// report writes every leaf of every object as healthy, a request for each object.
func (f *fleet) report() {
	f.Helper()
	var group sync.WaitGroup
	work := make(chan *unstructured.Unstructured)
	for range 4 {
		group.Go(func() {
			for o := range work {
				if err := f.leaves(f.Context(), o); err != nil {
					f.Errorf("report %s/%s: %v", o.GetKind(), o.GetName(), err)
				}
			}
		})
	}
	for _, o := range f.objects {
		work <- o
	}
	close(work)
	group.Wait()
}

func (f *fleet) leaves(ctx context.Context, o *unstructured.Unstructured) error {
	k := f.set.Kind(o.GroupVersionKind().GroupKind())
	var list []any
	for i := range k.Declaration.Types {
		var c conditions.Condition
		c.Type, c.Status, c.LastTransitionTime = k.Declaration.Types[i].Name, conditions.True, metav1.Unix(1767323045, 0)
		if !k.Derives(c.Type) && c.Type != "Paused" {
			list = append(list, wire.ToUnstructured(c, k.Dialect))
		}
	}
	if len(list) == 0 {
		return nil
	}
	body := &unstructured.Unstructured{Object: map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(),
		"metadata": map[string]any{"name": o.GetName()}, "status": map[string]any{"conditions": list}}}
	_, err := f.resource(o).Apply(ctx, o.GetName(), body, metav1.ApplyOptions{FieldManager: "leaves", Force: true}, "status")
	return err
}

// stored returns all objects as they are.
func (f *fleet) stored() []map[string]any {
	f.Helper()
	var out []map[string]any
	for _, k := range f.set.Kinds() {
		gvr := schema.GroupVersionResource{Group: k.For.Group, Version: "v1proposal", Resource: strings.ToLower(k.For.Kind) + "s"}
		list, err := f.client.Resource(gvr).Namespace(f.namespace).List(f.Context(), metav1.ListOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		f.must(err)
		for i := range list.Items {
			out = append(out, list.Items[i].Object)
		}
	}
	return out
}

// underived returns objects without what is derived.
func (f *fleet) underived(objects []map[string]any) []map[string]any {
	f.Helper()
	var out []map[string]any
	for _, o := range objects {
		u := (&unstructured.Unstructured{Object: o}).DeepCopy()
		k := f.set.Kind(u.GroupVersionKind().GroupKind())
		list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		list = slices.DeleteFunc(list, func(entry any) bool { return k.Derives(entry.(map[string]any)["type"].(string)) })
		if len(list) > 0 {
			f.must(unstructured.SetNestedSlice(u.Object, list, "status", "conditions"))
		} else {
			unstructured.RemoveNestedField(u.Object, "status", "conditions")
		}
		out = append(out, u.Object)
	}
	return out
}

// conditions returns the conditions of objects as JSON, without times, and how many objects are Ready.
func (f *fleet) conditions(objects []map[string]any) (all map[string]string, ready int) {
	f.Helper()
	all = map[string]string{}
	for _, o := range objects {
		u := (&unstructured.Unstructured{Object: o}).DeepCopy()
		entries := entries(u)
		for _, c := range entries {
			delete(c, "lastTransitionTime")
		}
		if entries["Ready"]["status"] == "True" {
			ready++
		}
		data, err := json.Marshal(entries)
		f.must(err)
		all[u.GetKind()+"/"+u.GetName()] = string(data)
	}
	return all, ready
}
