// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/transition"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AnnotationRotate of a Cluster has the operator register again when its value changes.
const AnnotationRotate = "ops.vworkspace.io/rotate-credentials"

// Cluster is the operator's own status: its connection to the control plane, its credential and the controllers that it depends on.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:metadata:labels="app.kubernetes.io/name=vworkspace"
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Connected",type=string,JSONPath=`.status.conditions[?(@.type=="Connected")].status`
// +kubebuilder:printcolumn:name="Controllers",type=string,JSONPath=`.status.conditions[?(@.type=="ControllersHealthy")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name == self.spec.clusterId",message="the name of a Cluster is its clusterId"
type Cluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ClusterSpec `json:"spec"`
	// +optional
	Status ClusterStatus `json:"status,omitempty"`
}

// ClusterSpec is the configuration of the operator's link to the control plane.
type ClusterSpec struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ClusterID string `json:"clusterId"`
	// ControlPlaneEndpoint is the HTTPS URL of the control plane.
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^https://`
	ControlPlaneEndpoint string `json:"controlPlaneEndpoint"`
	// RegistrationTokenSecretRef names the bootstrap token in the operator's namespace.
	RegistrationTokenSecretRef SecretKeyRef `json:"registrationTokenSecretRef"`
	// CASecretRef names the authorities of the control plane (PEM) in the operator's namespace; those of the system unless set.
	// +optional
	CASecretRef *SecretKeyRef `json:"caSecretRef,omitempty"`
	// ClientCertificateSecretRef names a Secret of type kubernetes.io/tls in the operator's namespace: a certificate that is presented besides the token.
	// +optional
	ClientCertificateSecretRef *CertificateRef `json:"clientCertificateSecretRef,omitempty"`
	// +optional
	Connectivity Connectivity `json:"connectivity,omitempty"`
}

// SecretKeyRef names a key of a Secret.
type SecretKeyRef struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}

// CertificateRef names a Secret with tls.crt and tls.key.
type CertificateRef struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// Connectivity are the times of the link.
type Connectivity struct {
	// HeartbeatInterval is 30s unless set: the longest time between two heartbeats, and how long Connected holds after a round-trip.
	// +optional
	HeartbeatInterval *metav1.Duration `json:"heartbeatInterval,omitempty"`
	// DisconnectWindow is 5m unless set.
	// +optional
	DisconnectWindow *metav1.Duration `json:"disconnectWindow,omitempty"`
	// RecoveryThreshold is how long Connected has been True before Disconnected ends; 1m unless set.
	// +optional
	RecoveryThreshold *metav1.Duration `json:"recoveryThreshold,omitempty"`
	// LongPoll is how long the control plane may keep a request for jobs open; 30s unless set, at most 5m.
	// +optional
	LongPoll *metav1.Duration `json:"longPoll,omitempty"`
	// RotationInterval is how old a credential gets; a week unless set.
	// +optional
	RotationInterval *metav1.Duration `json:"rotationInterval,omitempty"`
}

// ClusterStatus is the observed state of a Cluster.
type ClusterStatus struct {
	// ObservedGeneration is the generation that was judged.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Phase is Pending, Registering, Connected, Disconnected or Error.
	// +optional
	Phase string `json:"phase,omitempty"`
	// Conditions are those of catalogs/vworkspace.yaml.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Waits are the beginnings of the waits that have an end.
	// +listType=map
	// +listMapKey=type
	// +optional
	Waits []conditions.Wait `json:"waits,omitempty"`
	// Transitions are the last transitions of conditions, oldest first.
	// +listType=map
	// +listMapKey=sequence
	// +optional
	Transitions []transition.Transition `json:"transitions,omitempty"`
	// CredentialsSecretRef names the Secret with the credential.
	// +optional
	CredentialsSecretRef string `json:"credentialsSecretRef,omitempty"`
	// CredentialStatus is Valid, Rejected, Failed or Expired.
	// +optional
	CredentialStatus string `json:"credentialStatus,omitempty"`
	// Installable are the required controllers that are not installed: what an Operation, or a person, could install.
	// +listType=map
	// +listMapKey=name
	// +optional
	Installable []Installable `json:"installable,omitempty"`
	// LastContact is the last successful round-trip that is known when another field changes; it is not written by itself.
	// +optional
	LastContact *metav1.Time `json:"lastContact,omitempty"`
}

// Installable is a controller that could be installed.
type Installable struct {
	Name string `json:"name"`
	// Namespace and Deployment are where the operator looks for it.
	Namespace  string `json:"namespace"`
	Deployment string `json:"deployment"`
	// Group is the API group of its kinds.
	// +optional
	Group string `json:"group,omitempty"`
}

// ClusterList is a list of clusters.
//
// +kubebuilder:object:root=true
type ClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Cluster `json:"items"`
}

// GetConditions makes the kind an Object of its generated pass.
func (o *Cluster) GetConditions() []metav1.Condition { return o.Status.Conditions }

// GetTransitions returns the record of the object's transitions.
func (o *Cluster) GetTransitions() []transition.Transition { return o.Status.Transitions }

// GetWaits makes the kind an Object of its generated pass.
func (o *Cluster) GetWaits() []conditions.Wait { return o.Status.Waits }
