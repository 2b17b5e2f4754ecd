// SPDX-License-Identifier: Apache-2.0

package conditions

// MaxNames is the number of objects that a message names for one text; the others are counted.
const MaxNames = 3

// finishNative merges what was added by the native rules, see [Summarize].
func (m *merger) finishNative() (Merged, bool) {
	o := m.o
	if m.counted == 0 {
		return Merged{}, false
	}
	if len(m.rated) == 0 {
		reason := fallbackReason(&o.Target, statusOf(weightHealthy, o.Target.Polarity), ReasonHealthy)
		return Merged{Condition: newCondition(&o.Target, weightHealthy, reason)}, true
	}
	m.sort()
	deciding := m.rated
	for i := range deciding {
		if deciding[i].weight != deciding[0].weight {
			deciding = deciding[:i]
			break
		}
	}
	out := Merged{Condition: newCondition(&o.Target, deciding[0].weight, mergedReason(deciding, &o.Target))}
	out.Condition.Severity = deciding[0].severity()
	m.buf.reset()
	if o.Counter {
		total := o.Total
		if total == 0 {
			total = m.counted
		}
		m.buf.counter(m.completed, total)
	} else {
		m.describe()
	}
	out.Condition.Message = m.buf.text(o.stored)
	if m.causes {
		out.Causes = causesOf(m.rated)
	}
	return out, true
}

func newCondition(target *Type, w weight, reason string) Condition {
	var c Condition
	c.Type, c.Status, c.Reason = target.Name, statusOf(w, target.Polarity), reason
	return c
}

// mergedReason picks the reason of a result from the inputs that decided it.
func mergedReason(deciding []rated, target *Type) string {
	status := statusOf(deciding[0].weight, target.Polarity)
	stock := deciding[0].reason()
	one := true
	for i := range deciding {
		if deciding[i].reason() != stock {
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
			if r.named(deciding[j].reason()) {
				return r.Name
			}
		}
	}
	switch {
	case one && (stock == ReasonNotReported || stock == ReasonStale):
	case deciding[0].weight == weightUnknown:
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

// describe writes an entry for each input that is not healthy; in an aggregate, for each text.
func (m *merger) describe() {
	b := &m.buf
	if !m.grouped {
		for i := range m.rated {
			b.begin()
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
	for i := 0; i < len(m.rated); {
		j := i + 1
		for j < len(m.rated) && sameText(&m.rated[i], &m.rated[j]) {
			j++
		}
		b.begin()
		b.cell(&m.rated[i])
		b.names(m.rated[i:j], kinds, spaces)
		b.end()
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
	c.Type, c.Status, c.Reason, c.Message = target.Name, status, r.reason(), r.message()
	if unhealthy(status, target.Polarity) {
		c.Severity = r.severity()
	}
	switch i := target.reason(r.reason(), status); {
	case i >= 0:
		c.Reason = target.Reasons[i].Name
	case target.Imported && ValidReason(r.reason()):
	case len(target.Reasons) == 0 && ValidReason(r.reason()):
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
			b.begin()
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
