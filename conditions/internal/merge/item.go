// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"cmp"
	"slices"
	"strings"
)

// set sets the part of an input that other items may share.
func (source *Source) set(in *Input) {
	// Field by field: a literal would be made on the stack first and copied.
	source.Type, source.Declared = in.Type, in.Declared
	source.Object.Group, source.Object.Kind, source.Object.Namespace = in.Object.Group, in.Object.Kind, in.Object.Namespace
	source.Negative, source.Neutral, source.Stale = in.Negative, in.Neutral, in.Stale
	if len(in.Causes) > 0 {
		source.Causes = in.Causes
	}
}

// shares reports whether an item of the input has the source, as the inputs of a fleet do: they differ in the name of the object and in the
// condition.
func shares(source *Source, in *Input) bool {
	o := &source.Object
	return source.Type == in.Type && o.Kind == in.Object.Kind && o.Namespace == in.Object.Namespace && o.Group == in.Object.Group &&
		source.Negative == in.Negative && source.Neutral == in.Neutral && source.Declared == in.Declared &&
		source.Stale == in.Stale && source.Causes == nil && len(in.Causes) == 0
}

// severityOf returns the severity of an unhealthy item.
func severityOf(r *Item) string {
	if r.Weight != Unhealthy {
		return ""
	}
	return cmp.Or(r.Severity, r.Declared)
}

// SeverityRank orders severities, worst first. An unhealthy condition without a declared severity counts as an Error.
func SeverityRank(severity string) uint8 {
	switch severity {
	case "Warning":
		return 1
	case "Info":
		return 2
	}
	return 0
}

// sort brings the items into a total order, worst first. In a summary, equally bad items are ordered by time, if the
// options ask for it, and then by declared order. In an aggregate, items with equal texts are adjacent, and the last
// criteria are namespace, name and content.
func (m *Merger) sort() {
	switch {
	case !m.grouped:
		slices.SortFunc(m.items, func(a, b *Item) int {
			if c := byWeight(a, b); c != 0 {
				return c
			}
			if m.o.Recent {
				if c := b.changed().Compare(a.changed()); c != 0 {
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

// byAggregateOrder orders by text and object, and then by everything else that a result can hold, since an object may be given twice.
func byAggregateOrder(a, b *Item) int {
	if c := byText(a, b); c != 0 {
		return c
	}
	if c := CompareObjects(a, b); c != 0 {
		return c
	}
	return cmp.Or(
		strings.Compare(string(a.Status()), string(b.Status())),
		strings.Compare(severityOf(a), severityOf(b)),
		slices.CompareFunc(a.Causes, b.Causes, Cause.Compare))
}

func byWeight(a, b *Item) int {
	return cmp.Compare(int(a.Weight)<<8|int(a.Rank), int(b.Weight)<<8|int(b.Rank))
}

// byText orders by weight and by the text of the item in a message, without the name of its object.
func byText(a, b *Item) int {
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
func (m *Merger) severity(r *Item) string {
	s := severityOf(r)
	if m.rules.DefaultSeverity == "" || r.Weight != Unhealthy || slices.Contains(m.rules.Severities, s) {
		return s
	}
	return m.rules.DefaultSeverity
}
