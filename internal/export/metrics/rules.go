// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"k8s.io/apimachinery/pkg/util/duration"
)

type ruleFile struct {
	Groups []group `yaml:"groups"`
}

type group struct {
	Name  string `yaml:"name"`
	Rules []rule `yaml:"rules"`
}

type rule struct {
	Record      string            `yaml:"record,omitempty"`
	Alert       string            `yaml:"alert,omitempty"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for,omitempty"`
	Labels      map[string]string `yaml:"labels,omitempty"`
	Annotations map[string]string `yaml:"annotations,omitempty"`
}

// Names of the recorded series.
const (
	// ClassSeries is 1 for each condition, with the labels of the condition and its class.
	ClassSeries = "tristate:condition:class"
	// RankSeries is the rank of an object: 0 ok, 1 suspended, 2 in progress, 3 will be retried or is not known, 4 needs a person.
	RankSeries = "tristate:object:rank"
)

// byObject are the labels of an object.
const byObject = "customresource_group, customresource_kind, namespace, name"

// writer writes the rules of a kind.
type writer struct {
	*kind
	Options
	rules []rule
}

// selector returns a selector of a metric of the kind, with more matchers.
func (w *writer) selector(metric string, matchers ...string) string {
	all := append([]string{"customresource_group=" + strconv.Quote(w.Subject.For.Group), "customresource_kind=" +
		strconv.Quote(w.Subject.For.Kind)}, matchers...)
	return metric + "{" + strings.Join(all, ", ") + "}"
}

// metric returns the name of a metric of kube-state-metrics.
func (w *writer) metric(name string) string { return strings.TrimPrefix(w.Prefix+"_"+name, "_") }

// one returns a matcher of one of some values.
func one(label string, values []string) string {
	if len(values) == 1 {
		return label + "=" + strconv.Quote(values[0])
	}
	return label + "=~" + strconv.Quote(anyOf(values))
}

func none(label string, values []string) string { return label + "!~" + strconv.Quote(anyOf(values)) }

func anyOf(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = regexp.QuoteMeta(v)
	}
	return strings.Join(quoted, "|")
}

// record writes the recording rules: the class of each condition, and the rank of each object.
func (w *writer) record() {
	selectors := map[string][]string{} // of each class
	add := func(class string, matchers ...string) {
		selectors[class] = append(selectors[class], w.selector(w.metric("condition_info"), matchers...))
	}
	for _, t := range w.types {
		name := "type=" + strconv.Quote(t.Name)
		for _, status := range []conditions.Status{conditions.True, conditions.False, conditions.Unknown} {
			at := "status=" + strconv.Quote(string(status))
			bad := slices.Contains(t.bad(), status)
			if !t.closed {
				switch {
				case status == conditions.Unknown && t.Polarity != conditions.Neutral:
					add(classUnknown, name, at)
				case bad:
					add(classUnhealthy, name, at)
				case status != conditions.Unknown:
					add(string(conditions.ClassOK), name, at)
				}
				continue
			}
			byClass, declared := map[conditions.Class][]string{}, []string{}
			for _, c := range t.cells() {
				if c.Status != status {
					continue
				}
				class := c.Class
				switch { // a cell without a class is what its status is
				case class != "":
				case bad:
					class = classUnhealthy
				case status == conditions.Unknown && t.Polarity != conditions.Neutral:
					class = classUnknown
				default:
					class = conditions.ClassOK
				}
				names := append([]string{c.Name}, c.Aliases...)
				byClass[class] = append(byClass[class], names...)
				declared = append(declared, names...)
			}
			for _, class := range append(slices.Clone(order), classUnhealthy, classUnknown) {
				if names := byClass[conditions.Class(class)]; len(names) > 0 {
					add(class, name, at, one("reason", names))
				}
			}
			switch {
			case t.Polarity == conditions.Neutral:
			case status == conditions.Unknown && len(declared) == 0:
				add(classUnknown, name, at)
			case status == conditions.Unknown:
				add(classUnknown, name, at, none("reason", declared))
			case bad && len(declared) == 0:
				add(classUndeclared, name, at)
			case bad:
				add(classUndeclared, name, at, none("reason", declared))
			}
		}
	}
	for _, class := range append(slices.Clone(order), classUnhealthy, classUnknown, classUndeclared) {
		if list := selectors[class]; len(list) > 0 {
			w.rules = append(w.rules, rule{Record: ClassSeries, Expr: strings.Join(list, "\n  or "), Labels: map[string]string{"class": class}})
		}
	}
	rank := make([]string, 0, 5)
	for i, classes := range []string{"terminal", "transient|unhealthy|unknown|undeclared", "progress", "suspended", "ok"} {
		rank = append(rank, fmt.Sprintf("%d * %s", 4-i, w.selector(ClassSeries, "class=~"+strconv.Quote(classes))))
	}
	w.rules = append(w.rules, rule{Record: RankSeries, Expr: "max by (" + byObject + ") (\n  " + strings.Join(rank, "\n  or ") + "\n)"})
}

