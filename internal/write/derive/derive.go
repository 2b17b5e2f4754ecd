// SPDX-License-Identifier: Apache-2.0

package derive

import (
	"fmt"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// Input is everything that the derived conditions of one object depend on.
type Input struct {
	Set  *catalog.Set
	Kind *catalog.Kind // of Self
	Self *relation.Object
	// Related are the objects that each relation leads to, in a fixed order.
	Related map[string][]*relation.Object
	// Circles are the relations that lead back to Self, and the way that they take. A condition that is derived over one of them is Unknown.
	Circles map[string][]relation.ID
	Now     time.Time
	// NoCauses leaves the causes of aggregates out, which makes them cheaper over many objects: each is then its own cause.
	NoCauses bool
}

// Result is the result of a pass.
type Result struct {
	conditions.Result
	Problems []Problem
	// Paused: the object is left as it is, by the expression that its catalog declares.
	Paused bool
}

// Problem is something that went wrong without stopping the pass.
type Problem struct {
	Type    string // the derived type; empty for the stored list
	Message string
}

// String is "type: message".
func (p Problem) String() string {
	if p.Type == "" {
		return p.Message
	}
	return p.Type + ": " + p.Message
}

// Gather collects from a graph what the derived conditions of an object need; false where the object is not there or
// no catalog holds for the version of its kind.
func Gather(g *relation.Graph, id relation.ID, now time.Time) (Input, bool) {
	self := g.Get(id)
	if self == nil {
		return Input{}, false
	}
	kind := g.Set().Of(self.GroupVersionKind())
	if kind == nil {
		return Input{}, false
	}
	in := Input{Set: g.Set(), Kind: kind, Self: self, Now: now, Related: map[string][]*relation.Object{}}
	for name := range kind.DerivesFrom() {
		in.Related[name] = g.Related(self, name)
		if path := g.Circle(self, name); path != nil {
			if in.Circles == nil {
				in.Circles = map[string][]relation.ID{}
			}
			in.Circles[name] = path
		}
	}
	for name := range kind.PausedBy() {
		in.Related[name] = g.Related(self, name)
	}
	return in, true
}

// Derive computes all derived conditions of one object. A kind with many conditions lists has none.
func Derive(in Input) Result {
	if in.Kind.At.Many() {
		return Result{}
	}
	stored, errs := wire.FromUnstructured(in.Kind.List(in.Self.Content))
	d := &deriver{in: in, stored: map[string]*conditions.Condition{}}
	for _, err := range errs {
		d.problems = append(d.problems, Problem{Message: in.Kind.For.Kind + " " + err.Error()})
	}
	for i := range stored {
		name := in.Kind.Canonical(stored[i].Type)
		if d.stored[name] == nil || stored[i].Type == name {
			d.stored[name] = declared(in.Kind, name, stored[i])
		}
	}
	d.context = expr.Context{Now: in.Now, Conditions: d.list, Canonical: d.canonical}
	d.values = expr.Values{Self: in.Self.Content, Related: in.Values(), Variables: in.Kind.VariablesOf(in.Self.Content, &d.context)}

	if in.Kind.Paused != nil && d.holds("", in.Kind.Paused, d.values) {
		return Result{Result: conditions.Result{RequeueAt: d.context.Next()}, Paused: true, Problems: d.problems}
	}
	pass := in.Kind.Derived.Begin(in.Self.Generation, stored, in.Now)
	if in.Kind.Derived.StatusWaits {
		waits, errs := wire.Waits(in.Self.Content)
		for _, err := range errs {
			d.problems = append(d.problems, Problem{Message: in.Kind.For.Kind + " " + err.Error()})
		}
		pass.SetWaits(waits)
	}
	for _, derivation := range in.Kind.Derivations {
		pass.Derive(derivation.Type.Name, func(v *conditions.View) (conditions.Condition, []conditions.Cause, bool) {
			d.view, d.current = v, nil
			merged, ok := d.circle(derivation)
			if !ok {
				merged, ok = d.derive(derivation)
			}
			return merged.Condition, merged.Causes, ok
		})
	}
	result := Result{Result: pass.Commit(), Problems: d.problems}
	result.RequeueAt = relation.Earliest(result.RequeueAt, d.context.Next())
	return result
}

// deriver is one run.
type deriver struct {
	in       Input
	stored   map[string]*conditions.Condition // by declared type
	view     *conditions.View                 // of the step that runs; nil before the first one
	current  []any                            // the conditions of self in this step, once an expression has read them
	context  expr.Context
	values   expr.Values
	problems []Problem
}

// derive computes one type; false for no condition.
func (d *deriver) derive(v *catalog.Derivation) (rollup.Merged, bool) {
	if v.PerRun && v.Run != nil && !d.holds(v.Type.Name, v.Run, d.values) {
		switch stored := d.stored[v.Type.Name]; { // the outcome of the last run is kept
		case stored == nil:
			return rollup.Merged{}, false
		case stored.Status != conditions.Unknown && !v.Type.Polarity.Bad(stored.Status):
			return rollup.Merged{Condition: *stored}, true
		}
	}
	var merged rollup.Merged
	var ok bool
	switch {
	case v.Summary != nil:
		merged, ok = d.summary(v)
	case v.Mirror != nil:
		merged, ok = d.mirror(v)
	case v.Merge != nil:
		merged, ok = d.aggregate(v)
	}
	if ok {
		return merged, true
	}
	if merged, ok = d.rules(v); ok {
		return merged, true
	}
	if v.Mirror != nil && v.Mirror.Missing == string(rollup.MissingUnknown) && len(d.in.Related[v.Mirror.Of]) == 0 {
		return rollup.Mirror(rollup.Input{Type: v.Mirror.Type}, d.options(v.Type, v.Mirror.Missing))
	}
	return rollup.Merged{}, false
}

// holds evaluates a bool; a missing field is false, another failure is false and a problem.
func (d *deriver) holds(conditionType string, p *expr.Program, values expr.Values) bool {
	ok, err := p.Bool(&d.context, values)
	if err != nil && !expr.IsMissing(err) {
		d.problems = append(d.problems, Problem{conditionType, fmt.Sprintf("expression %q: %v", p.Source, err)})
	}
	return ok && err == nil
}

func (d *deriver) rules(v *catalog.Derivation) (rollup.Merged, bool) {
	for _, rule := range v.Rules {
		if rule.When != nil && !d.holds(v.Type.Name, rule.When, d.values) {
			continue
		}
		c := conditions.Condition{Severity: rule.Reason.Severity}
		c.Status, c.Reason = rule.Reason.Status, rule.Reason.Name
		if rule.Message != nil {
			message, err := rule.Message.String(&d.context, d.values)
			if err != nil {
				d.problems = append(d.problems, Problem{v.Type.Name, fmt.Sprintf("message %q: %v", rule.Message.Source, err)})
			}
			c.Message = message
		}
		return rollup.Merged{Condition: c}, true
	}
	return rollup.Merged{}, false
}

// Values returns the related objects as expressions read them: the object of a relation that leads to one, and the list of any other.
func (in *Input) Values() map[string]any {
	out := make(map[string]any, len(in.Related))
	for name, objects := range in.Related {
		link := in.Kind.Relation(name)
		if link == nil {
			continue
		}
		if link.One {
			if len(objects) > 0 {
				out[name] = objects[0].Content
			}
			continue
		}
		list := make([]any, len(objects))
		for i, o := range objects {
			list[i] = o.Content
		}
		out[name] = list
	}
	return out
}

// list returns the conditions of an object for an expression; for self, as this pass has them so far.
func (d *deriver) list(object map[string]any) []any {
	o := relation.FromContent(object)
	if o.ID != d.in.Self.ID {
		return d.in.Set.Of(o.GroupVersionKind()).List(object)
	}
	if d.current != nil {
		return d.current
	}
	d.current = []any{}
	add := func(name string, c *conditions.Condition) {
		entry := wire.ToUnstructured(*c, d.in.Kind.Dialect)
		entry["type"] = name
		d.current = append(d.current, entry)
	}
	for name, c := range d.stored {
		if d.view == nil || !d.in.Kind.Derives(name) {
			add(name, c)
		}
	}
	if d.view != nil {
		for _, derivation := range d.in.Kind.Derivations {
			if c := d.view.Condition(derivation.Type.Name); c != nil {
				add(derivation.Type.Name, c)
			}
		}
	}
	return d.current
}

func (d *deriver) canonical(object map[string]any, name string) string {
	if kind := d.in.Set.Of(relation.FromContent(object).GroupVersionKind()); kind != nil {
		return kind.Canonical(name)
	}
	return name
}
