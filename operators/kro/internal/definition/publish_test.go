// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"testing"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/tristate/tristate/internal/declare/catalog"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestPublished: a catalog is applied again where somebody changed it after it was applied, and only there.
func TestPublished(t *testing.T) {
	rgd := &v1alpha1.ResourceGraphDefinition{ObjectMeta: metav1.ObjectMeta{Name: "shop", UID: "owner"}}
	document := catalog.Document{Metadata: catalog.Metadata{Name: "shops.kro.run"}}
	stored := func(uid types.UID, generation int64, change func(*metav1.PartialObjectMetadata)) *metav1.PartialObjectMetadata {
		o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: document.Metadata.Name, UID: uid, Generation: generation,
			Labels:          map[string]string{metadata.OwnedLabel: "true", metadata.ResourceGraphDefinitionNameLabel: rgd.Name},
			OwnerReferences: []metav1.OwnerReference{{UID: rgd.UID}}}}
		if change != nil {
			change(o)
		}
		return o
	}
	type event struct {
		o    *metav1.PartialObjectMetadata
		gone bool
	}
	tests := map[string]struct {
		before, after []event // of the apply
		is            bool
		enqueued      string // by the last event
	}{
		"nothing is watched yet": {is: true},
		"as it was applied":      {after: []event{{stored("a", 2, nil), false}}, is: true},
		"as it was before":       {after: []event{{stored("a", 1, nil), false}}, is: true},
		"edited":                 {after: []event{{stored("a", 3, nil), false}}, enqueued: "shop"},
		"deleted":                {after: []event{{stored("a", 2, nil), true}}, enqueued: "shop"},
		"made by somebody else":  {after: []event{{stored("b", 1, nil), false}}, enqueued: "shop"},
		"without labels": {after: []event{{stored("a", 2, func(o *metav1.PartialObjectMetadata) { o.Labels = nil }), false}},
			enqueued: "shop"},
		"without its owner": {after: []event{{stored("a", 2, func(o *metav1.PartialObjectMetadata) { o.OwnerReferences = nil }),
			false}}, enqueued: "shop"},
		"edited while it was applied": {before: []event{{stored("a", 3, nil), false}}, enqueued: "shop"},
		"edited, and applied since":   {before: []event{{stored("a", 1, nil), false}}, is: true, enqueued: "shop"},
		"deleted, and seen as it is by now": {before: []event{{stored("z", 1, nil), true}}, after: []event{{stored("a", 2, nil), false}},
			is: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var p published
			enqueued := ""
			for _, e := range tt.before {
				enqueued = p.see(e.o, e.gone)
			}
			p.set(applied{definition: rgd.Name, owner: rgd.UID, uid: "a", generation: 2, document: document})
			for _, e := range tt.after {
				enqueued = p.see(e.o, e.gone)
			}
			if is := p.is(rgd, document); is != tt.is || enqueued != tt.enqueued {
				t.Errorf("it is as it should be: %v, want %v; enqueued %q, want %q", is, tt.is, enqueued, tt.enqueued)
			}
			anew := rgd.DeepCopy()
			anew.UID = "other"
			if p.is(anew, document) {
				t.Error("a definition that was made anew owns the catalog of the former one")
			}
			if p.drop(rgd.Name); p.is(rgd, document) {
				t.Error("it is remembered of a definition that is gone")
			}
		})
	}
}

// TestKinds: a kind that another definition has taken over does not become one whose definition is missing.
func TestKinds(t *testing.T) {
	gvr := metadata.GetResourceGraphDefinitionInstanceGVR("kro.run", "v1alpha1", "Shop")
	served, missing := &Served{Definition: "shop"}, &Served{Definition: "shop", Problem: "it does not exist", Missing: true}
	tests := map[string]struct {
		before, set *Served
		fresh       bool
		want        *Served
	}{
		"the first":           {nil, served, true, served},
		"the same":            {served, &Served{Definition: "shop"}, false, served},
		"its definition goes": {served, missing, true, missing},
		"and comes back":      {missing, served, true, served},
		"another definition":  {missing, &Served{Definition: "other"}, true, &Served{Definition: "other"}},
		"taken over":          {&Served{Definition: "other"}, missing, false, &Served{Definition: "other"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var k Kinds
			if tt.before != nil {
				k.set(gvr, tt.before)
			}
			if fresh := k.set(gvr, tt.set); fresh != tt.fresh || *k.Get(gvr) != *tt.want {
				t.Errorf("new: %v, served by %+v; want %v, %+v", fresh, k.Get(gvr), tt.fresh, tt.want)
			}
			if of := k.of(tt.want.Definition); len(of) != 1 || of[0] != gvr {
				t.Errorf("kinds of %s: %v", tt.want.Definition, of)
			}
			if k.drop(gvr); k.Get(gvr) != nil {
				t.Error("it is still served")
			}
		})
	}
}
