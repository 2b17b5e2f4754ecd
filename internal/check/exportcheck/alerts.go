// SPDX-License-Identifier: Apache-2.0

package exportcheck

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
	"go.yaml.in/yaml/v3"
)

var statuses = []conditions.Status{conditions.True, conditions.False, conditions.Unknown}

// about is the set of conditions that a selector of a metric can select.
type about struct {
	*query
	kinds []*catalog.Kind
	types []*conditions.Type // those that it selects; all of the kinds where it names none
}

// conditionsOf returns the conditions that a selector selects; false where it is no metric of conditions, or of kinds without a catalog.
func conditionsOf(p *check.Pass, q *query, metrics []metric) (about, bool) {
	a := about{query: q}
	set := p.Set()
	if set == nil {
		return a, false
	}
	named, configured := q.label("customresource_kind", "kind", "exported_kind"), false
	for _, m := range metrics {
		if m.name == q.name {
			configured = true
			if k := set.Kind(m.of); k != nil {
				a.kinds = append(a.kinds, k)
			}
		}
	}
	if !configured && !strings.Contains(q.name, "condition") {
		return a, false
	}
	switch {
	case configured:
	case named != nil:
		for _, k := range set.Kinds() {
			if named.op == "=" && k.For.Kind == named.value || named.op == "=~" && named.re.MatchString(k.For.Kind) {
				a.kinds = append(a.kinds, k)
			}
		}
	default:
		parts := strings.Split(strings.ToLower(q.name), "_")
		for _, k := range p.Catalogs.Kinds {
			if slices.Contains(parts, strings.ToLower(k.For.Kind)) {
				a.kinds = append(a.kinds, k)
			}
		}
		if len(a.kinds) == 0 {
			a.kinds = p.Catalogs.Kinds
		}
	}
	selected := q.label("type", "condition", "condition_type")
	for _, k := range a.kinds {
		for i := range k.Declaration.Types {
			t := &k.Declaration.Types[i]
			if selected == nil || slices.ContainsFunc(k.Names(t.Name), selected.matches) {
				a.types = append(a.types, t)
			}
		}
	}
	return a, slices.ContainsFunc(a.kinds, func(k *catalog.Kind) bool { return len(k.Declaration.Types) > 0 })
}

// label returns the matcher of the first of some labels; nil without one.
func (q *query) label(names ...string) *matcher {
	for _, name := range names {
		for i := range q.matchers {
			if q.matchers[i].label == name {
				return &q.matchers[i]
			}
		}
	}
	return nil
}

var plainWords = regexp.MustCompile(`^[\w|]+$`)

// alternatives returns the values that a matcher writes out; none of a pattern.
func (m *matcher) alternatives() []string {
	switch {
	case m == nil || m.value == "":
		return nil
	case m.re == nil:
		return []string{m.value}
	case plainWords.MatchString(m.value):
		return slices.DeleteFunc(strings.Split(m.value, "|"), func(s string) bool { return s == "" })
	}
	return nil
}

func alertUnknown(p *check.Pass) {
	metrics := metricsOf(p)
	for _, r := range rulesOf(p) {
		if r.err != nil {
			p.Subject()
			p.Report(r.at, r.name+" expr", "the expression of %s cannot be read: %v", r.name,
				r.err).As(check.Warning).Try("correct it, or divide it")
			continue
		}
		for _, q := range r.query.selectors() {
			a, ok := conditionsOf(p, q, metrics)
			if !ok {
				continue
			}
			p.Subject()
			for _, name := range q.label("type", "condition", "condition_type").alternatives() {
				if !slices.ContainsFunc(a.kinds, func(k *catalog.Kind) bool { return k.Type(name) != nil }) {
					p.Report(r.at, r.name+" type "+name, "%s asks for condition type %s, which %s", r.name, name, undeclared(a.kinds))
				}
			}
			for _, name := range q.label("status").alternatives() {
				if !slices.ContainsFunc(statuses, func(s conditions.Status) bool { return strings.EqualFold(string(s), name) }) {
					p.Report(r.at, r.name+" status "+name, "%s asks for status %s: a status is True, False or Unknown", r.name, name)
				}
			}
			for _, name := range q.label("reason").alternatives() {
				if len(a.types) > 0 && !a.declares(name) {
					p.Report(r.at, r.name+" reason "+name, "%s asks for reason %s, which %s", r.name, name, undeclared(a.kinds))
				}
			}
		}
	}
}

// declares reports whether a reason is one of the types that are selected, or cannot be known.
func (a *about) declares(reason string) bool {
	for _, k := range a.kinds {
		for i := range k.Declaration.Types {
			t := &k.Declaration.Types[i]
			c := k.Condition(t.Name)
			if !slices.Contains(a.types, t) {
				continue
			}
			if t.Imported || t.Foreign || c.Open != "" || k.Derives(t.Name) ||
				slices.ContainsFunc(statuses, func(s conditions.Status) bool { return k.Reason(t.Name, reason, s) != nil }) {
				return true
			}
		}
	}
	return false
}

