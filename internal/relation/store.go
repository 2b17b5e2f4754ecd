// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"weak"
)

// entry is an object in a graph: whole, or packed, and decoded again while it is in use.
type entry struct {
	id     ID
	whole  *Object
	packed []byte

	mu   sync.Mutex
	live weak.Pointer[Object] // the decoded object, as long as it is in use
}

// entryOf makes an entry of an object.
func (g *Graph) entryOf(o *Object) *entry {
	if g.packer == nil {
		return &entry{id: o.ID, whole: o}
	}
	packed, ok := g.packer.Pack(o.Content)
	if !ok {
		return &entry{id: o.ID, whole: o}
	}
	id := o.ID
	id.Group, id.Kind, id.Namespace = g.packer.Intern(id.Group), g.packer.Intern(id.Kind), g.packer.Intern(id.Namespace)
	id.Name = strings.Clone(id.Name)
	return &entry{id: id, packed: packed, live: weak.Make(o)}
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
	few  map[uint64][]*entry
	many map[uint64]map[*entry]struct{} // of keys with more than a few entries
}

// aFew is how many entries a key has in a list.
const aFew = 16

func newKeyed(seed maphash.Seed) keyed {
	return keyed{seed, map[uint64][]*entry{}, map[uint64]map[*entry]struct{}{}}
}

func (k keyed) add(keys []string, e *entry) {
	for _, key := range keys {
		h := maphash.String(k.seed, key)
		if set := k.many[h]; set != nil {
			set[e] = struct{}{}
			continue
		}
		list := k.few[h]
		if slices.Contains(list, e) {
			continue
		}
		if len(list) < aFew {
			k.few[h] = append(list, e)
			continue
		}
		set := map[*entry]struct{}{e: {}}
		for _, other := range list {
			set[other] = struct{}{}
		}
		k.many[h] = set
		delete(k.few, h)
	}
}

func (k keyed) remove(keys []string, e *entry) {
	for _, key := range keys {
		h := maphash.String(k.seed, key)
		if set := k.many[h]; set != nil {
			if delete(set, e); len(set) == 0 {
				delete(k.many, h)
			}
			continue
		}
		list := k.few[h]
		for i := range list {
			if list[i] == e {
				list[i] = list[len(list)-1]
				list[len(list)-1] = nil
				list = list[:len(list)-1]
				break
			}
		}
		if len(list) == 0 {
			delete(k.few, h)
		} else {
			k.few[h] = list
		}
	}
}

// find calls for every entry of a key, in no order.
func (k keyed) find(key string, found func(*entry)) {
	h := maphash.String(k.seed, key)
	for _, e := range k.few[h] {
		found(e)
	}
	for e := range k.many[h] {
		found(e)
	}
}
