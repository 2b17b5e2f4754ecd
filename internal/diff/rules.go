// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// rule classifies a change of one field.
type rule struct {
	id    string
	level Level
	what  string // what changed, as the subject of a sentence
}

// rules are by struct and field of the model. A field without one is unhandled.
var rules = map[string]rule{
	"Metadata.Name":        {"metadata-changed", Compatible, "the name of the catalog"},
	"Metadata.Labels":      {"metadata-changed", Compatible, "the labels of the catalog"},
	"Metadata.Annotations": {"metadata-changed", Compatible, "the annotations of the catalog"},
	"For.Versions":         {"versions-changed", Note, "the versions that the catalog is for"},

	"Spec.Dialect":            {"dialect-changed", Breaking, "the dialect"},
	"Spec.Manage":             {"management-changed", Note, "who manages the kind"},
	"Spec.Paused":             {"management-changed", Note, "when an object is left as it is"},
	"Spec.Path":               {"path-moved", Breaking, "the place of the conditions"},
	"Spec.Variables":          {"expression-changed", Compatible, "a variable of expressions"},
	"Spec.Relations":          {"relation-changed", Note, "how the kind is related to others"},
	"Spec.Children":           {"verdict-changed", Note, "which children count in the verdict"},
	"Spec.Writer":             {"writer-changed", Note, "the field manager of the controller"},
	"Spec.ObservedGeneration": {"generation-changed", Breaking, "where the observed generation stands"},
	"Spec.Settled":            {"settled-changed", Note, "when the controller is done"},
	"Spec.Writes":             {"writer-changed", Note, "what the controller writes on other kinds"},
	"Spec.Shared":             {"shared-changed", Compatible, "the reasons that kinds share"},
	"Spec.Exclusive":          {"exclusive-changed", Note, "which types exclude each other"},
	"Spec.Ignores":            {"verdict-changed", Note, "which conditions are ignored"},
	"Spec.Remedies":           {"remedy-changed", Compatible, "what can be done about a reason"},
	"Spec.Churn":              {"churn-changed", Compatible, "when messages are rewritten too often"},
	"Spec.Verdicts":           {"verdict-changed", Note, "how an object is judged"},
	"Spec.States":             {"verdict-changed", Note, "how an object is judged by its fields"},

	"Condition.Meaning":    {"meaning-changed", Note, "the meaning"},
	"Condition.Polarity":   {"polarity-changed", Breaking, "the polarity"},
	"Condition.Role":       {"summary-changed", Breaking, "the role"},
	"Condition.Presence":   {"presence-changed", Breaking, "when the condition is in the list"},
	"Condition.While":      {"presence-changed", Breaking, "while what the condition is in the list"},
	"Condition.Lifecycle":  {"lifecycle-changed", Breaking, "how the condition moves"},
	"Condition.Run":        {"lifecycle-changed", Breaking, "what a run is"},
	"Condition.NotReached": {"not-reached-changed", Note, "what a pass does that does not reach the type"},
	"Condition.Initial":    {"initial-changed", Note, "how the condition begins"},
	"Condition.Optional":   {"summary-changed", Breaking, "whether a missing condition counts"},
	"Condition.Volatile":   {"volatile-changed", Compatible, "which parts of messages count as a change"},
	"Condition.Dwell":      {"dwell-changed", Note, "how long a change must last"},
	"Condition.Derive":     {"derivation-changed", Note, "how the condition is derived"},
	"Condition.Imports":    {"imports-changed", Note, "where reasons are forwarded from"},
	"Condition.Composite":  {"composite-changed", Breaking, "how reasons are joined"},
	"Condition.Message":    {"message-contract-changed", Breaking, "what messages look like"},
	"Condition.Writers":    {"writer-changed", Note, "who else writes the condition"},
	"Condition.MirrorOf":   {"mirror-changed", Note, "which type the condition repeats"},
	"Condition.Transition": {"time-semantics-changed", Note, "what moves lastTransitionTime"},
	"Condition.Backdated":  {"time-semantics-changed", Note, "whether lastTransitionTime may be set back"},
	"Condition.Deadline":   {"deadline-changed", Note, "how long the condition may be in progress"},
	"Condition.Stability":  {"stability-changed", Note, "the stability"},
	"Condition.Since":      {"since-changed", Compatible, "since when the type is there"},

	"Reason.Class":    {"class-changed", Note, "the class"},
	"Reason.Severity": {"severity-changed", Note, "the severity"},
	"Reason.Meaning":  {"meaning-changed", Note, "the meaning"},
	"Reason.Remedy":   {"remedy-changed", Compatible, "the remedy"},
	"Reason.Runbook":  {"remedy-changed", Compatible, "the runbook"},
	"Reason.Origin":   {"origin-changed", Compatible, "where the reason comes from in code"},
	"Reason.Message":  {"message-contract-changed", Breaking, "what messages look like"},
	"Reason.Since":    {"since-changed", Compatible, "since when the reason is there"},
	"Reason.Addition": {"addition-changed", Compatible, "whether the document has the cell"},
}

// fields compares the fields of a struct by their rules, but for those that are compared by hand.
func (c *comparer) fields(of, subject string, was, is reflect.Value, except ...string) {
	for i := range was.NumField() {
		field := was.Type().Field(i)
		if slices.Contains(except, field.Name) || reflect.DeepEqual(was.Field(i).Interface(), is.Field(i).Interface()) ||
			was.Field(i).IsZero() && is.Field(i).IsZero() {
			continue
		}
		r, ok := rules[of+"."+field.Name]
		if !ok {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			c.add(Breaking, "unhandled-change", subject, "", "%s changed, and no rule says what that means", name)
			continue
		}
		if a, b := text(was.Field(i)), text(is.Field(i)); strings.HasSuffix(r.id, "meaning-changed") && strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ") {
			continue
		}
		if r.id == "stability-changed" && rank(is.Field(i).String()) < rank(was.Field(i).String()) {
			r = rule{"stability-lowered", Breaking, r.what}
		}
		c.add(r.level, r.id, subject, "", "%s changed%s", r.what, fromTo(was.Field(i), is.Field(i)))
	}
}

// rank orders stabilities.
func rank(stability string) int {
	return slices.Index([]string{"reserved", "alpha", "beta", "", "stable"}, stability)
}

func text(v reflect.Value) string { return fmt.Sprint(v.Interface()) }

// fromTo is the change of a short value.
func fromTo(was, is reflect.Value) string {
	if was.Kind() != reflect.String && was.Kind() != reflect.Bool {
		return ""
	}
	show := func(v reflect.Value) string {
		if text(v) == "" {
			return "unset"
		}
		return text(v)
	}
	a, b := show(was), show(is)
	if len(a) > 40 || len(b) > 40 {
		return ""
	}
	return " from " + a + " to " + b
}
