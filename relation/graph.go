// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/tristate/tristate/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Graph is a set of objects with the edges between them. The zero value is not usable; see [New].
type Graph struct {
	mu      sync.RWMutex
	set     *catalog.Set
	objects map[ID]*Object
	byKind  map[schema.GroupKind]map[ID]*Object
	indexes []*linkIndex
	bySelf  map[schema.GroupKind][]*linkIndex
	owned   map[string]map[ID]bool       // by the identity of the owner, for objects of every kind
	edges   map[[2]schema.GroupKind]bool // kinds of which the first was seen to depend on the second
	ranks   map[schema.GroupKind]int
	covers  map[schema.GroupKind]map[string]bool // namespaces that are in completely; "" is every one
	version uint64
}

// linkIndex is the index of one relation.
type linkIndex struct {
	link
	selves, items       map[string]map[ID]bool // by key
	selfKeysOf, itemsOf map[ID][]string
	derives             bool // a derived condition reads it; the others only shape trees
}

// New makes an empty graph for the relations of a set of catalogs.
func New(set *catalog.Set) *Graph {
	g := &Graph{set: set, objects: map[ID]*Object{}, byKind: map[schema.GroupKind]map[ID]*Object{},
		bySelf: map[schema.GroupKind][]*linkIndex{}, owned: map[string]map[ID]bool{}, edges: map[[2]schema.GroupKind]bool{},
		covers: map[schema.GroupKind]map[string]bool{}}
	for _, k := range set.Kinds() {
		used := k.DerivesFrom()
		for _, l := range k.Relations {
			index := &linkIndex{link: link{l, k}, selves: map[string]map[ID]bool{}, items: map[string]map[ID]bool{},
				selfKeysOf: map[ID][]string{}, itemsOf: map[ID][]string{}, derives: used[l.Name]}
			g.indexes = append(g.indexes, index)
			g.bySelf[k.For] = append(g.bySelf[k.For], index)
		}
	}
	return g
}

// Set gives the catalogs of the graph.
func (g *Graph) Set() *catalog.Set { return g.set }

// Put adds or replaces an object and gives the objects with a catalog that have to be judged anew, in order: the object
// itself and those with a derived condition that reads it over a relation, before or now. An object older than the stored one changes nothing.
func (g *Graph) Put(o *Object) []ID {
	g.mu.Lock()
	defer g.mu.Unlock()
	old := g.objects[o.ID]
	if old != nil && old.UID == o.UID && older(o.ResourceVersion, old.ResourceVersion) {
		return nil
	}
	g.version++
	affected := map[ID]bool{}
	if old != nil {
		g.dependents(old, affected)
		g.unindex(old)
	}
	g.objects[o.ID] = o
	if g.byKind[o.GroupKind] == nil {
		g.byKind[o.GroupKind] = map[ID]*Object{}
	}
	g.byKind[o.GroupKind][o.ID] = o
	g.index(o)
	g.dependents(o, affected)
	if g.set.Kind(o.GroupKind) != nil {
		affected[o.ID] = true
	}
	return sorted(affected)
}

// Delete removes an object and gives the objects that have to be judged anew.
func (g *Graph) Delete(id ID) []ID {
	g.mu.Lock()
	defer g.mu.Unlock()
	old := g.objects[id]
	if old == nil {
		return nil
	}
	g.version++
	affected := map[ID]bool{}
	g.dependents(old, affected)
	delete(affected, id)
	g.unindex(old)
	delete(g.objects, id)
	delete(g.byKind[id.GroupKind], id)
	return sorted(affected)
}

// older tells whether resource version a is known to be older than b.
func older(a, b string) bool {
	x, errA := strconv.ParseUint(a, 10, 64)
	y, errB := strconv.ParseUint(b, 10, 64)
	return errA == nil && errB == nil && x < y
}

// Get gives an object; nil without one.
func (g *Graph) Get(id ID) *Object {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.objects[id]
}

// List gives the objects of a kind, by namespace and name.
func (g *Graph) List(gk schema.GroupKind) []*Object {
	g.mu.RLock()
	defer g.mu.RUnlock()
	out := slices.Collect(maps.Values(g.byKind[gk]))
	sortObjects(out)
	return out
}

// All gives every object, by group, kind, namespace and name.
func (g *Graph) All() []*Object {
	g.mu.RLock()
	defer g.mu.RUnlock()
	out := slices.Collect(maps.Values(g.objects))
	sortObjects(out)
	return out
}

// Len counts the objects.
func (g *Graph) Len() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.objects)
}

// Related gives the objects that the named relation of an object leads to, by group, kind, namespace and name.
func (g *Graph) Related(self *Object, relation string) []*Object {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, index := range g.bySelf[self.GroupKind] {
		if index.Name == relation {
			return g.follow(index, self)
		}
	}
	return nil
}

