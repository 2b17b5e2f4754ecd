// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	upstream "sigs.k8s.io/cluster-api/util/conditions"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
)

// CAPIv1beta2 are the operations of Cluster API's second conditions package.
var CAPIv1beta2 = []Operation{
	{Name: "summary", Run: summaryV2},
	{Name: "aggregate", Run: aggregateV2},
	{Name: "mirror", Run: mirrorV2},
	{Name: "read", Run: readV2},
	{Name: "set", Run: setV2},
	{Name: "patch", Run: patchV2},
}

// summaryV2 rolls up conditions of one object.
func summaryV2(s *Source, mutate func(*rollup.Options)) Comparison {
	obj := &objectV2{TypeMeta: metav1.TypeMeta{Kind: "Machine"}, ObjectMeta: metav1.ObjectMeta{Name: "m-0"}, list: listV2(s, 12, typesV1)}
	o := rollup.Options{
		Dialect: conditions.DialectCAPIv1beta2, Exact: true, Target: conditions.Type{Name: Pick(s, "Ready", "Available", "Summary")},
	}
	of := append(types(s, 7), Pick(s, typesV1...))
	if !s.Percent(2) { // a fault, see below
		of = slices.DeleteFunc(of, func(t string) bool { return t == o.Target.Name })
	}
	negative := types(s, 4)
	ignored := types(s, 4)
	options := []upstream.SummaryOption{
		upstream.ForConditionTypes(of), upstream.NegativePolarityConditionTypes(negative), upstream.IgnoreTypesIfMissing(ignored),
	}
	var override []upstream.ConditionWithOwnerInfo
	if s.N(4) == 1 {
		for _, c := range obj.list {
			if s.N(3) == 1 {
				override = append(override, upstream.ConditionWithOwnerInfo{Condition: conditionV2(s, c.Type)})
			}
		}
		options = append(options, upstream.OverrideConditions(override))
	}
	if s.N(3) == 1 {
		var strategy []upstream.DefaultMergeStrategyOption
		strategy = append(strategy, upstream.GetPriorityFunc(upstream.GetDefaultMergePriorityFunc(negative...)))
		if s.N(2) == 1 {
			o.Target.Polarity = conditions.Negative
			strategy = append(strategy, upstream.TargetConditionHasPositivePolarity(false))
		}
		if s.N(2) == 1 {
			o.Target.Reasons = words(o.Target.Polarity)
			strategy = append(strategy, upstream.ComputeReasonFunc(upstream.GetDefaultComputeMergeReasonFunc("Bad", "Open", "Good")))
		}
		options = append(options, upstream.CustomMergeStrategy{MergeStrategy: upstream.DefaultMergeStrategy(strategy...)})
	}
	theirs, err := upstream.NewSummaryCondition(obj, o.Target.Name, options...)
	if len(of) == 0 || slices.Contains(of, o.Target.Name) || repeats(override) { // a fault, which our types do not let happen
		return Comparison{Ours: true, Theirs: err != nil}
	}
	inputs := inputsV2(obj.list, override, of, negative, ignored)
	if mutate != nil {
		mutate(&o)
	}
	return Comparison{
		Case: func() string {
			return fmt.Sprintf("%+v of %q negative %q ignored %q override %+v options %+v", obj.list, of, negative, ignored, override, o)
		},
		Ours: madeByOurs(rollup.Summarize(inputs, o)), Theirs: madeByTheirs(theirs, err),
	}
}

// words are other reasons than those of upstream.
func words(p conditions.Polarity) []conditions.Reason {
	bad, good := conditions.False, conditions.True
	if p == conditions.Negative {
		bad, good = good, bad
	}
	return []conditions.Reason{{Name: "Bad", Status: bad}, {Name: "Open", Status: conditions.Unknown}, {Name: "Good", Status: good}}
}

// repeats reports whether two overrides are of one type.
func repeats(override []upstream.ConditionWithOwnerInfo) bool {
	for i, c := range override {
		if slices.ContainsFunc(override[:i], func(o upstream.ConditionWithOwnerInfo) bool { return o.Type == c.Type }) {
			return true
		}
	}
	return false
}

// inputsV2 are the conditions in scope, in order of importance: a type that is listed twice has its last place.
func inputsV2(list []metav1.Condition, override []upstream.ConditionWithOwnerInfo, of, negative, ignored []string) []rollup.Input {
	var inputs []rollup.Input
	for i, t := range of {
		if slices.Contains(of[i+1:], t) {
			continue
		}
		in := rollup.Input{Type: t, Polarity: conditions.Positive, Optional: slices.Contains(ignored, t)}
		if slices.Contains(negative, t) {
			in.Polarity = conditions.Negative
		}
		if !has(list, t) {
			inputs = append(inputs, in)
			continue
		}
		for _, c := range list {
			if c.Type != t {
				continue
			}
			for _, o := range override {
				if o.Type == t {
					c = o.Condition
				}
			}
			in.Condition = oursV2(c)
			inputs = append(inputs, in)
		}
	}
	return inputs
}

