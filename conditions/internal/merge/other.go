// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"cmp"
	"slices"
)

// startOther prepares a merge by the rules of another library.
func (m *Merger) startOther() {
	o, t, x := m.o, m.target, &m.other
	m.single = m.rules.Decides != nil && !m.causes && !o.Exact
	// Field by field: a literal would be made on the stack first and copied.
	x.Buffer, x.Ends = x.Buffer[:0], x.Ends[:0]
	x.Grouped, x.Counter, x.Total, x.SourceRef, x.Exact = m.grouped, o.Counter, o.Total, o.SourceRef, o.Exact
	x.Target, x.Negative, x.MaxNames, x.Stored = t.Name, t.Negative, maxNames, o.Stored
	x.Object = o.Object
	if m.rules.ReadReasons {
		for w := range x.Reasons {
			x.Reasons[w] = t.Fallback(StatusOf(Weight(w), t.Negative), "")
		}
	}
}

// finishOther merges the inputs by the rules of another library, see [Rules].
func (m *Merger) finishOther() (Outcome, bool) {
	x := &m.other
	x.Items, x.Counted, x.Offered, x.Reported = m.items, m.completed, m.offered, m.reported
	r, ok := m.rules.Merge(x)
	if !ok {
		return Outcome{}, false
	}
	out := newOutcome(m.target, r.Weight, r.Reason)
	out.Severity, out.Condition.Message = r.Severity, r.Message
	if !m.causes || r.Weight == Healthy && !r.Ordered {
		return out, true
	}
	if r.Ordered {
		slices.SortStableFunc(m.items, func(a, b *Item) int { return cmp.Compare(a.Weight, b.Weight) })
	} else {
		m.sort()
	}
	m.behind = slices.DeleteFunc(slices.Clone(m.items), func(r *Item) bool { return r.Weight == Healthy })
	return out, true
}
