// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"hash/maphash"
	"iter"
	"slices"
	"strings"
	"sync"
	"weak"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Entry is an object as a graph keeps it: whole, or packed, which takes about a tenth of the memory, and decoded again while it is in use.
type Entry struct {
	ID
	whole  *Object // nil: it is packed
	packed string

	mu   sync.Mutex
	live weak.Pointer[Object] // the decoded object, as long as it is in use
}

// NewEntry returns an entry with an object, whole.
func NewEntry(o *Object) *Entry { return &Entry{ID: o.ID, whole: o} }

// Pack makes an entry small. In a graph that does not pack its objects, and with an object that no JSON decoder returns, it stays whole.
func (g *Graph) Pack(e *Entry) {
	if e.whole == nil || g.packer == nil {
		return
	}
	packed, ok := g.packer.pack(e.whole.Content)
	if !ok {
		return
	}
	e.Group, e.Kind, e.Namespace, e.Name = g.packer.intern(e.Group), g.packer.intern(e.Kind), g.packer.intern(e.Namespace),
		strings.Clone(e.Name)
	e.packed, e.live, e.whole = packed, weak.Make(e.whole), nil
}

// Open returns the object of an entry, the same one as long as it is in use; nil of no entry.
func (g *Graph) Open(e *Entry) *Object {
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
	content, _ := g.packer.unpack(e.packed, nil).(map[string]any)
	o := FromContent(content)
	e.live = weak.Make(o)
	return o
}

// openPart is Open of an object of which only some fields are wanted: of one that is packed and not in use only these are decoded.
func (g *Graph) openPart(e *Entry, wanted tree) *Object {
	if wanted == nil || e.whole != nil {
		return g.Open(e)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if o := e.live.Value(); o != nil {
		return o
	}
	content, _ := g.packer.unpack(e.packed, wanted).(map[string]any)
	return &Object{ID: e.ID, Content: content}
}

// entries are the objects of a graph, by kind, namespace and name.
type entries map[schema.GroupKind]map[string]map[string]*Entry

// of iterates over the entries of a kind, the empty one: of any.
func (s entries) of(gk schema.GroupKind) iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for kind, namespaces := range s {
			if gk.Kind != "" && kind != gk {
				continue
			}
			for _, names := range namespaces {
				for _, e := range names {
					if !yield(e) {
						return
					}
				}
			}
		}
	}
}

// count returns the number of the entries of a kind, the empty one: of any.
func (s entries) count(gk schema.GroupKind) (n int) {
	for kind, namespaces := range s {
		if gk.Kind == "" || kind == gk {
			for _, names := range namespaces {
				n += len(names)
			}
		}
	}
	return n
}

// get returns the entry of an object; nil without one.
func (s entries) get(id ID) *Entry { return s[id.GroupKind][id.Namespace][id.Name] }

// put adds an entry, in place of that of an older version.
func (s entries) put(e *Entry) {
	if s[e.GroupKind] == nil {
		s[e.GroupKind] = map[string]map[string]*Entry{}
	}
	names := s[e.GroupKind][e.Namespace]
	if names == nil {
		names = map[string]*Entry{}
		s[e.GroupKind][e.Namespace] = names
	}
	delete(names, e.Name) // or the key would keep the string of the old entry
	names[e.Name] = e
}

func (s entries) delete(id ID) {
	names := s[id.GroupKind][id.Namespace]
	if delete(names, id.Name); len(names) > 0 {
		return
	}
	if delete(s[id.GroupKind], id.Namespace); len(s[id.GroupKind]) == 0 {
		delete(s, id.GroupKind)
	}
}

// keyed finds entries by hashes of keys. Different keys may, very rarely, have one hash: the caller checks the entries.
type keyed struct {
	seed maphash.Seed
	one  map[uint64]*Entry // of keys with one entry, as most have
	few  map[uint64][]*Entry
	many map[uint64]map[*Entry]struct{} // of keys with more than a few entries
}

// aFew is how many entries of one key are kept in a list; more are kept in a map.
const aFew = 64

func newKeyed(seed maphash.Seed) keyed {
	return keyed{seed, map[uint64]*Entry{}, map[uint64][]*Entry{}, map[uint64]map[*Entry]struct{}{}}
}

func (k keyed) add(keys []string, e *Entry) {
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
			k.few[h] = []*Entry{only, e}
			delete(k.one, h)
		case len(list) == 0:
			k.one[h] = e
		case len(list) < aFew:
			k.few[h] = append(list, e)
		default:
			set := map[*Entry]struct{}{e: {}}
			for _, other := range list {
				set[other] = struct{}{}
			}
			k.many[h] = set
			delete(k.few, h)
		}
	}
}

func (k keyed) remove(keys []string, e *Entry) {
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

// count returns how many entries a key has.
func (k keyed) count(key string) int {
	h := maphash.String(k.seed, key)
	if k.one[h] != nil {
		return 1
	}
	return len(k.few[h]) + len(k.many[h])
}

// find calls found for every entry of a key, in no order.
func (k keyed) find(key string, found func(*Entry)) {
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
