// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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

// GetWaits makes the kind an Object of its generated pass.
func (o *KarsSandbox) GetWaits() []conditions.Wait { return o.Status.Waits }

// GetWaits makes the kind an Object of its generated pass.
func (o *ToolPolicy) GetWaits() []conditions.Wait { return o.Status.Waits }

// GetWaits makes the kind an Object of its generated pass.
func (o *InferencePolicy) GetWaits() []conditions.Wait { return o.Status.Waits }

// GetWaits makes the kind an Object of its generated pass.
func (o *KarsMemory) GetWaits() []conditions.Wait { return o.Status.Waits }

// GetWaits makes the kind an Object of its generated pass.
func (o *KarsEval) GetWaits() []conditions.Wait { return o.Status.Waits }

// GetWaits makes the kind an Object of its generated pass.
func (o *EgressApproval) GetWaits() []conditions.Wait { return o.Status.Waits }
