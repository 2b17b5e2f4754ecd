// SPDX-License-Identifier: Apache-2.0

package capi

import (
	"slices"

	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConditionType is the type of a condition. Each kind declares its own as constants.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=256
type ConditionType string

// ConditionSeverity classifies the reason of an unhealthy condition. An unhealthy condition without a severity counts
// as Error.
// +kubebuilder:validation:MaxLength=32
type ConditionSeverity string

// The severities, worst first. A healthy condition has none.
const (
	ConditionSeverityError   ConditionSeverity = "Error"
	ConditionSeverityWarning ConditionSeverity = "Warning"
	ConditionSeverityInfo    ConditionSeverity = "Info"
	ConditionSeverityNone    ConditionSeverity = ""
)

// Condition is one observation of an object.
// +kubebuilder:object:generate=false
type Condition struct {
	// Type of the condition, in PascalCase.
	// +required
	Type ConditionType `json:"type"`

	// Status of the condition.
	// +required
	// +kubebuilder:validation:Enum="True";"False";Unknown
	Status metav1.ConditionStatus `json:"status"`

	// Severity of the reason. It is set only while the condition is unhealthy.
	// +optional
	Severity ConditionSeverity `json:"severity,omitempty"`

	// When the status changed last.
	// +required
	LastTransitionTime metav1.Time `json:"lastTransitionTime"`

	// Why the condition has its status, as one word in PascalCase.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason,omitempty"`

	// The same for people.
	// +optional
	// +kubebuilder:validation:MaxLength=10240
	Message string `json:"message,omitempty"`
}

// Conditions is the list of conditions in the status of an object.
// +kubebuilder:object:generate=false
type Conditions []Condition

// DeepCopyInto copies the condition into out.
func (c *Condition) DeepCopyInto(out *Condition) {
	*out = *c
	c.LastTransitionTime.DeepCopyInto(&out.LastTransitionTime)
}

// DeepCopy returns a copy of the condition; nil of nil.
func (c *Condition) DeepCopy() *Condition {
	if c == nil {
		return nil
	}
	out := new(Condition)
	c.DeepCopyInto(out)
	return out
}

// DeepCopyInto copies the list into out.
func (c Conditions) DeepCopyInto(out *Conditions) {
	*out = slices.Clone(c)
	for i := range c {
		c[i].DeepCopyInto(&(*out)[i])
	}
}

// DeepCopy returns a copy of the list; nil of nil.
func (c Conditions) DeepCopy() Conditions {
	var out Conditions
	c.DeepCopyInto(&out)
	return out
}

// List returns the conditions as a pass reads them.
func (c Conditions) List() []conditions.Condition {
	out := make([]conditions.Condition, len(c))
	for i, one := range c {
		out[i] = conditions.Condition{Severity: conditions.Severity(one.Severity), Condition: metav1.Condition{Type: string(one.Type),
			Status:             one.Status,
			LastTransitionTime: one.LastTransitionTime, Reason: one.Reason, Message: one.Message}}
	}
	return out
}

// Of returns the conditions of a commit as a status has them. They have no observed generation.
func Of(list []conditions.Condition) Conditions {
	out := make(Conditions, len(list))
	for i, one := range list {
		out[i] = Condition{Type: ConditionType(one.Type), Status: one.Status, Severity: ConditionSeverity(one.Severity),
			LastTransitionTime: one.LastTransitionTime, Reason: one.Reason, Message: one.Message}
	}
	return out
}
