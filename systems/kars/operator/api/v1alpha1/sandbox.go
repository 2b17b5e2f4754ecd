// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// KarsSandbox is the runtime of an agent with its router.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=karssandboxes,shortName=cs
// +kubebuilder:metadata:labels="app.kubernetes.io/name=kars"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Runtime",type=string,JSONPath=`.spec.runtime.kind`
// +kubebuilder:printcolumn:name="InferencePolicy",type=string,JSONPath=`.spec.inferenceRef.name`
// +kubebuilder:printcolumn:name="Isolation",type=string,JSONPath=`.spec.sandbox.isolation`
// +kubebuilder:printcolumn:name="Allowlist",type=string,JSONPath=`.status.conditions[?(@.type=="AllowlistAuthoritative")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 40",message="the name has at most 40 characters, because names of components are made of it"
// +kubebuilder:validation:XValidation:rule=`self.metadata.name.matches(r'^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')`,message="the name has no dots, because the namespace of the sandbox is named after it"
type KarsSandbox struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec KarsSandboxSpec `json:"spec"`
	// +optional
	Status KarsSandboxStatus `json:"status,omitempty"`
}

// KarsSandboxSpec is the desired state of KarsSandbox.
type KarsSandboxSpec struct {
	Runtime RuntimeSpec `json:"runtime"`
	// +optional
	InferenceRef NameRef `json:"inferenceRef,omitempty"`
	// +optional
	MemoryRef *NameRef `json:"memoryRef,omitempty"`
	// +optional
	Sandbox *IsolationSpec `json:"sandbox,omitempty"`
	// +optional
	NetworkPolicy *NetworkSpec `json:"networkPolicy,omitempty"`
	// +optional
	Governance *GovernanceSpec `json:"governance,omitempty"`
	// +optional
	A2A *A2ASpec `json:"a2a,omitempty"`
	// +optional
	UpstreamCompatibility *UpstreamSpec `json:"upstreamCompatibility,omitempty"`
	// +optional
	Suspended bool `json:"suspended,omitempty"`
}

// RuntimeSpec selects the adapter of the runtime.
type RuntimeSpec struct {
	// Kind is BYO, or a name that the operator has an image for.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`
	// BYO is the image of runtime kind BYO, and of no other.
	// +optional
	BYO *BYOSpec `json:"byo,omitempty"`
}

// BYOSpec is an image that keeps the contract of runtimes.
type BYOSpec struct {
	Image string `json:"image"`
}

// IsolationSpec is how the sandbox is isolated.
type IsolationSpec struct {
	// Isolation is standard (restricted pods), enhanced (the default: also a root file system that is read only) or confidential (also the runtime class
	// that the operator is given).
	// +optional
	// +kubebuilder:default=enhanced
	Isolation string `json:"isolation,omitempty"`
}

// NetworkSpec lists the destinations that the sandbox may reach.
type NetworkSpec struct {
	// DefaultDeny is true, and so it is if it is not given.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self",message="every destination is denied that is not allowed"
	DefaultDeny *bool `json:"defaultDeny,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=256
	AllowedEndpoints []Endpoint `json:"allowedEndpoints,omitempty"`
	// EgressMode is Strict: what is not allowed is refused.
	// +optional
	// +kubebuilder:validation:Enum=Strict
	EgressMode string `json:"egressMode,omitempty"`
	// AllowlistRef is the signed list that outranks AllowedEndpoints.
	// +optional
	AllowlistRef *ArtifactRef `json:"allowlistRef,omitempty"`
}

// GovernanceSpec names the policies for the tool calls of the sandbox.
//
// +kubebuilder:validation:XValidation:rule="!has(self.enabled) || !self.enabled || has(self.toolPolicyRef)",message="enabled demands toolPolicyRef"
// +kubebuilder:validation:XValidation:rule="!has(self.mcpServerRef) || !has(self.mcpServerRefs) || self.mcpServerRefs.size() == 0",message="mcpServerRef and mcpServerRefs exclude each other"
type GovernanceSpec struct {
	// Enabled is true unless given.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// ToolPolicyRef is the policy kars-default unless given.
	// +optional
	ToolPolicyRef *NameRef `json:"toolPolicyRef,omitempty"`
	// TrustThreshold is given to the agent, which decides on the calls of others: KARS_TRUST_THRESHOLD.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	TrustThreshold *int32 `json:"trustThreshold,omitempty"`
	// McpServerRef is deprecated: use McpServerRefs.
	// +optional
	McpServerRef *NameRef `json:"mcpServerRef,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	McpServerRefs []NameRef `json:"mcpServerRefs,omitempty"`
}