// Owned gives the objects of any kind whose owner references name an object, by group, kind, namespace and name. It needs no
// catalog.
func (g *Graph) Owned(owner *Object) []*Object {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var out []*Object
	for id := range g.owned[identity(owner.GroupKind, owner.Namespace, owner.Name)] {
		if item := g.objects[id]; item != nil && owns(owner, item) {
			out = append(out, item)
		}
	}
	sortObjects(out)
	return out
}

// Owners gives the objects that the owner references of an object name.
func (g *Graph) Owners(o *Object) []*Object {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var out []*Object
	for _, r := range o.owners() {
		for _, namespace := range []string{o.Namespace, ""} {
			owner := g.objects[ID{GroupKind: r.GroupKind, Namespace: namespace, Name: r.name}]
			if owner != nil && owns(owner, o) {
				out = append(out, owner)
				break
			}
		}
	}
	sortObjects(out)
	return out
}

// Unresolved gives what the named relation of an object refers to and is not in the graph.
func (g *Graph) Unresolved(self *Object, relation string) []ID {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var out []ID
	for _, index := range g.bySelf[self.GroupKind] {
		if index.Name != relation || index.Ref == nil {
			continue
		}
		for _, r := range references(index.eval(index.Ref, self, nil), index.Target) {
			id := ID{GroupKind: r.GroupKind, Namespace: r.namespace, Name: r.name}
			if id.Namespace == "" {
				id.Namespace = self.Namespace
			}
			cluster := id
			cluster.Namespace = ""
			if g.objects[id] == nil && g.objects[cluster] == nil {
				out = append(out, id)
			}
		}
	}
	return out
}

// References gives the kinds that objects refer to by relations without a kind of their own, in order: kinds to watch
// beyond those that the catalogs name.
func (g *Graph) References() []schema.GroupKind {
	g.mu.RLock()
	defer g.mu.RUnlock()
	kinds := map[schema.GroupKind]bool{}
	for _, index := range g.indexes {
		if index.Target.Kind != "" {
			continue
		}
		for id := range index.selfKeysOf {
			self := g.objects[id]
			refs := self.owners()
			if index.Ref != nil {
				refs = references(index.eval(index.Ref, self, nil), index.Target)
			}
			for _, r := range refs {
				kinds[r.GroupKind] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(kinds), func(a, b schema.GroupKind) int {
		return Compare(ID{GroupKind: a}, ID{GroupKind: b})
	})
}

// follow must be called with the lock held.
func (g *Graph) follow(index *linkIndex, self *Object) []*Object {
	seen := map[ID]bool{}
	var out []*Object
	for _, key := range index.selfKeysOf[self.ID] {
		for id := range index.items[key] {
			if item := g.objects[id]; item != nil && !seen[id] && index.match(self, item) {
				seen[id] = true
				out = append(out, item)
			}
		}
	}
	sortObjects(out)
	return out
}

// dependents collects the objects that have a relation to item.
func (g *Graph) dependents(item *Object, into map[ID]bool) {
	for _, index := range g.indexes {
		if !index.derives {
			continue
		}
		for _, key := range index.itemsOf[item.ID] {
			for id := range index.selves[key] {
				if self := g.objects[id]; self != nil && !into[id] && index.match(self, item) {
					into[id] = true
					g.depend(id.GroupKind, item.GroupKind)
				}
			}
		}
	}
}

func (g *Graph) index(o *Object) {
	enter(g.owned, ownerKeys(o), o.ID)
	for _, index := range g.indexes {
		if index.kind.For == o.GroupKind {
			index.selfKeysOf[o.ID] = index.selfKeys(o)
			enter(index.selves, index.selfKeysOf[o.ID], o.ID)
		}
		if index.Target == o.GroupKind || index.Target.Kind == "" {
			index.itemsOf[o.ID] = index.itemKeys(o)
			enter(index.items, index.itemsOf[o.ID], o.ID)
		}
	}
}

func (g *Graph) unindex(o *Object) {
	leave(g.owned, ownerKeys(o), o.ID)
	for _, index := range g.indexes {
		leave(index.selves, index.selfKeysOf[o.ID], o.ID)
		leave(index.items, index.itemsOf[o.ID], o.ID)
		delete(index.selfKeysOf, o.ID)
		delete(index.itemsOf, o.ID)
	}
}

func enter(index map[string]map[ID]bool, keys []string, id ID) {
	for _, key := range keys {
		if index[key] == nil {
			index[key] = map[ID]bool{}
		}
		index[key][id] = true
	}
}

func leave(index map[string]map[ID]bool, keys []string, id ID) {
	for _, key := range keys {
		delete(index[key], id)
		if len(index[key]) == 0 {
			delete(index, key)
		}
	}
}

func sortObjects(list []*Object) {
	slices.SortFunc(list, func(a, b *Object) int { return Compare(a.ID, b.ID) })
}

func sorted(ids map[ID]bool) []ID { return slices.SortedFunc(maps.Keys(ids), Compare) }
