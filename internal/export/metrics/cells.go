// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/export"
)

// Classes of the label class that are not declared in catalogs.
const (
	classUnknown    = "unknown"    // the status is Unknown, and no declared cell
	classUndeclared = "undeclared" // the status is bad, and the reason is not declared
	classUnhealthy  = "unhealthy"  // the status is bad, and the reasons of the type are not known
)

// kind is one exported kind.
type kind struct {
	*export.Subject
	*catalog.Kind
	types []*conditionType
}

// conditionType is a type that the object has in its list, with its declaration.
type conditionType struct {
	*conditions.Type
	source catalog.Condition
	// closed: every reason is declared, so that the reason is a label.
	closed bool
}

// cell is a declared cell.
type cell struct {
	*conditions.Reason
	source catalog.Reason
	t      *conditionType
}

// kindsOf returns the kinds that metrics can be made of. The others are differences.
func kindsOf(subjects []*export.Subject, differ func(*export.Subject, string, string, string)) []*kind {
	var out []*kind
	for _, s := range subjects {
		k := s.Kinds[0]
		for _, other := range s.Kinds[1:] {
			differ(s, "other-versions", "", "the series are those of the first version; the catalog of "+other.Versions[0]+" is left out")
		}
		nested := strings.Contains(k.At.String(), "[*]")
		for id, reason := range map[string]string{
			"verdict-rules": map[bool]string{true: "rules in CEL cannot be evaluated by kube-state-metrics"}[len(k.Verdicts) > 0],
			"states":        stated(k),
			"nested-list":   map[bool]string{true: "conditions in a list of lists have no path"}[nested],
			"read-only":     map[bool]string{true: "the conditions are computed when an object is read, and are not stored"}[k.AtRead],
		} {
			if reason != "" {
				differ(s, id, "", reason)
			}
		}
		if nested || k.AtRead {
			continue
		}
		one := &kind{Subject: s, Kind: k}
		for i := range k.Declaration.Types {
			t := &conditionType{Type: &k.Declaration.Types[i], source: catalog.Condition{}}
			if c := k.Condition(t.Name); c != nil {
				t.source = *c
			}
			t.Type, t.closed = closed(k, t)
			one.types = append(one.types, t)
			switch {
			case !t.closed && len(t.Reasons) > 0:
				differ(s, "open-reasons", t.Name, "reasons are forwarded or not all declared, so the reason is no label, and the alert is by status")
			case len(t.Reasons) == 0:
				differ(s, "no-reasons", t.Name, "no reasons are declared, so the alert is by status")
			}
			for _, alias := range t.Aliases {
				differ(s, "alias", t.Name, "the former name "+alias+" has no series")
			}
			for _, c := range t.cells() {
				if d := c.Deadline; d != nil && d.After > 0 && d.Since != "" && d.Since != conditions.SinceCell {
					differ(s, "deadline-since", t.Name+"/"+c.Name, "the alert counts from when the cell began, not since "+string(d.Since))
				}
			}
		}
		if len(one.types) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// stated says what is missing of a kind whose states are values of fields, or of conditions that are not declared.
func stated(k *catalog.Kind) string {
	for _, s := range k.Source.Spec.States {
		if s.Path != "" {
			return "the field " + s.Path + ", whose values are states, has no series"
		}
		if k.Type(s.Condition) == nil {
			return "the reasons of condition " + s.Condition + " are not declared, so they are not labels"
		}
	}
	return ""
}

// closed reports whether the reasons of a type are known, and returns the type with every cell that its writers produce. A summary forwards
// reasons of conditions that have series of their own: on the summary they count as undeclared.
func closed(k *catalog.Kind, t *conditionType) (*conditions.Type, bool) {
	cells, known := k.Cells(t.Type)
	d := t.source.Derive
	summary := t.Role == conditions.RoleSummary && d != nil && d.Summary != nil
	if !known && (!summary || len(t.Reasons) == 0 || t.Imported || t.source.Open != "") {
		return t.Type, false
	}
	all := *t.Type
	all.Reasons = cells
	return &all, true
}

// cells returns the declared cells of a type whose reasons are labels.
func (t *conditionType) cells() []cell {
	if !t.closed {
		return nil
	}
	var out []cell
	for i := range t.Reasons {
		c := cell{Reason: &t.Reasons[i], t: t}
		for _, r := range t.source.Reasons {
			if r.Reason == c.Name && r.Status == string(c.Status) {
				c.source = r
			}
		}
		out = append(out, c)
	}
	return out
}

// bad returns the statuses that are unhealthy; none of a neutral type.
func (t *conditionType) bad() []conditions.Status {
	both := []conditions.Status{conditions.True, conditions.False}
	return slices.DeleteFunc(both, func(s conditions.Status) bool { return !t.Polarity.Bad(s) })
}

// budget is how long an object of the kind may be in progress; 0 means no limit.
func (k *kind) budget() time.Duration {
	if d, err := time.ParseDuration(k.Source.Spec.Deadline); err == nil {
		return d
	}
	return 15 * time.Minute
}

// limit returns how long a cell may last by a deadline of its own; 0 without one.
func (c cell) limit() time.Duration {
	if c.Deadline != nil && c.Deadline.After > 0 { // the time of an object's own is in no series
		return c.Deadline.After
	}
	return 0
}
