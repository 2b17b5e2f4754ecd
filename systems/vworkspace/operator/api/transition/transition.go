// SPDX-License-Identifier: Apache-2.0

// Package transition has the record of the condition transitions that the status of every vWorkspace kind carries.
//
// The record is written in the same request as the conditions themselves, so a transition cannot be stored without its entry. The agent reads the
// entries from the objects and reports each of them to the control plane; it keeps the number of the last one that it took over. This is how a
// transition is reported exactly once although the operator may end at any moment.
//
// +kubebuilder:object:generate=true
package transition

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

//go:generate env GOWORK=off go tool -modfile=../../../../../tools/controller-gen/go.mod controller-gen object paths=.

// Length is how many transitions a record has; older ones are dropped.
const Length = 16

// Transition is a change of the status or reason of a condition.
type Transition struct {
	// Sequence counts the transitions of the object from 1.
	Sequence int64 `json:"sequence"`
	// +kubebuilder:validation:MaxLength=316
	Type string `json:"type"`
	// Status is True, False or Unknown; empty: the condition was removed.
	// +optional
	Status metav1.ConditionStatus `json:"status,omitempty"`
	// +optional
	Reason string `json:"reason,omitempty"`
	// Message is that of the condition, at most 256 bytes of it.
	// +optional
	Message string `json:"message,omitempty"`
	// Generation is the generation that was judged.
	// +optional
	Generation int64 `json:"generation,omitempty"`
	// Time is when the transition was judged.
	Time metav1.Time `json:"time"`
}
