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
	target          *Type
	rules           *merge.Rules
	missing         Missing
	grouped, causes bool
	read            bool // healthy inputs are read
	healthy         int  // inputs of a fleet that are only counted
	single          bool // one item alone decides by the rules of another library, and no other is kept

	sources   arena[merge.Source]
	source    *merge.Source // of the last item
	arena     arena[item]
	keys      []uint64 // memory of sortFleet
	spare     []*item  // the same
	items     []*item  // the inputs that are not healthy, and healthy ones that the rules read; worst first once sorted
	offered   int      // inputs
	counted   int      // inputs that count
	completed int      // healthy inputs that are not among the items
	reported  bool     // one of the inputs that count exists
	buf       textBuffer

	other merge.Merge // for the rules of another library
}

// mergeList merges a list of inputs.
func mergeList(in []Input, o *MergeOptions, grouped bool) (Merged, bool) {
	var m merger
	m.start(o, &o.Target, grouped, true)
	return m.merge(in)
}

// merge adds a list of inputs and returns the result.
func (m *merger) merge(in []Input) (Merged, bool) {
	for i := range in {
		m.offer(&in[i])
	}
	out, ok := m.finish()
	m.release()
	return out, ok
}

// start prepares a merge into a target. A grouped merge is one over many objects, whose order does not matter.
func (m *merger) start(o *MergeOptions, target *Type, grouped, causes bool) {
	m.o, m.target, m.rules, m.grouped, m.causes = o, target, o.Dialect.rules(), grouped, causes && !o.NoCauses
	m.healthy, m.offered, m.counted, m.completed, m.reported = 0, 0, 0, 0, false
	m.read = m.rules.ReadHealthy || o.Exact
	if m.missing = o.Missing; m.rules.SkipMissing {
		m.missing = cmp.Or(m.missing, MissingSkip)
	}
	if m.single = false; m.rules.Merge != nil {
		m.startOther()
	}
}

// release drops every reference to an input: the memory is used again.
func (m *merger) release() {
	clear(m.items)
	m.items, m.source = m.items[:0], nil
	m.sources.reset()
	m.arena.reset()
	m.releaseOther()
	m.o, m.target = nil, nil
}

// offer adds an input. Its condition must stay unchanged until finish.
func (m *merger) offer(in *Input) {
	if m.onlyCounted(in) {
		m.addHealthy(1)
		return
	}
	m.add(in)
}

// add adds an input that is not only counted.
func (m *merger) add(in *Input) {
	if in.Condition == nil && in.Optional {
		return // it is no part of this object, and no step to be counted
	}
	m.offered++
	if in.Polarity == Neutral || in.Condition == nil && m.missing == MissingSkip {
		return
	}
	m.counted++
	m.reported = m.reported || in.Condition != nil
	r := m.item(in)
	switch {
	case r.Weight == weightHealthy && m.rules.Merge == nil:
		m.completed++
		m.arena.back()
	case m.single && len(m.items) > 0 && !(r.Weight <= m.items[0].Weight && m.rules.Decides(&m.other, r, m.items[0])):
		m.arena.back()
	case m.single:
		m.items = append(m.items[:0], r)
	default:
		m.items = append(m.items, r)
	}
}

// item wraps an input.
func (m *merger) item(in *Input) *item {
	if m.source == nil || !shares(m.source, in) {
		m.source = m.sources.next()
		setSource(m.source, in)
	}
	r := m.arena.next()
	r.Source, r.Name, r.Index = m.source, in.Object.Name, int32(m.offered)
	setCondition(r, in.Condition)
	return r
}

// onlyCounted reports whether a merge needs to know no more of the input than that it is healthy.
func (m *merger) onlyCounted(in *Input) bool {
	if in.Condition == nil || in.Stale || !in.Polarity.Good(in.Condition.Status) {
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

// mirror copies a condition, see [Mirror].
func (m *merger) mirror(in *Input, o *MergeOptions) (Merged, bool) {
	m.start(o, &o.Target, false, true)
	if in.Condition == nil && (in.Optional || m.missing == MissingSkip) {
		return Merged{}, false
	}
	r := m.item(in)
	var out Merged
	ok := true
	if m.rules.Mirror == nil {
		out.Condition = m.mirrorNative(r)
	} else {
		var severity string
		out.Condition.Condition, severity, ok = m.rules.Mirror(&m.other, r)
		out.Condition.Severity = Severity(severity)
	}
	if !ok {
		return Merged{}, false
	}
	out.Condition.Type = o.Target.Name
	if r.Weight != weightHealthy && !r.Neutral {
		out.Causes = m.causesOf([]*item{r})
	}
	return out, true
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
