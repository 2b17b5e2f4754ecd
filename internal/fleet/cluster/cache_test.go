// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A kind that a query follows in every namespace is not followed again for the trees of its objects. A query for a part of the kind does
// not count.
func TestCache_followsOnce(t *testing.T) {
	pod := schema.GroupKind{Kind: "Pod"}
	mapping := &meta.RESTMapping{GroupVersionKind: pod.WithVersion("v1"), Scope: meta.RESTScopeNamespace}
	for name, test := range map[string]struct {
		query   Query
		partial bool
		covered bool
	}{
		"all":           {Query{Type: "pods"}, false, true},
		"by label":      {Query{Type: "pods", Selector: "app=web"}, false, false},
		"by name":       {Query{Type: "pods", Name: "web"}, false, false},
		"without graph": {Query{Type: "pods"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			v := &relation.View{Graph: relation.New(&catalog.Set{})}
			c := &Cache{view: v, Partial: test.partial, kinds: map[relation.ID]int{}, silent: 1,
				queries: map[int]*followed{0: {Query: test.query}}, changed: map[relation.ID]bool{}}
			c.Take(Event{State: Served, Mapping: mapping})
			_, followed := c.kinds[relation.ID{GroupKind: pod}]
			if got := v.Graph.Covers(pod, "shop"); got != test.covered || followed != test.covered {
				t.Errorf("pods are covered: %v, want %v", got, test.covered)
			}
		})
	}
}

// An answer waits for no kind that can only explain it, until its children that count may be of the kind.
func TestCache_Whole(t *testing.T) {
	pods := relation.ID{GroupKind: schema.GroupKind{Kind: "Pod"}, Namespace: "shop"}
	c := &Cache{kinds: map[relation.ID]int{pods: 0},
		queries: map[int]*followed{0: {own: true, want: pods, extra: true, unread: true}}}
	c.Want([]relation.Want{{ID: pods, Aside: true}})
	if !c.Whole() {
		t.Error("an answer waits for what can only explain it")
	}
	c.widen([]relation.Want{{ID: pods, Aside: true}}, false)
	if c.Whole() {
		t.Error("an answer is whole without pods that may count in it")
	}
}
