// SPDX-License-Identifier: Apache-2.0

package writeguard

import (
	"sync"

	"github.com/tristate/tristate/internal/read/relation"
)

// Turns lets one goroutine at a time write an object: a pass and a sweep, or two sweeps, that read and then write it at once would each
// bring back what the other takes out.
type Turns struct {
	mu   sync.Mutex
	held map[relation.ID]*turn
}

type turn struct {
	sync.Mutex
	users int
}

// Lock waits for the turn of the caller to write an object, and returns what ends it.
func (w *Turns) Lock(id relation.ID) (unlock func()) {
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
