// SPDX-License-Identifier: Apache-2.0

// This file is compiled into sigs.k8s.io/cluster-api/util/conditions in place of the functions of the same names, see TestUpstream.

package conditions

import (
	"errors"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/util"

	ours "github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/oracle/setters"
)

func (d *defaultMergeStrategy) Merge(operation MergeOperation, list []ConditionWithOwnerInfo, types []string) (metav1.ConditionStatus, string, string, error) {
	if len(list) == 0 || d.getPriorityFunc == nil {
		return "", "", "", errors.New("nothing to merge, or nothing to merge it with")
	}
	if d.summaryMessageTransformFunc != nil {
		return d.upstreamMerge(operation, list, types) // a text of the caller's, which ours does not have
	}
	if operation == SummaryMergeOperation {
		slices.SortStableFunc(list, func(a, b ConditionWithOwnerInfo) int {
			return slices.Index(types, a.Type) - slices.Index(types, b.Type)
		})
	}
	inputs := make([]rollup.Input, len(list))
	for i, c := range list {
		adapted := ours.Condition{Condition: c.Condition}
		switch d.getPriorityFunc(c.Condition) { // a function of the caller's, which may class any status as anything
		case IssueMergePriority:
			adapted.Status = ours.False
		case InfoMergePriority:
			adapted.Status = ours.True
		default:
			adapted.Status = ours.Unknown
		}
		inputs[i] = rollup.Input{Type: c.Type, Condition: &adapted, First: c.OwnerResource.IsControlPlaneMachine,
			Object: ours.ObjectRef{Kind: c.OwnerResource.Kind, Name: c.OwnerResource.Name}}
	}
	o := rollup.Options{Dialect: ours.DialectCAPIv1beta2, Exact: true}
	if !d.targetConditionHasPositivePolarity {
		o.Target.Polarity = ours.Negative
	}
	merge := rollup.Aggregate
	if operation == SummaryMergeOperation {
		merge = rollup.Summarize
	}
	m, _ := merge(inputs, o)
	reason := d.computeReasonFunc(splitConditionsByPriority(list, d.getPriorityFunc)) // the caller's, too
	if slices.Contains([]string{issuesReportedReason, unknownReportedReason, infoReportedReason}, reason) {
		reason = m.Condition.Reason
	}
	return m.Condition.Status, reason, m.Condition.Message, nil
}

func newMirrorCondition(source *metav1.Condition, sourceType string, options []MirrorOption) *metav1.Condition {
	given := (&MirrorOptions{targetConditionType: sourceType}).ApplyOptions(options)
	o := rollup.Options{Dialect: ours.DialectCAPIv1beta2, Exact: true, Target: ours.Type{Name: given.targetConditionType}}
	if given.fallbackStatus != "" && source == nil { // the caller's choice, which ours leaves to it
		return &metav1.Condition{Type: given.targetConditionType, Status: given.fallbackStatus, Reason: given.fallbackReason, Message: given.fallbackMessage}
	}
	in := rollup.Input{Type: sourceType}
	if source != nil {
		in.Condition = &ours.Condition{Condition: *source}
	}
	m, _ := rollup.Mirror(in, o)
	return &m.Condition.Condition
}

func Set(target Setter, c metav1.Condition, options ...SetOption) {
	if len(options) > 0 || util.IsNil(target) {
		upstreamSet(target, c, options...) // an order of the caller's, which ours does not have
		return
	}
	generation := c.ObservedGeneration
	if object, ok := target.(metav1.Object); ok {
		generation = object.GetGeneration()
	}
	before := target.GetConditions()
	after := wire.ToMeta(setters.SetCAPIv1beta2(wire.FromMeta(before), ours.Condition{Condition: c}, generation, time.Now()))
	if !slices.Equal(before, after) {
		target.SetConditions(after)
	}
}

func NewPatch(before, after Getter) (Patch, error) {
	if util.IsNil(before) || util.IsNil(after) {
		return nil, errors.New("an object is nil")
	}
	var out Patch
	for _, change := range setters.Diff(wire.FromMeta(before.GetConditions()), wire.FromMeta(after.GetConditions())) {
		switch op := (PatchOperation{}); {
		case change.Before == nil:
			op.Op, op.After = AddConditionPatch, &change.After.Condition
			out = append(out, op)
		case change.After == nil:
			op.Op, op.Before = RemoveConditionPatch, &change.Before.Condition
			out = append(out, op)
		default:
			op.Op, op.Before, op.After = ChangeConditionPatch, &change.Before.Condition, &change.After.Condition
			out = append(out, op)
		}
	}
	return out, nil
}

func (p Patch) Apply(latest Setter, options ...PatchApplyOption) error {
	given := (&PatchApplyOptions{}).ApplyOptions(options)
	if given.conditionSortFunc != nil || p.IsZero() || util.IsNil(latest) {
		return p.upstreamApply(latest, options...)
	}
	var changes setters.Patch
	for _, op := range p {
		var change setters.Change
		if op.Before != nil {
			change.Before = &ours.Condition{Condition: *op.Before}
		}
		if op.After != nil {
			change.After = &ours.Condition{Condition: *op.After}
		}
		changes = append(changes, change)
	}
	list, err := changes.Apply(wire.FromMeta(latest.GetConditions()), setters.PatchOptions{
		Dialect: ours.DialectCAPIv1beta2, Owned: given.ownedConditionTypes, Force: given.forceOverwrite, Now: time.Now(),
	})
	if err == nil {
		latest.SetConditions(wire.ToMeta(list))
	}
	return err
}
