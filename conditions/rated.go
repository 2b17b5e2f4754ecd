// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"slices"
	"strings"
)

// weight is how much an input matters: the heavier, the smaller.
type weight uint8

const (
	weightUnhealthy weight = iota
	weightUnknown
	weightHealthy
)

// view says how a merge looks at an input.
type view uint8

const (
	viewMissing view = 1 << iota // there is no condition
	viewStale                    // there is one that does not count any more
	viewCAPI                     // the status is turned to positive polarity, and an unhealthy one has a severity
	viewExact                    // everything is taken as it is
)

// rated is an input that counts, as a merge sees it. It is small, because a fleet has many of them: what the inputs of a fleet
// have in common is kept once.
type rated struct {
	in        *Input // all but the name of its object and its condition, which are those of the input that it was first seen with
	name      string
	condition *Condition
	index     int32 // position in the declared order; of equal weight the smaller one comes first
	weight    weight
	rank      uint8 // of the severity
	view      view
}

// unrated is an input of which nothing is known yet.
func unrated(in *Input) rated { return rated{in: in, name: in.Object.Name, condition: in.Condition} }

// rate tells how an input counts in every profile that is not exact. It reports false for one that does not count.
func (r *rated) rate(missing Missing) bool {
	in, c := r.in, r.condition
	r.weight = weightUnknown
	switch {
	case in.Polarity == Neutral:
		return false
	case c == nil && (in.Optional || missing == MissingSkip):
		return false
	case c == nil:
		r.view = viewMissing
	case in.Stale:
		r.view = viewStale
	case fine(c.Status, in.Polarity):
		r.weight = weightHealthy
	case unhealthy(c.Status, in.Polarity):
		r.weight = weightUnhealthy
		r.rank = severityRank(r.severity())
	}
	return true
}

// object is the one whose condition it is.
func (r *rated) object() Ref {
	o := r.in.Object
	o.Name = r.name
	return o
}

// status is True, False or Unknown; with viewExact anything.
func (r *rated) status() Status {
	if r.weight == weightUnknown && r.view&viewExact == 0 {
		return Unknown
	}
	if s := r.condition.Status; r.view&viewCAPI == 0 || r.in.Polarity != Negative {
		return s
	}
	return opposite(r.condition.Status)
}

// severity is that of an unhealthy input; with viewExact of any.
func (r *rated) severity() Severity {
	switch {
	case r.view&viewExact != 0:
		return r.condition.Severity
	case r.weight != weightUnhealthy:
		return SeverityNone
	}
	s := cmp.Or(r.condition.Severity, r.in.Severity)
	if r.view&viewCAPI != 0 && s != SeverityWarning && s != SeverityInfo {
		return SeverityError // nobody said that it may be less
	}
	return s
}

func (r *rated) reason() string {
	switch {
	case r.view&viewMissing != 0:
		return ReasonNotReported
	case r.view&viewStale != 0:
		return ReasonStale
	}
	return r.condition.Reason
}

func (r *rated) message() string {
	switch {
	case r.view&viewMissing != 0:
		return "not reported"
	case r.view&viewStale != 0:
		return "observed at an older generation"
	}
	return r.condition.Message
}

// severityRank orders severities, worst first. An unhealthy condition whose severity nobody declared counts as an Error.
func severityRank(s Severity) uint8 {
	switch s {
	case SeverityWarning:
		return 1
	case SeverityInfo:
		return 2
	}
	return 0
}

// sort brings the rated inputs into a total order that ends at namespace, name and content: worst first. In a summary the
// declared order decides between equals, in an aggregate equal texts stand together.
func (m *merger) sort() {
	switch {
	case !m.grouped:
		slices.SortFunc(m.rated, bySummaryOrder)
	case len(m.rated) > fewRated:
		m.sortFleet()
	default:
		slices.SortFunc(m.rated, byAggregateOrder)
	}
}

func bySummaryOrder(a, b *rated) int {
	if c := byWeight(a, b); c != 0 {
		return c
	}
	if c := cmp.Compare(a.index, b.index); c != 0 {
		return c
	}
	return byContent(a, b)
}

func byAggregateOrder(a, b *rated) int {
	if c := byText(a, b); c != 0 {
		return c
	}
	if c := byObject(a, b); c != 0 {
		return c
	}
	return byRest(a, b)
}

func byWeight(a, b *rated) int {
	return cmp.Compare(int(a.weight)<<8|int(a.rank), int(b.weight)<<8|int(b.rank))
}

// byText orders by weight and by what a message says about the input, but for its name.
func byText(a, b *rated) int {
	if c := byWeight(a, b); c != 0 {
		return c
	}
	if a.in != b.in && a.in.Type != b.in.Type {
		return strings.Compare(a.in.Type, b.in.Type)
	}
	if x, y := a.reason(), b.reason(); x != y {
		return strings.Compare(x, y)
	}
	return strings.Compare(a.message(), b.message())
}

// byContent orders inputs of equal weight.
func byContent(a, b *rated) int {
	if c := strings.Compare(a.in.Type, b.in.Type); c != 0 {
		return c
	}
	if c := byObject(a, b); c != 0 {
		return c
	}
	if c := strings.Compare(a.reason(), b.reason()); c != 0 {
		return c
	}
	if c := strings.Compare(a.message(), b.message()); c != 0 {
		return c
	}
	return byRest(a, b)
}

// byRest orders inputs with the same object, type, reason and message: an object may be given twice. It ends with everything that
// a result can hold.
func byRest(a, b *rated) int {
	return cmp.Or(
		strings.Compare(string(a.status()), string(b.status())),
		strings.Compare(string(a.severity()), string(b.severity())),
		slices.CompareFunc(a.in.Causes, b.in.Causes, compareCauses))
}

// byObject orders by kind, group, namespace, name.
func byObject(a, b *rated) int {
	if a.in != b.in {
		x, y := a.object(), b.object()
		return compareRefs(&x, &y)
	}
	return strings.Compare(a.name, b.name)
}

// compareRefs orders by kind, group, namespace, name.
func compareRefs(a, b *Ref) int {
	for _, pair := range [...][2]string{{a.Kind, b.Kind}, {a.Group, b.Group}, {a.Namespace, b.Namespace}, {a.Name, b.Name}} {
		if c := strings.Compare(pair[0], pair[1]); c != 0 {
			return c
		}
	}
	return 0
}

// causesOf lists the causes of the inputs that are not healthy, in the order of the list.
func causesOf(list []*rated) []Cause {
	out := make([]Cause, 0, len(list))
	for _, r := range list {
		if len(r.in.Causes) == 0 || r.in.Stale {
			out = append(out, Cause{}) // filled in place: causes are large
			c := &out[len(out)-1]
			c.Object, c.Type = r.in.Object, r.in.Type
			c.Object.Name = r.name
			c.Status, c.Severity, c.Reason, c.Message = r.status(), r.severity(), r.reason(), r.message()
			continue
		}
		for _, c := range r.in.Causes {
			if !slices.Contains(out[:min(len(out), 100)], c) { // two roads may lead to one cause
				out = append(out, c)
			}
		}
	}
	return out
}
