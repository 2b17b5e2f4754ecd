// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"sync"

	"github.com/tristate/tristate/internal/read/relation"
)

// writing lets one goroutine at a time write an object: a pass and a sweep, or two sweeps, that read and then write it at once would each
// bring back what the other takes out.
type writing struct {
	mu   sync.Mutex
	held map[relation.ID]*turn
}

type turn struct {
	sync.Mutex
	users int
}

// lock waits for the turn of the caller to write an object, and returns what ends it.
func (w *writing) lock(id relation.ID) (unlock func()) {
	w.mu.Lock()
	if w.held == nil {
		w.held = map[relation.ID]*turn{}
	}
	t := w.held[id]
	if t == nil {
		t = &turn{}
		w.held[id] = t
	}
	t.users++
	w.mu.Unlock()
	t.Lock()
	return func() {
		t.Unlock()
		w.mu.Lock()
		defer w.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(w.held, id)
		}
	}
}
