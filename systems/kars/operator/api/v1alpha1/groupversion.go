// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
)

// GroupVersion is the version of the API that this package is for.
var GroupVersion = schema.GroupVersion{Group: "kars.azure.com", Version: "v1alpha1"}

// AddToScheme makes the kinds known to clients.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&KarsSandbox{}, &KarsSandboxList{}, &A2AAgent{}, &A2AAgentList{}, &McpServer{}, &McpServerList{},
		&ToolPolicy{}, &ToolPolicyList{}, &InferencePolicy{}, &InferencePolicyList{}, &KarsMemory{}, &KarsMemoryList{},
		&KarsEval{}, &KarsEvalList{}, &TrustGraph{}, &TrustGraphList{}, &EgressApproval{}, &EgressApprovalList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}

// Common are the status fields that every kind has.
type Common struct {
	// ObservedGeneration is the generation that was judged.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Phase is a word for the list; it is derived from the same facts as the conditions.
	// +optional
	Phase string `json:"phase,omitempty"`
	// Conditions are those of catalogs/kars.yaml.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Wait is the status field of the kinds that wait for routers or workloads.
type Wait struct {
	// Waits are the beginnings of the waits that have a deadline.
	// +listType=map
	// +listMapKey=type
	// +optional
	Waits []conditions.Wait `json:"waits,omitempty"`
}

// NameRef refers to an object of the same namespace.
type NameRef struct {
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!self.contains('/') && !self.contains(':')",message="a bare name in the same namespace"
	Name string `json:"name"`
}

// Ref returns a reference to a name; nil for an empty one, and for one that no object can have: the status of an
// object whose own name is as long as names may be has to be stored.
func Ref(name string) *NameRef {
	if name == "" || len(name) > validation.DNS1123SubdomainMaxLength {
		return nil
	}
	return &NameRef{Name: name}
}

// ArtifactRef names an artifact of an OCI registry by digest.
type ArtifactRef struct {
	// +kubebuilder:validation:MaxLength=253
	Registry string `json:"registry"`
	// +kubebuilder:validation:MaxLength=255
	Repository string `json:"repository"`
	// +kubebuilder:validation:MaxLength=128
	Digest string `json:"digest"`
	// +optional
	// +kubebuilder:validation:MaxLength=255
	ArtifactType string `json:"artifactType,omitempty"`
}

// Endpoint is a host and port.
type Endpoint struct {
	// Host is a DNS name: no scheme, port, path, wildcard or address.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*$`
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'[A-Za-z][-A-Za-z0-9]*$')`,message="a name, and no address"
	Host string `json:"host"`
	// Port is 443 unless given.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port,omitempty"`
}

// SigningKey is the public half of a key of an agent.
type SigningKey struct {
	// +kubebuilder:validation:MaxLength=128
	Kid string `json:"kid"`
	// +optional
	// +kubebuilder:default=EdDSA
	// +kubebuilder:validation:MaxLength=32
	Alg string `json:"alg,omitempty"`
	// PublicKeyB64u is an Ed25519 public key, base64url without padding.
	// +kubebuilder:validation:MaxLength=128
	PublicKeyB64u string `json:"publicKeyB64u"`
	// NotAfter is when the key ends; empty: never.
	// +optional
	NotAfter *metav1.Time `json:"notAfter,omitempty"`
}

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
