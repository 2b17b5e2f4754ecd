// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/verdict"
)

// rules judges by the verdict rules and states of a catalog. It is read-only, and prepared so that a judgement by states
// allocates nothing.
type rules struct {
	name      string
	kind      *catalog.Kind
	list      []string // path of the conditions
	variables []variable
	verdicts  []rule
	states    []state
	reads     map[string]bool            // condition types that expressions read, or that are ignored
	nested    map[string]bool            // condition types that expressions compare with a type of any list, or that are ignored
	fields    map[string]map[string]bool // members of fields of the status that rules read, or that are ignored; "": the whole field
	counts    bool                       // a rule compares numbers of the status
	budget    time.Duration
}

// variable is a prepared variable. It is evaluated when a rule that reads it is tried.
type variable struct {
	catalog.Variable
	reads []int // indexes of the variables that it reads, which are before its own
}

// rule is a prepared verdict rule.
type rule struct {
	*catalog.Judgement
	variables  []int    // indexes of those that it reads
	conditions []string // that it reads, in their order
	paths      []path   // fields that it reads
	status     bool     // it reads the status
	name       string
}

// path is a field of an object.
type path struct {
	fields []string
	dotted string // with a dot before each
}

func pathOf(dotted string) path { return path{strings.Split(dotted, "."), "." + dotted} }

func newRules(k *catalog.Kind) *rules {
	r := &rules{name: "catalog/" + k.Source.Metadata.Name, kind: k, list: k.Path}
	if text := k.Source.Spec.Deadline; text != "" {
		if r.budget, _ = time.ParseDuration(text); r.budget == 0 { // the loader has checked it
			r.budget = -1 // for ever
		}
	}
	r.reads, r.nested, r.fields = map[string]bool{}, map[string]bool{}, map[string]map[string]bool{}
	field := func(path string) {
		if rest, ok := strings.CutPrefix(path, "status."); ok {
			name, rest, _ := strings.Cut(rest, ".")
			member, _, _ := strings.Cut(rest, ".")
			if r.fields[name] == nil {
				r.fields[name] = map[string]bool{}
			}
			r.fields[name][member] = true
		}
	}
	for _, name := range k.Source.Spec.Ignores {
		r.reads[name], r.nested[name] = true, true
	}
	read := func(p *expr.Program) {
		u := p.Uses()
		for _, m := range ofType.FindAllStringSubmatch(p.Source, -1) {
			for _, name := range quoted.FindAllStringSubmatch(m[1], -1) {
				r.nested[name[1]] = true
			}
		}
		r.counts = r.counts || slices.ContainsFunc(u.Paths["self"], number.MatchString)
		for _, c := range u.Conditions {
			r.reads[c.Type] = true
		}
		for _, p := range u.Paths["self"] {
			field(p)
		}
	}
	readsStatus := map[string]bool{} // by variable
	uses := func(u expr.Uses) bool {
		return slices.ContainsFunc(u.Paths["self"], func(p string) bool { return p == "" || p == "status" || strings.HasPrefix(p, "status.") }) ||
			slices.ContainsFunc(u.Names, func(n expr.Name) bool { return readsStatus[n.Name] })
	}
	for _, v := range k.Variables { // each after those it uses
		readsStatus[v.Name] = uses(v.Program.Uses())
		read(v.Program)
		r.variables = append(r.variables, variable{v, r.indexesOf(v.Program)})
	}
	for i := range k.Verdicts {
		one := rule{Judgement: &k.Verdicts[i], name: fmt.Sprintf("%s/verdicts[%d]", r.name, i)}
		one.variables = r.indexesOf(one.When, one.Message)
		if one.When != nil {
			one.status = uses(one.When.Uses())
			read(one.When)
			for _, c := range one.When.Conditions() {
				if !slices.Contains(one.conditions, c.Type) {
					one.conditions = append(one.conditions, c.Type)
				}
			}
			for _, p := range one.When.Uses().Paths["self"] {
				if p != "" && (len(one.conditions) == 0 || p != strings.Join(k.Path, ".")) {
					one.paths = append(one.paths, pathOf(p))
				}
			}
		} else {
			one.status = true // what is left when no other rule holds follows from what they read
		}
		r.verdicts = append(r.verdicts, one)
	}
	for i := range k.Source.Spec.States {
		one := newState(&k.Source.Spec.States[i])
		one.name = fmt.Sprintf("%s/states[%d]", r.name, i)
		field(k.Source.Spec.States[i].Path)
		r.states = append(r.states, one)
	}
	for _, members := range r.fields {
		if len(members) > 1 {
			delete(members, "") // has(self.status.a) && self.status.a.b == 1 reads b only
		}
	}
	for _, name := range k.Source.Spec.Ignores {
		field(name)
	}
	return r
}