func undeclared(kinds []*catalog.Kind) string {
	if len(kinds) == 1 {
		return kinds[0].For.String() + " does not declare"
	}
	return "no catalog declares"
}

// answer is when an expression fires.
type answer int

const (
	unknown answer = iota
	unhealthy
	healthy
)

func alertPolarity(p *check.Pass) {
	metrics := metricsOf(p)
	for _, r := range rulesOf(p) {
		if !r.alert || r.err != nil {
			continue
		}
		p.Subject()
		j := judge{p: p, metrics: metrics}
		if j.fires(r.query) == healthy {
			p.Report(r.at, r.name, "%s fires while %s", r.name, j.because)
		}
	}
}

type judge struct {
	p       *check.Pass
	metrics []metric
	because string
}

// fires decides for one expression: of parts that are joined by and, one that fires on something unhealthy is enough.
func (j *judge) fires(q *query) answer {
	switch q.op {
	case "and":
		left, right := j.fires(q.args[0]), j.fires(q.args[1])
		if left == unhealthy || right == unhealthy {
			return unhealthy
		}
		return max(left, right)
	case "or":
		return max(j.fires(q.args[0]), j.fires(q.args[1]))
	case "unless":
		return j.fires(q.args[0])
	case "==", "!=", "<", "<=", ">", ">=":
		one, number := q.args[0], q.args[1]
		op := q.op
		if one.op == "number" {
			one, number = number, one
			op = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
			if op == "" {
				op = q.op
			}
		}
		if number.op != "number" {
			return unknown
		}
		at0, at1 := compare(0, op, number.number), compare(1, op, number.number)
		if at0 == at1 {
			return unknown
		}
		return j.selector(inner(one), at1)
	case "selector", "call":
		return j.selector(inner(q), true)
	}
	return unknown
}

// inner returns the selector of a metric, through functions that keep 0 apart from more; nil for another expression.
func inner(q *query) *query {
	if q.op == "call" && slices.Contains([]string{"sum", "max", "min", "avg", "max_over_time", "min_over_time", "avg_over_time",
		"last_over_time"}, q.name) && len(q.args) == 1 {
		return inner(q.args[0])
	}
	if q.op != "selector" {
		return nil
	}
	return q
}

func compare(value float64, op string, with float64) bool {
	switch op {
	case "==":
		return value == with
	case "!=":
		return value != with
	case "<":
		return value < with
	case "<=":
		return value <= with
	case ">":
		return value > with
	}
	return value >= with
}

// selector decides for a metric that is 1, or is 0, for the statuses that its matchers select; for a gauge without them that is True.
func (j *judge) selector(q *query, one bool) answer {
	if q == nil {
		return unknown
	}
	a, ok := conditionsOf(j.p, q, j.metrics)
	if !ok || q.label("type", "condition", "condition_type") == nil {
		return unknown
	}
	out := unknown
	for _, t := range a.types {
		if t.Polarity == conditions.Neutral {
			continue
		}
		var fires []conditions.Status
		for _, s := range statuses {
			selected := s == conditions.True
			if m := q.label("status"); m != nil {
				selected = m.matches(string(s)) || m.matches(strings.ToLower(string(s)))
			}
			if selected == one {
				fires = append(fires, s)
			}
		}
		for _, s := range fires {
			if s != conditions.Unknown && t.Polarity.Good(s) {
				j.because = t.Name + " is " + string(s) + ", which is healthy"
				return healthy
			}
			out = unhealthy
		}
	}
	return out
}

// rule is one rule of Prometheus.
type rule struct {
	name  string // of the alert, or of the recorded metric
	alert bool
	query *query // nil with err
	err   error
	at    catalog.Position
}

// groups are the rules of a file, or of the spec of a PrometheusRule.
type groups struct {
	Groups []struct {
		Rules []struct {
			Alert, Record string
			Expr          yaml.Node // for its place
		}
	}
}

// rulesOf returns the rules of all exports.
func rulesOf(p *check.Pass) []rule {
	var out []rule
	for _, e := range p.Exports {
		if e.Kind != evidence.Rules || e.Root == nil {
			continue
		}
		var file struct {
			groups `yaml:",inline"`
			Spec   groups
		}
		_ = e.Root.Decode(&file) // fields of another type are left out
		for _, group := range append(file.Groups, file.Spec.Groups...) {
			for _, one := range group.Rules {
				if one.Expr.Kind == yaml.ScalarNode {
					q, err := parseQuery(one.Expr.Value)
					out = append(out, rule{cmp.Or(one.Alert, one.Record), one.Alert != "", q, err,
						catalog.Position{File: e.File, Line: e.Line - 1 + one.Expr.Line, Column: one.Expr.Column}})
				}
			}
		}
	}
	return out
}
