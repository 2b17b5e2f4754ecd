// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
)

// The patterns of metav1.Condition.
const (
	upstreamReason = `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	upstreamType   = `^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`
)

// dialectOf returns the dialect of the catalog of the list; core without one.
func dialectOf(p *check.Pass, l *list) conditions.Dialect {
	if k := p.Set().Kind(l.GroupKind()); k != nil {
		return k.Dialect
	}
	return conditions.DialectCore
}

func statusSubresource(p *check.Pass, l *list) {
	if l.version.Subresources == nil || l.version.Subresources.Status == nil {
		p.Report(l.At("spec", "versions", l.index), l.subject(), "version %s has conditions and no status subresource", l.version.Name)
	}
}

func listMap(p *check.Pass, l *list) {
	switch {
	case l.array.XListType == nil:
		p.Report(l.at(), l.subject(), "%s has no list type", l.path)
	case *l.array.XListType != "map":
		p.Report(l.at("x-kubernetes-list-type"), l.subject(), "%s has list type %s", l.path, *l.array.XListType)
	case !slices.Equal(l.array.XListMapKeys, []string{"type"}):
		p.Report(l.at("x-kubernetes-list-map-keys"), l.subject(), "%s is keyed by %s", l.path, strings.Join(l.array.XListMapKeys, ", "))
	}
}

func required(p *check.Pass, l *list) {
	want := []string{"type", "status", "lastTransitionTime", "reason", "message"}
	switch dialectOf(p, l) {
	case conditions.DialectCAPIv1beta1, conditions.DialectKnative, conditions.DialectOpenShift:
		want = []string{"type", "status"}
	}
	missing := slices.DeleteFunc(want, func(field string) bool { return slices.Contains(l.item.Required, field) })
	if len(missing) > 0 {
		p.Report(l.at("items", "required"), l.subject(), "items do not require %s", strings.Join(missing, ", "))
	}
}

func generation(p *check.Pass, l *list) {
	if !dialectOf(p, l).Generations() {
		return
	}
	g, ok := l.prop("observedGeneration")
	at := l.field("observedGeneration")
	switch {
	case !ok:
		p.Report(at, l.subject(), "items have no observedGeneration: the API server drops it from every write")
	case g.Type != "integer" || g.Format != "int64":
		p.Report(at, l.subject(), "observedGeneration is no int64")
	case g.Minimum == nil || *g.Minimum < 0:
		p.Report(at, l.subject(), "observedGeneration can be negative")
	}
}

func enumOf(l *list, field string) []string {
	f, _ := l.prop(field)
	var out []string
	for _, v := range f.Enum {
		out = append(out, strings.Trim(string(v.Raw), `"`))
	}
	slices.Sort(out)
	return out
}

func statusEnum(p *check.Pass, l *list) {
	if got := enumOf(l, "status"); !slices.Equal(got, []string{"False", "True", "Unknown"}) {
		text := "no enumeration"
		if len(got) > 0 {
			text = "the enumeration " + strings.Join(got, ", ")
		}
		p.Report(l.field("status"), l.subject(), "status has %s", text)
	}
}

func reasonPattern(p *check.Pass, l *list) {
	r, ok := l.prop("reason")
	switch d := dialectOf(p, l); {
	case d == conditions.DialectCAPIv1beta1, d == conditions.DialectKnative:
		return // empty reasons are usual there
	case !ok:
		p.Report(l.field("reason"), l.subject(), "items have no reason")
	case r.Pattern != upstreamReason:
		p.Report(l.field("reason"), l.subject(), "reason has no upstream pattern")
	case r.MinLength == nil || *r.MinLength < 1 || r.MaxLength == nil || *r.MaxLength > wire.MaxReasonBytes:
		p.Report(l.field("reason"), l.subject(), "the length of reason is not bounded by 1 and %d", wire.MaxReasonBytes)
	}
}

func typePattern(p *check.Pass, l *list) {
	t, ok := l.prop("type")
	switch {
	case !ok:
		p.Report(l.field("type"), l.subject(), "items have no type")
	case t.Pattern != upstreamType && len(t.Enum) == 0:
		p.Report(l.field("type"), l.subject(), "type has no upstream pattern")
	case t.MaxLength == nil && len(t.Enum) == 0 || t.MaxLength != nil && *t.MaxLength > wire.MaxTypeBytes:
		p.Report(l.field("type"), l.subject(), "the length of type is not bounded by %d", wire.MaxTypeBytes)
	}
}

func messageLength(p *check.Pass, l *list) {
	if m, ok := l.prop("message"); !ok || m.MaxLength == nil || *m.MaxLength > wire.MaxMessageBytes {
		p.Report(l.field("message"), l.subject(), "the length of message is not bounded by %d", wire.MaxMessageBytes)
	}
}

// wider reports values that the schema accepts and metav1.Condition cannot decode: other types of a field, and texts that are no time.
func wider(p *check.Pass, l *list) {
	for _, field := range []string{"type", "status", "reason", "message", "lastTransitionTime"} {
		f, ok := l.prop(field)
		switch {
		case !ok:
		case f.Type != "string" || f.XIntOrString || f.Nullable:
			p.Report(l.field(field), l.subject()+"/"+field, "%s accepts more than a string", field)
		case field == "lastTransitionTime" && f.Format != "date-time":
			p.Report(l.field(field), l.subject()+"/"+field, "lastTransitionTime accepts text that is no time")
		}
	}
	if keep := l.item.XPreserveUnknownFields; keep != nil && *keep {
		p.Report(l.at("items", "x-kubernetes-preserve-unknown-fields"), l.subject()+"/items", "items accept any field")
	}
}

func closedSet(p *check.Pass, l *list) {
	for _, field := range []string{"type", "reason"} {
		if got := enumOf(l, field); len(got) > 0 {
			p.Report(l.field(field, "enum"), l.subject()+"/"+field, "%s is one of %s", field, strings.Join(got, ", "))
		}
	}
}

func everyVersion(p *check.Pass, d *evidence.Definition) {
	if configuration(p, d) || open(d) != nil {
		return
	}
	for _, l := range listsOf(p, d) {
		if l.array == nil {
			p.Report(l.at(), l.subject(), "version %s has no array at %s", l.version.Name, l.path)
		}
	}
}
