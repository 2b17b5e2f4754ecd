// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/nested"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// suffixes end the names of fields that refer to an object.
var suffixes = []string{"References", "Reference", "Refs", "Ref", "Names", "Name"}

// upwards are fields that name what an object belongs to, and not what it needs.
var upwards = []string{"claim", "parent", "owner", "consumer", "target", "scaletarget"}

// appendNamed searches a value for fields such as vpcIdRef, elasticsearchRef, storeRefs or queueName that name an object without its kind:
// the name of the field is that of a kind of
// the graph, or ends it, the kinds of the group of self before others. Only objects that exist are referred to.
func (v *View) appendNamed(out []pointer, self *Object, value any, depth int) []pointer {
	if depth > deepest {
		return out
	}
	switch m := value.(type) {
	case []any:
		for _, item := range m {
			out = v.appendNamed(out, self, item, depth+1)
		}
	case map[string]any:
		for _, key := range sortedKeys(m) {
			stem := stemOf(key)
			if stem == "" || slices.Contains(upwards, stem) {
				out = v.appendNamed(out, self, m[key], depth+1)
				continue
			}
			value := m[key]
			if from, ok := nested.Map(m, key)["from"]; ok { // of AWS Controllers for Kubernetes
				value = from
			}
			for _, r := range references(value, schema.GroupKind{Kind: "?"}) {
				if r.Kind != "?" {
					continue // it has a kind, and appendReferences finds it
				}
				for _, gk := range v.kindsNamed(stem, self.Group) {
					p := pointer{reference: r, relation: key, show: trouble, named: true}
					p.GroupKind = gk
					if o, _ := v.resolve(p, self); o != nil && o.ID != self.ID {
						out = append(out, p)
						break
					}
				}
			}
		}
	}
	return out
}

// stemOf returns what a field names, in lower case: vpc of vpcIdRef, queue of queueName, dbsubnetgroup of dbSubnetGroupNameRef. It is empty
// for a field that names nothing.
func stemOf(field string) string {
	for _, suffix := range suffixes {
		if stem, found := strings.CutSuffix(field, suffix); found {
			return strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(stem), "id"), "name")
		}
	}
	return ""
}

// kindsNamed returns the kinds of the graph whose name is a word or ends with it, or of the group ends the word, those of the group first,
// then those with the whole name.
func (v *View) kindsNamed(word, group string) []schema.GroupKind {
	if v.byWord == nil {
		v.byWord = map[string][]schema.GroupKind{}
	}
	key := group + "/" + word
	if list, known := v.byWord[key]; known {
		return list
	}
	var out []schema.GroupKind
	if len(word) > 2 {
		for _, gk := range v.Graph.kindsHeld() {
			if kind := strings.ToLower(gk.Kind); strings.HasSuffix(kind, word) || gk.Group == group && len(kind) > 3 &&
				strings.HasSuffix(word, kind) {
				out = append(out, gk)
			}
		}
	}
	rank := func(gk schema.GroupKind) int {
		n := 0
		if gk.Group != group {
			n += 2
		}
		if !strings.EqualFold(gk.Kind, word) {
			n++
		}
		return n
	}
	slices.SortStableFunc(out, func(a, b schema.GroupKind) int { return rank(a) - rank(b) })
	v.byWord[key] = out
	return out
}

// kindsHeld returns the kinds of which a graph has objects, in order.
func (g *Graph) kindsHeld() []schema.GroupKind {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var out []schema.GroupKind
	for gk := range g.entries {
		out = append(out, gk)
	}
	slices.SortFunc(out, func(a, b schema.GroupKind) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// leadsBack reports whether an object that a named field refers to has self below it, by its owner references or its own relations.
func (v *View) leadsBack(e Edge, self *Object) bool {
	if !e.named || e.Object == nil {
		return false
	}
	if slices.ContainsFunc(self.owners(), func(r reference) bool { return r.GroupKind == e.GroupKind && r.Name == e.Name }) {
		return true
	}
	return slices.ContainsFunc(v.below(e.Object), func(back Edge) bool { return back.ID == self.ID && !back.named })
}

// makers returns the edges from an object that does not exist to those that should have written it.
func (v *View) makers(missing ID) []Edge {
	var out []Edge
	for _, r := range v.Graph.table.with("role: writes") {
		if r.show != output || r.item != missing.GroupKind || r.Way != refs {
			continue
		}
		for _, item := range v.indexed("makes\x00"+r.self.String()+r.Relation, r.self, missing.key(), r.keysNamed) {
			out = append(out, Edge{ID: item.ID, Relation: "makes it", Object: item, show: below})
		}
	}
	slices.SortFunc(out, func(a, b Edge) int { return Compare(a.ID, b.ID) })
	return out
}

// keysNamed returns the keys of the objects that the fields of a rule name in an object.
func (r rule) keysNamed(o *Object) (keys []string) {
	for _, path := range r.paths {
		at(o.Content, path, func(value any) {
			for _, p := range appendPointer(nil, r, value) {
				keys = append(keys, p.keys(o.Namespace)...)
			}
		})
	}
	return keys
}
