// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// merger merges inputs one after another. It keeps its memory, so that a pass can merge without allocating; of healthy inputs it keeps
// only their number, unless the rules read them.
type merger struct {
	o               *MergeOptions
	rules           *merge.Rules
	grouped, causes bool
	read            bool // healthy inputs are read

	arena     arena[mergeItem]
	keys      []sortKey    // memory of sortFleet
	items     []*mergeItem // the inputs that are not healthy, and healthy ones that the rules read; worst first once sorted
	offered   int          // inputs
	counted   int          // inputs that count
	completed int          // healthy inputs that are not among the items
	reported  bool         // one of the inputs that count exists
	buf       textBuffer

	other *otherMerge // by the rules of another library
}

// merge merges a list of inputs.
func (m *merger) merge(in []Input, o *MergeOptions, grouped, causes bool) (Merged, bool) {
	m.start(o, grouped, causes)
	for i := range in {
		m.offer(&in[i])
	}
	return m.finish()
}

// start forgets earlier inputs. A grouped merge is one over many objects, whose order does not matter.
func (m *merger) start(o *MergeOptions, grouped, causes bool) {
	if m.o != nil { // it was not released
		m.forget()
	}
	m.o, m.rules, m.grouped, m.causes = o, o.Dialect.rules(), grouped, causes && !o.NoCauses
	m.offered, m.counted, m.completed, m.reported = 0, 0, 0, false
	m.read = m.rules.ReadHealthy || o.Exact
	if m.rules.Merge != nil {
		m.startOther()
	}
}

// forget drops every reference to an input.
func (m *merger) forget() {
	clear(m.items)
	m.items = m.items[:0]
	m.arena.reset()
	if m.other != nil {
		m.other.forget()
	}
}

// release drops what was merged: the memory is used again.
func (m *merger) release() {
	m.forget()
	m.o = nil
}

// offer adds an input; one that is an item must stay unchanged until finish.
func (m *merger) offer(in *Input) {
	if m.onlyCounted(in) {
		m.addHealthy(1)
		return
	}
	m.add(newMergeItem(in))
}

// add adds an input that is not only counted, and reports whether m keeps it until finish.
func (m *merger) add(r mergeItem) bool {
	if r.condition == nil && r.in.Optional {
		return false // it is no part of this object, and no step to be counted
	}
	m.offered++
	missing := m.o.Missing
	if m.rules.SkipMissing {
		missing = cmp.Or(missing, MissingSkip)
	}
	if !r.classify(missing) {
		return false
	}
	m.counted++
	r.index = int32(m.offered)
	m.reported = m.reported || r.condition != nil
	if r.weight == weightHealthy && m.rules.Merge == nil {
		m.completed++
		return false
	}
	if m.rules.Merge != nil && m.other.single {
		m.other.offer(&r)
		return false
	}
	entry := m.arena.next()
	*entry = r
	m.items = append(m.items, entry)
	return true
}

// onlyCounted reports whether a merge needs to know no more of the input than that it is healthy.
func (m *merger) onlyCounted(in *Input) bool {
	if in.Condition == nil || in.Stale || !fine(in.Condition.Status, in.Polarity) {
		return false
	}
	return !m.read || m.rules.ReadHealthy && in.Condition.Message == ""
}

// addHealthy adds n inputs that are only counted.
func (m *merger) addHealthy(n int) {
	m.offered += n
	m.counted += n
	m.completed += n
	m.reported = m.reported || n > 0
}

// finish returns the result.
func (m *merger) finish() (Merged, bool) {
	if m.rules.Merge == nil {
		return m.finishNative()
	}
	return m.finishOther()
}

// unhealthy reports whether the status is the bad one for the polarity. Unknown is never unhealthy.
func unhealthy(s Status, p Polarity) bool {
	switch p {
	case Negative:
		return s == True
	case Neutral:
		return false
	}
	return s == False
}

// fine reports whether the status is the good one for the polarity.
func fine(s Status, p Polarity) bool {
	switch p {
	case Positive:
		return s == True
	case Negative:
		return s == False
	case Neutral:
		return false
	}
	return s == True
}

// statusOf returns the status of a weight for a polarity.
func statusOf(w weight, p Polarity) Status {
	switch {
	case w == weightUnknown:
		return Unknown
	case (w == weightUnhealthy) == (p == Negative):
		return True
	}
	return False
}
