// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"sync"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// states keep from one pass to the next what declared dwell needs, for objects of kinds that declare it.
type states struct {
	mu   sync.Mutex
	byID map[relation.ID]storedState
}

type storedState struct {
	uid string
	*conditions.State
}

// of returns the state of an object; nil where its kind has no use for one. Only the worker that has the object may use it.
func (s *states) of(kind *catalog.Kind, o *relation.Object) *conditions.State {
	dwells := false
	for _, d := range kind.Derivations {
		dwells = dwells || d.Type.GoBadAfter > 0 || d.Type.RecoverAfter > 0
	}
	if !dwells {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, known := s.byID[o.ID]
	if !known || kept.uid != o.UID {
		kept = storedState{o.UID, &conditions.State{}}
		s.byID[o.ID] = kept
	}
	return kept.State
}

// drop forgets an object that is gone.
func (s *states) drop(id relation.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, id)
}
