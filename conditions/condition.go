// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"github.com/tristate/tristate/conditions/internal/merge"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Status is True, False or Unknown, as in metav1.ConditionStatus.
type Status = metav1.ConditionStatus

// The three statuses.
const (
	True    = metav1.ConditionTrue
	False   = metav1.ConditionFalse
	Unknown = metav1.ConditionUnknown
)

// Severity classifies the reason of an unhealthy condition (Cluster API proposal 20200506, "Severity"). It is declared
// per reason and used in roll-ups; only the capi-v1beta1 dialect puts it on the wire. Healthy and Unknown conditions
// have none.
type Severity string

// The severities, worst first.
const (
	SeverityError   Severity = "Error"
	SeverityWarning Severity = "Warning"
	SeverityInfo    Severity = "Info"
	SeverityNone    Severity = ""
)

// Rank orders severities, the worst first. An unhealthy condition without a severity counts as an Error.
func (s Severity) Rank() int { return int(merge.SeverityRank(string(s))) }

// Condition is one entry of a conditions list: metav1.Condition, and the severity that the capi-v1beta1 dialect adds.
type Condition struct {
	metav1.Condition
	Severity Severity
}

// ObjectRef names an object in messages, reasons and causes.
type ObjectRef struct {
	Group, Kind, Namespace, Name string
}

// String is "Kind/name", or "Kind/namespace/name" where a namespace is set.
func (r ObjectRef) String() string {
	if r.Namespace == "" {
		return r.Kind + "/" + r.Name
	}
	return r.Kind + "/" + r.Namespace + "/" + r.Name
}

// Find returns the position of the first condition of the type, or -1.
func Find(list []Condition, conditionType string) int {
	for i := range list {
		if list[i].Type == conditionType {
			return i
		}
	}
	return -1
}
