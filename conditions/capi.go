// SPDX-License-Identifier: Apache-2.0

package conditions

import "strings"

// finishCAPI merges what was added by the rules of Cluster API v1beta1: conditions fall into groups of equal status
// (turned to positive polarity) and severity; the best ranked group decides. See MergeOptions.Exact for the rank of Unknown.
func (m *merger) finishCAPI() (Merged, bool) {
	if !m.reported {
		return Merged{}, false
	}
	o, top := m.o, &m.top
	if !m.decided { // nothing but healthy ones
		return Merged{Condition: newCondition(&o.Target, weightHealthy, "")}, true
	}
	var out Merged
	c := &out.Condition
	c.Type = o.Target.Name
	c.Status = Unknown
	if s := top.status(); s == True || s == False {
		c.Status = s
	}
	if top.status() != True {
		if top.status() == False {
			c.Severity = top.severity()
		}
		c.Reason = top.reason()
		if o.SourceRef {
			c.Reason = sourceRef(top, o)
		}
		if o.Counter {
			total := o.Total
			if total == 0 {
				total = m.offered
			}
			m.buf.reset()
			m.buf.counter(m.completed, total)
			c.Message = m.buf.text(o.stored)
		} else {
			c.Message = top.message()
			if !o.Exact {
				c.Message = CutMessage(c.Message, MaxMessageBytesCAPI)
			}
		}
	}
	if o.Target.Polarity == Negative {
		c.Status = opposite(c.Status)
	}
	if m.causes && top.status() != True {
		m.sort()
		out.Causes = causesOf(m.rated)
	}
	return out, true
}

// before reports whether a decides rather than b. Within the deciding group a summary takes the first in declared order,
// an aggregate the first by type and name.
func before(a, b *rated, exact, grouped bool) bool {
	if x, y := rankCAPI(a, exact), rankCAPI(b, exact); x != y {
		return x < y
	}
	if x, y := a.severity(), b.severity(); x != y {
		return x < y
	}
	switch {
	case !grouped && a.index != b.index:
		return a.index < b.index
	case grouped && a.in.Type != b.in.Type:
		return a.in.Type < b.in.Type
	case grouped && a.name != b.name:
		return a.name < b.name
	}
	return byContent(a, b) < 0
}

// rateCAPI is rate, with the status turned to positive polarity. Exact takes everything as it is. Missing conditions are
// skipped by default.
func (r *rated) rateCAPI(o *MergeOptions) bool {
	if !o.Exact || r.condition == nil {
		missing := o.Missing
		if missing == "" {
			missing = MissingSkip
		}
		counts := r.rate(missing)
		r.view |= viewCAPI
		if r.weight == weightUnhealthy {
			r.rank = severityRank(r.severity())
		}
		return counts
	}
	r.view, r.weight = viewCAPI|viewExact, weightUnknown
	switch r.status() {
	case True:
		r.weight = weightHealthy
	case False:
		r.weight = weightUnhealthy
	}
	r.rank = severityRank(r.severity())
	return r.in.Polarity != Neutral
}

func rankCAPI(r *rated, exact bool) int {
	switch r.status() {
	case False:
		switch r.severity() {
		case SeverityError:
			return 0
		case SeverityWarning:
			return 1
		case SeverityInfo:
			return 2
		}
		return 99
	case True:
		if exact {
			return 3
		}
		return 5
	case Unknown:
		return 4
	}
	return 99
}

// sourceRef is "Reason @ Kind/name", once: a reason that carries a reference keeps it.
func sourceRef(r *rated, o *MergeOptions) string {
	if strings.Contains(r.reason(), "@") {
		return r.reason()
	}
	ref := r.object()
	if ref == (Ref{}) {
		ref = o.Object
	}
	return r.reason() + " @ " + ref.Kind + "/" + ref.Name
}

// mirrorCAPI copies status, severity, reason and message; a missing condition gives none.
func mirrorCAPI(in *Input, o *MergeOptions) (Merged, bool) {
	if in.Condition == nil {
		return Merged{}, false
	}
	var out Merged
	c := &out.Condition
	if o.Exact {
		*c = *in.Condition // with its time and severity, whatever it says
		c.Type = o.Target.Name
		return out, true
	}
	forced := *in
	if forced.Polarity == Neutral {
		forced.Polarity = Positive
	}
	r := unrated(&forced)
	r.rateCAPI(o)
	c.Type, c.Status, c.Reason = o.Target.Name, r.status(), r.reason()
	c.Message = CutMessage(r.message(), MaxMessageBytesCAPI)
	if in.Polarity != Neutral {
		c.Severity = r.severity()
		if o.Target.Polarity == Negative {
			c.Status = opposite(c.Status)
		}
	}
	if o.SourceRef && r.weight != weightHealthy {
		c.Reason = sourceRef(&r, o)
	}
	if r.weight != weightHealthy && in.Polarity != Neutral {
		r.in = in
		out.Causes = causesOf([]*rated{&r})
	}
	return out, true
}
