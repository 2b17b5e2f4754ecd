// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// weight ranks an input by how much it matters: the heavier, the smaller.
type weight = merge.Weight

const (
	weightUnhealthy = merge.Unhealthy
	weightUnknown   = merge.Unknown
	weightHealthy   = merge.Healthy
)

// item is an input of a merge that is more than counted.
type item = merge.Item

// setSource sets the part of an input that other items may share.
func setSource(source *merge.Source, in *Input) {
	// Field by field: a literal would be made on the stack first and copied.
	source.Type, source.Declared = in.Type, string(in.Severity)
	source.Object.Group, source.Object.Kind, source.Object.Namespace = in.Object.Group, in.Object.Kind, in.Object.Namespace
	source.Negative, source.Neutral, source.First, source.Stale = in.Polarity == Negative, in.Polarity == Neutral, in.First, in.Stale
	if len(in.Causes) > 0 {
		source.Causes = in.Causes
	}
}

// shares reports whether an item of the input has the source, as the inputs of a fleet do: they differ in the name of the object and in the
// condition.
func shares(source *merge.Source, in *Input) bool {
	o := &source.Object
	return source.Type == in.Type && o.Kind == in.Object.Kind && o.Namespace == in.Object.Namespace && o.Group == in.Object.Group &&
		source.Negative == (in.Polarity == Negative) && source.Neutral == (in.Polarity == Neutral) &&
		source.Declared == string(in.Severity) && source.Stale == in.Stale && source.First == in.First &&
		source.Causes == nil && len(in.Causes) == 0
}

// setCondition sets the condition of an item and its weight.
func setCondition(r *item, c *Condition) {
	r.Weight = weightUnknown
	if c == nil {
		return
	}
	r.Condition, r.Severity = &c.Condition, string(c.Severity)
	bad, good := False, True
	if r.Negative {
		bad, good = True, False
	}
	switch {
	case r.Stale:
	case c.Status == good:
		r.Weight = weightHealthy
	case c.Status == bad:
		r.Weight, r.Rank = weightUnhealthy, uint8(cmp.Or(c.Severity, Severity(r.Declared)).Rank())
	}
}

// severityOf returns the severity of an unhealthy item.
func severityOf(r *item) Severity {
	if r.Weight != weightUnhealthy {
		return SeverityNone
	}
	return Severity(cmp.Or(r.Severity, r.Declared))
}

// sort brings the items into a total order, worst first. In a summary the time, where the options ask for it, and the declared order decide
// between equals; in an aggregate equal texts stand together, and the order ends at namespace, name and content.
func (m *merger) sort() {
	switch {
	case !m.grouped:
		slices.SortFunc(m.items, func(a, b *item) int {
			if c := byWeight(a, b); c != 0 {
				return c
			}
			if m.o.Recent {
				if c := changed(b).Compare(changed(a)); c != 0 {
					return c
				}
			}
			return cmp.Compare(a.Index, b.Index)
		})
	case len(m.items) > fewItems:
		m.sortFleet()
	default:
		slices.SortFunc(m.items, byAggregateOrder)
	}
}

// changed returns when the status of an item changed last; zero for one that is not reported.
func changed(r *item) time.Time {
	if r.Condition == nil {
		return time.Time{}
	}
	return r.Condition.LastTransitionTime.Time
}

// byAggregateOrder orders by text and object, and then by everything else that a result can hold, since an object may be given twice.
func byAggregateOrder(a, b *item) int {
	if c := byText(a, b); c != 0 {
		return c
	}
	if c := merge.CompareObjects(a, b); c != 0 {
		return c
	}
	return cmp.Or(
		strings.Compare(string(a.Status()), string(b.Status())),
		strings.Compare(string(severityOf(a)), string(severityOf(b))),
		slices.CompareFunc(causesBehind(a), causesBehind(b), compareCauses))
}

func byWeight(a, b *item) int {
	return cmp.Compare(int(a.Weight)<<8|int(a.Rank), int(b.Weight)<<8|int(b.Rank))
}

// byText orders by weight and by the text of the item in a message, without the name of its object.
func byText(a, b *item) int {
	if c := byWeight(a, b); c != 0 {
		return c
	}
	if a.Source != b.Source && a.Type != b.Type {
		return strings.Compare(a.Type, b.Type)
	}
	if x, y := a.Reason(), b.Reason(); x != y {
		return strings.Compare(x, y)
	}
	return strings.Compare(a.Message(), b.Message())
}

// severity returns the severity of an item. Some rules have a default for unhealthy conditions.
func (m *merger) severity(r *item) Severity {
	s := severityOf(r)
	if m.rules.DefaultSeverity == "" || r.Weight != weightUnhealthy || slices.Contains(m.rules.Severities, string(s)) {
		return s
	}
	return Severity(m.rules.DefaultSeverity)
}

// causesBehind returns the causes that the input of an item came with.
func causesBehind(r *item) []Cause {
	causes, _ := r.Causes.([]Cause)
	return causes
}

// causesOf lists the causes of unhealthy and Unknown items, in the order of the list.
func (m *merger) causesOf(list []*item) []Cause {
	out := make([]Cause, 0, len(list))
	for _, r := range list {
		known := causesBehind(r)
		if len(known) == 0 || r.Stale {
			if len(out) == cap(out) {
				out = slices.Grow(out, 1)
			}
			out = out[:len(out)+1]
			c := &out[len(out)-1] // filled in place, so that no field is copied as zero before
			c.Object.Group, c.Object.Kind, c.Object.Namespace, c.Object.Name = r.Object.Group, r.Object.Kind, r.Object.Namespace, r.Name
			c.Severity, c.Condition = m.severity(r), conditionOf(r)
			continue
		}
		for _, c := range known {
			if !holdsCause(out[:min(len(out), 100)], c) { // two roads may lead to one cause
				out = append(out, c)
			}
		}
	}
	return out
}