// aggregateV2 rolls up one type of a fleet. Names are unique, see the package comment.
func aggregateV2(s *Source, mutate func(*rollup.Options)) Comparison {
	const source = "Ready"
	n := s.N(15)
	few := s.N(2) == 1 // texts, so that they are shared
	objects := make([]*objectV2, n)
	inputs := make([]rollup.Input, n)
	polarity := conditions.Positive
	var options []upstream.AggregateOption
	o := rollup.Options{Dialect: conditions.DialectCAPIv1beta2, Exact: true, Target: conditions.Type{Name: source}}
	if s.N(3) == 1 {
		polarity, o.Target.Polarity = conditions.Negative, conditions.Negative
		options = append(options, upstream.NegativePolarityConditionTypes{source})
	}
	if s.N(3) == 1 {
		o.Target.Name = "MachinesReady"
		options = append(options, upstream.TargetConditionType(o.Target.Name))
	}
	if s.N(4) == 1 {
		var negative []string
		if polarity == conditions.Negative {
			negative = []string{source}
		}
		strategy := []upstream.DefaultMergeStrategyOption{
			upstream.GetPriorityFunc(upstream.GetDefaultMergePriorityFunc(negative...)),
			upstream.ComputeReasonFunc(upstream.GetDefaultComputeMergeReasonFunc("Bad", "Open", "Good")),
		}
		o.Target.Polarity = Pick(s, conditions.Positive, conditions.Negative)
		if o.Target.Polarity == conditions.Negative {
			strategy = append(strategy, upstream.TargetConditionHasPositivePolarity(false))
		}
		o.Target.Reasons = words(o.Target.Polarity)
		options = append(options, upstream.CustomMergeStrategy{MergeStrategy: upstream.DefaultMergeStrategy(strategy...)})
	}
	for i := range n {
		obj := &objectV2{
			TypeMeta:   metav1.TypeMeta{Kind: Pick(s, "Machine", "MachineSet", "Policy", "Proxy")},
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", Pick(s, "a", "b", "c"), i*7%15)},
		}
		if s.N(3) == 1 {
			obj.Labels = map[string]string{clusterv1.MachineControlPlaneLabel: Pick(s, "", "true", "false")}
		}
		in := rollup.Input{
			Type: source, Object: conditions.ObjectRef{Kind: obj.Kind, Name: obj.Name}, Polarity: polarity,
			First: obj.Kind == "Machine" && len(obj.Labels) > 0,
		}
		if s.N(8) != 1 {
			c := conditionV2(s, source)
			if few {
				c.Message = Pick(s, "", "text", "other")
			}
			obj.list = append(listV2(s, 2, []string{"Alpha", "Beta"}), c)
			in.Condition = oursV2(c)
		}
		objects[i], inputs[i] = obj, in
	}
	if mutate != nil {
		mutate(&o)
	}
	theirs, err := upstream.NewAggregateCondition(objects, source, options...)
	return Comparison{
		Case:   func() string { return fmt.Sprintf("%s options %+v", describe(inputs), o) },
		Ours:   madeByOurs(rollup.Aggregate(inputs, o)),
		Theirs: madeByTheirs(theirs, err),
	}
}

// mirrorV2 copies a condition, with or without a fall-back; the fall-back is ours to make of a missing condition.
func mirrorV2(s *Source, mutate func(*rollup.Options)) Comparison {
	obj := &objectV2{list: listV2(s, 4, []string{"Ready", "Alpha", "Beta"})}
	o := rollup.Options{Dialect: conditions.DialectCAPIv1beta2, Exact: true, Target: conditions.Type{Name: "Ready"}}
	var options []upstream.MirrorOption
	if s.N(2) == 1 {
		o.Target.Name = "InfrastructureReady"
		options = append(options, upstream.TargetConditionType(o.Target.Name))
	}
	in := rollup.Input{Type: "Ready"}
	if s.N(2) == 1 {
		c := conditionV2(s, "")
		options = append(options, upstream.FallbackCondition{Status: c.Status, Reason: c.Reason, Message: c.Message})
		if c.Status != "" {
			c.LastTransitionTime = metav1.Time{}
			in.Condition = oursV2(c)
		}
	}
	for _, c := range obj.list {
		if c.Type == "Ready" {
			in.Condition = oursV2(c)
			break
		}
	}
	if mutate != nil {
		mutate(&o)
	}
	theirs := upstream.NewMirrorCondition(obj, "Ready", options...)
	ours, ok := rollup.Mirror(in, o)
	// With the time, unlike the other merges.
	return Comparison{
		Case:   func() string { return fmt.Sprintf("%+v to %s input %+v", obj.list, o.Target.Name, in) },
		Ours:   []any{ours.Condition.Condition, ok},
		Theirs: []any{*theirs, true},
	}
}
