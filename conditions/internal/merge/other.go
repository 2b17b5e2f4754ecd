// SPDX-License-Identifier: Apache-2.0

package merge

import "slices"

// startOther prepares a merge by the rules of another library.
func (m *Merger) startOther() {
	o, x := m.o, &m.other
	m.single = m.rules.Decides != nil && !m.causes && !o.Exact
	// Field by field: a literal would be made on the stack first and copied.
	x.Buffer = x.Buffer[:0]
	x.Grouped, x.Counter, x.Total, x.SourceRef, x.Exact = m.grouped, o.Counter, o.Total, o.SourceRef, o.Exact
	x.Negative, x.Stored = m.target.Negative, o.Stored
	x.Object = o.Object
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
	if !m.causes || r.Weight == Healthy {
		return out, true
	}
	m.sort()
	m.behind = slices.DeleteFunc(slices.Clone(m.items), func(r *Item) bool { return r.Weight == Healthy })
	return out, true
}
