// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"bytes"
	"errors"
	"maps"
	"sync"

	"github.com/tristate/tristate/internal/catalog"
)

// Live is a set of catalogs whose files may change while it is used. The zero value is an empty set. It is safe for concurrent
// use.
type Live struct {
	mu    sync.Mutex
	files map[string][]byte // as they were given last
	good  map[string][]byte // those that are in use
	set   *catalog.Set
	err   error
}

// Update takes the files as they are now, by name, and says whether the set changed. What is wrong with them is the error. A
// file with an error counts as it was when it had none, or not at all; it stays an error until it is put right. A file that is
// not among them any more is gone.
func (l *Live) Update(files map[string][]byte) (changed bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.set != nil && maps.EqualFunc(l.files, files, bytes.Equal) {
		return false, l.err
	}
	l.files = maps.Clone(files)
	next := maps.Clone(files)
	set, err := catalog.Load(next)
	l.err = err
	for tries := len(next); err != nil && tries >= 0; tries-- {
		var all catalog.Errors
		if !errors.As(err, &all) {
			break
		}
		for _, e := range all {
			name := e.Position.File
			if good, ok := l.good[name]; ok && !bytes.Equal(good, next[name]) {
				next[name] = good
			} else {
				delete(next, name)
			}
		}
		set, err = catalog.Load(next)
	}
	changed = l.set == nil || !maps.EqualFunc(l.good, next, bytes.Equal)
	l.good, l.set = next, set
	return changed, l.err
}

// Set is the set as of the last Update.
func (l *Live) Set() *catalog.Set {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.set
}
