// SPDX-License-Identifier: Apache-2.0

package before

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NodePoolConditions reports with apimachinery's SetStatusCondition, and sums up by hand.
func NodePoolConditions(conditions *[]metav1.Condition, generation int64, specError error, found bool, ready *bool) {
	set := func(kind string, status metav1.ConditionStatus, reason, message string) {
		meta.SetStatusCondition(conditions, metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message,
			ObservedGeneration: generation})
	}
	summary, reason, message := metav1.ConditionTrue, "Ready", ""
	if specError != nil {
		set("ValidationSucceeded", metav1.ConditionFalse, "NodePoolValidationFailed", specError.Error())
		summary, reason, message = metav1.ConditionFalse, "NodePoolValidationFailed", specError.Error()
	} else {
		set("ValidationSucceeded", metav1.ConditionTrue, "ValidationSucceeded", "")
	}
	switch {
	case !found:
		set("NodeClassReady", metav1.ConditionFalse, "NodeClassNotFound", "the node class does not exist")
		if summary == metav1.ConditionTrue {
			summary, reason, message = metav1.ConditionFalse, "NodeClassNotFound", "the node class does not exist"
		}
	case ready == nil || !*ready:
		set("NodeClassReady", metav1.ConditionUnknown, "NodeClassReadinessUnknown", "the node class is not ready")
		if summary == metav1.ConditionTrue {
			summary, reason, message = metav1.ConditionUnknown, "NodeClassReadinessUnknown", "the node class is not ready"
		}
	default:
		set("NodeClassReady", metav1.ConditionTrue, "NodeClassReady", "")
	}
	set("Ready", summary, reason, message)
}
