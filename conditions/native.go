// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"slices"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// Limits of the message of an aggregate, so that a person can read it; the rest is counted.
const (
	maxNames = 3  // objects named for one text
	maxTexts = 10 // texts of one kind, worst first
)

// finishNative merges the inputs by the native rules, see [Summarize].
func (m *merger) finishNative() (Merged, bool) {
	o, target := m.o, m.target
	if m.counted == 0 {
		return Merged{}, false
	}
	worst := weightHealthy
	sorted := m.sortNative()
	if len(m.items) > 0 {
		worst = m.items[0].Weight
	}
	decided := m.quorum(worst)
	reason := fallbackReason(target, statusOf(decided, target.Polarity), reasonHealthy)
	if decided != weightHealthy {
		reason = m.mergedReason(decided)
	}
	out := Merged{Condition: newCondition(target, decided, reason)}
	m.buf.reset()
	switch {
	case decided == weightHealthy && len(m.items) == 0:
		return out, true
	case decided == weightHealthy, o.Counter, len(m.items) == 0:
		total := o.Total
		if total == 0 {
			total = max(m.counted, o.AtLeast)
		}
		m.buf.counter(m.completed, total)
		if decided != weightHealthy && len(m.items) > 0 && o.Entries == nil { // what is wrong survives the count
			m.buf.lead()
			m.describe(sorted)
		}
	default:
		m.describe(sorted)
	}
	out.Condition.Message = m.buf.text(o.stored)
	if decided == weightUnhealthy && len(m.items) > 0 {
		out.Condition.Severity = severityOf(m.items[0])
	}
	if m.causes && decided != weightHealthy {
		out.Causes = m.causesOf(m.items)
	}
	return out, true
}

func newCondition(target *Type, w weight, reason string) Condition {
	var c Condition
	c.Type, c.Status, c.Reason = target.Name, statusOf(w, target.Polarity), reason
	return c
}

// quorum is the weight of a result whose worst input has a weight.
func (m *merger) quorum(worst weight) weight {
	need := m.o.AtLeast
	if m.o.AtMost > 0 {
		need = max(need, m.counted-m.o.AtMost)
	}
	if need <= 0 {
		return worst
	}
	unhealthy := 0
	for _, r := range m.items {
		if r.Weight == weightUnhealthy {
			unhealthy++
		}
	}
	switch {
	case m.completed >= need:
		return weightHealthy
	case m.counted-unhealthy >= need:
		return weightUnknown
	}
	return weightUnhealthy
}

// mergedReason picks the reason of a result from the inputs that decided it: those that have its weight, or all that are not
// healthy where none has.
func (m *merger) mergedReason(decided weight) string {
	o, target := m.o, m.target
	status := statusOf(decided, target.Polarity)
	all := !slices.ContainsFunc(m.items, func(r *item) bool { return r.Weight == decided })
	one, stock := false, ""
	for _, r := range m.items {
		if !all && r.Weight != decided {
			continue
		}
		reason := o.renamed(r.Reason())
		if !one {
			one, stock = true, reason
		}
		if reason != stock {
			one = false
			break
		}
	}
	if one {
		if i := target.reason(stock, status); i >= 0 {
			return target.Reasons[i].Name
		}
		if target.Imported && ValidReason(stock) {
			return stock
		}
	}
	for i := range target.Reasons {
		r := &target.Reasons[i]
		if r.Status != status {
			continue
		}
		for _, d := range m.items {
			if (all || d.Weight == decided) && r.named(o.renamed(d.Reason())) {
				return r.Name
			}
		}
	}
	switch {
	case one && (stock == ReasonNotReported || stock == reasonStale):
	case decided == weightUnknown:
		stock = reasonUnknown
	default:
		stock = reasonUnhealthy
	}
	return fallbackReason(target, status, stock)
}

// fallbackReason is the last reason declared for the status: declared order is precedence, so that the last one is the
// catch-all. Without one it is the stock reason.
func fallbackReason(target *Type, s Status, stock string) string {
	for i := len(target.Reasons) - 1; i >= 0; i-- {
		if target.Reasons[i].Status == s {
			return target.Reasons[i].Name
		}
	}
	return stock
}

// differ reports whether the items disagree on part.
func (m *merger) differ(part func(*merge.Object) string) bool {
	for _, r := range m.items {
		if r.Source != m.items[0].Source && part(&r.Object) != part(&m.items[0].Object) {
			return true
		}
	}
	return false
}

