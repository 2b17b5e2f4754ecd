// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"slices"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// startOther prepares a merge by the rules of another library.
func (m *merger) startOther() {
	o, t, x := m.o, m.target, &m.other
	m.single = m.rules.Decides != nil && !m.causes && !o.Exact
	// Field by field: a literal would be made on the stack first and copied.
	x.Buffer, x.Ends = x.Buffer[:0], x.Ends[:0]
	x.Grouped, x.Counter, x.Total, x.SourceRef, x.Exact = m.grouped, o.Counter, o.Total, o.SourceRef, o.Exact
	x.Target, x.Negative, x.Entries, x.MaxNames, x.Stored = t.Name, t.Polarity == Negative, o.Entries, maxNames, o.stored
	x.Object = merge.Object(o.Object)
	if m.rules.ReadReasons {
		for w := range x.Reasons {
			x.Reasons[w] = fallbackReason(t, statusOf(weight(w), t.Polarity), "")
		}
	}
}

// releaseOther drops every reference to an input.
func (m *merger) releaseOther() {
	x := &m.other
	x.Items, x.Object, x.Entries, x.Stored = nil, merge.Object{}, nil, ""
}

// finishOther merges the inputs by the rules of another library, see [merge.Rules].
func (m *merger) finishOther() (Merged, bool) {
	x := &m.other
	x.Items, x.Counted, x.Offered, x.Reported = m.items, m.completed, m.offered, m.reported
	r, ok := m.rules.Merge(x)
	if !ok {
		return Merged{}, false
	}
	out := Merged{Condition: newCondition(m.target, r.Weight, r.Reason)}
	out.Condition.Severity, out.Condition.Message = Severity(r.Severity), r.Message
	if !m.causes || r.Weight == weightHealthy && !r.Ordered {
		return out, true
	}
	if r.Ordered {
		slices.SortStableFunc(m.items, func(a, b *item) int { return cmp.Compare(a.Weight, b.Weight) })
	} else {
		m.sort()
	}
	bad := slices.DeleteFunc(slices.Clone(m.items), func(r *item) bool { return r.Weight == weightHealthy })
	if len(bad) > 0 {
		out.Causes = m.causesOf(bad)
	}
	return out, true
}
