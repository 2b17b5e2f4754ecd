// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Limits of the message of an aggregate, so that a person can read it; the rest is counted.
const (
	maxNames = 3  // objects named for one text
	maxTexts = 10 // texts of one kind, worst first
)

// finishNative merges the inputs by the native rules, see Summarize of package rollup.
func (m *Merger) finishNative() (Outcome, bool) {
	o, target := m.o, m.target
	if m.counted == 0 {
		return Outcome{}, false
	}
	worst := Healthy
	sorted := m.sortNative()
	if len(m.items) > 0 {
		worst = m.items[0].Weight
	}
	decided := m.quorum(worst)
	reason := target.Fallback(StatusOf(decided, target.Negative), ReasonHealthy)
	if decided != Healthy {
		reason = m.mergedReason(decided)
	}
	out := newOutcome(target, decided, reason)
	m.buf.Reset()
	switch {
	case decided == Healthy && len(m.items) == 0:
		return out, true
	case decided == Healthy, o.Counter, len(m.items) == 0:
		total := o.Total
		if total == 0 {
			total = max(m.counted, o.AtLeast)
		}
		m.buf.counter(m.completed, total)
		if decided != Healthy && len(m.items) > 0 { // what is wrong survives the count
			m.buf.lead()
			m.describe(sorted)
		}
	default:
		m.describe(sorted)
	}
	out.Condition.Message = m.buf.Text(o.Stored)
	if decided == Unhealthy && len(m.items) > 0 {
		out.Severity = severityOf(m.items[0])
	}
	if m.causes && decided != Healthy {
		m.behind = m.items
	}
	return out, true
}

func newOutcome(target *Target, w Weight, reason string) Outcome {
	var out Outcome
	out.Condition.Type, out.Condition.Status, out.Condition.Reason = target.Name, StatusOf(w, target.Negative), reason
	return out
}

// quorum is the weight of a result whose worst input has a weight.
func (m *Merger) quorum(worst Weight) Weight {
	need := m.o.AtLeast
	if m.o.AtMost > 0 {
		need = max(need, m.counted-m.o.AtMost)
	}
	if need <= 0 {
		return worst
	}
	unhealthy := 0
	for _, r := range m.items {
		if r.Weight == Unhealthy {
			unhealthy++
		}
	}
	switch {
	case m.completed >= need:
		return Healthy
	case m.counted-unhealthy >= need:
		return Unknown
	}
	return Unhealthy
}

// mergedReason picks the reason of a result from the inputs that decided it: those that have its weight, or all that are not
// healthy where none has.
func (m *Merger) mergedReason(decided Weight) string {
	o, target := m.o, m.target
	status := StatusOf(decided, target.Negative)
	all := !slices.ContainsFunc(m.items, func(r *Item) bool { return r.Weight == decided })
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
		if name, ok := target.declared(stock, status); ok {
			return name
		}
		if target.Imported && ValidReason(stock) {
			return stock
		}
	}
	for i := range target.Cells.Len() {
		name, aliases, of := target.Cells.Cell(i)
		if of != status {
			continue
		}
		for _, d := range m.items {
			if (all || d.Weight == decided) && named(name, aliases, o.renamed(d.Reason())) {
				return name
			}
		}
	}
	switch {
	case one && (stock == ReasonNotReported || stock == ReasonStale):
	case decided == Unknown:
		stock = ReasonUnknown
	default:
		stock = ReasonUnhealthy
	}
	return target.Fallback(status, stock)
}

// differ reports whether the items disagree on part.
func (m *Merger) differ(part func(*Object) string) bool {
	for _, r := range m.items {
		if r.Source != m.items[0].Source && part(&r.Object) != part(&m.items[0].Object) {
			return true
		}
	}
	return false
}

func objectKind(o *Object) string      { return o.Kind }
func objectNamespace(o *Object) string { return o.Namespace }

// sortNative sorts as many items as a result needs, and returns their number: in an aggregate of one kind without causes, those with
// one of the worst texts, for which the message has room.
func (m *Merger) sortNative() int {
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
func (m *Merger) lastText() *Item {
	var worst [maxTexts]*Item // one of each text
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
func (m *Merger) describe(sorted int) {
	b := &m.buf
	if !m.grouped {
		for _, r := range m.items {
			b.Begin(1)
			b.cell(r)
			b.End()
		}
		b.Finish("; and ", " more")
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
			b.Begin(n)
			b.cell(list[0])
			b.names(list[:n], kinds, spaces)
			b.End()
		}
		list = list[n:]
	}
	b.over += len(list) + len(m.items) - sorted
	b.Finish("; and ", " more")
}

// mirrorNative copies a condition by the native rules.
func (m *Merger) mirrorNative(r *Item) Outcome {
	target, status := m.target, r.Status()
	if !r.Neutral && !target.Neutral && r.Negative != target.Negative {
		status = Opposite(status)
	}
	var out Outcome
	c := &out.Condition
	reason := m.o.renamed(r.Reason())
	c.Status, c.Reason, c.Message = status, reason, r.Message()
	bad := !target.Neutral && status == StatusOf(Unhealthy, target.Negative)
	if bad {
		out.Severity = severityOf(r)
	}
	switch name, ok := target.declared(reason, status); {
	case ok:
		c.Reason = name
	case (target.Imported || target.Cells.Len() == 0) && ValidReason(reason):
	default:
		stock := ReasonHealthy
		switch {
		case r.Reason() == ReasonNotReported || r.Reason() == ReasonStale:
			stock = r.Reason()
		case status == metav1.ConditionUnknown:
			stock = ReasonUnknown
		case bad:
			stock = ReasonUnhealthy
		}
		c.Reason = target.Fallback(status, stock)
		if r.Weight != Healthy { // the reason that is not the target's stays in the text
			m.buf.Reset()
			m.buf.Begin(1)
			m.buf.cell(r)
			m.buf.End()
			m.buf.Finish("; and ", " more")
			c.Message = m.buf.Text("")
		}
	}
	c.Message = Cut(c.Message, MaxMessage)
	return out
}
