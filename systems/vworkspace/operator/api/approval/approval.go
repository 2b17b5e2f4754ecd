// SPDX-License-Identifier: Apache-2.0

// Package approval has the part of a status that says what an approval of the object approves.
//
// A claim is for one digest. The operator shows the digest with everything that it covers besides the spec, so that an approver can compute it again
// from the object alone.
//
// +kubebuilder:object:generate=true
package approval

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

//go:generate env GOWORK=off go tool -modfile=../../../../../tools/controller-gen/go.mod controller-gen object paths=.

// Approval says what has to be approved, and by which claim it was.
type Approval struct {
	// Cluster is the id of the cluster that a claim has to be for.
	Cluster string `json:"cluster"`
	// Digest is sha256: and the SHA-256, in hexadecimal, of what will be done: the cluster, the object with its uid, the spec without the approval itself,
	// and resolved, as JSON by RFC 8785.
	Digest string `json:"digest"`
	// Resolved are the objects that the spec refers to, as they are now.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Resolved []Reference `json:"resolved,omitempty"`
	// By names the approver, as the claim does; empty: there is no valid claim.
	// +optional
	By string `json:"by,omitempty"`
	// KeyID names the key that signed the claim.
	// +optional
	KeyID string `json:"keyId,omitempty"`
	// ClaimID is the id of the claim.
	// +optional
	ClaimID string `json:"claimId,omitempty"`
	// Expires is when the claim stops being valid for a start.
	// +optional
	Expires *metav1.Time `json:"expires,omitempty"`
}

// Reference is an object as it was when the digest was computed. Without a uid it does not exist.
type Reference struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Namespace is empty for that of the object.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// +optional
	UID string `json:"uid,omitempty"`
	// Digest is sha256: and the SHA-256 of the part of the object that will be used; empty: its identity decides.
	// +optional
	Digest string `json:"digest,omitempty"`
}
