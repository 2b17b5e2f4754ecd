// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 the deprecated functions are the ones to compare with

package oracle

import (
	"fmt"
	"slices"
	"sort"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	upstream "sigs.k8s.io/cluster-api/util/conditions/deprecated/v1beta1"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/proof/oracle/setters"
)

// CAPIv1beta1 are the operations of Cluster API's first conditions package.
var CAPIv1beta1 = []Operation{
	{Name: "summary", Run: summaryV1},
	{Name: "aggregate", Run: aggregateV1},
	{Name: "mirror", Run: mirrorV1},
	{Name: "set", Run: setV1},
	{Name: "patch", Run: patchV1},
}

// summaryV1 rolls up the conditions of one object into Ready.
func summaryV1(s *Source, mutate func(*rollup.Options)) Comparison {
	obj := &objectV1{TypeMeta: metav1.TypeMeta{Kind: "Machine"}, ObjectMeta: metav1.ObjectMeta{Name: "m-0"}, list: listV1(s, 12)}
	o := rollup.Options{
		Dialect: conditions.DialectCAPIv1beta1, Exact: true, Target: conditions.Type{Name: "Ready"},
		Object: conditions.ObjectRef{Kind: "Machine", Name: "m-0"},
	}
	var options []upstream.MergeOption
	var with, negative, only []string
	if s.N(2) == 1 {
		with = types(s, 6)
		options = append(options, upstream.WithConditions(typed(with)...))
	}
	if s.N(2) == 1 {
		negative = types(s, 4)
		options = append(options, upstream.WithNegativePolarityConditions(typed(negative)...))
	}
	switch s.N(4) {
	case 1:
		o.Counter = true
		options = append(options, upstream.WithStepCounter())
	case 2:
		o.Counter = s.N(2) == 1
		options = append(options, upstream.WithStepCounterIf(o.Counter))
	case 3:
		o.Counter = true
		only = types(s, 8)
		options = append(options, upstream.WithStepCounter(), upstream.WithStepCounterIfOnly(typed(only)...))
	}
	if s.N(3) == 1 {
		o.SourceRef = true
		options = append(options, upstream.AddSourceRef())
	}

	inputs := inputsV1(obj.list, with, negative)
	o.Total = len(with) // a repeated type counts twice; without a list the inputs are stored
	if only != nil {
		o.Total = len(only)
		for i := range inputs {
			if inputs[i].Condition != nil && !slices.Contains(only, inputs[i].Type) {
				o.Counter = false
			}
		}
	}
	if ambiguous(inputs) {
		return Comparison{}
	}
	if mutate != nil {
		mutate(&o)
	}
	ours := resultOfOurs(rollup.Summarize(inputs, o))

	before := obj.list
	upstream.SetSummary(obj, options...)
	return Comparison{
		Case: func() string {
			return fmt.Sprintf("%+v with %q negative %q only %q options %+v", before, with, negative, only, o)
		},
		Ours: ours, Theirs: obj.made("Ready"),
	}
}

// made is the condition that upstream's setter wrote, if it did.
func (o *objectV1) made(conditionType string) result {
	if o.sets > 0 {
		for i := range o.list {
			if string(o.list[i].Type) == conditionType {
				return resultOfTheirs(&o.list[i])
			}
		}
	}
	return result{}
}

// inputsV1 are the conditions in scope, in order of importance: the list given, or the order in which upstream sorts.
func inputsV1(list clusterv1.Conditions, with, negative []string) []rollup.Input {
	var inputs []rollup.Input
	add := func(c *clusterv1.Condition, t string) {
		in := rollup.Input{Type: t, Condition: oursV1(c), Polarity: conditions.Positive}
		if slices.Contains(negative, t) {
			in.Polarity = conditions.Negative
		}
		inputs = append(inputs, in)
	}
	if with == nil {
		for i := range list {
			if list[i].Type != "Ready" {
				add(&list[i], string(list[i].Type))
			}
		}
		sort.SliceStable(inputs, func(i, j int) bool { return inputs[i].Type < inputs[j].Type })
		return inputs
	}
	for i, t := range with {
		if t == "Ready" || slices.Contains(with[:i], t) {
			continue
		}
		found := false
		for j := range list {
			if string(list[j].Type) == t {
				add(&list[j], t)
				found = true
			}
		}
		if !found {
			add(nil, t)
		}
	}
	return inputs
}