// A2ASpec makes the sandbox reachable by other agents.
type A2ASpec struct {
	// +optional
	Enabled bool `json:"enabled,omitempty"`
	// +optional
	AgentRef *NameRef `json:"agentRef,omitempty"`
}

// UpstreamSpec is how the sandbox relates to an upstream Sandbox object.
type UpstreamSpec struct {
	// SigsAgentSandbox is off (the default) or overlay.
	// +optional
	SigsAgentSandbox string `json:"sigsAgentSandbox,omitempty"`
	// +optional
	UpstreamSandboxRef *NameRef `json:"upstreamSandboxRef,omitempty"`
}

// KarsSandboxStatus is the observed state of KarsSandbox.
type KarsSandboxStatus struct {
	Common `json:",inline"`
	Wait   `json:",inline"`
	// AllowlistDigest is the digest of the artifact that the conditions of the list of destinations are about; absent: of none.
	// +optional
	AllowlistDigest string `json:"allowlistDigest,omitempty"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// +optional
	InferenceEndpoint string `json:"inferenceEndpoint,omitempty"`
	// +optional
	RuntimeKind string `json:"runtimeKind,omitempty"`
}

// KarsSandboxList is a list of KarsSandboxes.
//
// +kubebuilder:object:root=true
type KarsSandboxList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []KarsSandbox `json:"items"`
}

// EgressApproval grants a sandbox further destinations for a time.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=eappr
// +kubebuilder:metadata:labels="app.kubernetes.io/name=kars"
// +kubebuilder:printcolumn:name="Sandbox",type=string,JSONPath=`.spec.sandbox`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Expires",type=string,JSONPath=`.status.expiresAt`
// +kubebuilder:printcolumn:name="Hosts",type=integer,JSONPath=`.status.hostCount`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 200",message="the name has at most 200 characters, because the name of a file is made of it"
type EgressApproval struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec EgressApprovalSpec `json:"spec"`
	// +optional
	Status EgressApprovalStatus `json:"status,omitempty"`
}

// EgressApprovalSpec is the desired state of EgressApproval.
type EgressApprovalSpec struct {
	// Sandbox is a sandbox of the same namespace. It cannot be changed: a grant is for one sandbox.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the sandbox of a grant cannot be changed"
	Sandbox string `json:"sandbox"`
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Hosts []Endpoint `json:"hosts"`
	// Reason has at most 512 characters, one that is no white space among them, and no control characters but tab and line breaks.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'\S')`,message="a reason for people to read"
	// +kubebuilder:validation:XValidation:rule=`!self.matches(r'[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\x{061c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]')`,message="no control characters, and none that change the direction of writing"
	Reason string `json:"reason"`
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Ticket string `json:"ticket,omitempty"`
	// TTL is an ISO 8601 duration of days, hours, minutes and whole seconds.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^P([0-9]{1,9}D)?(T([0-9]{1,9}H)?([0-9]{1,9}M)?([0-9]{1,9}S)?)?$') && self.matches('[DHMS]$')`,message="an ISO 8601 duration of days, hours, minutes and whole seconds, such as P1DT2H"
	TTL string `json:"ttl"`
}

// EgressApprovalStatus is the observed state of EgressApproval.
type EgressApprovalStatus struct {
	Common `json:",inline"`
	Wait   `json:",inline"`
	// EffectiveAt is when the grant was first unblocked; it never moves.
	// +optional
	EffectiveAt *metav1.Time `json:"effectiveAt,omitempty"`
	// +optional
	ExpiresAt *metav1.Time `json:"expiresAt,omitempty"`
	// MergedDigest is the digest that the router has to report.
	// +optional
	MergedDigest string `json:"mergedDigest,omitempty"`
	// +optional
	HostCount int32 `json:"hostCount,omitempty"`
}

// EgressApprovalList is a list of EgressApprovals.
//
// +kubebuilder:object:root=true
type EgressApprovalList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []EgressApproval `json:"items"`
}
