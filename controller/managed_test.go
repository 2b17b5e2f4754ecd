// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/systems"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const readsV1beta1 = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: own-clusters.cluster.x-k8s.io}
spec:
  for: {group: cluster.x-k8s.io, kind: Cluster, versions: [v1beta1]}
  dialect: capi-v1beta1
  conditions:
  - {type: Ready, meaning: It works., reasons: [{reason: "", status: "True", meaning: Yes.}]}
`

// TestNarrow_managedVersions: "Following types should be defined in Cluster API": the catalog of the proposal reads objects of version
// v1proposal alone, and a controller that manages the kind derives the conditions in the versions of Cluster API as well, unless somebody
// declares these.
func TestNarrow_managedVersions(t *testing.T) {
	cluster := schema.GroupKind{Group: "cluster.x-k8s.io", Kind: "Cluster"}
	shipped, err := catalog.LoadFS(systems.Catalogs, "cluster-api")
	if err != nil {
		t.Fatal(err)
	}
	own, err := catalog.Parse("own.yaml", []byte(readsV1beta1))
	if err != nil {
		t.Fatal(err)
	}
	kind, err := catalog.Compile(own[0])
	if err != nil {
		t.Fatal(err)
	}
	with, err := catalog.NewSet(append(shipped.Kinds(), kind)...)
	if err != nil {
		t.Fatal(err)
	}
	if k := shipped.Of(cluster.WithVersion("v1beta1")); k != nil {
		t.Errorf("an object of Cluster API is read by %s", k.Source.Metadata.Name)
	}
	known := map[*catalog.Kind]*catalog.Kind{} // of one controller, whose catalogs change
	for _, tt := range []struct {
		name string
		set  *catalog.Set
		want bool
	}{{"the shipped catalogs", shipped, true}, {"with one for v1beta1", with, false}, {"without it again", shipped, true}} {
		out, err := narrow(tt.set, &Options{Manager: "tristate", Manage: []schema.GroupKind{cluster}}, known)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		k := out.Of(cluster.WithVersion("v1beta1"))
		if got := k != nil && len(k.Derivations) > 0; got != tt.want {
			t.Errorf("%s: v1beta1 is written: %v, want %v", tt.name, got, tt.want)
		}
		if k := out.Of(cluster.WithVersion("v1beta2")); k != nil && len(k.Derivations) > 0 {
			t.Errorf("%s: v1beta2, which has no severity, is written", tt.name)
		}
	}
}
