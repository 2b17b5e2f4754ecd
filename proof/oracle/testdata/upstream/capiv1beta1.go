// SPDX-License-Identifier: Apache-2.0

// This file is compiled into sigs.k8s.io/cluster-api/util/conditions/deprecated/v1beta1 in place of the functions of the same names, see
// TestUpstream.

package v1beta1

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util"

	ours "github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/proof/oracle/setters"
)

func toOurs(c *clusterv1.Condition) *ours.Condition {
	if c == nil {
		return nil
	}
	return &ours.Condition{Severity: ours.Severity(c.Severity), Condition: metav1.Condition{
		Type: string(c.Type), Status: ours.Status(c.Status), Reason: c.Reason, Message: c.Message, LastTransitionTime: c.LastTransitionTime,
	}}
}

func toTheirs(c *ours.Condition) *clusterv1.Condition {
	return &clusterv1.Condition{Type: clusterv1.ConditionType(c.Type), Status: corev1.ConditionStatus(c.Status), Severity: clusterv1.ConditionSeverity(c.Severity),
		Reason: c.Reason, Message: c.Message, LastTransitionTime: c.LastTransitionTime}
}

func listToOurs(list clusterv1.Conditions) []ours.Condition {
	var out []ours.Condition
	for i := range list {
		out = append(out, *toOurs(&list[i]))
	}
	return out
}

func listToTheirs(list []ours.Condition) clusterv1.Conditions {
	var out clusterv1.Conditions
	for i := range list {
		out = append(out, *toTheirs(&list[i]))
	}
	return out
}

func merge(list []localizedCondition, target clusterv1.ConditionType, options *mergeOptions) *clusterv1.Condition {
	list = slices.DeleteFunc(slices.Clone(list), func(c localizedCondition) bool { return c.Condition == nil })
	importance := func(c localizedCondition) int {
		if i := slices.Index(options.conditionTypes, c.Type); i >= 0 {
			return i
		}
		return len(options.conditionTypes)
	}
	slices.SortStableFunc(list, func(a, b localizedCondition) int {
		return cmp.Or(cmp.Compare(importance(a), importance(b)), cmp.Compare(a.Type, b.Type), cmp.Compare(a.GetName(), b.GetName()))
	})
	inputs := make([]rollup.Input, len(list))
	for i, c := range list {
		inputs[i] = rollup.Input{Type: string(c.Type), Condition: toOurs(c.Condition), Polarity: ours.Positive,
			Object: ours.ObjectRef{Kind: c.GetObjectKind().GroupVersionKind().Kind, Name: c.GetName()}}
		if c.Polarity == NegativePolarity {
			inputs[i].Polarity = ours.Negative
		}
	}
	m, ok := rollup.Summarize(inputs, rollup.Options{Dialect: ours.DialectCAPIv1beta1, Exact: true, Target: ours.Type{Name: string(target)},
		Counter: options.addStepCounter, Total: options.stepCounter, SourceRef: options.addSourceRef})
	if !ok {
		return nil
	}
	return toTheirs(&m.Condition)
}

func mirror(from Getter, target clusterv1.ConditionType, options ...MirrorOptions) *clusterv1.Condition {
	given := &mirrorOptions{}
	for _, option := range options {
		option(given)
	}
	o := rollup.Options{Dialect: ours.DialectCAPIv1beta1, Exact: true, Target: ours.Type{Name: string(target)}}
	if given.fallbackTo != nil && Get(from, clusterv1.ReadyV1Beta1Condition) == nil { // the caller's choice, which ours leaves to it
		if *given.fallbackTo {
			return TrueCondition(target)
		}
		return FalseCondition(target, given.fallbackReason, given.fallbackSeverity, "%s", given.fallbackMessage)
	}
	m, ok := rollup.Mirror(rollup.Input{Type: string(clusterv1.ReadyV1Beta1Condition), Condition: toOurs(Get(from, clusterv1.ReadyV1Beta1Condition))}, o)
	if !ok {
		return nil
	}
	return toTheirs(&m.Condition)
}

func Set(to Setter, c *clusterv1.Condition) {
	if to == nil || c == nil {
		return
	}
	list := listToTheirs(setters.SetCAPIv1beta1(listToOurs(to.GetV1Beta1Conditions()), *toOurs(c), time.Now()))
	to.SetV1Beta1Conditions(list)
	*c = *Get(to, c.Type)
}

func (p Patch) Apply(latest Setter, options ...ApplyOption) error {
	if p.IsZero() || util.IsNil(latest) {
		return p.upstreamApply(latest, options...)
	}
	given := &applyOptions{}
	for _, option := range options {
		if !util.IsNil(option) {
			option(given)
		}
	}
	var changes setters.Patch
	for _, op := range p {
		changes = append(changes, setters.Change{Before: toOurs(op.Before), After: toOurs(op.After)})
	}
	o := setters.PatchOptions{Force: given.forceOverwrite, Now: time.Now()}
	for _, t := range given.ownedConditions {
		o.Owned = append(o.Owned, string(t))
	}
	list, err := changes.Apply(listToOurs(latest.GetV1Beta1Conditions()), o)
	if err == nil {
		latest.SetV1Beta1Conditions(listToTheirs(list))
	}
	return err
}