// indexesOf returns the indexes of the variables that programs read.
func (r *rules) indexesOf(programs ...*expr.Program) []int {
	var out []int
	for _, p := range programs {
		if p == nil {
			continue
		}
		for _, n := range p.Names() {
			if i := slices.IndexFunc(r.variables, func(v variable) bool { return v.Name == n.Name }); i >= 0 && n.Of == "variables" {
				out = append(out, i)
			}
		}
	}
	return out
}

// names lists the rules.
func (r *rules) names() []string {
	var out []string
	for i := range r.verdicts {
		out = append(out, r.verdicts[i].name)
	}
	for i := range r.states {
		out = append(out, r.states[i].name)
	}
	return out
}

// Judge implements verdict.Pack.
func (r *rules) Judge(object verdict.Object, now time.Time) (v verdict.Verdict, ok bool) {
	look := view{object: object, conditions: object.Get(r.list...), generation: -1}
	if generation, ok := object.Get("metadata", "generation").Number(); ok {
		look.generation = generation
	}
	if seen, ok := object.Get("status", "observedGeneration").Number(); ok {
		look.stale = seen < look.generation
	}
	if look.stale && r.kind.Source.Spec.ObservedGeneration == "success" {
		look.stale = false
		ok := r.judge(&look, now, &v)
		return v, ok && v.Status.Broken()
	}
	return v, r.judge(&look, now, &v)
}

// judge judges by the rules and, after them, by the states.
func (r *rules) judge(look *view, now time.Time, v *verdict.Verdict) bool {
	if r.byRules(look, now, v) {
		return true
	}
	if look.stale {
		return r.failsNow(look, v)
	}
	for i := range r.states {
		if r.states[i].judge(look, v) {
			return true
		}
	}
	return false
}

// failsNow judges, while the status is about an older generation, by the first condition whose own observedGeneration is the current one,
// if it is unhealthy: a controller that fails to apply a change reports it in a condition, and records the generation only after it was
// applied.
func (r *rules) failsNow(look *view, v *verdict.Verdict) bool {
	for i := range r.states {
		s := &r.states[i]
		if s.condition == "" {
			continue
		}
		c, _, _ := look.condition(s.condition)
		if seen, ok := c.ObservedGeneration(); !ok || seen < look.generation {
			continue
		}
		if status := s.answers(wordOf(c)); status != "" {
			return c.FailsNow(look.generation, status) && s.judge(look, v)
		}
	}
	return false
}

// Knows implements verdict.Pack.
func (r *rules) Knows(within, conditionType, status, reason string) bool {
	if within != "" {
		return r.nested[conditionType]
	}
	canonical := r.kind.Canonical(conditionType)
	if r.reads[canonical] || r.reads[conditionType] || r.kind.Type(conditionType) != nil {
		return true
	}
	for i := range r.states {
		if s := &r.states[i]; (s.condition == canonical || s.condition == conditionType) && s.knows(word{status, reason}) {
			return true
		}
	}
	return false
}

// Reads implements verdict.Pack.
func (r *rules) Reads(field, member string) bool {
	return r.fields[field][""] || r.fields[field][member]
}

// Counts implements verdict.Pack.
func (r *rules) Counts() bool { return r.counts }

// Budget implements verdict.Pack.
func (r *rules) Budget() time.Duration { return r.budget }

// Remedy implements verdict.Pack.
func (r *rules) Remedy(reason string) string { return r.kind.Source.Spec.Remedies[reason] }

// ofType matches the comparisons of the type of a condition with literal types.
var ofType = regexp.MustCompile(`\.type *(?:==|!=|in) *(\[[^\]]*\]|'[^']*')`)

// number matches the paths of the fields in which a status counts existing objects.
var number = regexp.MustCompile(`^status\..*(?i:replicas|machines|nodes|instances|members|scheduled|available|ready|healthy)$`)

// view is the object that is judged.
type view struct {
	object, conditions verdict.Object
	generation         int64 // -1 where it is not known
	stale              bool  // the status is about an older generation
	aged               age   // whether a condition is
}

// age records whether a condition is about an older generation, which is looked up once.
type age uint8

const (
	unread age = iota
	fresh
	old
)

// staleCondition reports whether the condition of one of several types is about an older generation.
func (l *view) staleCondition(types []string) bool {
	if l.aged == unread && len(types) > 0 {
		l.aged = fresh
		l.conditions.Each(func(c verdict.Object) bool {
			if seen, ok := c.Get("observedGeneration").Number(); ok && seen < l.generation {
				l.aged = old
			}
			return l.aged == fresh
		})
	}
	return l.aged == old && slices.ContainsFunc(types, func(name string) bool { _, stale, _ := l.condition(name); return stale })
}

