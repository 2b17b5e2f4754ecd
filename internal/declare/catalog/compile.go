// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/expr"
)

// compiler turns one document into a Kind and collects everything wrong with it.
type compiler struct {
	source   *Source
	kind     *Kind
	defaults defaults
	errors   Errors
	shipped  bool
}

// Compile checks a document by itself, fills in the defaults of its dialect and compiles its expressions. References to
// other catalogs are checked by [NewSet]. For a document with several kinds it returns the first, with the others in
// Alike.
func Compile(s *Source) (*Kind, error) { return compile(s, false) }

// CompileShipped is [Compile] for a document that comes with the module. Its expressions are compiled when they are first used, as tests
// have compiled each of them.
func CompileShipped(s *Source) (*Kind, error) { return compile(s, true) }

func compile(s *Source, shipped bool) (*Kind, error) {
	dialect := conditions.Dialect(cmp.Or(s.Spec.Dialect, string(conditions.DialectCore)))
	kinds := s.Spec.For.All()
	c := &compiler{source: s, defaults: defaultsOf(dialect), shipped: shipped, kind: &Kind{
		Source:    s,
		For:       kinds[0],
		Versions:  s.Spec.For.Versions,
		Managed:   s.Spec.For.Managed,
		Dialect:   dialect,
		canonical: map[string]string{},
		shipped:   shipped,
	}}
	c.path()
	c.types()
	c.facts()
	c.phases()
	c.variables()
	c.relations()
	c.tree()
	c.children()
	c.derivations()
	c.manage()
	c.verdicts()
	c.contract()
	c.kinds()
	if err := c.errors.err(); err != nil {
		return nil, err
	}
	for _, gk := range kinds[1:] {
		c.kind.Alike = append(c.kind.Alike, c.kind.as(gk))
	}
	return c.kind, nil
}

func (c *compiler) fail(path, suggestion, format string, args ...any) *Error {
	e := c.source.err(path, fmt.Sprintf(format, args...), suggestion)
	c.errors = append(c.errors, e)
	return e
}

// path reads where the conditions lists stand.
func (c *compiler) path() {
	const usual = "status.conditions"
	at, err := parseListPath(cmp.Or(c.source.Spec.Path, usual))
	if err != nil {
		c.fail("spec.path", "write it as status.conditions or status.listeners[*].conditions", "%v", err)
		at, _ = parseListPath(usual)
	}
	c.kind.At = at
	c.kind.Path = at.names()
}

// types builds the declaration.
func (c *compiler) types() {
	declared := &conditions.Kind{Group: c.kind.For.Group, Kind: c.kind.For.Kind, Dialect: c.kind.Dialect,
		StatusGeneration: c.kind.Source.Spec.InStatus(), StatusWaits: c.kind.Source.Spec.Waits != ""}
	for i := range c.source.Spec.Conditions {
		d := &c.source.Spec.Conditions[i]
		path := index("spec.conditions", i)
		t := conditions.Type{
			Name: d.Type, Aliases: d.Aliases, Meaning: d.Meaning, Optional: d.Optional,
			Unreported: conditions.Unreported(cmp.Or(d.NotReached, string(conditions.UnreportedKeep))),
			Polarity:   conditions.Polarity(d.Polarity),
			Role:       conditions.Role(d.Role),
			Presence:   conditions.Presence(d.Presence),
			Lifecycle:  conditions.Lifecycle(cmp.Or(d.Lifecycle, string(c.defaults.lifecycle[d.Type]))),
		}
		if t.Polarity == "" {
			t.Polarity = cmp.Or(c.defaults.polarity[d.Type], conditions.Positive)
		}
		if t.Role == "" {
			t.Role = conditions.RoleDependent
			if c.defaults.summary[d.Type] {
				t.Role = conditions.RoleSummary
			} else if t.Polarity == conditions.Neutral || c.defaults.aside[d.Type] {
				t.Role = conditions.RoleInformational
			}
		}
		t.Presence = cmp.Or(t.Presence, c.defaults.presence[t.Polarity], conditions.PresenceAlways)
		if d.Derive != nil {
			t.Imported = d.Derive.Merges()
			if s := d.Derive.Summary; s != nil {
				t.Summary = &conditions.Summary{Of: s.Of, Counter: s.Counter, Recent: s.Recent,
					Missing: cmp.Or(s.Missing, string(c.defaults.missing))}
			}
		}
		t.Imported = t.Imported || d.Open != ""
		if c.kind.Dialect == conditions.DialectKstatus && d.Derive == nil &&
			(d.Type == conditions.TypeReconciling || d.Type == conditions.TypeStalled) {
			t.Imported = true // a commit derives it from the other cells, with their reasons
		}
		c.names(path, d)
		t.Reasons = c.reasons(path, d, &t)
		declared.Types = append(declared.Types, t)
	}
	c.retired(declared)
	c.kind.Declaration = declared
	derived := *declared
	derived.Types = slices.Clone(declared.Types)
	for i := range derived.Types {
		derived.Types[i].Foreign = c.source.Spec.Conditions[i].Derive == nil
	}
	c.kind.Derived = &derived
}

