// SPDX-License-Identifier: Apache-2.0

package toolpolicy

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the version of the API that this package is for.
var GroupVersion = schema.GroupVersion{Group: "example.dev", Version: "v1"}

// ToolPolicy is the kind that the catalog of this folder is for. crd.yaml defines it.
type ToolPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   Spec   `json:"spec"`
	Status Status `json:"status"`
}

// Spec is the desired state of a ToolPolicy.
type Spec struct {
	Tools []string `json:"tools,omitempty"` // the tools that may be used
}

// Status is the observed state of a ToolPolicy.
type Status struct {
	Profile    string             `json:"profile,omitempty"`   // hash of the compiled profile
	Sandboxes  int                `json:"sandboxes,omitempty"` // number of those that name the policy
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// GetConditions returns the stored conditions, from which a pass begins.
func (p *ToolPolicy) GetConditions() []metav1.Condition { return p.Status.Conditions }

// DeepCopyObject implements runtime.Object.
func (p *ToolPolicy) DeepCopyObject() runtime.Object {
	out := *p
	out.ObjectMeta = *p.ObjectMeta.DeepCopy()
	out.Spec.Tools = slices.Clone(p.Spec.Tools)
	out.Status.Conditions = slices.Clone(p.Status.Conditions)
	return &out
}

// ToolPolicyList is a list of ToolPolicies.
type ToolPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`

	Items []ToolPolicy `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *ToolPolicyList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = make([]ToolPolicy, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*ToolPolicy)
	}
	return &out
}

// AddToScheme registers the kind with a scheme.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &ToolPolicy{}, &ToolPolicyList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
