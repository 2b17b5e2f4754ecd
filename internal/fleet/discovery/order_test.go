// SPDX-License-Identifier: Apache-2.0

package discovery

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestOrder: whatever the order of groups and resources in an answer, each kind is read in the same version, the one that the server
// prefers.
func TestOrder(t *testing.T) {
	version := func(name string, kinds ...string) apidiscovery.APIVersionDiscovery {
		v := apidiscovery.APIVersionDiscovery{Version: name}
		for _, kind := range kinds {
			v.Resources = append(v.Resources, apidiscovery.APIResourceDiscovery{Resource: kind + "s",
				ResponseKind: &metav1.GroupVersionKind{Kind: kind}, Verbs: []string{"list"}})
		}
		return v
	}
	group := func(name string, versions ...apidiscovery.APIVersionDiscovery) apidiscovery.APIGroupDiscovery {
		return apidiscovery.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: name}, Versions: versions}
	}
	list := apidiscovery.APIGroupDiscoveryList{Items: []apidiscovery.APIGroupDiscovery{
		group("autoscaling", version("v2", "scaler"), version("v1", "scaler")),
		group("cluster.x-k8s.io", version("v1beta2", "machine", "cluster"), version("v1beta1", "machine", "cluster", "pool")),
		group("acme.corp", version("v1", "widget", "gadget")),
	}}
	want := map[schema.GroupKind]string{
		{Group: "autoscaling", Kind: "scaler"}: "v2", {Group: "cluster.x-k8s.io", Kind: "machine"}: "v1beta2",
		{Group: "cluster.x-k8s.io", Kind: "cluster"}: "v1beta2",
		{Group: "cluster.x-k8s.io", Kind: "pool"}:    "v1beta1", {Group: "acme.corp", Kind: "widget"}: "v1",
		{Group: "acme.corp", Kind: "gadget"}: "v1",
	}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		r.Shuffle(len(list.Items), func(a, b int) { list.Items[a], list.Items[b] = list.Items[b], list.Items[a] })
		for _, g := range list.Items {
			for _, v := range g.Versions {
				r.Shuffle(len(v.Resources), func(a, b int) { v.Resources[a], v.Resources[b] = v.Resources[b], v.Resources[a] })
			}
		}
		groups := aggregated(list)
		got, mapped := map[schema.GroupKind]string{}, newMapper(groups)
		for gv, resource := range Listable(groups...) {
			gk := schema.GroupKind{Group: gv.Group, Kind: resource.Kind}
			if got[gk] == "" {
				got[gk] = gv.Version
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: listed (-want +got):\n%s", seed, diff)
		}
		for gk, v := range want {
			mapping, err := mapped.RESTMapping(gk)
			if err != nil || mapping.GroupVersionKind.Version != v {
				t.Fatalf("seed %d: %s is mapped to %s, %v", seed, gk, fmt.Sprint(mapping), err)
			}
		}
	}
}
