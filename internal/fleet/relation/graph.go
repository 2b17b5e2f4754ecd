// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"hash/maphash"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Graph is a set of objects with the edges between them. The zero value is not usable; see [New].
type Graph struct {
	mu      sync.RWMutex
	set     *catalog.Set
	table   *table  // the branches of trees
	packer  *packer // nil: objects stay as they are
	entries entries
	held    map[ID]int // how many objects of a kind a namespace has; the IDs have no name
	indexes []*linkIndex
	bySelf  map[schema.GroupKind][]*linkIndex
	members *keyed // objects of every kind, by their owners and by the marks of inventories, and pods by their labels; nil until it is needed
	seed    maphash.Seed
	named   map[schema.GroupKind]int     // how many references of relations without a kind name one
	edges   map[[2]schema.GroupKind]bool // pairs of kinds; an object of the first depends on one of the second
	ranks   map[schema.GroupKind]int
	circles map[schema.GroupKind]bool            // kinds that depend on themselves by these edges
	covers  map[schema.GroupKind]map[string]bool // namespaces whose objects are all in the graph; "" is every one
	version uint64
	costs   costs
	lookups map[string]*lookup // made when they are needed first
}

// lookup is an index by keys of objects alone.
type lookup struct {
	keyed
	kind schema.GroupKind // the empty one: any
	keys func(*Object) []string
}

// lookup returns the objects of a kind that have a key in an index, in no order.
func (g *Graph) lookup(name string, gk schema.GroupKind, key string, keys func(*Object) []string) (found []*Entry) {
	g.mu.RLock()
	l := g.lookups[name]
	g.mu.RUnlock()
	if l == nil {
		l = &lookup{newKeyed(g.seed), gk, keys}
		g.mu.Lock()
		g.each(gk, func(e *Entry, o *Object) { l.add(keys(o), e) })
		if g.lookups == nil {
			g.lookups = map[string]*lookup{}
		}
		g.lookups[name] = l
		g.mu.Unlock()
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	l.find(key, func(e *Entry) { found = append(found, e) })
	return found
}

// linkIndex is the index of one relation.
type linkIndex struct {
	link
	selves, items keyed
	derives       bool // a derived condition reads it; the others only shape trees
	pauses        bool // paused reads it, which orders nothing: it reads no derived condition that waits for this one
}

// New makes an empty graph for the relations of a set of catalogs.
func New(set *catalog.Set) *Graph {
	g := &Graph{set: set, entries: entries{}, held: map[ID]int{}, seed: maphash.MakeSeed(),
		bySelf: map[schema.GroupKind][]*linkIndex{}, named: map[schema.GroupKind]int{},
		edges: map[[2]schema.GroupKind]bool{}, covers: map[schema.GroupKind]map[string]bool{}}
	g.Use(set)
	return g
}

// NewPacked makes a graph that keeps its objects packed, for many objects that are watched for long and read rarely. An object is decoded
// when it is read, and the same one is returned as long as it is in use.
func NewPacked(set *catalog.Set) *Graph {
	g := New(set)
	g.packer = newPacker(false)
	return g
}

// NewFixed is NewPacked for objects that do not change, such as those of files: what several of them have in common is kept once, and for
// as long as the graph.
func NewFixed(set *catalog.Set) *Graph {
	g := New(set)
	g.packer = newPacker(true)
	return g
}

// Set returns the catalogs of the graph.
func (g *Graph) Set() *catalog.Set {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.set
}

// Put adds or replaces an object and returns the objects with a catalog that have to be judged again, in order: the object
// itself and those with a derived condition that reads it over a relation, before or now. An object older than the stored one changes
// nothing.
func (g *Graph) Put(o *Object) []ID { return g.PutEntry(NewEntry(o)) }

// PutEntry is Put of an entry, which belongs to the graph from then on.
func (g *Graph) PutEntry(e *Entry) []ID {
	o := g.Open(e)
	g.Pack(e)
	g.mu.Lock()
	defer g.mu.Unlock()
	before := g.entries.get(o.ID)
	old := g.Open(before)
	if o.Older(old) {
		return nil
	}
	g.version++
	affected := map[ID]bool{}
	if old != nil {
		g.dependents(old, affected)
		g.index(before, old, keyed.remove, -1)
	} else {
		g.held[ID{GroupKind: e.GroupKind, Namespace: e.Namespace}]++
	}
	g.entries.put(e)
	g.index(e, o, keyed.add, 1)
	g.dependents(o, affected)
	if g.set.Kind(o.GroupKind) != nil {
		affected[o.ID] = true
	}
	return sorted(affected)
}

// Delete removes an object and returns the objects that have to be judged again.
func (g *Graph) Delete(id ID) []ID {
	g.mu.Lock()
	defer g.mu.Unlock()
	e := g.entries.get(id)
	if e == nil {
		return nil
	}
	g.version++
	old := g.Open(e)
	affected := map[ID]bool{}
	g.dependents(old, affected)
	delete(affected, id)
	g.index(e, old, keyed.remove, -1)
	g.entries.delete(id)
	if space := (ID{GroupKind: id.GroupKind, Namespace: id.Namespace}); g.held[space] > 1 {
		g.held[space]--
	} else {
		delete(g.held, space)
	}
	return sorted(affected)
}

// Older reports whether an object is known to be an older version of another one, which may be nil: then Put does not store it.
func (o *Object) Older(than *Object) bool {
	if than == nil || o.UID != than.UID {
		return false
	}
	x, errA := strconv.ParseUint(o.ResourceVersion, 10, 64)
	y, errB := strconv.ParseUint(than.ResourceVersion, 10, 64)
	return errA == nil && errB == nil && x < y
}

// Get returns an object; nil without one.
func (g *Graph) Get(id ID) *Object {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.Open(g.entries.get(id))
}

// IDs returns the names of the objects of a kind (the empty one: of any) without decoding these, by group, kind, namespace and name.
func (g *Graph) IDs(gk schema.GroupKind) []ID {
	g.mu.RLock()
	defer g.mu.RUnlock()
	out := make([]ID, 0, g.entries.count(gk))
	for e := range g.entries.of(gk) {
		out = append(out, e.ID)
	}
	slices.SortFunc(out, Compare)
	return out
}

// List returns the objects of a kind (the empty one: of any), by group, kind, namespace and name.
func (g *Graph) List(gk schema.GroupKind) []*Object {
	g.mu.RLock()
	defer g.mu.RUnlock()
	out := make([]*Object, 0, g.entries.count(gk))
	for e := range g.entries.of(gk) {
		out = append(out, g.Open(e))
	}
	sortObjects(out)
	return out
}

// All returns every object, by group, kind, namespace and name.
func (g *Graph) All() []*Object { return g.List(schema.GroupKind{}) }

// Len counts the objects.
func (g *Graph) Len() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.entries.count(schema.GroupKind{})
}