// condition returns a condition, and whether it is about an older generation.
func (l *view) condition(conditionType string) (c verdict.Condition, stale, ok bool) {
	c, ok = l.conditions.Condition(conditionType)
	seen, has := c.ObservedGeneration()
	return c, has && seen >= 0 && seen < l.generation, ok
}

func (r *rules) byRules(look *view, now time.Time, v *verdict.Verdict) bool {
	if len(r.verdicts) == 0 {
		return false
	}
	self, ok := look.object.Value().(map[string]any)
	if !ok {
		return false
	}
	c := &expr.Context{Now: now, Conditions: r.kind.List,
		Canonical: func(_ map[string]any, name string) string { return r.kind.Canonical(name) }}
	values := expr.Values{Self: self}
	known := evaluated{r: r, c: c, values: &values}
	for i := range r.verdicts {
		one := &r.verdicts[i]
		if look.stale && one.status || look.staleCondition(one.conditions) {
			continue
		}
		if name, err := known.all(one.variables); err != nil {
			tooExpensive(v, "variable/"+name, err)
			return true
		}
		if one.When != nil {
			holds, err := one.When.Bool(c, values)
			if errors.Is(err, expr.ErrTooExpensive) {
				tooExpensive(v, one.name, err)
				return true
			}
			if err != nil || !holds {
				continue
			}
		}
		v.Status, v.Reason, v.Rule = verdict.Status(one.Verdict), one.Reason, one.name
		r.prove(one, look, v)
		v.Reason = cmp.Or(v.Reason, one.Verdict)
		if one.Message != nil {
			if message, err := one.Message.String(c, values); err == nil {
				v.Message = message
			}
		}
		settle(v)
		v.NextLook = c.Next()
		return true
	}
	v.NextLook = c.Next()
	return false
}

// evaluated are the variables of one judgement, by index.
type evaluated struct {
	r      *rules
	c      *expr.Context
	values *expr.Values
	done   uint64 // a bit for each of the first 64 variables; any other is evaluated again
}

// all evaluates the variables that have no value yet, after those that they read. One that fails stays unset. It returns the name of one
// that is too expensive.
func (k *evaluated) all(places []int) (name string, err error) {
	for _, i := range places {
		one := &k.r.variables[i]
		if k.done&(1<<i) != 0 {
			continue
		}
		k.done |= 1 << i
		if name, err := k.all(one.reads); err != nil {
			return name, err
		}
		value, err := one.Program.Eval(k.c, *k.values)
		switch {
		case err == nil:
			if k.values.Variables == nil {
				k.values.Variables = make(map[string]any, len(k.r.variables))
			}
			k.values.Variables[one.Name] = value
		case errors.Is(err, expr.ErrTooExpensive):
			return one.Name, err
		}
	}
	return "", nil
}

// tooExpensive makes an object Unknown: as the rule has no result, the later ones have none either.
func tooExpensive(v *verdict.Verdict, rule string, err error) {
	v.Status, v.Ready, v.Reason, v.Rule = verdict.Unknown, false, "RuleTooExpensive", rule
	v.Message = "rule " + rule + ": " + err.Error()
}

// prove adds the fields that a rule read as evidence, and copies reason and message of a condition: the first unhealthy one that the rule
// of an unhealthy verdict read, otherwise the first one. A rule with a reason of its own copies nothing.
func (r *rules) prove(one *rule, look *view, v *verdict.Verdict) {
	var about verdict.Condition
	found := false
	for _, name := range one.conditions {
		c, _, ok := look.condition(name)
		if !ok {
			continue
		}
		bad := v.Status != verdict.Current && r.complains(c)
		if !found || bad {
			about, found = c, true
		}
		if bad {
			break
		}
	}
	if found {
		v.Follow(about)
		if own := v.Reason; own != "" && own != about.Reason() {
			v.Type, v.Condition, v.Severity = "", "", ""
		}
		v.Reason = cmp.Or(v.Reason, about.Reason(), about.Type)
	}
	for _, p := range one.paths {
		if field := look.object.Get(p.fields...); field.Exists() {
			v.Prove(p.dotted, field.Value())
		}
	}
}

// complains reports whether a condition is unhealthy, by its declared polarity or, without one, by the words of its type.
func (r *rules) complains(c verdict.Condition) bool { return r.complainsOf(c.Type, c.Status) }

func (r *rules) complainsOf(conditionType string, status conditions.Status) bool {
	if t := r.kind.Type(conditionType); t != nil {
		return !t.Polarity.Good(status)
	}
	return !verdict.LooksGood(conditionType, status)
}

// settle sets whether the object is ready.
func settle(v *verdict.Verdict) {
	v.Ready = v.Status == verdict.Current || v.Status == verdict.Degraded
}
