// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"slices"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// finishOther merges the inputs by the rules of another library, see [merge.Rules].
func (m *merger) finishOther() (Merged, bool) {
	o := m.otherOptions(m.o)
	o.Grouped, o.Counted, o.Offered, o.Reported = m.grouped, m.completed, m.offered, m.reported
	m.others = slices.Grow(m.others[:0], len(m.items))
	for _, r := range m.items {
		m.others = append(m.others, r.other())
		m.others[len(m.others)-1].At = len(m.others) - 1
		o.Items = append(o.Items, &m.others[len(m.others)-1])
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

// otherOptions are the options of a merge as rules of another library see them.
func (m *merger) otherOptions(o *MergeOptions) *merge.Merge {
	t := &o.Target
	m.other = merge.Merge{
		Items: m.other.Items[:0], Buffer: m.other.Buffer[:0], Ends: m.other.Ends[:0],
		Target: t.Name, Negative: t.Polarity == Negative, Counter: o.Counter, Total: o.Total, SourceRef: o.SourceRef, Exact: o.Exact,
		Object:  merge.Object{Kind: o.Object.Kind, Group: o.Object.Group, Namespace: o.Object.Namespace, Name: o.Object.Name},
		Entries: o.Entries, MaxNames: maxNames, Stored: o.stored,
	}
	for w := range m.other.Reasons {
		m.other.Reasons[w] = fallbackReason(t, statusOf(weight(w), t.Polarity), "")
	}
	return &m.other
}

// other is the item as rules of another library see it.
func (r *mergeItem) other() merge.Item {
	in := r.in
	out := merge.Item{
		Type: in.Type, Object: merge.Object{Kind: in.Object.Kind, Group: in.Object.Group, Namespace: in.Object.Namespace, Name: r.name},
		Declared: string(in.Severity), Reason: r.reason(), Message: r.message(), Weight: r.weight,
		Negative: in.Polarity == Negative, Neutral: in.Polarity == Neutral, First: in.First, Index: int(r.index),
	}
	if r.condition != nil {
		out.Condition, out.Severity = &r.condition.Condition, string(r.condition.Severity)
	}
	return out
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
	item := r.other()
	item.Neutral = in.Polarity == Neutral
	mirrored, ok := m.rules.Mirror(m.otherOptions(o), &item)
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