func objectKind(o *merge.Object) string      { return o.Kind }
func objectNamespace(o *merge.Object) string { return o.Namespace }

// sortNative sorts as many items as a result needs, and returns their number: in an aggregate of one kind without causes, those with
// one of the worst texts, for which the message has room.
func (m *merger) sortNative() int {
	if m.grouped && !m.causes && len(m.items) > maxTexts && !m.differ(objectKind) {
		if last := m.lastText(); last != nil {
			n := 0
			for i, r := range m.items {
				if byText(r, last) <= 0 {
					m.items[i], m.items[n] = m.items[n], r
					n++
				}
			}
			slices.SortFunc(m.items[:n], byAggregateOrder)
			return n
		}
	}
	m.sort()
	return len(m.items)
}

// lastText is an input with the last text that the message of an aggregate of one kind has room for; nil where it has room for all.
func (m *merger) lastText() *item {
	var worst [maxTexts]*item // one of each text
	n := 0
	for _, r := range m.items {
		at, c := n, 1
		for at > 0 {
			if c = byText(r, worst[at-1]); c >= 0 {
				break
			}
			at--
		}
		if at == maxTexts || at > 0 && c == 0 {
			continue
		}
		n = min(n+1, maxTexts)
		copy(worst[at+1:n], worst[at:])
		worst[at] = r
	}
	return worst[maxTexts-1]
}

// describe writes an entry for each input that is not healthy; in an aggregate, for each text, within the budget of its kind.
// The first sorted items are in order.
func (m *merger) describe(sorted int) {
	b := &m.buf
	if !m.grouped {
		if m.o.Entries != nil {
			m.changed(m.o.Entries)
			return
		}
		for _, r := range m.items {
			b.begin(1)
			b.cell(r)
			b.end()
		}
		b.finish("; and ", " more")
		return
	}
	kinds, spaces := m.differ(objectKind), m.differ(objectNamespace)
	texts := map[string]int{} // by kind
	list := m.items[:sorted]
	for len(list) > 0 && (kinds || texts[list[0].Object.Kind] < maxTexts) {
		n := 1
		for n < len(list) && byText(list[0], list[n]) == 0 {
			n++
		}
		kind := list[0].Object.Kind
		if texts[kind]++; texts[kind] > maxTexts {
			b.over += n
		} else {
			b.begin(n)
			b.cell(list[0])
			b.names(list[:n], kinds, spaces)
			b.end()
		}
		list = list[n:]
	}
	b.over += len(list) + len(m.items) - sorted
	b.finish("; and ", " more")
}

// changed writes the entries of a summary as the caller wants them.
func (m *merger) changed(change func([]string) []string) {
	b := &m.buf
	entries := make([]string, len(m.items))
	for i, r := range m.items {
		b.reset()
		b.cell(r)
		entries[i] = string(b.b)
	}
	b.reset()
	for _, entry := range change(entries) {
		b.begin(1)
		b.b = append(b.b, entry...)
		b.end()
	}
	b.finish("; and ", " more")
}

// mirrorNative copies a condition by the native rules, see [Mirror].
func (m *merger) mirrorNative(r *item) Condition {
	target, status := m.target, r.Status()
	if !r.Neutral && target.Polarity != Neutral && r.Negative != (target.Polarity == Negative) {
		status = merge.Opposite(status)
	}
	var c Condition
	reason := m.o.renamed(r.Reason())
	c.Status, c.Reason, c.Message = status, reason, r.Message()
	if target.Polarity.Bad(status) {
		c.Severity = severityOf(r)
	}
	switch i := target.reason(reason, status); {
	case i >= 0:
		c.Reason = target.Reasons[i].Name
	case (target.Imported || len(target.Reasons) == 0) && ValidReason(reason):
	default:
		stock := reasonHealthy
		switch {
		case r.Reason() == ReasonNotReported || r.Reason() == reasonStale:
			stock = r.Reason()
		case status == Unknown:
			stock = reasonUnknown
		case target.Polarity.Bad(status):
			stock = reasonUnhealthy
		}
		c.Reason = fallbackReason(target, status, stock)
		if r.Weight != weightHealthy { // the reason that is not the target's stays in the text
			m.buf.reset()
			m.buf.begin(1)
			m.buf.cell(r)
			m.buf.end()
			m.buf.finish("; and ", " more")
			c.Message = m.buf.text("")
		}
	}
	c.Message = CutMessage(c.Message, MaxMessageBytes)
	return c
}
