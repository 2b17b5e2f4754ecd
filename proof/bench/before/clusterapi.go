// SPDX-License-Identifier: Apache-2.0

package before

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/util/conditions"
)

// Machine reports with Cluster API's conditions.
func Machine(m conditions.Setter, cloudError error, bootstrap bool, draining string) error {
	infrastructure := metav1.Condition{Type: "InfrastructureReady", Status: metav1.ConditionTrue, Reason: "Provisioned"}
	if cloudError != nil {
		infrastructure.Status, infrastructure.Reason, infrastructure.Message = metav1.ConditionFalse, "Failed", cloudError.Error()
	}
	conditions.Set(m, infrastructure)
	if bootstrap {
		conditions.Set(m, metav1.Condition{Type: "BootstrapReady", Status: metav1.ConditionTrue, Reason: "Stored"})
	} else {
		conditions.Set(m, metav1.Condition{Type: "BootstrapReady", Status: metav1.ConditionFalse, Reason: "Waiting",
			Message: "no bootstrap data yet"})
	}
	if draining != "" {
		conditions.Set(m, metav1.Condition{Type: "Deleting", Status: metav1.ConditionTrue, Reason: "Draining", Message: draining})
	} else {
		conditions.Delete(m, "Deleting")
	}
	return conditions.SetSummaryCondition(m, m, "Ready",
		conditions.ForConditionTypes{"Deleting", "BootstrapReady", "InfrastructureReady"},
		conditions.IgnoreTypesIfMissing{"Deleting"},
		conditions.CustomMergeStrategy{MergeStrategy: conditions.DefaultMergeStrategy(
			conditions.GetPriorityFunc(conditions.GetDefaultMergePriorityFunc("Deleting")))})
}