// order are the declared classes.
var order = []string{string(conditions.ClassOK), string(conditions.ClassProgress), string(conditions.ClassTransient),
	string(conditions.ClassTerminal), string(conditions.ClassSuspended)}

// summaries returns the types that are summaries.
func (w *writer) summaries() []string {
	var out []string
	for _, t := range w.types {
		if t.Role == conditions.RoleSummary {
			out = append(out, t.Name)
		}
	}
	return out
}

// alerts writes the alerts.
func (w *writer) alerts() {
	w.terminal()
	limited := w.deadlines()
	worse := func(classes string) string {
		return "\nunless on (namespace, name) " + w.selector(ClassSeries, "class=~"+strconv.Quote(classes))
	}
	if budget := w.budget(); budget > 0 {
		for _, each := range []struct{ name, classes, worse, says string }{
			{"Overdue", "progress", "terminal|transient|unhealthy", "has been in progress for more than %s"},
			{"Retrying", "transient|unhealthy", "terminal", "has been failing for more than %s"},
			{"Unknown", "unknown", "terminal|transient|unhealthy|progress", "has a condition that has been Unknown for more than %s"},
			{"Undeclared", "undeclared", "terminal|transient|unhealthy", "has had a condition that no catalog declares for more than %s"},
		} {
			expr := w.objects(w.unlimited(each.classes, limited)) + worse(each.worse)
			if !w.has(each.classes) {
				continue
			}
			w.alert(rule{Alert: w.Subject.For.Kind + each.name, Expr: expr, For: prom(budget),
				Labels:      w.labels("warning", strings.Split(each.classes, "|")[0], ""),
				Annotations: w.texts(fmt.Sprintf(each.says, duration.HumanDuration(budget)), "", "")})
		}
	}
	if w.Source.Spec.InStatus() {
		w.alert(rule{Alert: w.Subject.For.Kind + "Stale", For: "15m", Labels: w.labels("warning", "stale", ""),
			Expr: w.objects(w.selector(w.metric("generation"))) + "\n> on (" + byObject + ") " +
				w.objects(w.selector(w.metric("observed_generation"))),
			Annotations: w.texts("has had a status about an older generation for 15m", "The controller has not looked at the last change of the "+
				"object.", "")})
	}
	var always []string
	for _, t := range w.types {
		if t.Presence == conditions.PresenceAlways && !t.Optional {
			always = append(always, t.Name)
		}
	}
	if len(always) > 0 {
		present := fmt.Sprintf("(count by (namespace, name) (%s) >= %d)", w.selector(w.metric("condition_info"), one("type", always)),
			len(always))
		w.alert(rule{Alert: w.Subject.For.Kind + "Missing", For: "15m", Labels: w.labels("warning", "missing", ""),
			Expr: w.objects(w.selector(w.metric("created"))) + "\nunless on (namespace, name) " + present,
			Annotations: w.texts("has not had every condition for 15m", "Each object has "+strings.Join(always, ", ")+
				"; where one is missing, no controller has looked at the object.", "")})
	}
	w.alert(rule{Alert: w.Subject.For.Kind + "Terminating", Labels: w.labels("warning", "terminating", ""),
		Expr: "time() - " + w.objects(w.selector(w.metric("deletion_timestamp"))) + " > 900",
		Annotations: w.texts("has been terminating for more than 15m", "A finalizer keeps it.",
			"check that the controller behind the finalizer runs")})
	count := "count by (customresource_group, customresource_kind) (" + w.selector(w.metric("created"))
	w.rules = append(w.rules, rule{Alert: w.Subject.For.Kind + "Vanished", For: "15m", Labels: w.labels("warning", "exporter", ""),
		Expr: count + " offset 1h)\nunless " + count + ")",
		Annotations: map[string]string{"summary": "no series of " + w.Subject.Name() + ", though there were some an hour ago",
			"description": "Either every object was deleted, or kube-state-metrics may not list them any more. Then no alert about them can fire."}})
}

// has reports whether the kind has a cell of one of some classes.
func (w *writer) has(classes string) bool {
	for _, r := range w.rules {
		if r.Record == ClassSeries && slices.Contains(strings.Split(classes, "|"), r.Labels["class"]) {
			return true
		}
	}
	return false
}

// objects aggregates an expression to objects.
func (w *writer) objects(expr string) string { return "max by (" + byObject + ") (" + expr + ")" }

