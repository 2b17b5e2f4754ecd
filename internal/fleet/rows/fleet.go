// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"crypto/rand"
	"encoding/hex"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/fleet/relation"
)

// Fleet holds the rows of all sources. It may be used by many goroutines.
type Fleet struct {
	Epoch string
	now   func() time.Time

	mu      sync.RWMutex
	sources []*Source
	rows    map[key]*Row
	seq     uint64
	journal []change // the last ones; the first has the seq that follows trimmed
	trimmed uint64
	orders  map[string]*order
	changed chan struct{} // is closed by the next change
	causes  uint64        // rises when causes were computed

	whole  *Fleet     // of a part, see As
	partly sync.Mutex // for parts and when each was used; in a part for bringing it up to date
	parts  map[string]*Fleet
	used   time.Time // of a part: when it was asked for last
}

// key finds a row.
type key struct {
	source *Source
	id     relation.ID
}

// change is a row before and after. Was is nil for a new object, Is for one that is gone.
type change struct {
	Seq     uint64
	Was, Is *Row
}

// mostChanges is how many changes are kept for streams.
const mostChanges = 20_000

// New returns a fleet without sources. The clock is that of the process.
func New(now func() time.Time) *Fleet {
	random := make([]byte, 6)
	_, _ = rand.Read(random) // never fails
	return &Fleet{Epoch: hex.EncodeToString(random), now: now, rows: map[key]*Row{}, orders: map[string]*order{}, changed: make(chan struct{}),
		parts: map[string]*Fleet{}}
}

// Sources returns the sources, in the order in which they were added.
func (f *Fleet) Sources() []*Source {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return slices.Clone(f.sources)
}

// Source returns a source by its name; nil without one.
func (f *Fleet) Source(name string) *Source {
	for _, s := range f.Sources() {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Get returns the row of an object; nil without one.
func (f *Fleet) Get(s *Source, id relation.ID) *Row {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.rows[key{s, id}]
}

// Seq returns the sequence, how often causes were computed, and a channel that is closed by the next change of either.
func (f *Fleet) Seq() (seq, causes uint64, changed <-chan struct{}) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.seq, f.causes, f.changed
}

// wake notifies the waiting readers of a change. The lock must be held.
func (f *Fleet) wake() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// set stores changes of rows, in order.
func (f *Fleet) set(changes []change) {
	if len(changes) == 0 {
		return
	}
	f.mu.Lock()
	for i := range changes {
		c := &changes[i]
		f.seq++
		c.Seq = f.seq
		if c.Is == nil {
			delete(f.rows, key{c.Was.source, c.Was.ID})
		} else {
			k := key{c.Is.source, c.Is.ID}
			delete(f.rows, k) // or the key would keep the strings of the old row
			f.rows[k] = c.Is
		}
		f.journal = append(f.journal, *c)
	}
	if more := len(f.journal) - mostChanges; more > 0 {
		f.trimmed = f.journal[more-1].Seq
		f.journal = slices.Delete(f.journal, 0, more)
		if cap(f.journal) > 3*mostChanges {
			f.journal = slices.Clone(f.journal)
		}
	}
	f.wake()
	f.mu.Unlock()
}

// order is a cached sorted list of all rows.
type order struct {
	seq     uint64
	rows    []*Row
	compare func(a, b *Row) int
}

// sorted returns all rows in an order: problems, name or age. The result is read-only.
func (f *Fleet) sorted(by string) ([]*Row, uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.orders[by]
	if o == nil {
		o = &order{compare: byProblems}
		switch by {
		case "name":
			o.compare = byName
		case "age":
			o.compare = byAge
		}
		f.orders[by] = o
	}
	switch {
	case o.rows != nil && o.seq == f.seq:
	case o.rows == nil || o.seq < f.trimmed || f.seq-o.seq > uint64(len(f.rows)/4+16):
		o.rows = make([]*Row, 0, len(f.rows))
		for _, r := range f.rows {
			o.rows = append(o.rows, r)
		}
		slices.SortFunc(o.rows, o.compare)
	default:
		o.rows = f.merge(o)
	}
	o.seq = f.seq
	return o.rows, f.seq
}

// merge brings a sorted list up to date by the journal.
func (f *Fleet) merge(o *order) []*Row {
	gone, come := map[*Row]bool{}, map[*Row]bool{}
	for _, c := range f.journal[o.seq-f.trimmed:] {
		if c.Was != nil {
			if come[c.Was] {
				delete(come, c.Was)
			} else {
				gone[c.Was] = true
			}
		}
		if c.Is != nil {
			come[c.Is] = true
		}
	}
	fresh := make([]*Row, 0, len(come))
	for r := range come {
		fresh = append(fresh, r)
	}
	slices.SortFunc(fresh, o.compare)
	out := make([]*Row, 0, len(o.rows)+len(fresh))
	for _, r := range o.rows {
		if gone[r] {
			continue
		}
		for len(fresh) > 0 && o.compare(fresh[0], r) < 0 {
			out, fresh = append(out, fresh[0]), fresh[1:]
		}
		out = append(out, r)
	}
	return append(out, fresh...)
}

// since returns the changes after a sequence; false where they are not known any more.
func (f *Fleet) since(seq uint64) ([]change, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if seq < f.trimmed || seq > f.seq {
		return nil, false
	}
	return slices.Clone(f.journal[seq-f.trimmed:]), true
}

// Knows reports whether every change after a sequence is known.
func (f *Fleet) Knows(seq uint64) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return seq >= f.trimmed && seq <= f.seq
}

// Rows returns all rows, the worst first, for metrics. They are read-only.
func (f *Fleet) Rows() iter.Seq[*Row] {
	all, _ := f.sorted("problems")
	return slices.Values(all)
}
