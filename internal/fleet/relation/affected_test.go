// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// TestAffected: after each of many random changes the judgements of all objects are those of a view that is made anew, though only the
// object that changed and those that Affected returns are judged again. The children stand below their Apps by owner references, by a
// relation, by an inventory and by a reference in their Blueprint, which also decides which of them count; Apps are children of Apps.
func TestAffected(t *testing.T) {
	set, judge := counting(t, "{where: '!(item.kind in related.blueprint.spec.optional)', refs: related.blueprint.spec.uses}")
	random := rand.New(rand.NewPCG(3, 4))
	name := func(prefix string) string { return fmt.Sprint(prefix, random.IntN(4)) }
	some := func() *relation.Object {
		kind := []string{"App", "App", "A", "Worker", "Blueprint", "Tool"}[random.IntN(6)]
		metadata := map[string]any{"namespace": "x", "name": name(kind), "labels": map[string]any{}}
		labels, _ := metadata["labels"].(map[string]any)
		content := map[string]any{"apiVersion": "example.org/v1", "kind": kind, "metadata": metadata,
			"verdict": []string{"Current", "Current", "InProgress", "Degraded", "Failed", "Unknown"}[random.IntN(6)]}
		switch random.IntN(3) {
		case 0:
			metadata["ownerReferences"] = []any{map[string]any{"apiVersion": "example.org/v1", "kind": "App", "name": name("App")}}
		case 1:
			labels["applyset.kubernetes.io/part-of"] = name("set")
		}
		spec := map[string]any{"app": name("App"), "blueprint": name("Blueprint"),
			"optional": []any{[]string{"A", "Worker", "App"}[random.IntN(3)]}}
		if random.IntN(2) == 0 {
			spec["uses"] = map[string]any{"apiVersion": "example.org/v1", "kind": []string{"Tool", "App"}[random.IntN(2)], "name": name("Tool")}
		}
		if content["spec"] = spec; kind == "App" {
			labels["applyset.kubernetes.io/id"] = name("set")
		}
		return relation.FromContent(content)
	}
	for _, g := range []*relation.Graph{relation.New(set), relation.NewPacked(set)} {
		for _, kind := range []string{"App", "A", "Worker", "Blueprint", "Tool"} {
			g.Cover(catalog.ParseGroupKind(kind+".example.org"), "")
		}
		v, kept, judged := &relation.View{Graph: g, Judge: judge}, map[relation.ID]relation.Judgement{}, 0
		for step := range 3000 {
			o := some()
			if random.IntN(4) == 0 {
				g.Delete(o.ID)
			} else {
				g.Put(o)
			}
			for _, id := range append(v.Affected([]relation.ID{o.ID}), o.ID) {
				if judged++; g.Get(id) == nil {
					delete(kept, id)
				} else if id.Kind == "App" {
					kept[id] = v.Judgement(g.Get(id))
				}
			}
			anew, want := &relation.View{Graph: g, Judge: judge}, map[relation.ID]relation.Judgement{}
			for _, app := range g.List(catalog.ParseGroupKind("App.example.org")) {
				want[app.ID] = anew.Judgement(app)
			}
			if diff := cmp.Diff(want, kept, cmp.Comparer(func(a, b *catalog.Counting) bool { return a == b })); diff != "" {
				t.Fatalf("step %d, %s: -want +got\n%s", step, o.ID, diff)
			}
		}
		t.Logf("%d judgements", judged)
	}
}

// TestAffected_endpoints: the endpoints of a Service affect its judgement when they come.
func TestAffected_endpoints(t *testing.T) {
	g := relation.New(nil)
	g.Cover(catalog.ParseGroupKind("EndpointSlice.discovery.k8s.io"), "shop")
	v := &relation.View{Graph: g, Judge: relation.JudgeBy(pack.Default(nil), nil, time.Now())}
	named := map[string]any{"namespace": "shop", "name": "web"}
	service := relation.FromContent(map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": named,
		"spec": map[string]any{"selector": map[string]any{"app": "web"}}})
	g.Put(service)
	if j := v.Judgement(g.Get(service.ID)); j.Reason != relation.NoEndpoints {
		t.Fatalf("without endpoints: %s", j.Reason)
	}
	slice := relation.FromContent(map[string]any{"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
		"metadata":  map[string]any{"namespace": "shop", "name": "web-x", "labels": map[string]any{"kubernetes.io/service-name": "web"}},
		"endpoints": []any{map[string]any{"conditions": map[string]any{"ready": true}}}})
	g.Put(slice)
	if diff := cmp.Diff([]relation.ID{service.ID}, v.Affected([]relation.ID{slice.ID})); diff != "" {
		t.Errorf("affected -want +got\n%s", diff)
	}
	if j := v.Judgement(g.Get(service.ID)); j.Reason == relation.NoEndpoints {
		t.Errorf("with an endpoint: %s", j.Reason)
	}
}
