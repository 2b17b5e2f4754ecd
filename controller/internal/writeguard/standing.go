// SPDX-License-Identifier: Apache-2.0

package writeguard

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Standing is who holds the derived conditions of an object, by its managed fields.
type Standing struct {
	ours  bool   // the controller's field manager holds one of them, or the whole list
	Rival string // another manager that holds one of them; empty: none
	// whole: the rival holds the list as one, and it has an entry of a derived type. Who wrote that entry is not known.
	whole bool
	left  bool // the controller's manager holds a type that is not derived any more
}

// StandingOf reads the managed fields of an object of a managed kind.
func StandingOf(object map[string]any, k *catalog.Kind, manager string) Standing {
	derived := func(name string) bool { return Derives(k, name) }
	var s Standing
	for _, h := range apply.Holders(object, k.Path) {
		if h.Manager == manager {
			s.ours = s.ours || h.Whole
			for _, name := range h.Types {
				s.ours = s.ours || derived(name)
				s.left = s.left || !derived(name)
			}
			continue
		}
		if h.Whole && len(DerivedPart(k, object)) > 0 {
			s.Rival, s.whole = cmp.Or(s.Rival, h.Manager), true
		}
		for _, name := range h.Types {
			if derived(name) {
				s.Rival = cmp.Or(s.Rival, h.Manager)
			}
		}
	}
	return s
}

// Derives reports whether a type is written by whoever manages the kind, also under a former name.
func Derives(k *catalog.Kind, name string) bool {
	return k.Derived.OwnedType(name) != ""
}

// DerivedPart returns the stored entries of derived types.
func DerivedPart(k *catalog.Kind, object map[string]any) []any {
	var out []any
	for _, entry := range k.List(object) {
		m, _ := entry.(map[string]any)
		if name, _ := m["type"].(string); name != "" && Derives(k, name) {
			out = append(out, entry)
		}
	}
	return out
}

// Rivals knows the objects of managed kinds whose derived conditions another manager holds and the controller does not.
type Rivals struct {
	mu    sync.Mutex
	kinds map[schema.GroupKind]*contested
}

// contested is the state of one kind.
type contested struct {
	ours     bool // the controller has written the kind, now or in a former life
	objects  map[relation.ID]Standing
	left     map[relation.ID]bool // objects with conditions of ours that are not declared any more
	reported map[relation.ID]bool // objects that were reported; the empty one means the kind
}

func (r *Rivals) of(gk schema.GroupKind) *contested {
	if r.kinds == nil {
		r.kinds = map[schema.GroupKind]*contested{}
	}
	if r.kinds[gk] == nil {
		r.kinds[gk] = &contested{objects: map[relation.ID]Standing{}, left: map[relation.ID]bool{}, reported: map[relation.ID]bool{}}
	}
	return r.kinds[gk]
}

// See notes who holds an object now. It reports whether other objects of the kind may be written now that were not.
func (r *Rivals) See(id relation.ID, s Standing) (freed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.of(id.GroupKind)
	before, first := len(k.objects), s.ours && !k.ours
	k.ours = k.ours || s.ours
	if delete(k.left, id); s.left {
		k.left[id] = true
	}
	if s.Rival != "" && !s.ours {
		k.objects[id] = s
		return false
	}
	delete(k.objects, id)
	delete(k.reported, id)
	return before > 0 && (len(k.objects) == 0 || first)
}

// refusal is why an object is not written: another manager writes its derived conditions, or its kind's.
type refusal struct {
	holder string
	object relation.ID // that the holder holds: the object itself, or one of its kind
	Kind   bool        // no object of the kind is written
	Fresh  bool        // it was not reported yet
}

func (r refusal) String() string {
	if r.Kind {
		return fmt.Sprintf("%s holds the derived conditions of %s: no object of the kind is written; stop it, or adopt the kind", r.holder,
			r.object)
	}
	return fmt.Sprintf("%s holds the derived conditions: the object is not written; stop it, or adopt the kind", r.holder)
}

// Refuse reports whether an object must not be written, and why. A kind that the controller never wrote is refused as a whole.
func (r *Rivals) Refuse(id relation.ID) (refusal, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.of(id.GroupKind)
	if len(k.objects) == 0 {
		return refusal{}, false
	}
	if !k.ours {
		first := refusal{Kind: true, Fresh: !k.reported[relation.ID{}]}
		for other, s := range k.objects {
			if first.holder == "" || relation.Compare(other, first.object) < 0 {
				first.holder, first.object = s.Rival, other
			}
		}
		k.reported[relation.ID{}] = true
		return first, true
	}
	if s, there := k.objects[id]; there && !s.whole {
		out := refusal{holder: s.Rival, object: id, Fresh: !k.reported[id]}
		k.reported[id] = true
		return out, true
	}
	return refusal{}, false
}

// Wrote reports whether the controller has written a kind, now or in a former life.
func (r *Rivals) Wrote(gk schema.GroupKind) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.kinds[gk]
	return k != nil && k.ours
}

// Leftover reports whether an object has conditions of the controller that are not declared any more.
func (r *Rivals) Leftover(id relation.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.kinds[id.GroupKind]
	return k != nil && k.left[id]
}

// Forget drops an object that is gone. It reports whether its kind may be written now.
func (r *Rivals) Forget(id relation.ID) (freed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.kinds[id.GroupKind]
	if k == nil {
		return false
	}
	_, there := k.objects[id]
	delete(k.objects, id)
	delete(k.left, id)
	delete(k.reported, id)
	return there && len(k.objects) == 0
}

// Drop forgets a kind.
func (r *Rivals) Drop(gk schema.GroupKind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.kinds, gk)
}

// Counts returns how many objects of each kind are contested. Kinds without one are left out.
func (r *Rivals) Counts() map[schema.GroupKind]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[schema.GroupKind]int{}
	for gk, k := range r.kinds {
		for _, s := range k.objects {
			if !k.ours || !s.whole {
				out[gk]++
			}
		}
	}
	return out
}