// retired enters what the kind has no more.
func (c *compiler) retired(declared *conditions.Kind) {
	for i, name := range c.source.Spec.Retired {
		at := index("spec.retired", i)
		switch of, declared := c.kind.canonical[name]; {
		case !wire.ValidType(name):
			c.fail(at, "", "%q is not a condition type", name).of(CodeTypeName)
		case declared:
			c.fail(at, "", "%q is retired and declared (for %s)", name, of).of(CodeReserved)
		case slices.Contains(c.source.Spec.Retired[:i], name):
			c.fail(at, "", "%q is listed twice", name)
		}
	}
	declared.Retired = c.source.Spec.Retired
}

// names checks a type's name and aliases and enters them.
func (c *compiler) names(path string, d *Condition) {
	enter := func(at, name string) {
		if !wire.ValidType(name) {
			c.fail(at, "", "%q is not a condition type: letters, digits, '-', '_' and '.', at most %d, optionally behind a DNS name and a slash",
				name, wire.MaxTypeNameBytes).of(CodeTypeName)
			return
		}
		for other, of := range c.kind.canonical {
			if other == name {
				c.fail(at, "", "condition type %q is declared twice (also for %s)", name, of).of(CodeAlias)
				return
			}
		}
		c.kind.canonical[name] = d.Type
	}
	enter(path+".type", d.Type)
	for other := range c.kind.canonical {
		if other != d.Type && strings.EqualFold(other, d.Type) && c.kind.canonical[other] != d.Type {
			c.fail(path+".type", "", "condition types %q and %q differ only in case, and kubectl wait ignores case", d.Type, other).of(CodeCase)
		}
	}
	for i, alias := range d.Aliases {
		enter(index(path+".aliases", i), alias)
	}
}

