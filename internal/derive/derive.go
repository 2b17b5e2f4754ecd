// SPDX-License-Identifier: Apache-2.0

package derive

import (
	"fmt"
	"reflect"
	"time"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/expr"
	"github.com/tristate/tristate/internal/relation"
)

// Input is everything that the derived conditions of one object depend on.
type Input struct {
	Set  *catalog.Set
	Kind *catalog.Kind // of Self
	Self *relation.Object
	// Related gives the objects that a relation leads to, in a fixed order.
	Related map[string][]*relation.Object
	// Circles are the relations that lead back to Self, and the way that they take. A condition that is derived over one of them is Unknown.
	Circles map[string][]relation.ID
	Now     time.Time
	// Memory is what declared dwell has to know about Self from one pass to the next. Without it changes are published at once.
	Memory *conditions.State
	// NoCauses leaves [Result.Causes] without causes, which makes aggregates over many objects cheaper.
	NoCauses bool
}

// Result is what a pass came to.
type Result struct {
	conditions.Result
	// Next is when the object has to be judged again because of time alone; zero for never.
	Next     time.Time
	Problems []Problem
	// Causes are the machine-readable causes of each derived type.
	Causes map[string][]conditions.Cause
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
	stored, errs := conditions.FromUnstructured(in.Kind.List(in.Self.Content))
	d := &deriver{in: in, stored: stored, reported: map[string]*conditions.Condition{}, causes: map[string][]conditions.Cause{}}
	for _, err := range errs {
		d.problems = append(d.problems, Problem{Message: in.Kind.For.Kind + " " + err.Error()})
	}
	for i := range stored {
		name := in.Kind.Canonical(stored[i].Type)
		if d.reported[name] == nil || stored[i].Type == name {
			d.reported[name] = declared(in.Kind, name, stored[i])
		}
	}
	d.context = expr.Context{Now: in.Now, Conditions: d.list, Canonical: d.canonical}
	d.values = expr.Values{Self: in.Self.Content, Related: d.related(), Variables: relation.Variables(in.Kind, in.Self, &d.context)}

	if in.Kind.Paused != nil && d.holds("", in.Kind.Paused, d.values) {
		return Result{Paused: true, Problems: d.problems, Next: d.context.Next()}
	}
	pass := in.Kind.Derived.Begin(in.Self.Generation, stored, in.Now)
	for _, derivation := range in.Kind.Derivations {
		name := derivation.Type.Name
		merged, ok := d.circle(derivation)
		if !ok {
			merged, ok = d.derive(derivation)
		}
		merged, ok = d.lifecycle(derivation, merged, ok)
		if !ok {
			d.settled(derivation.Type)
			pass.Retract(name)
			delete(d.reported, name)
			continue
		}
		merged.Condition.Type = name
		merged.Condition = d.dwell(derivation.Type, merged.Condition)
		pass.ReportCondition(merged.Condition)
		d.reported[name] = d.stamped(name, merged.Condition)
		d.causes[name] = merged.Causes
	}
	result := Result{Result: pass.Commit(), Problems: d.problems, Causes: d.causes}
	result.Next = earliest(d.next, d.context.Next())
	return result
}

// stamped is a derived condition with the time that the commit will give it: the stored one while the status is the stored one.
func (d *deriver) stamped(name string, c conditions.Condition) *conditions.Condition {
	c.LastTransitionTime.Time = d.in.Now.Truncate(time.Second)
	if stored := d.reported[name]; stored != nil && stored.Status == c.Status && !stored.LastTransitionTime.IsZero() {
		c.LastTransitionTime = stored.LastTransitionTime
	}
	return &c
}

func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// deriver is one run.
type deriver struct {
	in       Input
	stored   []conditions.Condition
	reported map[string]*conditions.Condition // by type, as of now in this pass
	context  expr.Context
	values   expr.Values
	causes   map[string][]conditions.Cause
	problems []Problem
	next     time.Time // when a dwell ends
}

