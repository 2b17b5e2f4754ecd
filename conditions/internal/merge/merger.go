// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Merger merges inputs one after another. It keeps its memory, so that a pass can merge without allocating; of healthy inputs it keeps
// only their number, unless the merge is exact.
type Merger struct {
	o               *Options
	target          *Target
	rules           *Rules
	missing         string
	grouped, causes bool
	single          bool // one item alone decides by the rules of another library, and no other is kept

	sources   arena[Source]
	source    *Source // of the last item
	arena     arena[Item]
	keys      []uint64 // memory of sortFleet
	spare     []*Item  // the same
	items     []*Item  // the inputs that are not healthy, and in an exact merge all; worst first once sorted
	offered   int      // inputs
	counted   int      // inputs that count
	completed int      // healthy inputs that are not among the items
	reported  bool     // one of the inputs that count exists
	behind    []*Item  // their causes become the causes of the result
	buf       Buffer

	other Merge // for the rules of another library
}

// Outcome is the condition that a merge results in, without time and generation.
type Outcome struct {
	Condition metav1.Condition
	Severity  string
}

// Merge adds a list of inputs and returns the result of all that were offered; false: no input counts.
func (m *Merger) Merge(in []Input) (Outcome, bool) {
	for i := range in {
		m.Offer(&in[i])
	}
	if m.rules.Merge == nil {
		return m.finishNative()
	}
	return m.finishOther()
}

// Start prepares a merge into a target by rules. A grouped merge is one over many objects, whose order does not matter.
func (m *Merger) Start(rules *Rules, o *Options, target *Target, grouped, causes bool) {
	m.o, m.target, m.rules, m.grouped, m.causes = o, target, rules, grouped, causes
	m.offered, m.counted, m.completed, m.reported = 0, 0, 0, false
	if m.missing = o.Missing; m.rules.SkipMissing {
		m.missing = cmp.Or(m.missing, MissingSkip)
	}
	if m.single = false; m.rules.Merge != nil {
		m.startOther()
	}
}

// Release drops every reference to an input: the memory is used again.
func (m *Merger) Release() {
	clear(m.items)
	m.items, m.source, m.behind = m.items[:0], nil, nil
	m.sources.reset()
	m.arena.reset()
	m.other.Items, m.other.Object, m.other.Stored = nil, Object{}, ""
	m.o, m.target = nil, nil
}

// Offer adds an input. Its condition must stay unchanged until the result is there.
func (m *Merger) Offer(in *Input) {
	c := in.Condition
	switch {
	case c == nil && in.Optional:
		return // it is no part of this object, and no step to be counted
	case c != nil && !in.Stale && !in.Neutral && c.Status == StatusOf(Healthy, in.Negative) && !m.o.Exact:
		m.AddHealthy(1) // no more needs to be known of it
		return
	}
	m.offered++
	if in.Neutral || c == nil && m.missing == MissingSkip {
		return
	}
	m.counted++
	m.reported = m.reported || c != nil
	r := m.item(in)
	switch {
	case r.Weight == Healthy && m.rules.Merge == nil:
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

// item wraps an input: the part that other items may share, and the condition with the severity that it has itself and its weight.
func (m *Merger) item(in *Input) *Item {
	if m.source == nil || !shares(m.source, in) {
		m.source = m.sources.next()
		m.source.set(in)
	}
	r, c := m.arena.next(), in.Condition
	r.Source, r.Name, r.Index, r.Weight = m.source, in.Object.Name, int32(m.offered), Unknown
	if c == nil {
		return r
	}
	r.Condition, r.Severity = c, in.Severity
	switch {
	case r.Stale:
	case c.Status == StatusOf(Healthy, r.Negative):
		r.Weight = Healthy
	case c.Status == StatusOf(Unhealthy, r.Negative):
		r.Weight, r.Rank = Unhealthy, SeverityRank(cmp.Or(in.Severity, r.Declared))
	}
	return r
}

// AddHealthy adds n inputs that are only counted.
func (m *Merger) AddHealthy(n int) {
	m.offered += n
	m.counted += n
	m.completed += n
	m.reported = m.reported || n > 0
}

// Mirror copies a condition under the name of the target by rules, with the status turned over where the polarities are opposite. It
// returns false where there is nothing to copy.
func (m *Merger) Mirror(rules *Rules, o *Options, target *Target, in *Input) (Outcome, bool) {
	m.Start(rules, o, target, false, true)
	if in.Condition == nil && (in.Optional || m.missing == MissingSkip) {
		return Outcome{}, false
	}
	r := m.item(in)
	var out Outcome
	ok := true
	if m.rules.Mirror == nil {
		out = m.mirrorNative(r)
	} else {
		out.Condition, out.Severity, ok = m.rules.Mirror(&m.other, r)
	}
	if !ok {
		return Outcome{}, false
	}
	out.Condition.Type = target.Name
	if r.Weight != Healthy && !r.Neutral {
		m.behind = []*Item{r}
	}
	return out, true
}

// StatusOf returns the status of a weight for a polarity.
func StatusOf(w Weight, negative bool) metav1.ConditionStatus {
	switch {
	case w == Unknown:
		return metav1.ConditionUnknown
	case (w == Unhealthy) == negative:
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}