// Related returns the objects that the named relation of an object leads to, by group, kind, namespace and name.
func (g *Graph) Related(self *Object, relation string) []*Object {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, index := range g.bySelf[self.GroupKind] {
		if index.Name == relation && index.holds(self) {
			return g.follow(index, self)
		}
	}
	return nil
}

// Owned returns the objects of any kind whose owner references name an object, by group, kind, namespace and name. It needs no
// catalog.
func (g *Graph) Owned(owner *Object) []*Object {
	items, _ := g.membersOf(identity(owner.GroupKind, owner.Namespace, owner.Name), func(item *Object) bool { return owns(owner, item) }, 0,
		nil)
	return items
}

// membersOf returns the objects with a key of g.members that belong to an owner or an inventory. Of more than most, 0 for no bound, those
// that are fine are left out, and then the last by name: these are not decoded, and left is their number.
func (g *Graph) membersOf(key string, belongs func(*Object) bool, most int, fine func(ID) bool) (items []*Object, left int) {
	g.IndexMembers()
	g.mu.RLock()
	defer g.mu.RUnlock()
	var found []*Entry
	g.members.find(key, func(e *Entry) { found = append(found, e) })
	if all := len(found); most > 0 && all > most {
		if fine != nil {
			found = slices.DeleteFunc(found, func(e *Entry) bool { return fine(e.ID) })
		}
		slices.SortFunc(found, func(a, b *Entry) int { return Compare(a.ID, b.ID) })
		found = found[:min(len(found), most)]
		left = all - len(found)
	}
	for _, e := range found {
		if item := g.Open(e); belongs(item) {
			items = append(items, item)
		}
	}
	sortObjects(items)
	return items, left
}

