// SPDX-License-Identifier: Apache-2.0

package echo

import (
	"errors"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Report is the last report of the router of a sandbox.
type Report struct {
	Entries []Entry
	Err     error // why nothing is known: the router cannot be reached, or there is none
}

// Off is the error of a report where no router is to run: the sandbox is suspended, blocked, or run by another controller. No object waits
// for such a router.
type Off string

func (o Off) Error() string { return string(o) }

// Off reports whether no router is to run.
func (r Report) Off() bool {
	var off Off
	return errors.As(r.Err, &off)
}

// Entry returns the entry of a kind. Two entries of one kind that differ are no answer.
func (r Report) Entry(kind string) (entry Entry, ok bool) {
	for _, e := range r.Entries {
		switch {
		case e.Kind != kind:
		case ok && !reflect.DeepEqual(e, entry):
			return Entry{}, false
		default:
			entry, ok = e, true
		}
	}
	return entry, ok
}

// Reports reports whether the router has loaded a digest.
func (r Report) Reports(kind, digest string) bool {
	e, ok := r.Entry(kind)
	return ok && e.Digest != nil && *e.Digest == digest
}

// Store has the latest report of each router. The zero value is ready; it is for concurrent use.
type Store struct {
	// Changed is called after a report has changed, outside of locks.
	Changed func(sandbox types.NamespacedName)

	mu      sync.Mutex
	reports map[types.NamespacedName]Report
}

// Get returns the latest report, and whether there is one.
func (s *Store) Get(sandbox types.NamespacedName) (Report, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.reports[sandbox]
	return r, ok
}

// Set replaces the report of a router.
func (s *Store) Set(sandbox types.NamespacedName, r Report) {
	s.mu.Lock()
	old, known := s.reports[sandbox]
	same := known && reflect.DeepEqual(old.Entries, r.Entries) && text(old.Err) == text(r.Err)
	if s.reports == nil {
		s.reports = map[types.NamespacedName]Report{}
	}
	s.reports[sandbox] = r
	s.mu.Unlock()
	if !same && s.Changed != nil {
		s.Changed(sandbox)
	}
}

// Forget drops the report of a sandbox that is gone.
func (s *Store) Forget(sandbox types.NamespacedName) {
	s.mu.Lock()
	delete(s.reports, sandbox)
	s.mu.Unlock()
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