func (c *compiler) reasons(path string, d *Condition, t *conditions.Type) []conditions.Reason {
	var out []conditions.Reason
	seen := map[[2]string]bool{}
	for i := range d.Reasons {
		r := &d.Reasons[i]
		at := index(path+".reasons", i)
		status := conditions.Status(r.Status)
		if r.Reason == "" {
			if !c.defaults.bareTrue || status == conditions.Unknown || t.Polarity.Bad(status) {
				c.fail(at+".reason", "", "reason is empty: dialect %s needs one for %s=%s", c.kind.Dialect, d.Type, r.Status).of(CodeReasonName)
			}
		} else if !wire.ValidReason(r.Reason) {
			c.fail(at+".reason", "", "%q is not a reason: a letter, then letters, digits, '_', ',' and ':', not ending in ',' or ':'",
				r.Reason).of(CodeReasonName)
		}
		for _, name := range append([]string{r.Reason}, r.Aliases...) {
			if seen[[2]string{name, r.Status}] {
				c.fail(at+".reason", "", "reason %q is declared twice for %s=%s", name, d.Type, r.Status).of(CodeAlias)
			}
			seen[[2]string{name, r.Status}] = true
		}
		if len(d.Statuses) > 0 && !slices.Contains(d.Statuses, r.Status) {
			c.fail(at+".status", "", "status %s is not among the statuses of %s", r.Status, d.Type).of(CodeReasonStatus)
		}
		severity := conditions.Severity(r.Severity)
		unhealthy := t.Polarity.Bad(status)
		if severity != "" && !unhealthy {
			c.fail(at+".severity", "leave it out", "severity belongs to unhealthy cells, and %s=%s is not one", d.Type, r.Status).of(CodeProfile)
		}
		if severity == "" && unhealthy {
			severity = conditions.SeverityError // Cluster API proposal: "when this is not specified, it defaults to Error"
		}
		class := conditions.Class(r.Class)
		if class == "" {
			class = classOf(t.Polarity, status, severity)
		}
		out = append(out, conditions.Reason{Name: r.Reason, Aliases: r.Aliases, Status: status, Severity: severity,
			Class: class, Meaning: r.Meaning, Remedy: r.Remedy, Message: r.Message, Retry: c.retry(at, r.Retry),
			Deadline: deadlineOf(r.Deadline), Hold: c.hold(at, r.Hold, d), Initial: r.Initial})
		if r.Initial && d.Derive != nil {
			c.fail(at+".initial", "leave it out", "condition type %s is derived, and its first cell is, too", d.Type)
		}
		if r.Deadline != nil && r.Deadline.After != "" && out[i].Deadline.After <= 0 {
			c.fail(at+".deadline.after", "", "%s is no time to wait", r.Deadline.After)
		}
		if len(r.Sets) > 0 {
			c.fail(at+".sets", "write status, or the reason as a fact", "a reason of one type has a status")
		}
		if r.Meaning == "" {
			c.fail(at+".meaning", "write one sentence, or the reason as a fact", "meaning is missing")
		}
	}
	checked := *t
	checked.Reasons = out
	for i := range out {
		for _, err := range checked.WaitErrors(i, c.source.Spec.Waits != "") {
			key, text, _ := strings.Cut(err.Error(), ": ")
			c.fail(index(path+".reasons", i)+"."+key, "", "%s", text)
		}
	}
	for i, status := range d.Statuses {
		if len(d.Reasons) > 0 && d.Derive == nil &&
			!slices.ContainsFunc(out, func(r conditions.Reason) bool { return string(r.Status) == status }) {
			c.fail(index(path+".statuses", i), "", "%s can be %s but no reason is declared for it", d.Type, status).of(CodeEmptyCell)
		}
	}
	if len(out) == 0 && !t.Imported {
		c.fail(path, "", "%s has no reasons", cmp.Or(d.Type, "the condition"))
	}
	return out
}

// deadlineOf returns the declaration of a deadline; nil without one.
func deadlineOf(d *Deadline) *conditions.Deadline {
	if d == nil {
		return nil
	}
	after, _ := time.ParseDuration(d.After) // the decoder has checked it
	return &conditions.Deadline{After: after, Since: conditions.Since(cmp.Or(d.Since, string(conditions.SinceCell))), Then: d.Then}
}

// hold reads how long a cell has to last.
func (c *compiler) hold(at, text string, d *Condition) time.Duration {
	after, _ := time.ParseDuration(text) // the decoder has checked it
	switch {
	case text != "" && after <= 0:
		c.fail(at+".hold", "", "%s is no time to wait", text)
	case text != "" && d.Derive != nil:
		c.fail(at+".hold", "leave it out", "condition type %s is derived, and a hold is for cells that are reported", d.Type)
	}
	return max(after, 0)
}

// phases compiles the words of status.phase, after the types.
func (c *compiler) phases() {
	rest := false
	for i := range c.source.Spec.Phases {
		p, at := &c.source.Spec.Phases[i], index("spec.phases", i)
		switch {
		case p.Initial && len(p.Cells) > 0:
			c.fail(at+".cells", "leave them out", "the initial phase is that of the first status, whatever its cells are")
		case !p.Initial && rest:
			c.fail(at, "move it before the phase without cells", "phase %s never applies: one before it has every object", p.Phase)
		}
		rest = rest || !p.Initial && len(p.Cells) == 0
		for j, cell := range p.Cells {
			c.phaseCell(index(at+".cells", j), cell)
		}
		c.kind.Declaration.Phases = append(c.kind.Declaration.Phases, conditions.Phase{Name: p.Phase, Cells: p.Cells, Initial: p.Initial})
	}
}

// phaseCell checks a cell of a phase.
func (c *compiler) phaseCell(at, cell string) {
	name, value, _ := strings.Cut(cell, "=")
	status, reason, one := strings.Cut(value, "/")
	t := c.kind.Type(name)
	switch {
	case t == nil || t.Name != name:
		c.fail(at, suggest(name, c.typeNames()), "unknown condition type %q", name)
	case !wire.ValidStatus(conditions.Status(status)):
		c.fail(at, "write TYPE=STATUS or TYPE=STATUS/REASON", "unknown status %q", status)
	case one && c.kind.Reason(name, reason, conditions.Status(status)) == nil && !t.Imported:
		var known []string
		for _, r := range t.Reasons {
			known = append(known, name+"="+string(r.Status)+"/"+r.Name)
		}
		c.fail(at, suggest(cell, known), "%s declares no %s/%s", name, status, reason)
	}
}