// selected returns the pods of a namespace that a selector matches, in order, of more than most, 0 for no bound, the first; only those that
// are wanted by their name, and by those before, unless wanted is nil, and perhaps with some fields only. It looks at those that have the
// rarest label of the selector.
func (g *Graph) selected(s labels.Selector, namespace string, most int, wanted func(name string, before []*Object) bool,
	fields tree) []*Object {
	g.IndexMembers()
	g.mu.RLock()
	defer g.mu.RUnlock()
	rarest := labelKey(namespace, "")
	fewest := g.members.count(rarest)
	for _, label := range exactLabels(s) {
		if key := labelKey(namespace, label); g.members.count(key) < fewest {
			rarest, fewest = key, g.members.count(key)
		}
	}
	found := make([]*Entry, 0, fewest)
	g.members.find(rarest, func(e *Entry) {
		if e.GroupKind == podKind && e.Namespace == namespace {
			found = append(found, e)
		}
	})
	slices.SortFunc(found, func(a, b *Entry) int { return Compare(a.ID, b.ID) })
	var out []*Object
	for _, e := range found {
		if wanted != nil && !wanted(e.Name, out) {
			continue
		}
		if o := g.openPart(e, fields); s.Matches(labels.Set(o.Labels())) {
			if out = append(out, o); len(out) == most {
				break
			}
		}
	}
	return out
}

