// SPDX-License-Identifier: Apache-2.0

// This file is compiled into knative.dev/pkg/apis in place of the function of the same name, see TestUpstream.

package apis

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ours "github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
)

// findUnhappyDependent is the condition that the top level copies, nil where all are healthy.
func (r conditionsImpl) findUnhappyDependent() *Condition {
	var inputs []rollup.Input
	known := 0
	for _, c := range r.accessor.GetConditions() { // what has severity Error counts, whoever wrote it
		if c.Severity != ConditionSeverityError || c.Type == r.happy {
			continue
		}
		known++
		inputs = append(inputs, rollup.Input{Type: string(c.Type), Condition: &ours.Condition{Condition: metav1.Condition{
			Type: string(c.Type), Status: ours.Status(c.Status), Reason: c.Reason, Message: c.Message, LastTransitionTime: c.LastTransitionTime.Inner,
		}}})
	}
	if len(r.dependents) == 0 {
		return nil
	}
	for range len(r.dependents) - known {
		inputs = append(inputs, rollup.Input{Type: "one that is not initialized"})
	}
	m, _ := rollup.Summarize(inputs, rollup.Options{Dialect: ours.DialectKnative, Exact: true, Target: ours.Type{Name: string(r.happy)}})
	if m.Condition.Status == ours.True {
		return nil
	}
	return &Condition{Type: ConditionType(m.Condition.Type), Status: corev1.ConditionStatus(m.Condition.Status), Reason: m.Condition.Reason, Message: m.Condition.Message}
}
