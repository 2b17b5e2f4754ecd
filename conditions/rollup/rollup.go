// SPDX-License-Identifier: Apache-2.0

package rollup

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/internal/dialect"
	"github.com/tristate/tristate/conditions/internal/merge"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ReasonNotReported is the reason of a condition that does not exist, where the target declares none for it.
const ReasonNotReported = merge.ReasonNotReported

// Merged is the result of a merge: a condition without time and generation, and what caused it, worst first.
type Merged struct {
	Condition conditions.Condition
	Causes    []conditions.Cause
}

// Summarize merges conditions of one object into one. The order of in is the order of importance: it decides between
// conditions of the same weight. It reports false when no input counts (none given, all skipped or neutral).
//
// Native rules: the result is unhealthy if any input is, else Unknown if any is, else healthy. Its reason is the
// reason of the deciding inputs, if they agree on one and the target declares or imports it. Otherwise it is the
// first declared reason of the target that one of them has. Otherwise it is the last one declared for the status, or
// else a stock one. The message names every input that is not healthy as "Type(Reason): text", worst first.
//
// Dialect capi-v1beta1: the worst group of status and severity decides; True is bare.
func Summarize(in []Input, o Options) (Merged, bool) { return list(in, &o, false) }

// Aggregate merges the condition of several objects into one, by the rules of [Summarize]. The result does not depend
// on the order of in. Objects with equal text are named together, at most three of them, and the number of the rest.
func Aggregate(in []Input, o Options) (Merged, bool) { return list(in, &o, true) }

// list merges a list of inputs.
func list(in []Input, o *Options, grouped bool) (Merged, bool) {
	var m merge.Merger
	rules, options, target := o.merge()
	m.Start(rules, options, target, grouped, !o.NoCauses)
	var one merge.Input
	for i := range in {
		in[i].merge(&one)
		m.Offer(&one)
	}
	return merged(&m, func() (merge.Outcome, bool) { return m.Merge(nil) })
}

// Mirror copies the condition of one object under the name of the target, with the status turned over where the
// polarities are opposite. It reports false where there is nothing to copy: the condition is missing and optional, or
// missing counts as skipped. Time and generation are not copied.
func Mirror(in Input, o Options) (Merged, bool) {
	var m merge.Merger
	rules, options, target := o.merge()
	var one merge.Input
	in.merge(&one)
	return merged(&m, func() (merge.Outcome, bool) { return m.Mirror(rules, options, target, &one) })
}

// merged is a result with its causes.
func merged(m *merge.Merger, result func() (merge.Outcome, bool)) (Merged, bool) {
	r, ok := result()
	out := Merged{Condition: conditions.Condition{Condition: r.Condition, Severity: conditions.Severity(r.Severity)}}
	m.Causes(func(n int) { out.Causes = make([]conditions.Cause, 0, n) }, func(o merge.Object, severity string, c *metav1.Condition) {
		out.Causes = append(out.Causes, conditions.Cause{Object: conditions.ObjectRef(o), Severity: conditions.Severity(severity), Condition: c})
	})
	return out, ok
}

// merge returns the options as the merge has them.
func (o *Options) merge() (*merge.Rules, *merge.Options, *merge.Target) {
	t := &o.Target
	target := merge.Target{Name: t.Name, Negative: t.Polarity == conditions.Negative, Neutral: t.Polarity == conditions.Neutral,
		Imported: t.Imported, Cells: (*cells)(&t.Reasons)}
	return dialect.Rules(string(o.Dialect)), &merge.Options{Missing: string(o.Missing), Counter: o.Counter, Total: o.Total, AtLeast: o.AtLeast,
		AtMost: o.AtMost, Recent: o.Recent, Reasons: o.Reasons, SourceRef: o.SourceRef, Exact: o.Exact, Object: merge.Object(o.Object)}, &target
}

// cells are the reasons of a type for a merge.
type cells []conditions.Reason

func (c *cells) Len() int { return len(*c) }

func (c *cells) Cell(i int) (string, []string, conditions.Status) {
	r := &(*c)[i]
	return r.Name, r.Aliases, r.Status
}

// merge sets an input of a merge.
func (in *Input) merge(to *merge.Input) {
	// Field by field: a literal would be made on the stack first and copied.
	to.Object.Group, to.Object.Kind, to.Object.Namespace, to.Object.Name = in.Object.Group, in.Object.Kind, in.Object.Namespace, in.Object.Name
	to.Type, to.Condition, to.Severity, to.Declared = in.Type, nil, "", string(in.Severity)
	if in.Condition != nil {
		to.Condition, to.Severity = &in.Condition.Condition, string(in.Condition.Severity)
	}
	to.Negative, to.Neutral = in.Polarity == conditions.Negative, in.Polarity == conditions.Neutral
	to.Stale, to.Optional = in.Stale, in.Optional
	if to.Causes = nil; len(in.Causes) > 0 {
		to.Causes = causes(in.Causes)
	}
}

// causes are causes as the merge has them.
func causes(list []conditions.Cause) []merge.Cause {
	out := make([]merge.Cause, 0, len(list))
	for _, c := range list {
		out = append(out, merge.Cause{Object: merge.Object(c.Object), Severity: string(c.Severity), Condition: c.Condition})
	}
	return out
}
