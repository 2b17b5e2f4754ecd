// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Tracker knows the definitions of a cluster, as a watch of them hands them on. The zero value knows none. It may be used by many
// goroutines.
type Tracker struct {
	mu     sync.Mutex
	byName map[string]*Definition
	byKind map[schema.GroupKind]*Definition
}

// Put adds a definition, in place of an older version.
func (t *Tracker) Put(d *Definition) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byName == nil {
		t.byName, t.byKind = map[string]*Definition{}, map[schema.GroupKind]*Definition{}
	}
	t.remove(d.Name)
	t.byName[d.Name], t.byKind[d.GroupKind()] = d, d
}

// Remove drops the definition of a name and returns it; nil for one that is not known.
func (t *Tracker) Remove(name string) *Definition {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.remove(name)
}

func (t *Tracker) remove(name string) *Definition {
	d := t.byName[name]
	if d == nil {
		return nil
	}
	delete(t.byName, name)
	if t.byKind[d.GroupKind()] == d { // another definition may own the kind now
		delete(t.byKind, d.GroupKind())
	}
	return d
}

// Names returns the names of the definitions, in order.
func (t *Tracker) Names() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(maps.Keys(t.byName))
}

// Of returns the definition of a kind; nil without one.
func (t *Tracker) Of(gk schema.GroupKind) *Definition {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byKind[gk]
}

// Find returns the served type that a word means: plural, singular, kind or short name, with or without version and
// group. If there are several it is the one whose definition is first by name; nil without one.
func (t *Tracker) Find(word string) *meta.RESTMapping {
	name, rest, _ := strings.Cut(strings.ToLower(word), ".")
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(t.byName)) {
		d := t.byName[key]
		served := d.Served()
		if !d.Established() || len(served) == 0 || !slices.Contains(d.Words(), name) {
			continue
		}
		if rest == "" || rest == d.Spec.Group {
			return d.Mapping(served[0])
		}
		for _, v := range served {
			if rest == v+"."+d.Spec.Group {
				return d.Mapping(v)
			}
		}
	}
	return nil
}
