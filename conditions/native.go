// SPDX-License-Identifier: Apache-2.0

package conditions

// What the message of an aggregate has room for, so that a person can read it; the rest is counted.
const (
	MaxNames = 3  // objects named for one text
	MaxTexts = 10 // texts of one kind, worst first
)

// finishNative merges what was added by the native rules, see [Summarize].
func (m *merger) finishNative() (Merged, bool) {
	o := m.o
	if m.counted == 0 {
		return Merged{}, false
	}
	worst := weightHealthy
	if len(m.rated) > 0 {
		m.sort()
		worst = m.rated[0].weight
	}
	decided := m.quorum(worst)
	reason := fallbackReason(&o.Target, statusOf(decided, o.Target.Polarity), ReasonHealthy)
	deciding := m.deciding(decided)
	if decided != weightHealthy {
		reason = mergedReason(deciding, decided, o)
	}
	out := Merged{Condition: newCondition(&o.Target, decided, reason)}
	m.buf.reset()
	switch {
	case decided == weightHealthy && len(m.rated) == 0:
		return out, true
	case decided == weightHealthy, o.Counter, len(m.rated) == 0:
		total := o.Total
		if total == 0 {
			total = max(m.counted, o.AtLeast)
		}
		m.buf.counter(m.completed, total)
	default:
		m.describe()
	}
	out.Condition.Message = m.buf.text(o.stored)
	if decided == weightUnhealthy && len(deciding) > 0 {
		out.Condition.Severity = deciding[0].severity()
	}
	if m.causes && decided != weightHealthy {
		out.Causes = causesOf(m.rated)
	}
	return out, true
}

// deciding are the inputs that have the weight of the result; all that are not healthy where none has.
func (m *merger) deciding(decided weight) []rated {
	first, last := -1, 0
	for i := range m.rated {
		if m.rated[i].weight == decided {
			if first < 0 {
				first = i
			}
			last = i + 1
		}
	}
	if first < 0 {
		return m.rated
	}
	return m.rated[first:last]
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
	for i := range m.rated {
		if m.rated[i].weight == weightUnhealthy {
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

// mergedReason picks the reason of a result from the inputs that decided it.
func mergedReason(deciding []rated, decided weight, o *MergeOptions) string {
	target := &o.Target
	status := statusOf(decided, target.Polarity)
	one, stock := len(deciding) > 0, ""
	if one {
		stock = o.renamed(deciding[0].reason())
	}
	for i := range deciding {
		if o.renamed(deciding[i].reason()) != stock {
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
		for j := range deciding {
			if r.named(o.renamed(deciding[j].reason())) {
				return r.Name
			}
		}
	}
	switch {
	case one && (stock == ReasonNotReported || stock == ReasonStale):
	case decided == weightUnknown:
		stock = ReasonUnknown
	default:
		stock = ReasonUnhealthy
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

// describe writes an entry for each input that is not healthy; in an aggregate, for each text, within the budget of its kind.
func (m *merger) describe() {
	b := &m.buf
	if !m.grouped {
		for i := range m.rated {
			b.begin(1)
			b.cell(&m.rated[i])
			b.end()
		}
		b.finish("; and ", " more")
		return
	}
	kinds, spaces := false, false
	one := &m.rated[0].in.Object
	for i := range m.rated {
		other := &m.rated[i].in.Object
		kinds = kinds || other.Kind != one.Kind
		spaces = spaces || other.Namespace != one.Namespace
	}
	texts := map[string]int{} // by kind
	for i := 0; i < len(m.rated); {
		j := i + 1
		for j < len(m.rated) && sameText(&m.rated[i], &m.rated[j]) {
			j++
		}
		kind := m.rated[i].in.Object.Kind
		if texts[kind]++; texts[kind] > MaxTexts {
			b.over += j - i
		} else {
			b.begin(j - i)
			b.cell(&m.rated[i])
			b.names(m.rated[i:j], kinds, spaces)
			b.end()
		}
		i = j
	}
	b.finish("; and ", " more")
}

// mirrorNative copies a condition by the native rules, see [Mirror].
func mirrorNative(in *Input, o *MergeOptions) (Merged, bool) {
	forced := *in
	if forced.Polarity == Neutral {
		forced.Polarity = Positive // a neutral condition is copied, though it never counts
	}
	r, counts := rate(&forced, o.Missing)
	if !counts {
		return Merged{}, false
	}
	target := &o.Target
	status := r.status()
	if (in.Polarity == Negative) != (target.Polarity == Negative) && in.Polarity != Neutral && target.Polarity != Neutral {
		status = opposite(status)
	}
	var c Condition
	reason := o.renamed(r.reason())
	c.Type, c.Status, c.Reason, c.Message = target.Name, status, reason, r.message()
	if unhealthy(status, target.Polarity) {
		c.Severity = r.severity()
	}
	switch i := target.reason(reason, status); {
	case i >= 0:
		c.Reason = target.Reasons[i].Name
	case (target.Imported || len(target.Reasons) == 0) && ValidReason(reason):
	default:
		stock := ReasonHealthy
		switch {
		case r.reason() == ReasonNotReported || r.reason() == ReasonStale:
			stock = r.reason()
		case status == Unknown:
			stock = ReasonUnknown
		case unhealthy(status, target.Polarity):
			stock = ReasonUnhealthy
		}
		c.Reason = fallbackReason(target, status, stock)
		if r.weight != weightHealthy {
			var b textBuffer // the reason that is not the target's stays in the text
			b.begin(1)
			b.cell(&r)
			b.end()
			b.finish("; and ", " more")
			c.Message = b.text("")
		}
	}
	c.Message = CutMessage(c.Message, MaxMessageBytes)
	out := Merged{Condition: c}
	if r.weight != weightHealthy && in.Polarity != Neutral {
		r.in = in
		out.Causes = causesOf([]rated{r})
	}
	return out, true
}

func opposite(s Status) Status {
	switch s {
	case True:
		return False
	case False:
		return True
	}
	return s
}
