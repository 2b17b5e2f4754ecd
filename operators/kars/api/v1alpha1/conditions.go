// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// GetConditions makes the kind an Object of its generated pass.
func (o *KarsSandbox) GetConditions() []metav1.Condition { return o.Status.Conditions }

// GetConditions makes the kind an Object of its generated pass.
func (o *A2AAgent) GetConditions() []metav1.Condition { return o.Status.Conditions }

// GetConditions makes the kind an Object of its generated pass.
func (o *McpServer) GetConditions() []metav1.Condition { return o.Status.Conditions }

// GetConditions makes the kind an Object of its generated pass.
func (o *ToolPolicy) GetConditions() []metav1.Condition { return o.Status.Conditions }

// GetConditions makes the kind an Object of its generated pass.
func (o *InferencePolicy) GetConditions() []metav1.Condition { return o.Status.Conditions }

// GetConditions makes the kind an Object of its generated pass.
func (o *KarsMemory) GetConditions() []metav1.Condition { return o.Status.Conditions }

// GetConditions makes the kind an Object of its generated pass.
func (o *KarsEval) GetConditions() []metav1.Condition { return o.Status.Conditions }

// GetConditions makes the kind an Object of its generated pass.
func (o *TrustGraph) GetConditions() []metav1.Condition { return o.Status.Conditions }

// GetConditions makes the kind an Object of its generated pass.
func (o *EgressApproval) GetConditions() []metav1.Condition { return o.Status.Conditions }