// derive computes one type; false for no condition.
func (d *deriver) derive(v *catalog.Derivation) (conditions.Merged, bool) {
	if v.PerRun && !d.running(v) {
		if stored := d.reported[v.Type.Name]; stored == nil || v.Type.Polarity.Good(stored.Status) {
			return d.keep(v)
		}
	}
	var merged conditions.Merged
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
	if v.Mirror != nil && v.Mirror.Missing == string(conditions.MissingUnknown) && len(d.in.Related[v.Mirror.Of]) == 0 {
		return conditions.Mirror(conditions.Input{Type: v.Mirror.Type}, d.options(v.Type, v.Mirror.Missing))
	}
	return conditions.Merged{}, false
}

// keep leaves the stored condition as it is.
func (d *deriver) keep(v *catalog.Derivation) (conditions.Merged, bool) {
	stored := d.reported[v.Type.Name]
	if stored == nil {
		return conditions.Merged{}, false
	}
	return conditions.Merged{Condition: *stored}, true
}

func (d *deriver) lifecycle(v *catalog.Derivation, merged conditions.Merged, ok bool) (conditions.Merged, bool) {
	stored := d.reported[v.Type.Name]
	if stored == nil || stored.Status != conditions.True {
		return merged, ok
	}
	switch d.lifecycleOf(v) {
	case "terminal":
		return d.keep(v)
	case "monotonic":
		if !ok || merged.Condition.Status != conditions.True {
			return d.keep(v)
		}
	}
	return merged, ok
}

func (d *deriver) lifecycleOf(v *catalog.Derivation) string {
	for i := range d.in.Kind.Source.Spec.Conditions {
		if c := &d.in.Kind.Source.Spec.Conditions[i]; c.Type == v.Type.Name {
			return c.Lifecycle
		}
	}
	return ""
}

func (d *deriver) running(v *catalog.Derivation) bool {
	if v.Run == nil {
		return true
	}
	return d.holds(v.Type.Name, v.Run, d.values)
}

// holds evaluates a bool; a missing field is false, another failure is false and a problem.
func (d *deriver) holds(conditionType string, p *expr.Program, values expr.Values) bool {
	ok, err := p.Bool(&d.context, values)
	if err != nil && !expr.IsMissing(err) {
		d.problems = append(d.problems, Problem{conditionType, fmt.Sprintf("expression %q: %v", p.Source, err)})
	}
	return ok && err == nil
}

func (d *deriver) rules(v *catalog.Derivation) (conditions.Merged, bool) {
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
		return conditions.Merged{Condition: c}, true
	}
	return conditions.Merged{}, false
}

// related is the variable of that name.
func (d *deriver) related() map[string]any {
	out := make(map[string]any, len(d.in.Related))
	for name, objects := range d.in.Related {
		link := d.in.Kind.Relation(name)
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

// list returns expressions the conditions of an object: of self as this pass has them so far.
func (d *deriver) list(object map[string]any) []any {
	if reflect.ValueOf(object).Pointer() == reflect.ValueOf(d.in.Self.Content).Pointer() {
		out := make([]any, 0, len(d.reported))
		for name, c := range d.reported {
			entry := conditions.ToUnstructured(*c, d.in.Kind.Dialect)
			entry["type"] = name
			out = append(out, entry)
		}
		return out
	}
	return listOf(d.in.Set.Of(relation.FromContent(object).GroupVersionKind()), object)
}

func listOf(kind *catalog.Kind, object map[string]any) []any {
	if kind != nil {
		return kind.List(object)
	}
	status, _ := object["status"].(map[string]any)
	list, _ := status["conditions"].([]any)
	return list
}

func (d *deriver) canonical(object map[string]any, name string) string {
	if kind := d.in.Set.Of(relation.FromContent(object).GroupVersionKind()); kind != nil {
		return kind.Canonical(name)
	}
	return name
}
