// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"slices"
)

// weight is how much an input matters: the heavier, the smaller.
type weight uint8

const (
	weightUnhealthy weight = iota
	weightUnknown
	weightHealthy
)

// rated is an input that counts, as a merge sees it.
type rated struct {
	in       *Input
	weight   weight
	status   Status // True, False or Unknown
	severity Severity
	reason   string
	message  string
	index    int // position in the declared order; of equal weight the smaller one comes first
}

// merger merges inputs one after another. It keeps its memory, so that a pass can merge without allocating; of inputs that
// are healthy it keeps nothing but their number.
type merger struct {
	o               *MergeOptions
	grouped, causes bool

	rated     []rated // the inputs that are not healthy
	offered   int     // inputs
	counted   int     // inputs that count
	completed int     // inputs that are healthy
	reported  bool    // one of the inputs that count exists
	decided   bool    // top is set
	top       rated   // the one that decides in profile capi-v1beta1
	buf       textBuffer
}

// merge merges a list of inputs.
func (m *merger) merge(in []Input, o *MergeOptions, grouped, causes bool) (Merged, bool) {
	m.start(o, grouped, causes)
	for i := range in {
		m.add(&in[i])
	}
	return m.finish()
}

// start forgets earlier inputs. A grouped merge is one over many objects, whose order does not matter.
func (m *merger) start(o *MergeOptions, grouped, causes bool) {
	m.o, m.grouped, m.causes = o, grouped, causes
	m.rated = m.rated[:0]
	m.offered, m.counted, m.completed, m.reported, m.decided = 0, 0, 0, false, false
}

// add takes an input in, and tells whether it is kept until finish.
func (m *merger) add(in *Input) bool {
	if !m.o.Exact && in.Condition != nil && !in.Stale && fine(in.Condition.Status, in.Polarity) {
		m.addHealthy(1)
		return false
	}
	m.offered++
	var r rated
	var counts bool
	capi := m.o.Profile == ProfileCAPIv1beta1
	if capi {
		r, counts = rateCAPI(in, m.o)
	} else {
		r, counts = rate(in, m.o.Missing)
	}
	if !counts {
		return false
	}
	m.counted++
	r.index = m.offered
	m.reported = m.reported || in.Condition != nil
	if r.weight == weightHealthy && r.severity == SeverityNone {
		m.completed++
	}
	decides := capi && (!m.decided || before(&r, &m.top, m.o.Exact, m.grouped))
	if decides {
		m.top, m.decided = r, true
	}
	if r.weight == weightHealthy || capi && !m.causes {
		return decides
	}
	m.rated = append(m.rated, r)
	return true
}

// addHealthy takes in inputs of which nothing needs to be known but that they are healthy.
func (m *merger) addHealthy(n int) {
	m.offered += n
	m.counted += n
	m.completed += n
	m.reported = m.reported || n > 0
}

// finish gives the result.
func (m *merger) finish() (Merged, bool) {
	if m.o.Profile == ProfileCAPIv1beta1 {
		return m.finishCAPI()
	}
	return m.finishNative()
}

// rate tells how an input counts in every profile that is not exact. It reports false for one that does not count.
func rate(in *Input, missing Missing) (rated, bool) {
	r := rated{in: in, weight: weightUnknown, status: Unknown}
	if in.Polarity == Neutral {
		return r, false
	}
	c := in.Condition
	switch {
	case c == nil:
		if in.Optional || missing == MissingSkip {
			return r, false
		}
		r.reason, r.message = ReasonNotReported, "not reported"
		return r, true
	case in.Stale:
		r.reason, r.message = ReasonStale, "observed at an older generation"
		return r, true
	}
	r.reason, r.message = c.Reason, c.Message
	switch c.Status {
	case True, False:
		r.status = c.Status
		if unhealthy(c.Status, in.Polarity) {
			r.weight, r.severity = weightUnhealthy, cmp.Or(c.Severity, in.Severity)
		} else {
			r.weight = weightHealthy
		}
	}
	return r, true
}

// unhealthy tells whether the status is the bad one for the polarity. Unknown is never unhealthy.
func unhealthy(s Status, p Polarity) bool {
	switch p {
	case Negative:
		return s == True
	case Neutral:
		return false
	}
	return s == False
}

// fine tells whether the status is the good one for the polarity.
func fine(s Status, p Polarity) bool {
	switch p {
	case Negative:
		return s == False
	case Neutral:
		return false
	}
	return s == True
}

// statusOf gives the status of a weight for a polarity.
func statusOf(w weight, p Polarity) Status {
	switch {
	case w == weightUnknown:
		return Unknown
	case (w == weightUnhealthy) == (p == Negative):
		return True
	}
	return False
}

// severityRank orders severities, worst first. An unhealthy condition whose severity nobody declared counts as an Error.
func severityRank(s Severity) int {
	switch s {
	case SeverityWarning:
		return 1
	case SeverityInfo:
		return 2
	}
	return 0
}

// sort brings the rated inputs into a total order that ends at namespace, name and content: worst first. In a summary
// the declared order comes before names.
func (m *merger) sort() {
	order := bySummaryOrder
	if m.grouped {
		order = byAggregateOrder
	}
	slices.SortFunc(m.rated, order)
}

func bySummaryOrder(a, b rated) int {
	return cmp.Or(byWeight(&a, &b), cmp.Compare(a.index, b.index), byContent(&a, &b))
}

func byAggregateOrder(a, b rated) int {
	return cmp.Or(byWeight(&a, &b), byContent(&a, &b))
}

func byWeight(a, b *rated) int {
	return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(severityRank(a.severity), severityRank(b.severity)))
}

func byContent(a, b *rated) int {
	if c := cmp.Compare(a.in.Type, b.in.Type); c != 0 {
		return c
	}
	if c := compareRefs(&a.in.Object, &b.in.Object); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.reason, b.reason), cmp.Compare(a.message, b.message), cmp.Compare(a.status, b.status))
}

// compareRefs orders by kind, group, namespace, name.
func compareRefs(a, b *Ref) int {
	return cmp.Or(
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Group, b.Group),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// causesOf lists the causes of the inputs that are not healthy, in the order of the list, each once.
func causesOf(list []rated) []Cause {
	var out []Cause
	for i := range list {
		r := &list[i]
		switch {
		case r.weight == weightHealthy:
		case len(r.in.Causes) > 0 && !r.in.Stale:
			for _, c := range r.in.Causes {
				out = appendCause(out, c)
			}
		default:
			out = appendCause(out, Cause{
				Object: r.in.Object, Type: r.in.Type, Status: r.status,
				Severity: r.severity, Reason: r.reason, Message: r.message,
			})
		}
	}
	return out
}

// appendCause leaves out what stands there already. Beyond a hundred causes the search would cost more than a repeated
// entry does.
func appendCause(list []Cause, c Cause) []Cause {
	if len(list) <= 100 && slices.Contains(list, c) {
		return list
	}
	return append(list, c)
}
