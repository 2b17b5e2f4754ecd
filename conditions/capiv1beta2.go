// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"slices"
)

// Words of Cluster API v1beta2 (proposal 20240916). The reasons of a merge can be replaced by those that the target declares.
const (
	reasonIssues         = "IssuesReported"
	reasonUnknowns       = "UnknownReported"
	reasonInfos          = "InfoReported"
	reasonNotYetReported = "NotYetReported"
)

// finishCAPIv1beta2 merges what was added by the rules of Cluster API v1beta2: any issue makes the result unhealthy, else any
// Unknown makes it Unknown; the message lists what there is to say, line by line.
func (m *merger) finishCAPIv1beta2() (Merged, bool) {
	if m.counted == 0 {
		return Merged{}, false
	}
	o := m.o
	m.sortCAPIv1beta2()
	worst := weightHealthy
	for _, r := range m.rated {
		worst = min(worst, r.weight)
	}
	stock := reasonInfos
	switch worst {
	case weightUnhealthy:
		stock = reasonIssues
	case weightUnknown:
		stock = reasonUnknowns
	}
	reason := fallbackReason(&o.Target, statusOf(worst, o.Target.Polarity), stock)
	out := Merged{Condition: newCondition(&o.Target, worst, reason)}
	l := &m.lines
	l.reset()
	if m.grouped {
		l.aggregate(m.rated, o.Exact)
	} else {
		l.summary(m.rated, out.Condition.Status == True)
		if o.Entries != nil {
			l.change(o.Entries)
		}
	}
	out.Condition.Message = l.text(o.Exact, o.stored)
	if m.causes {
		bad := slices.DeleteFunc(slices.Clone(m.rated), func(r *rated) bool { return r.weight == weightHealthy })
		slices.SortStableFunc(bad, func(a, b *rated) int { return cmp.Compare(a.weight, b.weight) })
		if len(bad) > 0 {
			out.Causes = causesOf(bad)
		}
	}
	return out, true
}

// sortCAPIv1beta2 sorts a summary by the declared order of the types, and everything by transition time, what was never
// reported first. Of equal times upstream keeps the order of the inputs; a result that is not exact does not depend on it.
func (m *merger) sortCAPIv1beta2() {
	if !m.grouped {
		for i := range m.rated { // a repeated type has the place of its first one
			for j := range m.rated[:i] {
				if m.rated[j].in.Type == m.rated[i].in.Type {
					m.rated[i].index = m.rated[j].index
					break
				}
			}
		}
	}
	slices.SortStableFunc(m.rated, func(a, b *rated) int {
		if !m.grouped && a.index != b.index {
			return cmp.Compare(a.index, b.index)
		}
		if c := timeOf(a).Compare(timeOf(b)); c != 0 || m.o.Exact {
			return c
		}
		return byContent(a, b)
	})
}

// mirrorCAPIv1beta2 copies status, reason and message. A missing condition is Unknown, unless it is optional or skipped; a
// fall-back is for the caller to offer in its place.
func mirrorCAPIv1beta2(in *Input, o *MergeOptions) (Merged, bool) {
	forced := *in
	if forced.Polarity == Neutral {
		forced.Polarity = Positive
	}
	r := unrated(&forced)
	if !r.rate(o.Missing) {
		return Merged{}, false
	}
	var out Merged
	c := &out.Condition
	c.Type, c.Status, c.Reason, c.Message = o.Target.Name, r.status(), reasonCAPIv1beta2(&r), messageCAPIv1beta2(&r, true)
	switch {
	case o.Exact && in.Condition != nil: // with its time, whatever it says
		c.Status, c.LastTransitionTime = in.Condition.Status, in.Condition.LastTransitionTime
	case !o.Exact:
		c.Message = CutMessage(c.Message, MaxMessageBytes)
		if in.Polarity != Neutral && (in.Polarity == Negative) != (o.Target.Polarity == Negative) {
			c.Status = opposite(c.Status)
		}
	}
	if r.weight != weightHealthy && in.Polarity != Neutral {
		r.in = in
		out.Causes = causesOf([]*rated{&r})
	}
	return out, true
}

func reasonCAPIv1beta2(r *rated) string {
	if r.view&viewMissing != 0 {
		return reasonNotYetReported
	}
	return r.reason()
}

// messageCAPIv1beta2 is what is said about an input; named says that the reader does not see the type.
func messageCAPIv1beta2(r *rated, named bool) string {
	switch {
	case r.view&viewMissing == 0:
		return r.message()
	case named:
		return "Condition " + r.in.Type + " not yet reported"
	}
	return "Condition not yet reported"
}
