// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// weight says how much an input matters: the heavier, the smaller.
type weight = merge.Weight

const (
	weightUnhealthy = merge.Unhealthy
	weightUnknown   = merge.Unknown
	weightHealthy   = merge.Healthy
)

// mergeItem is an input of a merge that is more than counted. It is small, because a fleet has many of them: the fields that the inputs of a
// fleet have in common are kept once.
type mergeItem struct {
	in        *Input // all but the name of its object and its condition, which are those of the input that it was first seen with
	name      string
	condition *Condition
	index     int32 // position in the declared order; of equal weight the smaller one comes first
	weight    weight
	rank      uint8 // of the severity
}

// newMergeItem wraps an input that has not been classified.
func newMergeItem(in *Input) mergeItem {
	return mergeItem{in: in, name: in.Object.Name, condition: in.Condition}
}

// classify sets the weight of an item. It reports false for one that does not count.
func (r *mergeItem) classify(missing Missing) bool {
	in, c := r.in, r.condition
	r.weight = weightUnknown
	switch {
	case in.Polarity == Neutral:
		return false
	case c == nil && (in.Optional || missing == MissingSkip):
		return false
	case c == nil, in.Stale:
	case fine(c.Status, in.Polarity):
		r.weight = weightHealthy
	case unhealthy(c.Status, in.Polarity):
		r.weight = weightUnhealthy
		r.rank = severityRank(r.severity())
	}
	return true
}

// object is the one that has the condition.
func (r *mergeItem) object() Ref {
	o := r.in.Object
	o.Name = r.name
	return o
}

// status is True, False or Unknown.
func (r *mergeItem) status() Status {
	if r.weight == weightUnknown {
		return Unknown
	}
	return r.condition.Status
}

// severity is that of an unhealthy item.
func (r *mergeItem) severity() Severity {
	if r.weight != weightUnhealthy {
		return SeverityNone
	}
	return cmp.Or(r.condition.Severity, r.in.Severity)
}

// stock returns the reason and message of an item whose condition is missing or stale.
func (r *mergeItem) stock() (reason, message string, ok bool) {
	switch {
	case r.condition == nil:
		return ReasonNotReported, "not reported", true
	case r.in.Stale:
		return reasonStale, "observed at an older generation", true
	}
	return "", "", false
}

func (r *mergeItem) reason() string {
	if reason, _, ok := r.stock(); ok {
		return reason
	}
	return r.condition.Reason
}

func (r *mergeItem) message() string {
	if _, message, ok := r.stock(); ok {
		return message
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

// sort brings the items into a total order that ends at namespace, name and content: worst first. In a summary the
// declared order decides between equals, in an aggregate equal texts stand together.
func (m *merger) sort() {
	switch {
	case !m.grouped:
		slices.SortFunc(m.items, bySummaryOrder)
	case len(m.items) > fewItems:
		m.sortFleet()
	default:
		slices.SortFunc(m.items, byAggregateOrder)
	}
}

func bySummaryOrder(a, b *mergeItem) int {
	if c := byWeight(a, b); c != 0 {
		return c
	}
	if c := cmp.Compare(a.index, b.index); c != 0 {
		return c
	}
	return byContent(a, b)
}

func byAggregateOrder(a, b *mergeItem) int {
	if c := byText(a, b); c != 0 {
		return c
	}
	if c := byObject(a, b); c != 0 {
		return c
	}
	return byRest(a, b)
}

func byWeight(a, b *mergeItem) int {
	return cmp.Compare(int(a.weight)<<8|int(a.rank), int(b.weight)<<8|int(b.rank))
}

// byText orders by weight and by what a message says about the input, but for its name.
func byText(a, b *mergeItem) int {
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
func byContent(a, b *mergeItem) int {
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
func byRest(a, b *mergeItem) int {
	return cmp.Or(
		strings.Compare(string(a.status()), string(b.status())),
		strings.Compare(string(a.severity()), string(b.severity())),
		slices.CompareFunc(a.in.Causes, b.in.Causes, compareCauses))
}

// byObject orders by kind, group, namespace, name.
func byObject(a, b *mergeItem) int {
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

// severity is that of an item as the rules have it: some have a default for unhealthy conditions.
func (m *merger) severity(r *mergeItem) Severity {
	s := r.severity()
	if m.rules == nil || m.rules.DefaultSeverity == "" || r.weight != weightUnhealthy || slices.Contains(m.rules.Severities, string(s)) {
		return s
	}
	return Severity(m.rules.DefaultSeverity)
}

// causesOf lists the causes of items that are not healthy, in the order of the list.
func (m *merger) causesOf(list []*mergeItem) []Cause {
	out := make([]Cause, 0, len(list))
	for _, r := range list {
		if len(r.in.Causes) == 0 || r.in.Stale {
			if len(out) < cap(out) { // filled in place, field by field: causes are large, and no field is copied as zero before
				out = out[:len(out)+1]
			} else {
				out = append(out, Cause{})
			}
			c, o := &out[len(out)-1], &r.in.Object
			c.Object.Group, c.Object.Kind, c.Object.Namespace, c.Object.Name, c.Type = o.Group, o.Kind, o.Namespace, r.name, r.in.Type
			c.Status, c.Severity, c.Reason, c.Message = r.status(), m.severity(r), r.reason(), r.message()
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
