// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 has the ResourceGraphDefinition as the operator stores it: kro's in every field, with the conditions of apimachinery in place of
// kro's own struct. The schema of the conditions is that of metav1.Condition, a map by type; see package migrate for objects that kro stored.
package v1alpha1

import (
	"slices"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// ResourceGraphDefinition is a graph of resources, from which a kind is made.
type ResourceGraphDefinition struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   v1alpha1.ResourceGraphDefinitionSpec `json:"spec,omitempty"`
	Status ResourceGraphDefinitionStatus        `json:"status,omitempty"`
}

// ResourceGraphDefinitionStatus is what the operator, or kro, has said of a definition.
type ResourceGraphDefinitionStatus struct {
	State              v1alpha1.ResourceGraphDefinitionState `json:"state,omitempty"`
	TopologicalOrder   []string                              `json:"topologicalOrder,omitempty"`
	Conditions         []metav1.Condition                    `json:"conditions,omitempty"`
	Resources          []v1alpha1.ResourceInformation        `json:"resources,omitempty"`
	LastIssuedRevision int64                                 `json:"lastIssuedRevision,omitempty"`
}

// ResourceGraphDefinitionList is a list of definitions.
type ResourceGraphDefinitionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ResourceGraphDefinition `json:"items"`
}

// Kro returns the definition for the packages of kro, without its conditions. It shares no memory with d.
func (d *ResourceGraphDefinition) Kro() *v1alpha1.ResourceGraphDefinition {
	c := d.DeepCopy()
	return &v1alpha1.ResourceGraphDefinition{TypeMeta: c.TypeMeta, ObjectMeta: c.ObjectMeta, Spec: c.Spec,
		Status: v1alpha1.ResourceGraphDefinitionStatus{State: c.Status.State, TopologicalOrder: c.Status.TopologicalOrder, Resources: c.Status.Resources, LastIssuedRevision: c.Status.LastIssuedRevision}}
}

// DeepCopy returns a copy.
func (d *ResourceGraphDefinition) DeepCopy() *ResourceGraphDefinition {
	theirs := (&v1alpha1.ResourceGraphDefinition{TypeMeta: d.TypeMeta, ObjectMeta: d.ObjectMeta, Spec: d.Spec,
		Status: v1alpha1.ResourceGraphDefinitionStatus{TopologicalOrder: d.Status.TopologicalOrder, Resources: d.Status.Resources}}).DeepCopy()
	out := &ResourceGraphDefinition{TypeMeta: theirs.TypeMeta, ObjectMeta: theirs.ObjectMeta, Spec: theirs.Spec, Status: d.Status}
	out.Status.TopologicalOrder, out.Status.Resources, out.Status.Conditions = theirs.Status.TopologicalOrder, theirs.Status.Resources, slices.Clone(d.Status.Conditions) // a condition has no pointers
	return out
}

// GetConditions makes the kind an Object of its generated pass.
func (d *ResourceGraphDefinition) GetConditions() []metav1.Condition { return d.Status.Conditions }

// DeepCopyObject returns a copy.
func (d *ResourceGraphDefinition) DeepCopyObject() runtime.Object { return d.DeepCopy() }

// DeepCopyObject returns a copy.
func (l *ResourceGraphDefinitionList) DeepCopyObject() runtime.Object {
	out := &ResourceGraphDefinitionList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopy())
	}
	return out
}

// AddToScheme registers the kind.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(v1alpha1.GroupVersion, &ResourceGraphDefinition{}, &ResourceGraphDefinitionList{})
	metav1.AddToGroupVersion(s, v1alpha1.GroupVersion)
	return nil
}
