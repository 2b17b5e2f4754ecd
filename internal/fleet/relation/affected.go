// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"slices"

	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Affected returns, of the objects whose judgements read others, those whose judgement may differ since some objects came, changed or went:
// the objects that read one of these or would read it now, and those above them, in order. It costs as much as there are such objects,
// whatever the size of the graph.
func (v *View) Affected(changed []ID) []ID {
	affected := map[ID]bool{}
	var add func(ID)
	reached := func(key string) {
		for reader := range v.readers[key] {
			add(reader)
		}
	}
	add = func(id ID) {
		if v.reads[id] != nil && !affected[id] {
			affected[id] = true
			reached(id.key())
		}
	}
	for _, id := range changed {
		add(id)
		reached(id.key())
		reached(kindKey(id.GroupKind, id.Namespace))
		reached(kindKey(id.GroupKind, everywhere))
		o := v.Graph.Get(id)
		if o == nil || len(v.reads) == 0 {
			continue
		}
		for _, key := range ownerKeys(o) {
			add(identified(key))
		}
		for _, key := range v.Graph.table.markKeys(o) {
			reached(key)
		}
		for _, parent := range v.Graph.Declaring(o) {
			add(parent)
		}
	}
	return sorted(affected)
}

// note records the keys that the judgement of an object whose children count depends on: its children, the inventories whose members are
// children, and the objects that decide which children count.
func (v *View) note(o *Object, counting *catalog.Counting) {
	keys := []string{}
	add := func(id ID, item *Object) {
		keys = append(keys, id.key())
		if item == nil && id.Namespace != "" { // it may turn out to be cluster-scoped
			keys = append(keys, ID{GroupKind: id.GroupKind, Name: id.Name}.key())
		}
	}
	for _, e := range slices.Concat(v.below(o), v.referred(o, counting)) {
		if e.part {
			add(e.ID, e.Object)
		}
	}
	for _, r := range v.Graph.table.of(o.GroupKind) {
		if r.Way == shares {
			keys = append(keys, markKey(r.mark, r.own(o)))
		}
	}
	for _, l := range counting.Reads() {
		v.readBy(counting, l, o, add)
	}
	v.reading(o.ID, keys)
}

// Reads reports whether the judgement of an object of the graph, as it was last, depends on others or would depend on objects of kinds that
// are not covered. It is for a view that is not Still.
func (v *View) Reads(id ID) bool { return v.reads[id] != nil }

// Lacks reports whether the judgement of an object depends on kinds that are not covered. It is for the object that was judged last.
func (v *View) Lacks(id ID) bool { return len(v.blamed[id].lacking) > 0 }

// kindKey is the key of all objects of a kind in a namespace, or [everywhere].
func kindKey(gk schema.GroupKind, namespace string) string {
	return markKey("kind:"+gk.String(), namespace)
}

// reading records more keys that the judgement of an object depends on, if [View.Affected] may be asked.
func (v *View) reading(id ID, keys []string) {
	if v.Still {
		return
	}
	v.reads[id] = append(slices.Grow(v.reads[id], max(1, len(keys))), keys...)
	for _, key := range keys {
		if v.readers[key] == nil {
			v.readers[key] = map[ID]bool{}
		}
		v.readers[key][id] = true
	}
}

// forget drops the keys of an object.
func (v *View) forget(id ID) {
	for _, key := range v.reads[id] {
		if delete(v.readers[key], id); len(v.readers[key]) == 0 {
			delete(v.readers, key)
		}
	}
	delete(v.reads, id)
}
