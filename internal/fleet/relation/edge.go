// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/internal/declare/nested"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Edge leads from one object to another.
type Edge struct {
	ID
	Relation string  // why: the name of a relation, or "owner"
	Object   *Object // nil where it is not in the graph
	Missing  bool    // it is known not to exist
	show     show
	declared bool // it is a reference that a catalog declares
	named    bool // a field names it without its kind
	optional bool // it need not exist
	part     bool // the object is a child: self owns it, or has it in its inventory
}

// pointer is a reference from an object to another one, by a rule.
type pointer struct {
	reference
	relation string
	show     show
	optional bool
	named    bool // by the name of its field
	exact    bool // an empty namespace means that the object has none
}

// below returns the edges from an object: the relations of its catalog, the objects it owns, the well-known relations of its kind and, for
// a kind that nothing declares, every field of its spec that has the form of a reference. Each object is there once, by the first edge that
// leads to it.
func (v *View) below(o *Object) []Edge {
	if edges, known := v.edges[o]; known {
		return edges
	}
	seen := map[ID]bool{o.ID: true}
	var out []Edge
	add := func(item *Object, relation string, s show, declared, part bool) {
		if !seen[item.ID] {
			seen[item.ID] = true
			out = append(out, Edge{ID: item.ID, Relation: relation, Object: item, show: s, declared: declared, part: part && s == below})
		}
	}
	if k := v.Graph.set.Of(o.GroupVersionKind()); k != nil {
		for _, l := range k.Relations {
			s := showOf(l)
			for _, item := range v.Graph.Related(o, l.Name) {
				add(item, l.Name, s, l.Ref != nil, true)
			}
			for _, id := range v.Graph.Unresolved(o, l.Name) {
				if !seen[id] {
					seen[id] = true
					out = append(out, Edge{ID: id, Relation: l.Name, Missing: v.Graph.covered(id), show: s, part: s == below})
				}
			}
		}
	}
	for _, item := range v.owned(o) {
		add(item, "owner", below, false, true)
	}
	for _, r := range v.Graph.table.of(o.GroupKind) {
		for _, item := range v.followed(r, o) {
			add(item, r.Relation, r.show, false, r.Way == shares)
		}
	}
	for _, p := range v.pointersOf(o) {
		item, id := v.resolve(p, o)
		switch {
		case item != nil:
			if add(item, p.relation, p.show, false, p.exact); p.named && len(out) > 0 && out[len(out)-1].ID == item.ID {
				out[len(out)-1].named = true
			}
		case !seen[id]:
			seen[id] = true
			out = append(out, Edge{ID: id, Relation: p.relation, Missing: !p.optional && v.Graph.covered(id) && !holding(o, id), show: p.show,
				optional: p.optional, part: p.exact})
		}
	}
	v.edges[o] = out
	return out
}

// holding reports whether the status of an object proves that what it refers to is there, although it was not read: a pod whose containers
// were started has its claims, which cannot go before it, and a claim without its volume is no longer bound.
func holding(o *Object, id ID) bool {
	status := nested.Map(o.Content, "status")
	switch {
	case id.Kind == "PersistentVolume":
		return status["phase"] == "Bound"
	case id.Kind == "PersistentVolumeClaim" && o.GroupKind == podKind:
		return slices.ContainsFunc(nested.Maps(status, "containerStatuses"), func(c map[string]any) bool {
			return nested.Map(c, "state")["running"] != nil || nested.Number(c, "restartCount") > 0
		})
	}
	return false
}

// declared reports whether a catalog declares the kinds below one. A catalog with relations alone only adds to the others.
func (v *View) declared(gk schema.GroupKind) bool {
	if k := v.Graph.set.Kind(gk); k != nil && len(k.Relations) > 0 && len(k.Source.Spec.Conditions) > 0 {
		return true
	}
	return slices.ContainsFunc(v.Graph.table.of(gk), func(r rule) bool { return r.self == gk }) || catalog.OfKubernetes(gk.Group)
}

// pointersOf returns the references in the fields of an object.
func (v *View) pointersOf(o *Object) []pointer {
	if list, known := v.pointers[o]; known {
		return list
	}
	var out []pointer
	for _, r := range v.Graph.table.of(o.GroupKind) {
		for _, path := range r.paths {
			switch r.Way {
			case refs:
				at(o.Content, path, func(value any) { out = appendPointer(out, r, value) })
			case inventory:
				at(o.Content, path, func(value any) { out = appendEntry(out, r, value) })
			}
		}
	}
	if !v.declared(o.GroupKind) {
		out = appendReferences(out, o.Content["spec"], "", 0)
		out = v.appendNamed(out, o, o.Content["spec"], 0)
	}
	v.pointers[o] = out
	return out
}

// resolve returns the object that a pointer of self refers to and its name; of one that is not in the graph, nil and the name that it would
// have.
func (v *View) resolve(p pointer, self *Object) (*Object, ID) {
	id := p.ID
	if id.Namespace == "" && !p.exact {
		id.Namespace = self.Namespace
	}
	if o := v.Graph.Get(id); o != nil {
		return o, id
	}
	cluster := id
	cluster.Namespace = ""
	if p.Namespace == "" {
		if o := v.Graph.Get(cluster); o != nil {
			return o, cluster
		}
	}
	if v.Graph.clusterScoped(id.GroupKind) {
		id = cluster
	}
	return nil, id
}

