// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestShippedTrees: the shipped catalogs are valid, and the table has each of their branches.
func TestShippedTrees(t *testing.T) {
	n, all := 0, tableOf(nil).with("")
	for root, shipped := range map[string]fs.FS{"kubernetes": catalogs.Kubernetes, "packs": catalogs.Packs} {
		set, err := catalog.LoadFS(shipped, root)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range set.Trees {
			gk := k.For
			if gk.Kind == catalog.AnyKind {
				gk = schema.GroupKind{}
			}
			for _, b := range k.Source.Spec.Tree {
				n++
				if !slices.ContainsFunc(tableOf(nil).of(gk), func(r rule) bool { b.Way = r.Way; return cmp.Equal(r.Branch, b) }) {
					t.Errorf("%s: branch %s of %s is not in the table", root, b.Relation, gk)
				}
			}
		}
	}
	if n != len(all) || n < 150 {
		t.Errorf("%d branches in the catalogs, %d in the table", n, len(all))
	}
}

const treeOfIssuers = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: a}
spec:
  for: {group: cert-manager.io, kind: Certificate}
  tree:
  - {relation: secret, kind: Secret, paths: [spec.other]}
  - {relation: owner of the name, kind: Owner.example.org, paths: [spec.owner]}
`

// TestBranches: those of a user come before the shipped ones, and replace those of the same kind and name.
func TestBranches(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"a.yaml": []byte(treeOfIssuers)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range New(set).table.of(schema.GroupKind{Group: "cert-manager.io", Kind: "Certificate"}) {
		got = append(got, r.Relation+" "+strings.Join(r.Branch.Paths, " "))
	}
	want := []string{"secret spec.other", "owner of the name spec.owner", "owner ", "issuer spec.issuerRef", "apply set ", "instance "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(set.Kinds()) != 0 {
		t.Errorf("a catalog with nothing but a tree is one of the kinds: %v", set.Kinds()[0].For)
	}
}

// TestClusterScoped: a kind of which some objects have a namespace is namespaced, whatever order its objects come in.
func TestClusterScoped(t *testing.T) {
	pods := schema.GroupKind{Kind: "Pod"}
	g := New(nil)
	put := func(name, namespace string) {
		g.Put(FromContent(map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name, "namespace": namespace}}))
	}
	if g.clusterScoped(pods) {
		t.Error("a kind without objects is cluster-scoped")
	}
	for _, name := range []string{"a", "b", "c"} {
		put(name, "")
	}
	if !g.clusterScoped(pods) {
		t.Error("a kind whose objects have no namespace is not cluster-scoped")
	}
	put("d", "n")
	for range 50 { // the order in a map is another one each time
		if g.clusterScoped(pods) {
			t.Fatal("a kind with an object in a namespace is cluster-scoped")
		}
	}
}
