// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"bytes"
	"errors"
	"maps"
	"sync"

	"github.com/tristate/tristate/internal/declare/catalog"
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

// Update replaces the files, by name, and reports whether the set changed. The error lists the faults of the files. An invalid file
// keeps its last valid content, if it had any, and stays an error until it is corrected. A file that is missing is removed.
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

// Set returns the set of the last Update.
func (l *Live) Set() *catalog.Set {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.set
}