// followed returns the objects that a rule without pointers leads to.
func (v *View) followed(r rule, self *Object) []*Object {
	switch r.Way {
	case refsBy:
		back := rule{item: r.self, paths: r.paths}
		return v.indexed(r.Relation+"\x00"+r.self.String()+r.Kind, r.item, identity(self.GroupKind, self.Namespace, self.Name), back.keysNamed)
	case shares:
		own := r.own(self)
		if own == "" {
			return nil
		}
		return v.parts(self, markKey(r.mark, own), func(item *Object) bool {
			return (r.item.Kind == "" || r.item == item.GroupKind) && valueOf(item, r.Item) == own
		})
	case remains:
		if !self.Deleting {
			return nil
		}
		key, spec := self.Name, nested.Map(self.Content, "spec")
		if self.Kind == "CustomResourceDefinition" {
			key = schema.GroupKind{Group: nested.Text(spec, "group"), Kind: nested.Text(spec, "names", "kind")}.String()
		}
		return v.indexed("remains", r.item, key, func(item *Object) []string {
			if item.Deleting {
				return []string{item.Namespace, item.GroupKind.String()}
			}
			return nil
		})
	case selector, matches:
		var s labels.Selector
		at(self.Content, r.paths[0], func(value any) { s = r.selector(value) })
		if s == nil {
			return nil
		}
		return v.Graph.selected(s, self.Namespace, v.Most, nil, nil)
	}
	return nil
}

// selector reads the selector of a rule; nil selects nothing.
func (r rule) selector(value any) labels.Selector {
	if r.Way == selector {
		return expr.Selector(value)
	}
	return matching(value)
}

// matching returns the selector of a map of labels; nil of an empty one, which matches nothing.
func matching(value any) labels.Selector {
	m, _ := value.(map[string]any)
	if set := textsOf(value); len(set) > 0 && len(set) == len(m) {
		return labels.SelectorFromSet(set)
	}
	return nil
}

// mostOpened is how many objects with one key are opened by a view without a bound of its own: a rule does not read a cluster.
const mostOpened = 10_000

// indexed returns the objects of a kind (the empty one: of any) that have a key, in order, of more than [View.Most] the first. keys depend
// on nothing but the object. The graph makes the index, by its name, when it is needed first, and keeps it as objects change.
func (v *View) indexed(name string, gk schema.GroupKind, key string, keys func(*Object) []string) []*Object {
	found := v.Graph.lookup(name+"\x00"+gk.String(), gk, key, keys)
	if most := cmp.Or(v.Most, mostOpened); len(found) > most {
		slices.SortFunc(found, func(a, b *Entry) int { return Compare(a.ID, b.ID) })
		found = found[:most]
	}
	var out []*Object
	for _, e := range found {
		if o := v.Graph.Open(e); slices.Contains(keys(o), key) {
			out = append(out, o)
		}
	}
	sortObjects(out)
	return out
}

// above returns the edges that lead to an object, reversed: from its owners, and from the objects that refer to it or select it.
func (v *View) above(o *Object) []Edge {
	if v.back == nil {
		v.back = map[ID][]Edge{}
		for _, id := range v.Graph.IDs(schema.GroupKind{}) {
			for _, e := range v.below(v.Graph.Get(id)) {
				v.back[e.ID] = append(v.back[e.ID], Edge{ID: id, Relation: e.Relation})
			}
			v.trim()
		}
	}
	seen := map[ID]bool{}
	var out []Edge
	for _, owner := range v.Graph.Owners(o) {
		seen[owner.ID] = true
		out = append(out, Edge{ID: owner.ID, Relation: "owner", Object: owner})
	}
	add := func(e Edge) {
		if !seen[e.ID] {
			seen[e.ID] = true
			e.Object = v.Graph.Get(e.ID)
			out = append(out, e)
		}
	}
	for _, e := range v.back[o.ID] {
		add(e)
	}
	if own, template := templateLabels(o); template {
		for _, r := range v.Graph.table.with("") {
			if !r.selectsPods() {
				continue
			}
			for _, other := range v.Graph.List(r.self) {
				var s labels.Selector
				at(other.Content, r.paths[0], func(value any) { s = r.selector(value) })
				if s != nil && other.Namespace == o.Namespace && s.Matches(own) {
					add(Edge{ID: other.ID, Relation: r.Relation, Object: other})
				}
			}
		}
	}
	return out
}

// selectsPods reports whether a rule leads to pods by their labels.
func (r rule) selectsPods() bool {
	return r.Way == selector || r.Way == matches
}

// templateLabels returns the labels of the pods that an object makes; false where it has no template of pods.
func templateLabels(o *Object) (labels.Set, bool) {
	m, found := nested.Map(o.Content, "spec", "template", "metadata")["labels"].(map[string]any)
	return textsOf(m), found
}

// sortedKeys returns the keys of a map in order.
func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