// terminal writes an alert for each reason that has a terminal cell.
func (w *writer) terminal() {
	byReason := map[string][]cell{}
	var reasons []string
	for _, t := range w.types {
		for _, c := range t.cells() {
			if c.Class != conditions.ClassTerminal {
				continue
			}
			if byReason[c.Name] == nil {
				reasons = append(reasons, c.Name)
			}
			byReason[c.Name] = append(byReason[c.Name], c)
		}
	}
	for _, reason := range reasons {
		cells := byReason[reason]
		best, below, above := cells[0], false, false
		var names []string
		for _, c := range cells {
			names = append(names, append([]string{c.Name}, c.Aliases...)...)
			summary := c.t.Role == conditions.RoleSummary
			below, above = below || !summary, above || summary
			if best.t.Role == conditions.RoleSummary && !summary || best.source.Remedy == "" && c.source.Remedy != "" {
				best = c
			}
		}
		slices.Sort(names)
		is := one("reason", slices.Compact(names))
		expr := w.objects(w.selector(ClassSeries, `class="terminal"`, is))
		if others := w.summaries(); above && len(others) < len(w.types) { // a summary repeats a terminal condition of the object
			expr = w.objects(w.selector(ClassSeries, `class="terminal"`, is, one("type", others)) + "\n  unless on (namespace, name) " +
				w.selector(ClassSeries, `class="terminal"`, none("type", others)))
			if below {
				expr = w.objects(w.selector(ClassSeries, `class="terminal"`, is, none("type", others))) + "\nor " + expr
			}
		}
		severity := map[conditions.Severity]string{conditions.SeverityWarning: "warning", conditions.SeverityInfo: "info"}[best.Severity]
		w.alert(rule{Alert: w.Subject.For.Kind + identifier(reason), Expr: expr, Labels: w.labels(cmp.Or(severity, "critical"), "terminal",
			reason),
			Annotations: w.texts("needs a person: "+reason, best.source.Meaning, best.source.Remedy)})
	}
}

// deadlines writes an alert for each cell that has a deadline, and returns matchers that leave these cells out.
func (w *writer) deadlines() []string {
	var limited []string
	for _, t := range w.types {
		for _, c := range t.cells() {
			limit := c.limit()
			if limit == 0 || c.Class == conditions.ClassTerminal || c.Class == conditions.ClassOK {
				continue
			}
			limited = append(limited, t.Name+"/"+c.Name)
			names := append([]string{c.Name}, c.Aliases...)
			what := fmt.Sprintf("has had %s %s for more than %s", t.Name, c.Name, duration.HumanDuration(limit))
			w.alert(rule{Alert: w.Subject.For.Kind + identifier(c.Name) + "Overdue", For: prom(limit),
				Labels: w.labels("warning", string(c.Class), c.Name),
				Expr: w.objects(w.selector(ClassSeries, "type="+strconv.Quote(t.Name), "status="+strconv.Quote(string(c.Status)),
					one("reason", names))),
				Annotations: w.texts(what, c.source.Meaning, c.source.Remedy)})
		}
	}
	return limited
}

// unlimited selects the conditions of some classes, without the cells that have an alert by their deadline.
func (w *writer) unlimited(classes string, limited []string) string {
	all := w.selector(ClassSeries, "class=~"+strconv.Quote(classes))
	for _, name := range limited {
		t, reason, _ := strings.Cut(name, "/")
		all += "\n  unless " + w.selector(ClassSeries, "type="+strconv.Quote(t), "reason="+strconv.Quote(reason))
	}
	return all
}

func (w *writer) labels(severity, class, reason string) map[string]string {
	out := map[string]string{"severity": severity, "class": class}
	if reason != "" {
		out["reason"] = reason
	}
	return out
}

// texts returns the annotations of an alert about an object.
func (w *writer) texts(what, meaning, remedy string) map[string]string {
	name := w.Subject.For.Kind + " {{ $labels.namespace }}/{{ $labels.name }} "
	command := "tristate why " + strings.ToLower(w.Subject.For.Kind) + "/{{ $labels.name }} -n {{ $labels.namespace }}"
	if w.Per == PerReason {
		name, command = "{{ $value }} objects of kind "+w.Subject.For.Kind+" in namespace {{ $labels.namespace }}: each ",
			"tristate why -n {{ $labels.namespace }}"
	}
	out := map[string]string{"summary": name + literal(what), "command": command}
	for key, text := range map[string]string{"description": meaning, "remedy": remedy} {
		if text != "" {
			out[key] = literal(text)
		}
	}
	return out
}

// literal returns a text that a template of Prometheus leaves as it is.
func literal(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }

// alert adds an alert about objects; with --per reason about their number in a namespace.
func (w *writer) alert(r rule) {
	if w.Per == PerReason {
		r.Expr = "count by (customresource_group, customresource_kind, namespace) (\n" + r.Expr + "\n)"
	}
	w.rules = append(w.rules, r)
}

var noIdentifier = regexp.MustCompile(`[^A-Za-z0-9_]`)

func identifier(text string) string { return noIdentifier.ReplaceAllString(text, "_") }

// prom returns a duration as Prometheus writes it.
func prom(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return fmt.Sprintf("%ds", d/time.Second)
}