// aggregateV1 rolls up Ready of a fleet. Names are unique: upstream leaves equal ones in any order.
func aggregateV1(s *Source, mutate func(*rollup.Options)) Comparison {
	n := s.N(15)
	objects := make([]upstream.Getter, n)
	inputs := make([]rollup.Input, n)
	for i := range n {
		obj := &objectV1{
			TypeMeta:   metav1.TypeMeta{Kind: Pick(s, "Machine", "MachineSet", "Policy", "Proxy")},
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", Pick(s, "a", "b", "c"), i*7%15)},
		}
		if s.N(8) != 1 {
			c := conditionV1(s, "Ready")
			obj.list = append(listV1(s, 2), c)
		}
		objects[i] = obj
		inputs[i] = rollup.Input{Type: "Ready", Object: conditions.ObjectRef{Kind: obj.Kind, Name: obj.Name}}
		for j := range obj.list {
			if obj.list[j].Type == "Ready" {
				inputs[i].Condition = oursV1(&obj.list[j])
				break
			}
		}
	}
	o := rollup.Options{
		Dialect: conditions.DialectCAPIv1beta1, Exact: true, Target: conditions.Type{Name: "MachinesReady"}, Counter: true,
	}
	var options []upstream.MergeOption
	if s.N(2) == 1 {
		o.Counter = false
		options = append(options, upstream.WithStepCounterIf(false))
	}
	if s.N(3) == 1 {
		o.SourceRef = true
		options = append(options, upstream.AddSourceRef())
	}
	if s.N(3) == 1 {
		options = append(options, upstream.WithConditions(typed(types(s, 4))...))
	}
	if ambiguous(inputs) {
		return Comparison{}
	}
	if mutate != nil {
		mutate(&o)
	}
	ours := resultOfOurs(rollup.Aggregate(inputs, o))
	target := &objectV1{}
	upstream.SetAggregate(target, "MachinesReady", objects, options...)
	text := func() string { return fmt.Sprintf("%s options %+v", describe(inputs), o) }
	return Comparison{Case: text, Ours: ours, Theirs: target.made("MachinesReady")}
}

func describe(inputs []rollup.Input) string {
	text := ""
	for i := range inputs {
		text += fmt.Sprintf("%s %+v; ", inputs[i].Object, inputs[i].Condition)
	}
	return text
}

// mirrorV1 copies Ready, with or without a fall-back; the fall-back is ours to make of a missing condition.
func mirrorV1(s *Source, mutate func(*rollup.Options)) Comparison {
	obj := &objectV1{list: listV1(s, 4)}
	target := &objectV1{}
	o := rollup.Options{
		Dialect: conditions.DialectCAPIv1beta1, Exact: true, Target: conditions.Type{Name: "InfrastructureReady"},
	}
	var options []upstream.MirrorOptions
	var fallback *conditions.Condition
	if s.N(2) == 1 {
		healthy := s.N(2) == 1
		c := conditionV1(s, "InfrastructureReady")
		options = append(options, upstream.WithFallbackValue(healthy, c.Reason, c.Severity, c.Message))
		fallback = &conditions.Condition{}
		fallback.Status = conditions.True
		if !healthy {
			fallback.Status, fallback.Reason = conditions.False, c.Reason
			fallback.Severity, fallback.Message = conditions.Severity(c.Severity), c.Message
		}
	}
	in := rollup.Input{Type: "Ready", Condition: fallback}
	for i := range obj.list {
		if obj.list[i].Type == "Ready" {
			in.Condition = oursV1(&obj.list[i])
			break
		}
	}
	if mutate != nil {
		mutate(&o)
	}
	m, ok := rollup.Mirror(in, o)
	upstream.SetMirror(target, "InfrastructureReady", obj, options...)
	ours := timed{resultOfOurs(m, ok), stamp(m.Condition.LastTransitionTime.Time)}
	theirs := timed{Result: target.made("InfrastructureReady"), Time: stamp(time.Time{})}
	if len(target.list) > 0 {
		theirs.Time = stamp(target.list[0].LastTransitionTime.Time)
	}
	if ok && ours.Time == "none" {
		ours.Time = "now" // the setter's part
	}
	text := func() string { return fmt.Sprintf("%+v fall-back %+v", obj.list, fallback) }
	return Comparison{Case: text, Ours: ours, Theirs: theirs}
}

// timed is a result with its time.
type timed struct {
	Result result
	Time   string
}

// stamp names a time: upstream reads the wall clock, so that every time that no case contains is now.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "none"
	}
	for _, known := range instants {
		if t.Equal(known) {
			return t.Format(time.RFC3339)
		}
	}
	return "now"
}

// setV1 sets several conditions one after another and compares the whole list.
func setV1(s *Source, mutate func(*rollup.Options)) Comparison {
	obj := &objectV1{list: listV1(s, 8)}
	var ours []conditions.Condition
	for i := range obj.list {
		ours = append(ours, *oursV1(&obj.list[i]))
	}
	before := slices.Clone(obj.list)
	var steps []clusterv1.Condition
	now := time.Now()
	for range 1 + s.N(4) {
		c := conditionV1(s, Pick(s, typesV1...))
		if n := len(obj.list); n > 0 && s.N(3) == 1 { // the same once more
			c = obj.list[s.N(n)]
		}
		steps = append(steps, c)
		mine := *oursV1(&c)
		if mutate != nil {
			o := rollup.Options{}
			mutate(&o)
			mine.Message += o.Target.Name
		}
		ours = setters.SetCAPIv1beta1(ours, mine, now)
		upstream.Set(obj, &c)
	}
	list := func(n int, at func(int) *conditions.Condition) []timed {
		out := make([]timed, n)
		for i := range out {
			c := at(i)
			out[i] = timed{result{true, entry{c.Type, string(c.Status), string(c.Severity), c.Reason, c.Message}}, stamp(c.LastTransitionTime.Time)}
		}
		return out
	}
	return Comparison{
		Case:   func() string { return fmt.Sprintf("%+v set %+v", before, steps) },
		Ours:   list(len(ours), func(i int) *conditions.Condition { return &ours[i] }),
		Theirs: list(len(obj.list), func(i int) *conditions.Condition { return oursV1(&obj.list[i]) }),
	}
}