// retry reads a retry delay, which RequeueAt of a commit knows in whole seconds.
func (c *compiler) retry(at, text string) time.Duration {
	d, _ := time.ParseDuration(text) // the decoder has checked it
	if text != "" && d < time.Second {
		c.fail(at+".retry", "write 1s or more", "%s is less than a second", text)
	}
	return d
}

// program compiles the expression at path; nil without one or when it is wrong.
func (c *compiler) program(path, source string, scope expr.Scope, want expr.Result) *expr.Program {
	if source == "" {
		return nil
	}
	whole := c.inlined(path, source, scope, nil)
	if c.shipped {
		return expr.Later(whole, scope, want)
	}
	p, issues := expr.Compile(source, scope, want)
	for _, issue := range issues {
		e := c.source.err(path, issue.Message, repair(issue.Message))
		e.Position = c.source.atOffset(path, issue.Line, issue.Column)
		c.errors = append(c.errors, e)
	}
	if p == nil {
		return nil
	}
	paths := p.Uses().Paths
	for _, root := range slices.Sorted(maps.Keys(paths)) {
		if i := slices.IndexFunc(paths[root], func(read string) bool { return bookkeeping(read) != "" }); i >= 0 {
			c.fail(path, "read what the write is about instead", "%s.%s changes with every write: a condition that depends on it is rewritten "+
				"for ever",
				root, bookkeeping(paths[root][i]))
		}
	}
	for _, name := range p.Names() {
		var known []string
		switch name.Of {
		case "related":
			known = slices.Sorted(maps.Keys(c.source.Spec.Relations))
		case "variables":
			known = slices.Sorted(maps.Keys(c.source.Spec.Variables))
		}
		if !slices.Contains(known, name.Name) {
			what := map[string]string{"related": "relation", "variables": "variable"}[name.Of]
			e := c.source.err(path, fmt.Sprintf("unknown %s %q", what, name.Name), suggest(name.Name, known))
			e.Position = c.source.atOffset(path, name.Line, name.Column)
			c.errors = append(c.errors, e)
		}
	}
	if whole != source { // the errors above have their places in what was written
		if p, issues = expr.Compile(whole, scope, want); len(issues) > 0 {
			c.fail(path, repair(issues[0].Message), "%s", issues[0].Message)
		}
	}
	return p
}

// aVariable finds the variables in an expression, aRelation the relations.
var (
	aVariable = regexp.MustCompile(`\bvariables\.([A-Za-z_]\w*)`)
	aRelation = regexp.MustCompile(`\brelated\.[A-Za-z_]`)
)

// inlined returns an expression with its variables about related objects written out: these are read only for the rules that use them.
// Only an expression over related objects may have such variables.
func (c *compiler) inlined(path, source string, scope expr.Scope, within []string) string {
	if !strings.Contains(source, "variables.") {
		return source
	}
	return aVariable.ReplaceAllStringFunc(source, func(use string) string {
		name := strings.TrimPrefix(use, "variables.")
		if slices.Contains(within, name) { // a circle, which [compiler.variables] reports
			return use
		}
		text := c.inlined(path, c.source.Spec.Variables[name], scope, append(within, name))
		switch {
		case !aRelation.MatchString(text):
			return use
		case scope != expr.ScopeRelated:
			c.fail(path, "use it in rules, or give it other inputs", "variable %s reads related objects, which are not known here", name)
			return use
		}
		return "(" + text + ")"
	})
}

// bookkeeping returns the field of a path that the API server changes with every write; empty for another path.
func bookkeeping(path string) string {
	for _, field := range []string{"metadata.resourceVersion", "metadata.managedFields"} {
		if path == field || strings.HasPrefix(path, field+".") {
			return field
		}
	}
	return ""
}

const breakCycle = "take one of them out of the circle"

