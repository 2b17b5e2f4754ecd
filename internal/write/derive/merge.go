// SPDX-License-Identifier: Apache-2.0

package derive

import (
	"slices"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// options returns the options of a mirror or an aggregate into a type of this kind.
func (d *deriver) options(target *conditions.Type, missing string) rollup.Options {
	return rollup.Options{Dialect: d.in.Kind.Dialect, Target: *target, Missing: rollup.Missing(missing), NoCauses: d.in.NoCauses}
}

// summary returns the declared summary. In dialect capi-v1beta1 it is left out while the dependents that it
// rests on expose nothing ("the summary condition MUST NOT be generated", Cluster API, conditions, controller changes), whatever else the
// object reports.
func (d *deriver) summary(v *catalog.Derivation) (rollup.Merged, bool) {
	if d.in.Kind.Dialect == conditions.DialectCAPIv1beta1 {
		if silent, exposed := d.exposure(v); silent > 0 && exposed == 0 {
			return rollup.Merged{}, false
		}
	}
	c, ok := d.view.Summarize()
	return rollup.Merged{Condition: c}, ok
}

// exposure counts the types of a summary that come from dependents: those whose dependents exist and expose nothing, and those that are
// reported. A type without dependents that is not reported counts as neither.
func (d *deriver) exposure(v *catalog.Derivation) (silent, exposed int) {
	for _, of := range d.in.Kind.Derivations {
		if of == v || !slices.Contains(v.Of, of.Type.Name) {
			continue
		}
		edge := ""
		switch {
		case of.Mirror != nil:
			edge = of.Mirror.Of
		case of.Merge != nil:
			edge = of.Merge.Of
		}
		switch {
		case of.Summary != nil:
			s, e := d.exposure(of)
			silent, exposed = silent+s, exposed+e
		case edge == "":
		case d.view.Condition(of.Type.Name) != nil:
			exposed++
		case len(d.in.Related[edge]) > 0:
			silent++
		}
	}
	return silent, exposed
}

func (d *deriver) mirror(v *catalog.Derivation) (rollup.Merged, bool) {
	objects := d.in.Related[v.Mirror.Of]
	if len(objects) == 0 {
		return rollup.Merged{}, false
	}
	return rollup.Mirror(d.input(objects[0], v.Mirror.Type), d.options(v.Type, v.Mirror.Missing))
}

func (d *deriver) aggregate(v *catalog.Derivation) (rollup.Merged, bool) {
	objects := d.in.Related[v.Merge.Of]
	options := d.options(v.Type, v.Merge.Missing)
	options.Target.Reasons = v.Merges
	options.Counter = v.Merge.Counter
	inputs := make([]rollup.Input, 0, len(objects))
	left := make([]int, len(v.Tolerate))
	for i, t := range v.Tolerate {
		if t.While == nil || d.holds(v.Type.Name, t.While, d.values) {
			left[i] = t.Max
		}
	}
	for _, o := range objects {
		in := d.input(o, v.Merge.Type)
		if d.tolerated(v, left, in, o) {
			continue
		}
		inputs = append(inputs, in)
	}
	return rollup.Aggregate(inputs, options)
}

// tolerated reports whether an unhealthy object is let pass, and counts it.
func (d *deriver) tolerated(v *catalog.Derivation, left []int, in rollup.Input, o *relation.Object) bool {
	if in.Condition != nil && !in.Stale && in.Condition.Status != conditions.Unknown && !in.Polarity.Bad(in.Condition.Status) {
		return false
	}
	values := expr.Values{Self: d.in.Self.Content, Item: o.Content, Variables: d.values.Variables}
	for i, t := range v.Tolerate {
		if left[i] > 0 && d.holds(v.Type.Name, t.Items, values) {
			left[i]--
			return true
		}
	}
	return false
}

// input reads the condition of a related object.
func (d *deriver) input(o *relation.Object, conditionType string) rollup.Input {
	in := rollup.Input{Object: o.Ref(), Type: conditionType, Polarity: conditions.Positive}
	kind := d.in.Set.Of(o.GroupVersionKind())
	if kind != nil {
		if t := kind.Type(conditionType); t != nil {
			in.Polarity = t.Polarity
			in.Type = t.Name
		}
	}
	list, errs := wire.FromUnstructured(kind.List(o.Content))
	for _, err := range errs {
		d.problems = append(d.problems, Problem{Message: o.ID.String() + ": " + err.Error()})
	}
	for i := range list {
		c := &list[i]
		if c.Type != in.Type && (kind == nil || kind.Canonical(c.Type) != in.Type) {
			continue
		}
		in.Condition = declared(kind, in.Type, *c)
		in.Stale = c.ObservedGeneration > 0 && c.ObservedGeneration < o.Generation // of an older one than the object's
		if c.Type == in.Type {
			break // the right name wins over an alias
		}
	}
	return in
}

// declared is a condition with the right name of its reason (aliases are read and never written), and with the declared severity
// in dialects that do not report one. kind may be nil.
func declared(kind *catalog.Kind, conditionType string, c conditions.Condition) *conditions.Condition {
	if kind == nil {
		return &c
	}
	if r := kind.Reason(conditionType, c.Reason, c.Status); r != nil {
		c.Reason = r.Name
		if c.Severity == "" && kind.Dialect != conditions.DialectCAPIv1beta1 {
			c.Severity = r.Severity
		}
	}
	return &c
}
