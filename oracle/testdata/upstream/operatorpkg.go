// SPDX-License-Identifier: Apache-2.0

// This file is compiled into github.com/awslabs/operatorpkg/status in place of the function of the same name, see TestUpstream.

package status

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ours "github.com/tristate/tristate/conditions"
)

func (c ConditionSet) recomputeRootCondition(conditionType string) {
	if conditionType == c.root {
		return
	}
	var inputs []ours.Input
	for _, one := range c.object.GetConditions() {
		if slices.Contains(c.dependents, one.Type) {
			inputs = append(inputs, ours.Input{Type: one.Type, Condition: &ours.Condition{Condition: metav1.Condition(one)},
				Stale: one.ObservedGeneration != c.object.GetGeneration()})
		}
	}
	m, ok := ours.Summarize(inputs, ours.MergeOptions{Dialect: ours.Operatorpkg, Exact: true, Target: ours.Type{Name: c.root}})
	if !ok { // no dependents
		c.SetTrue(c.root)
		return
	}
	c.Set(Condition{Type: c.root, Status: m.Condition.Status, Reason: m.Condition.Reason, Message: m.Condition.Message})
}
