// SPDX-License-Identifier: Apache-2.0

package watchset

import (
	"slices"
	"sync"

	"github.com/tristate/tristate/internal/declare/crd"
	"github.com/tristate/tristate/internal/fleet/discovery"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Served is how the API server serves a kind.
type Served struct {
	Resource   schema.GroupVersionResource
	Namespaced bool
	ListMap    func(path []string) bool
}

// answer is whether a kind is served.
type answer int

// The answers to whether a kind is served.
const (
	unknown answer = iota // the API server could not be asked
	Absent                // a complete answer of the API server lacks it
	Found
)

// Kinds knows how kinds are served: from definitions, which are watched, and from discovery for the rest. The last answer of discovery is
// valid until it says something else: a group that cannot be asked, or an API server, is as it was.
type Kinds struct {
	types *discovery.Types

	asking sync.Mutex // held while discovery is asked

	Crds crd.Tracker

	mu         sync.Mutex
	gone       map[schema.GroupKind]bool // whose definition is deleted, while discovery may still list it
	discovered map[schema.GroupKind][]Served
	unasked    map[string]bool // groups of which discovery could not say anything the last time
	complete   bool            // discovery has answered once, except for unasked
	groups     map[string]bool // of kinds without a definition that were asked for
	tried      bool            // discovery was asked
}

// NewKinds returns an empty Kinds, which asks discovery through types.
func NewKinds(types *discovery.Types) *Kinds {
	return &Kinds{types: types, gone: map[schema.GroupKind]bool{},
		discovered: map[schema.GroupKind][]Served{}, unasked: map[string]bool{},
		groups: map[string]bool{}}
}

// Define adds a definition.
func (k *Kinds) Define(d *crd.Definition) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Crds.Put(d)
	delete(k.gone, d.GroupKind())
}

// Forget drops the definition of that name.
func (k *Kinds) Forget(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if d := k.Crds.Remove(name); d != nil {
		k.gone[d.GroupKind()] = true
	}
}

// Defined reports whether a kind has a definition.
func (k *Kinds) Defined(gk schema.GroupKind) bool { return k.Crds.Of(gk) != nil }

// Resolve reports how a kind is served. It prefers the first of the wanted versions that is served, else the server's choice.
func (k *Kinds) Resolve(gk schema.GroupKind, wanted []string) (Served, answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if d := k.Crds.Of(gk); d != nil {
		how, ok := fromDefinition(d, wanted)
		if !ok {
			return how, Absent
		}
		return how, Found
	}
	if k.gone[gk] {
		return Served{}, Absent
	}
	k.groups[gk.Group] = true
	list := k.discovered[gk]
	switch {
	case len(list) == 0 && k.complete && !k.unasked[gk.Group]:
		return Served{}, Absent
	case len(list) == 0:
		return Served{}, unknown
	}
	for _, version := range wanted {
		for _, how := range list {
			if how.Resource.Version == version {
				return how, Found
			}
		}
	}
	return list[0], Found
}

// Unanswered reports whether discovery has not answered about a kind that was asked for.
func (k *Kinds) Unanswered() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for group := range k.groups {
		if !k.complete || k.unasked[group] {
			return true
		}
	}
	return false
}

// Unasked reports whether discovery is to be asked for the first time.
func (k *Kinds) Unasked() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.groups) > 0 && !k.tried
}

// Refresh asks discovery again, if a kind was asked for that has no definition.
func (k *Kinds) Refresh() {
	k.asking.Lock()
	defer k.asking.Unlock()
	k.mu.Lock()
	needed := len(k.groups) > 0
	k.tried = k.tried || needed
	k.mu.Unlock()
	if !needed {
		return
	}
	groups, err := k.types.Ask()
	if err != nil || len(groups) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	unasked := map[string]bool{}
	for _, g := range groups {
		if len(discovery.Failed(g)) > 0 {
			unasked[g.Name] = true
		}
	}
	next := map[schema.GroupKind][]Served{}
	for gk, list := range k.discovered {
		if unasked[gk.Group] {
			next[gk] = list
		}
	}
	for _, g := range groups {
		if unasked[g.Name] && len(k.discovered) > 0 && k.complete {
			continue
		}
		for gv, r := range discovery.Listable(g) {
			gk := schema.GroupKind{Group: g.Name, Kind: r.Kind}
			next[gk] = append(next[gk], Served{Resource: gv.WithResource(r.Name), Namespaced: r.Namespaced,
				ListMap: func([]string) bool { return false }})
		}
	}
	for gk := range k.gone {
		if len(next[gk]) == 0 && !unasked[gk.Group] {
			delete(k.gone, gk)
		}
	}
	k.discovered, k.unasked, k.complete = next, unasked, true
}

// fromDefinition returns how the kind of an established definition is served.
func fromDefinition(d *crd.Definition, wanted []string) (Served, bool) {
	chosen, offered := d.Stored(), d.Served()
	for _, version := range wanted {
		if slices.Contains(offered, version) {
			chosen = version
			break
		}
	}
	if !d.Established() || chosen == "" || d.Spec.Names.Plural == "" {
		return Served{}, false
	}
	return Served{
		Resource:   schema.GroupVersionResource{Group: d.Spec.Group, Version: chosen, Resource: d.Spec.Names.Plural},
		Namespaced: d.Namespaced(),
		ListMap:    func(path []string) bool { return d.ListIsMap(chosen, path) },
	}, true
}
