// SPDX-License-Identifier: Apache-2.0

package compared

import (
	"slices"

	"github.com/awslabs/operatorpkg/status"
	"github.com/tristate/tristate/examples/toolpolicy"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	duckv1 "knative.dev/pkg/apis/duck/v1"
)

// scheme knows a kind in a group.
func scheme(group string, object, list runtime.Object) func(*runtime.Scheme) error {
	return func(s *runtime.Scheme) error {
		gv := schema.GroupVersion{Group: group, Version: "v1"}
		s.AddKnownTypeWithName(gv.WithKind("ToolPolicy"), object)
		s.AddKnownTypeWithName(gv.WithKind("ToolPolicyList"), list)
		metav1.AddToGroupVersion(s, gv)
		return nil
	}
}

// Policy is the kind with conditions of apimachinery.
type Policy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   toolpolicy.Spec   `json:"spec"`
	Status toolpolicy.Status `json:"status"`
}

// GetConditions and SetConditions are what Cluster API asks for.
func (p *Policy) GetConditions() []metav1.Condition { return p.Status.Conditions }

// SetConditions sets the conditions.
func (p *Policy) SetConditions(list []metav1.Condition) { p.Status.Conditions = list }

// DeepCopyObject implements runtime.Object.
func (p *Policy) DeepCopyObject() runtime.Object {
	out := *p
	out.ObjectMeta = *p.ObjectMeta.DeepCopy()
	out.Spec.Tools = slices.Clone(p.Spec.Tools)
	out.Status.Conditions = slices.Clone(p.Status.Conditions)
	return &out
}

// PolicyList is a list of policies.
type PolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`

	Items []Policy `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *PolicyList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = slices.Clone(l.Items)
	return &out
}

// knativePolicy is the kind with conditions of Knative.
type knativePolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   toolpolicy.Spec `json:"spec"`
	Status knativeStatus   `json:"status"`
}

type knativeStatus struct {
	duckv1.Status `json:",inline"`
	Profile       string `json:"profile,omitempty"`
	Sandboxes     int    `json:"sandboxes,omitempty"`
}

type knativePolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`

	Items []knativePolicy `json:"items"`
}

func (p *knativePolicy) DeepCopyObject() runtime.Object {
	out := *p
	out.ObjectMeta = *p.ObjectMeta.DeepCopy()
	out.Spec.Tools = slices.Clone(p.Spec.Tools)
	p.Status.DeepCopyInto(&out.Status.Status)
	return &out
}

func (l *knativePolicyList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = slices.Clone(l.Items)
	return &out
}

// operatorpkgPolicy is the kind with conditions of operatorpkg.
type operatorpkgPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   toolpolicy.Spec   `json:"spec"`
	Status operatorpkgStatus `json:"status"`
}

type operatorpkgStatus struct {
	Profile    string             `json:"profile,omitempty"`
	Sandboxes  int                `json:"sandboxes,omitempty"`
	Conditions []status.Condition `json:"conditions,omitempty"`
}

type operatorpkgPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`

	Items []operatorpkgPolicy `json:"items"`
}

func (p *operatorpkgPolicy) DeepCopyObject() runtime.Object {
	out := *p
	out.ObjectMeta = *p.ObjectMeta.DeepCopy()
	out.Spec.Tools = slices.Clone(p.Spec.Tools)
	out.Status.Conditions = slices.Clone(p.Status.Conditions)
	return &out
}

func (l *operatorpkgPolicyList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = slices.Clone(l.Items)
	return &out
}
