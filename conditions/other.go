// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"slices"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// otherMerge is a merge by the rules of another library. Its memory is used again.
type otherMerge struct {
	merge.Merge
	rules  *merge.Rules
	items  []merge.Item  // those of the merger, as the rules see them
	single bool          // one item alone decides and is kept
	pair   [2]merge.Item // that one, and the one that is compared with it
	top    int           // which of them decides
}

// startOther prepares a merge by the rules of another library.
func (m *merger) startOther() {
	if m.other == nil {
		m.other = new(otherMerge)
	}
	o, t := m.o, &m.o.Target
	x := m.other
	x.rules, x.single = m.rules, m.rules.Decides != nil && !m.causes && !o.Exact
	// Field by field: a literal would be made on the stack first and copied.
	x.Items, x.Buffer, x.Ends = x.Items[:0], x.Buffer[:0], x.Ends[:0]
	x.Grouped, x.Counter, x.Total, x.SourceRef, x.Exact = m.grouped, o.Counter, o.Total, o.SourceRef, o.Exact
	x.Counted, x.Offered, x.Reported = 0, 0, false
	x.Target, x.Negative, x.Entries, x.MaxNames, x.Stored = t.Name, t.Polarity == Negative, o.Entries, maxNames, o.stored
	x.Object.Kind, x.Object.Group, x.Object.Namespace, x.Object.Name = o.Object.Kind, o.Object.Group, o.Object.Namespace, o.Object.Name
	if m.rules.ReadReasons {
		for w := range x.Reasons {
			x.Reasons[w] = fallbackReason(t, statusOf(weight(w), t.Polarity), "")
		}
	}
}

// forget drops every reference to an input.
func (x *otherMerge) forget() {
	clear(x.items)
	clear(x.Items)
	x.items, x.Items = x.items[:0], x.Items[:0]
	x.Object, x.Entries, x.Stored = merge.Object{}, nil, ""
	if x.single {
		x.pair = [2]merge.Item{}
	}
}

// offer keeps the item if it decides.
func (x *otherMerge) offer(r *mergeItem) {
	if len(x.Items) > 0 && r.weight > x.Items[0].Weight {
		return
	}
	next := &x.pair[1-x.top]
	r.other(next)
	switch {
	case len(x.Items) == 0:
		x.Items = append(x.Items, next)
	case x.rules.Decides(&x.Merge, next, &x.pair[x.top]):
		x.Items[0] = next
	default:
		return
	}
	x.top = 1 - x.top
}

// finishOther merges the inputs by the rules of another library, see [merge.Rules].
func (m *merger) finishOther() (Merged, bool) {
	x := m.other
	o := &x.Merge
	o.Counted, o.Offered, o.Reported = m.completed, m.offered, m.reported
	x.items = slices.Grow(x.items[:0], len(m.items))[:len(m.items)]
	for at, r := range m.items {
		r.other(&x.items[at])
		x.items[at].At = at
		o.Items = append(o.Items, &x.items[at])
	}
	r, ok := m.rules.Merge(o)
	if !ok {
		return Merged{}, false
	}
	out := Merged{Condition: newCondition(&m.o.Target, r.Weight, r.Reason)}
	out.Condition.Severity, out.Condition.Message = Severity(r.Severity), r.Message
	if !m.causes || r.Weight == weightHealthy && !r.Ordered {
		return out, true
	}
	if r.Ordered {
		items := make([]*mergeItem, len(o.Items))
		for at, i := range o.Items {
			items[at] = m.items[i.At]
		}
		slices.SortStableFunc(items, func(a, b *mergeItem) int { return cmp.Compare(a.weight, b.weight) })
		m.items = items
	} else {
		m.sort()
	}
	bad := slices.DeleteFunc(slices.Clone(m.items), func(r *mergeItem) bool { return r.weight == weightHealthy })
	if len(bad) > 0 {
		out.Causes = m.causesOf(bad)
	}
	return out, true
}

// other writes the item as rules of another library see it.
func (r *mergeItem) other(out *merge.Item) {
	in := r.in
	out.Type, out.Object.Kind, out.Object.Group, out.Object.Namespace, out.Object.Name = in.Type, in.Object.Kind, in.Object.Group, in.Object.Namespace, r.name
	out.Declared, out.Reason, out.Message = string(in.Severity), r.reason(), r.message()
	out.Weight, out.Index = r.weight, int(r.index)
	out.Negative, out.Neutral, out.First = in.Polarity == Negative, in.Polarity == Neutral, in.First
	out.Condition, out.Severity = nil, ""
	if r.condition != nil {
		out.Condition, out.Severity = &r.condition.Condition, string(r.condition.Severity)
	}
}

// mirrorOther copies a condition by the rules of another library.
func (m *merger) mirrorOther(in *Input, o *MergeOptions) (Merged, bool) {
	m.start(o, false, true)
	forced := *in
	if forced.Polarity == Neutral {
		forced.Polarity = Positive // a neutral condition is copied, though it never counts
	}
	r := newMergeItem(&forced)
	missing := o.Missing
	if m.rules.SkipMissing {
		missing = cmp.Or(missing, MissingSkip)
	}
	if !r.classify(missing) {
		return Merged{}, false
	}
	var item merge.Item
	r.other(&item)
	item.Neutral = in.Polarity == Neutral
	mirrored, ok := m.rules.Mirror(&m.other.Merge, &item)
	if !ok {
		return Merged{}, false
	}
	out := Merged{Condition: Condition{Condition: mirrored.Condition, Severity: Severity(mirrored.Severity)}}
	out.Condition.Type = o.Target.Name
	if r.weight != weightHealthy && in.Polarity != Neutral {
		r.in = in
		out.Causes = m.causesOf([]*mergeItem{&r})
	}
	return out, true
}
