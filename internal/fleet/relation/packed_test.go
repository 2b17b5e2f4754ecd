// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// TestGraph_notJSON: an object that no decoder returns is not packed.
func TestGraph_notJSON(t *testing.T) {
	g := NewPacked(nil)
	o := FromContent(map[string]any{"kind": "A", "metadata": map[string]any{"name": "a"}, "n": int32(1)})
	g.Put(o)
	runtime.GC()
	if got := g.Get(o.ID); got == nil || got.Content["n"] != int32(1) {
		t.Errorf("got %v", got)
	}
}

const bothCatalog = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: parents.example.dev}
spec:
  for: {group: example.dev, kind: Parent}
  relations:
    one: {ref: self.spec.childRef}
    back: {kind: Child.example.dev, refBy: item.spec.parentRef}
    mine: {kind: Child.example.dev, owned: true}
    chosen: {kind: Child.example.dev, selector: "{'matchLabels': {'team': self.spec.team}}"}
    joined: {kind: Child.example.dev, where: item.spec.number == self.spec.number}
    compared: {kind: Child.example.dev, where: item.spec.number > self.spec.number}
  conditions:
  - type: Ready
    meaning: It is ready.
    derive:
      rules:
      - when: size(related.back) + size(related.mine) + size(related.chosen) + size(related.joined) + size(related.compared) > 0 || has(related.one)
        reason: Some
    reasons: [{reason: Some, status: "True", meaning: There are some.}]
`

// TestGraphs_agree: after any puts and deletions a packed graph, an unpacked one, and a new one of the remaining objects are the same.
func TestGraphs_agree(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"test.yaml": []byte(bothCatalog)})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	some := func() *Object {
		kind := []string{"Parent", "Child"}[random.IntN(2)]
		name := func() string { return string(rune('a' + random.IntN(6))) }
		spec := map[string]any{"number": int64(random.IntN(3)), "team": name(), "parentRef": name(),
			"childRef": map[string]any{"apiVersion": "example.dev/v1", "kind": []string{"Child", "Thing"}[random.IntN(2)], "name": name()}}
		return FromContent(map[string]any{"apiVersion": "example.dev/v1", "kind": kind, "spec": spec, "metadata": map[string]any{
			"name": name(), "namespace": []string{"x", "y"}[random.IntN(2)], "labels": map[string]any{"team": name()},
			"ownerReferences": []any{map[string]any{"apiVersion": "example.dev/v1", "kind": "Parent", "name": name()}}}})
	}
	plain, packed := New(set), NewPacked(set)
	for step := range 3000 {
		o := some()
		var want, got []ID
		if random.IntN(4) == 0 {
			want, got = plain.Delete(o.ID), packed.Delete(o.ID)
		} else {
			e := NewEntry(FromContent(o.Content))
			packed.Pack(e) // as a list that is not complete keeps it
			want, got = plain.Put(o), packed.PutEntry(e)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("step %d: affected: -plain +packed\n%s", step, diff)
		}
		if step%100 != 0 {
			continue
		}
		runtime.GC()
		anew := New(set)
		for _, o := range plain.All() {
			anew.Put(o)
		}
		for _, other := range []*Graph{packed, anew} {
			if diff := cmp.Diff(ids(plain.All()), ids(other.All())); diff != "" {
				t.Fatalf("step %d: objects: -want +got\n%s", step, diff)
			}
			if diff := cmp.Diff(plain.References(), other.References()); diff != "" {
				t.Fatalf("step %d: references: -want +got\n%s", step, diff)
			}
			for _, o := range plain.All() {
				for _, relation := range []string{"one", "back", "mine", "chosen", "joined", "compared"} {
					if diff := cmp.Diff(ids(plain.Related(o, relation)), ids(other.Related(other.Get(o.ID), relation))); diff != "" {
						t.Fatalf("step %d: %s of %s: -want +got\n%s", step, relation, o.ID, diff)
					}
				}
				if diff := cmp.Diff(ids(plain.Owned(o)), ids(other.Owned(o))); diff != "" {
					t.Fatalf("step %d: owned by %s: -want +got\n%s", step, o.ID, diff)
				}
			}
		}
	}
}

func ids(objects []*Object) []string {
	var out []string
	for _, o := range objects {
		out = append(out, o.ID.String())
	}
	slices.Sort(out)
	return out
}

// TestGraph_concurrent is for the race detector: a packed graph is written, read and walked at the same time.
func TestGraph_concurrent(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"test.yaml": []byte(bothCatalog)})
	if err != nil {
		t.Fatal(err)
	}
	g := NewPacked(set)
	object := func(kind string, i int) *Object {
		return FromContent(map[string]any{"apiVersion": "example.dev/v1", "kind": kind, "spec": map[string]any{"number": int64(i % 3),
			"parentRef": "p1"},
			"metadata": map[string]any{"name": fmt.Sprintf("%c%d", kind[0]+32, i), "namespace": "x"}})
	}
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			for i := range 200 {
				o := object([]string{"Parent", "Child"}[i%2], (i+worker)%20)
				switch worker {
				case 0, 1:
					g.Put(o)
				case 2:
					g.Delete(o.ID)
				default:
					if i%20 == 0 {
						runtime.GC()
					}
					if found := g.Get(o.ID); found != nil {
						g.Related(found, "back")
						v := View{Graph: g, Judge: func(*Object) Judgement { return Judgement{Verdict: "Failed"} }}
						Causes(v.Build(found.ID))
						v.Wanted([]ID{found.ID})
					}
				}
			}
		})
	}
	wait.Wait()
}