// repair suggests what to do about a message of the expression compiler.
func repair(message string) string {
	switch {
	case strings.Contains(message, "undeclared reference"):
		if strings.Contains(message, "'object'") || strings.Contains(message, "'root'") {
			return "the object is called self"
		}
		return "write one of the names that are known"
	case strings.Contains(message, "no matching overload"):
		return "convert one side, for example with string(), int() or timestamp()"
	case strings.Contains(message, ", want bool"):
		return "compare it, for example with == or has()"
	case strings.Contains(message, ", want string"):
		return "wrap it in string()"
	case strings.Contains(message, "= is not an operator"):
		return "write == to compare"
	case strings.Contains(message, "syntax error"):
		return "see the CEL language definition; strings inside of YAML want quotes of the other kind"
	}
	return ""
}

// related reports whether a variable reads related objects, by itself or by another one.
func (c *compiler) related(name string) bool {
	return aRelation.MatchString(c.inlined("", "variables."+name, expr.ScopeRelated, nil))
}

// variables compiles the named expressions and orders them.
func (c *compiler) variables() {
	names := slices.Sorted(maps.Keys(c.source.Spec.Variables))
	programs := map[string]*expr.Program{}
	for _, name := range names {
		scope := expr.ScopeSelf
		if c.related(name) {
			scope = expr.ScopeRelated
		}
		if p := c.program("spec.variables."+name, c.source.Spec.Variables[name], scope, expr.Any); p != nil {
			programs[name] = p
		}
	}
	order, cycle := topological(names, func(name string) []string {
		var uses []string
		if p := programs[name]; p != nil {
			for _, n := range p.Names() {
				if n.Of == "variables" {
					uses = append(uses, n.Name)
				}
			}
		}
		return uses
	})
	if cycle != nil {
		c.fail("spec.variables."+cycle[0], breakCycle, "variables depend on each other: %s", strings.Join(cycle, " -> "))
	}
	for _, name := range order {
		if p := programs[name]; p != nil && !c.related(name) {
			c.kind.Variables = append(c.kind.Variables, Variable{name, p})
		}
	}
}

// manage compiles paused, and refuses management where there is nothing to write.
func (c *compiler) manage() {
	c.kind.Paused = c.program("spec.paused", c.source.Spec.Paused, expr.ScopeRelated, expr.Bool)
	if len(c.kind.Managed) > 0 && len(c.kind.Versions) == 0 {
		c.fail("spec.for.managed", "leave it out, or name versions", "a catalog without versions holds for every version")
	}
	if c.source.Spec.Manage != nil && len(c.kind.Derivations) == 0 {
		c.fail("spec.manage", "leave it out, or derive a condition", "no condition of the kind is derived, so there is nothing to manage")
	}
}

// verdicts compiles the rules that judge.
func (c *compiler) verdicts() {
	for i, v := range c.source.Spec.Verdicts {
		at := index("spec.verdicts", i)
		if v.Reason != "" && !wire.ValidReason(v.Reason) {
			c.fail(at+".reason", "", "%q is not a reason", v.Reason)
		}
		c.kind.Verdicts = append(c.kind.Verdicts, Judgement{
			When:    c.program(at+".when", v.When, expr.ScopeSelf, expr.Bool),
			Verdict: v.Verdict, Reason: v.Reason,
			Message: c.program(at+".message", v.Message, expr.ScopeSelf, expr.String)})
	}
	for i, s := range c.source.Spec.States {
		if (s.Path == "") == (s.Condition == "") {
			c.fail(index("spec.states", i), "", "want either path or condition")
		}
	}
}

// topological orders names so that each comes after those it uses, otherwise as given. Uses outside of names are ignored.
// A cycle is given with its first member repeated at the end, and then the order is partial.
func topological(names []string, uses func(string) []string) (order, cycle []string) {
	state := map[string]int{} // 1 being visited, 2 done
	known := map[string]bool{}
	for _, n := range names {
		known[n] = true
	}
	var path []string
	var visit func(string)
	visit = func(n string) {
		if !known[n] || state[n] == 2 || cycle != nil {
			return
		}
		if state[n] == 1 {
			cycle = append(slices.Clone(path[slices.Index(path, n):]), n)
			return
		}
		state[n] = 1
		path = append(path, n)
		for _, u := range uses(n) {
			visit(u)
		}
		path = path[:len(path)-1]
		state[n] = 2
		order = append(order, n)
	}
	for _, n := range names {
		visit(n)
	}
	return order, cycle
}