// IndexMembers makes the index of owned objects, of members of inventories and of pods by their labels, which is otherwise made when it is
// needed first. Objects that come later are indexed when they come, so that they need not be decoded again.
func (g *Graph) IndexMembers() {
	g.mu.RLock()
	there := g.members != nil
	g.mu.RUnlock()
	if there {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.members != nil {
		return
	}
	members := newKeyed(g.seed)
	g.each(schema.GroupKind{}, func(e *Entry, o *Object) { members.add(g.table.memberKeys(o), e) })
	g.members = &members
}

// Owners returns the objects that the owner references of an object name.
func (g *Graph) Owners(o *Object) []*Object {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var out []*Object
	for _, r := range o.owners() {
		for _, namespace := range []string{o.Namespace, ""} {
			owner := g.Open(g.entries.get(ID{GroupKind: r.GroupKind, Namespace: namespace, Name: r.Name}))
			if owner != nil && owns(owner, o) {
				out = append(out, owner)
				break
			}
		}
	}
	sortObjects(out)
	return out
}

// Unresolved returns the objects that the named relation of an object refers to and that are not in the graph.
func (g *Graph) Unresolved(self *Object, relation string) []ID {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var out []ID
	for _, index := range g.bySelf[self.GroupKind] {
		if index.Name != relation || index.Ref == nil || !index.holds(self) {
			continue
		}
		for _, r := range references(index.eval(index.Ref, self, nil), index.Target) {
			id := r.ID
			if id.Namespace == "" {
				id.Namespace = self.Namespace
			}
			cluster := id
			cluster.Namespace = ""
			if g.entries.get(id) == nil && g.entries.get(cluster) == nil {
				out = append(out, id)
			}
		}
	}
	return out
}

// Refers returns the kinds that an object refers to by relations without a kind of their own, perhaps repeatedly.
func (g *Graph) Refers(self *Object) []schema.GroupKind {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var out []schema.GroupKind
	for _, index := range g.bySelf[self.GroupKind] {
		if index.Target.Kind == "" && index.holds(self) {
			for _, r := range index.referred(self) {
				out = append(out, r.GroupKind)
			}
		}
	}
	return out
}

// References returns the kinds that objects refer to by relations without a kind of their own, in order: kinds to watch
// beyond those that the catalogs name.
func (g *Graph) References() []schema.GroupKind {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return slices.SortedFunc(maps.Keys(g.named), func(a, b schema.GroupKind) int {
		return Compare(ID{GroupKind: a}, ID{GroupKind: b})
	})
}

// follow returns the objects that a relation of an object leads to, in order. The lock must be held.
func (g *Graph) follow(index *linkIndex, self *Object) []*Object {
	seen := map[*Entry]bool{}
	var out []*Object
	for _, key := range index.selfKeys(self) {
		g.candidates(index, key, func(e *Entry) {
			if seen[e] {
				return
			}
			if item := g.Open(e); (!index.byKey() || slices.Contains(index.itemKeys(item), key)) && index.match(self, item) {
				seen[e] = true
				out = append(out, item)
			}
		})
	}
	sortObjects(out)
	return out
}

// dependents collects the objects with a derived condition, or a pause, that reads item over a relation.
func (g *Graph) dependents(item *Object, into map[ID]bool) {
	for _, index := range g.indexes {
		if index.derives || index.pauses {
			g.declaring(index, item, into, func(self ID) {
				if index.derives {
					g.depend(self.GroupKind, item.GroupKind)
				}
			})
		}
	}
}

// declaring collects the objects that have a relation to item, and calls for each that is new.
func (g *Graph) declaring(index *linkIndex, item *Object, into map[ID]bool, found func(ID)) {
	if !index.leadsTo(item.GroupKind) {
		return
	}
	for _, key := range index.itemKeys(item) {
		g.declarers(index, key, func(e *Entry) {
			if into[e.ID] {
				return
			}
			if self := g.Open(e); (!index.byKey() || slices.Contains(index.selfKeys(self), key)) && index.match(self, item) {
				into[e.ID] = true
				found(e.ID)
			}
		})
	}
}

// Declaring returns the objects that have a relation of any name to item, in order.
func (g *Graph) Declaring(item *Object) []ID {
	g.mu.RLock()
	defer g.mu.RUnlock()
	into := map[ID]bool{}
	for _, index := range g.indexes {
		g.declaring(index, item, into, func(ID) {})
	}
	return sorted(into)
}

// candidates calls found for the objects that a key of a relation leads to.
func (g *Graph) candidates(index *linkIndex, key string, found func(*Entry)) {
	if !index.namesItems() {
		index.items.find(key, found)
	} else if e := g.entries.get(identified(key)); e != nil && index.leadsTo(e.ID.GroupKind) {
		found(e)
	}
}

// declarers calls found for the objects that declare a relation and have a key of it.
func (g *Graph) declarers(index *linkIndex, key string, found func(*Entry)) {
	if !index.namesSelves() {
		index.selves.find(key, found)
	} else if e := g.entries.get(identified(key)); e != nil && index.holds(g.Open(e)) {
		found(e)
	}
}

// index adds an entry to the indexes or removes it from them, as change does. Objects that are found by their names need none.
func (g *Graph) index(e *Entry, o *Object, change func(keyed, []string, *Entry), by int) {
	if g.members != nil {
		change(*g.members, g.table.memberKeys(o), e)
	}
	for _, l := range g.lookups {
		if l.kind.Kind == "" || l.kind == e.GroupKind {
			change(l.keyed, l.keys(o), e)
		}
	}
	for _, index := range g.indexes {
		if index.holds(o) {
			if !index.namesSelves() {
				change(index.selves, index.selfKeys(o), e)
			}
			if index.Target.Kind == "" {
				g.name(index, o, by)
			}
		}
		if !index.namesItems() && index.leadsTo(o.GroupKind) {
			change(index.items, index.itemKeys(o), e)
		}
	}
}

// name counts the kinds that a relation without a kind of its own refers to.
func (g *Graph) name(index *linkIndex, self *Object, by int) {
	for _, r := range index.referred(self) {
		if g.named[r.GroupKind] += by; g.named[r.GroupKind] == 0 {
			delete(g.named, r.GroupKind)
		}
	}
}

// referred returns the references of an object by a relation without a kind of its own.
func (l link) referred(self *Object) []reference {
	if l.Ref == nil {
		return self.owners()
	}
	return references(l.eval(l.Ref, self, nil), l.Target)
}

func sortObjects(list []*Object) {
	slices.SortFunc(list, func(a, b *Object) int { return Compare(a.ID, b.ID) })
}

func sorted(ids map[ID]bool) []ID { return slices.SortedFunc(maps.Keys(ids), Compare) }
