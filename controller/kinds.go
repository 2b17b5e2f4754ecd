// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"slices"
	"sync"

	"github.com/tristate/tristate/internal/declare/crd"
	"github.com/tristate/tristate/internal/read/discovery"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// served is how the API server serves a kind.
type served struct {
	resource   schema.GroupVersionResource
	namespaced bool
	listMap    func(path []string) bool
}

// answer is whether a kind is served.
type answer int

const (
	unknown answer = iota // the API server could not be asked
	absent                // a complete answer of the API server lacks it
	found
)

// kinds knows how kinds are served: from definitions, which are watched, and from discovery for the rest. The last answer of discovery is
// valid until it says something else: a group that cannot be asked, or an API server, is as it was.
type kinds struct {
	types *discovery.Types

	asking sync.Mutex // held while discovery is asked

	crds crd.Tracker

	mu         sync.Mutex
	gone       map[schema.GroupKind]bool // whose definition is deleted, while discovery may still list it
	discovered map[schema.GroupKind][]served
	unasked    map[string]bool // groups of which discovery could not say anything the last time
	complete   bool            // discovery has answered once, but for unasked
	groups     map[string]bool // of kinds without a definition that were asked for
	tried      bool            // discovery was asked
}

func newKinds(types *discovery.Types) *kinds {
	return &kinds{types: types, gone: map[schema.GroupKind]bool{},
		discovered: map[schema.GroupKind][]served{}, unasked: map[string]bool{},
		groups: map[string]bool{}}
}

// define adds a definition.
func (k *kinds) define(d *crd.Definition) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.crds.Put(d)
	delete(k.gone, d.GroupKind())
}

// forget drops the definition of that name.
func (k *kinds) forget(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if d := k.crds.Remove(name); d != nil {
		k.gone[d.GroupKind()] = true
	}
}

// defined reports whether a kind has a definition.
func (k *kinds) defined(gk schema.GroupKind) bool { return k.crds.Of(gk) != nil }

// resolve reports how a kind is served. It prefers the first of the wanted versions that is served, else the server's choice.
func (k *kinds) resolve(gk schema.GroupKind, wanted []string) (served, answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if d := k.crds.Of(gk); d != nil {
		how, ok := fromDefinition(d, wanted)
		if !ok {
			return how, absent
		}
		return how, found
	}
	if k.gone[gk] {
		return served{}, absent
	}
	k.groups[gk.Group] = true
	list := k.discovered[gk]
	switch {
	case len(list) == 0 && k.complete && !k.unasked[gk.Group]:
		return served{}, absent
	case len(list) == 0:
		return served{}, unknown
	}
	for _, version := range wanted {
		for _, how := range list {
			if how.resource.Version == version {
				return how, found
			}
		}
	}
	return list[0], found
}

// unanswered reports whether discovery has not answered about a kind that was asked for.
func (k *kinds) unanswered() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for group := range k.groups {
		if !k.complete || k.unasked[group] {
			return true
		}
	}
	return false
}

// first reports whether discovery is to be asked for the first time.
func (k *kinds) first() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.groups) > 0 && !k.tried
}

// refresh asks discovery again, if a kind was asked for that has no definition.
func (k *kinds) refresh() {
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
		if discovery.Failed(g) != nil {
			unasked[g.Name] = true
		}
	}
	next := map[schema.GroupKind][]served{}
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
			next[gk] = append(next[gk], served{resource: gv.WithResource(r.Name), namespaced: r.Namespaced,
				listMap: func([]string) bool { return false }})
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
func fromDefinition(d *crd.Definition, wanted []string) (served, bool) {
	chosen, offered := d.Stored(), d.Served()
	for _, version := range wanted {
		if slices.Contains(offered, version) {
			chosen = version
			break
		}
	}
	if !d.Established() || chosen == "" || d.Spec.Names.Plural == "" {
		return served{}, false
	}
	return served{
		resource:   schema.GroupVersionResource{Group: d.Spec.Group, Version: chosen, Resource: d.Spec.Names.Plural},
		namespaced: d.Namespaced(),
		listMap:    func(path []string) bool { return d.ListIsMap(chosen, path) },
	}, true
}
