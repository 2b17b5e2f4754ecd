// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"weak"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// entry is an object in a graph: whole, or packed, and decoded again while it is in use.
type entry struct {
	id     ID
	whole  *Object
	packed []byte

	mu   sync.Mutex
	live weak.Pointer[Object] // the decoded object, as long as it is in use
}

// entries are the objects of a graph.
type entries map[schema.GroupKind]map[types.NamespacedName]*entry

// within returns the name among the objects of the kind.
func (id ID) within() types.NamespacedName {
	return types.NamespacedName{Namespace: id.Namespace, Name: id.Name}
}

// get returns the entry of an object; nil without one.
func (s entries) get(id ID) *entry { return s[id.GroupKind][id.within()] }

// put adds an entry, in place of that of an older version.
func (s entries) put(e *entry) {
	kind := s[e.id.GroupKind]
	if kind == nil {
		kind = map[types.NamespacedName]*entry{}
		s[e.id.GroupKind] = kind
	}
	key := e.id.within()
	delete(kind, key) // so that the key is that of the entry, and nothing of the old one stays
	kind[key] = e
}

func (s entries) delete(id ID) { delete(s[id.GroupKind], id.within()) }

// Sealed is an object in the form in which a graph keeps it: of a packed one in about a tenth of the memory.
type Sealed struct {
	ID
	whole  *Object
	packed []byte
}

// Seal packs an object for this graph, without putting it.
func (g *Graph) Seal(o *Object) Sealed {
	if g.packer == nil {
		return Sealed{ID: o.ID, whole: o}
	}
	packed, ok := g.packer.Pack(o.Content)
	if !ok {
		return Sealed{ID: o.ID, whole: o}
	}
	id := o.ID
	id.Group, id.Kind, id.Namespace = g.packer.Intern(id.Group), g.packer.Intern(id.Kind), g.packer.Intern(id.Namespace)
	id.Name = strings.Clone(id.Name)
	return Sealed{ID: id, packed: packed}
}

// Open returns the object that Seal packed.
func (g *Graph) Open(s Sealed) *Object {
	if s.whole != nil {
		return s.whole
	}
	content, _ := g.packer.Unpack(s.packed).(map[string]any)
	return FromContent(content)
}

// entry makes an entry of a sealed object.
func (s Sealed) entry(o *Object) *entry {
	if s.whole != nil {
		return &entry{id: s.ID, whole: o}
	}
	return &entry{id: s.ID, packed: s.packed, live: weak.Make(o)}
}

// object returns the object of an entry; nil of no entry.
func (g *Graph) object(e *entry) *Object {
	switch {
	case e == nil:
		return nil
	case e.whole != nil:
		return e.whole
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if o := e.live.Value(); o != nil {
		return o
	}
	content, _ := g.packer.Unpack(e.packed).(map[string]any)
	o := FromContent(content)
	e.live = weak.Make(o)
	return o
}

// keyed finds entries by keys. Different keys may, very rarely, look the same: the entries found have to be checked.
type keyed struct {
	seed maphash.Seed
	one  map[uint64]*entry // of keys with one entry, as most have
	few  map[uint64][]*entry
	many map[uint64]map[*entry]struct{} // of keys with more than a few entries
}

// aFew is how many entries a key has in a list.
const aFew = 16

func newKeyed(seed maphash.Seed) keyed {
	return keyed{seed, map[uint64]*entry{}, map[uint64][]*entry{}, map[uint64]map[*entry]struct{}{}}
}

func (k keyed) add(keys []string, e *entry) {
	for _, key := range keys {
		h := maphash.String(k.seed, key)
		if set := k.many[h]; set != nil {
			set[e] = struct{}{}
			continue
		}
		list, only := k.few[h], k.one[h]
		switch {
		case only == e || slices.Contains(list, e):
		case only != nil:
			k.few[h] = []*entry{only, e}
			delete(k.one, h)
		case len(list) == 0:
			k.one[h] = e
		case len(list) < aFew:
			k.few[h] = append(list, e)
		default:
			set := map[*entry]struct{}{e: {}}
			for _, other := range list {
				set[other] = struct{}{}
			}
			k.many[h] = set
			delete(k.few, h)
		}
	}
}

func (k keyed) remove(keys []string, e *entry) {
	for _, key := range keys {
		h := maphash.String(k.seed, key)
		if k.one[h] == e {
			delete(k.one, h)
			continue
		}
		if set := k.many[h]; set != nil {
			if delete(set, e); len(set) == 0 {
				delete(k.many, h)
			}
			continue
		}
		list := k.few[h]
		i := slices.Index(list, e)
		if i < 0 {
			continue
		}
		list[i] = list[len(list)-1]
		list[len(list)-1] = nil
		if list = list[:len(list)-1]; len(list) > 0 {
			k.few[h] = list
		} else {
			delete(k.few, h)
		}
	}
}

// find calls for every entry of a key, in no order.
func (k keyed) find(key string, found func(*entry)) {
	h := maphash.String(k.seed, key)
	if e := k.one[h]; e != nil {
		found(e)
	}
	for _, e := range k.few[h] {
		found(e)
	}
	for e := range k.many[h] {
		found(e)
	}
}
