// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"sigs.k8s.io/yaml"
)

const linksCatalog = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: parents.example.dev}
spec:
  for: {group: example.dev, kind: Parent}
  variables: {team: self.spec.team}
  relations:
    one: {ref: self.spec.childRef}
    named: {kind: Child.example.dev, ref: self.spec.childNames}
    back: {kind: Child.example.dev, refBy: item.spec.parentRef}
    mine: {kind: Child.example.dev, owned: true}
    chosen: {kind: Child.example.dev, selector: "{'matchLabels': {'team': variables.team}}"}
    joined: {kind: Child.example.dev, where: item.spec.number == self.spec.number && item.spec.enabled}
    everywhere: {kind: Child.example.dev, where: item.spec.number == self.spec.number, namespace: any}
    compared: {kind: Child.example.dev, where: item.spec.number > self.spec.number}
  conditions:
  - type: Ready
    meaning: It is ready.
    derive:
      rules:
      - when: size(related.named) + size(related.back) + size(related.mine) + size(related.chosen) +
          size(related.joined) + size(related.everywhere) + size(related.compared) > 0 || has(related.one)
        reason: Some
    reasons: [{reason: Some, status: "True", meaning: There are some.}]
`

func set(t testing.TB, text string) *catalog.Set {
	t.Helper()
	s, err := catalog.Load(map[string][]byte{"test.yaml": []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func object(t testing.TB, text string) *relation.Object {
	t.Helper()
	var content map[string]any
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		t.Fatal(err)
	}
	return relation.FromContent(content)
}

func names(objects []*relation.Object) []string {
	out := []string{}
	for _, o := range objects {
		out = append(out, o.Namespace+"/"+o.Name)
	}
	return out
}

func TestRelated(t *testing.T) {
	parent := `{apiVersion: example.dev/v1, kind: Parent, metadata: {namespace: a, name: p, uid: u1, labels: {size: big}%s}, spec: {%s}}`
	child := func(namespace, name, metadata, spec string) string {
		return fmt.Sprintf(`{apiVersion: example.dev/v1, kind: Child, metadata: {namespace: "%s", name: %s%s}, spec: {%s}}`, namespace, name,
			metadata, spec)
	}
	owner := func(uid string) string {
		return `, ownerReferences: [{apiVersion: example.dev/v1, kind: Parent, name: p` + uid + `}]`
	}
	tests := map[string]struct {
		metadata, spec string
		children       []string
		relation       string
		want           []string
	}{
		"reference": {"", "childRef: {apiVersion: example.dev/v1, kind: Child, name: x}",
			[]string{child("a", "x", "", ""), child("b", "x", "", "")}, "one", []string{"a/x"}},
		"reference with namespace": {"", "childRef: {apiVersion: example.dev/v1, kind: Child, name: x, namespace: b}",
			[]string{child("a", "x", "", ""), child("b", "x", "", "")}, "one", []string{"b/x"}},
		"reference to a cluster-scoped object": {"", "childRef: {apiVersion: example.dev/v1, kind: Child, name: x}",
			[]string{child("", "x", "", "")}, "one", []string{"/x"}},
		"reference of another group": {"", "childRef: {apiVersion: other.dev/v1, kind: Child, name: x}",
			[]string{child("a", "x", "", "")}, "one", []string{}},
		"names": {"", "childNames: [k, x, gone]",
			[]string{child("a", "x", "", ""), child("a", "k", "", "")}, "named", []string{"a/k", "a/x"}},
		"malformed names": {"", "childNames: {a: 1}", []string{child("a", "x", "", "")}, "named", []string{}},
		"back reference": {"", "", []string{child("a", "x", "", "parentRef: p"), child("b", "k", "", "parentRef: {name: p, namespace: a}"),
			child("a", "z", "", "parentRef: q")}, "back", []string{"a/x", "b/k"}},
		"owned": {"", "", []string{child("a", "x", owner(""), ""), child("a", "k", owner(", uid: u1"), ""),
			child("a", "z", owner(", uid: other"), ""),
			child("b", "w", owner(""), "")}, "mine", []string{"a/k", "a/x"}},
		"selector": {"", "team: red", []string{child("a", "x", ", labels: {team: red, more: m}", ""),
			child("a", "k", ", labels: {team: blue}", ""),
			child("b", "z", ", labels: {team: red}", "")}, "chosen", []string{"a/x"}},
		"selector that cannot be computed": {"", "", []string{child("a", "x", ", labels: {team: red}", "")}, "chosen", []string{}},
		"join": {"", "number: 3", []string{child("a", "x", "", "number: 3, enabled: true"), child("a", "k", "", "number: 3, enabled: false"),
			child("a", "z", "", "number: 4, enabled: true"), child("b", "w", "", "number: 3, enabled: true"), child("a", "v", "", "enabled: true")},
			"joined", []string{"a/x"}},
		"join over namespaces": {"", "number: 3", []string{child("a", "x", "", "number: 3"), child("b", "k", "", "number: 3")}, "everywhere",
			[]string{"a/x", "b/k"}},
		"comparison": {"", "number: 3", []string{child("a", "x", "", "number: 3"), child("a", "k", "", "number: 5")}, "compared",
			[]string{"a/k"}},
	}
	s := set(t, linksCatalog)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for range 4 { // in any order of arrival
				g := relation.New(s)
				p := object(t, fmt.Sprintf(parent, test.metadata, test.spec))
				objects := []*relation.Object{p}
				for _, c := range test.children {
					objects = append(objects, object(t, c))
				}
				rand.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
				for _, o := range objects {
					g.Put(o)
				}
				if diff := cmp.Diff(test.want, names(g.Related(p, test.relation))); diff != "" {
					t.Fatalf("-want +got\n%s", diff)
				}
				for _, o := range objects[1:] { // each related one makes its parent dirty when it changes
					if o != p && slices.Contains(test.want, o.Namespace+"/"+o.Name) && !slices.Contains(g.Put(o), p.ID) {
						t.Errorf("change of %s does not affect the parent", o.ID)
					}
				}
			}
		})
	}
}

func TestPut_movesEdges(t *testing.T) {
	g := relation.New(set(t, linksCatalog))
	p := object(t, `{apiVersion: example.dev/v1, kind: Parent, metadata: {namespace: a, name: p}, spec: {number: 1}}`)
	q := object(t, `{apiVersion: example.dev/v1, kind: Parent, metadata: {namespace: a, name: q}, spec: {number: 2}}`)
	g.Put(p)
	g.Put(q)
	g.Put(object(t, `{apiVersion: example.dev/v1, kind: Child, metadata: {namespace: a, name: x, resourceVersion: "5"}, spec: {number: 1}}`))
	moved := object(t, `{apiVersion: example.dev/v1, kind: Child, metadata: {namespace: a, name: x, resourceVersion: "10"}, spec: {number: 2}}`)
	if diff := cmp.Diff([]relation.ID{p.ID, q.ID}, g.Put(moved)); diff != "" {
		t.Errorf("moved child affects both parents: -want +got\n%s", diff)
	}
	stale := object(t, `{apiVersion: example.dev/v1, kind: Child, metadata: {namespace: a, name: x, resourceVersion: "9"}, spec: {number: 1}}`)
	if got := g.Put(stale); got != nil {
		t.Errorf("an older version changes nothing, got %v", got)
	}
	if diff := cmp.Diff([]relation.ID{p.ID, q.ID}, g.Delete(moved.ID)); diff != "" {
		// p compares number > 1, so it is related to the child too
		t.Errorf("deleted child: -want +got\n%s", diff)
	}
	if g.Len() != 2 || g.Get(moved.ID) != nil {
		t.Error("the child is still there")
	}
	if g.Rank(p.GroupKind) != 1 || g.Rank(moved.GroupKind) != 0 {
		t.Errorf("ranks: parent %d, child %d", g.Rank(p.GroupKind), g.Rank(moved.GroupKind))
	}
}

func TestUnresolvedAndReferences(t *testing.T) {
	g := relation.New(set(t, linksCatalog))
	p := object(t, `{apiVersion: example.dev/v1, kind: Parent, metadata: {namespace: a, name: p}, spec: {childRef: {apiVersion: other.dev/v1, kind: Thing, name: t}}}`)
	g.Put(p)
	want := relation.ID{Namespace: "a", Name: "t"}
	want.Group, want.Kind = "other.dev", "Thing"
	if diff := cmp.Diff([]relation.ID{want}, g.Unresolved(p, "one")); diff != "" {
		t.Errorf("unresolved: -want +got\n%s", diff)
	}
	if got := g.References(); len(got) != 1 || got[0] != want.GroupKind {
		t.Errorf("references: %v", got)
	}
	g.Put(object(t, `{apiVersion: other.dev/v1, kind: Thing, metadata: {namespace: a, name: t}}`))
	if got := g.Unresolved(p, "one"); got != nil {
		t.Errorf("resolved now, got %v", got)
	}
}

func TestOwned_withoutCatalog(t *testing.T) {
	g := relation.New(nil)
	web := object(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: a, name: web, uid: u1}}`)
	replicas := object(t, `{apiVersion: apps/v1, kind: ReplicaSet, metadata: {namespace: a, name: web-1, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: u1}]}}`)
	other := object(t, `{apiVersion: apps/v1, kind: ReplicaSet, metadata: {namespace: a, name: web-2, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: u0}]}}`)
	for _, o := range []*relation.Object{replicas, other, web} {
		g.Put(o)
	}
	if diff := cmp.Diff([]string{"a/web-1"}, names(g.Owned(web))); diff != "" {
		t.Errorf("owned: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a/web"}, names(g.Owners(replicas))); diff != "" {
		t.Errorf("owners: -want +got\n%s", diff)
	}
	g.Delete(replicas.ID)
	if got := g.Owned(web); len(got) != 0 {
		t.Errorf("deleted, got %v", names(got))
	}
}
