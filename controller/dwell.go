// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"sync"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/internal/relation"
)

// memories keep from one pass to the next what declared dwell needs, for objects of kinds that declare it.
type memories struct {
	mu   sync.Mutex
	byID map[relation.ID]remembered
}

type remembered struct {
	uid string
	*conditions.State
}

// of returns the memory of an object; nil where its kind has no use for one. Only the worker that has the object may use it.
func (m *memories) of(kind *catalog.Kind, o *relation.Object) *conditions.State {
	dwells := false
	for i := range kind.Derived.Types {
		t := &kind.Derived.Types[i]
		dwells = dwells || t.GoBadAfter > 0 || t.RecoverAfter > 0
	}
	if !dwells {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	kept, known := m.byID[o.ID]
	if !known || kept.uid != o.UID {
		kept = remembered{o.UID, &conditions.State{}}
		m.byID[o.ID] = kept
	}
	return kept.State
}

// drop forgets an object that is gone.
func (m *memories) drop(id relation.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.byID, id)
}
