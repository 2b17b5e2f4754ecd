// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ToolPolicy is the policy of tool calls of the sandboxes that name it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=tp
// +kubebuilder:metadata:labels="app.kubernetes.io/name=kars"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ToolPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ToolPolicySpec `json:"spec"`
	// +optional
	Status ToolPolicyStatus `json:"status,omitempty"`
}

// ToolPolicySpec is the desired state of ToolPolicy.
type ToolPolicySpec struct {
	AppliesTo ToolTarget `json:"appliesTo"`
	// +optional
	AgtProfile *AgtProfile `json:"agtProfile,omitempty"`
}

// ToolTarget selects the sandboxes that the policy may govern. One that names the policy and is not selected does not run.
type ToolTarget struct {
	// SandboxMatchLabels has one label at least.
	// +optional
	SandboxMatchLabels map[string]string `json:"sandboxMatchLabels,omitempty"`
}

// AgtProfile is the profile that the routers load.
//
// +kubebuilder:validation:XValidation:rule="self.inline.size() > 0",message="a profile is not empty"
type AgtProfile struct {
	// +kubebuilder:validation:MaxLength=262144
	Inline string `json:"inline"`
}

// ToolPolicyStatus is the observed state of ToolPolicy.
type ToolPolicyStatus struct {
	Common `json:",inline"`
	Wait   `json:",inline"`
	// +optional
	LastCompiledAt *metav1.Time `json:"lastCompiledAt,omitempty"`
	// +optional
	VersionHash string `json:"versionHash,omitempty"`
	// AgtProfileDigest is the digest that the routers have to report.
	// +optional
	AgtProfileDigest string `json:"agtProfileDigest,omitempty"`
}

// ToolPolicyList is a list of ToolPolicies.
//
// +kubebuilder:object:root=true
type ToolPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ToolPolicy `json:"items"`
}

// InferencePolicy is the policy of model calls of the sandboxes that name it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=ip
// +kubebuilder:metadata:labels="app.kubernetes.io/name=kars"
// +kubebuilder:printcolumn:name="Sandbox",type=string,JSONPath=`.spec.appliesTo.sandboxName`
// +kubebuilder:printcolumn:name="DailyTokens",type=integer,JSONPath=`.spec.tokenBudget.dailyTokens`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type InferencePolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec InferencePolicySpec `json:"spec"`
	// +optional
	Status InferencePolicyStatus `json:"status,omitempty"`
}

// InferencePolicySpec is the desired state of InferencePolicy.
type InferencePolicySpec struct {
	// +optional
	AppliesTo InferenceTarget `json:"appliesTo,omitempty"`
	// +optional
	TokenBudget *TokenBudget `json:"tokenBudget,omitempty"`
	// +optional
	ModelPreference *ModelPreference `json:"modelPreference,omitempty"`
}

// InferenceTarget selects the sandboxes that the policy may govern, and the calls that it permits. A sandbox that names the policy and is not selected does not run.
type InferenceTarget struct {
	// +optional
	SandboxName string `json:"sandboxName,omitempty"`
	// +optional
	SandboxMatchLabels map[string]string `json:"sandboxMatchLabels,omitempty"`
	// Action is chat, responses, image, embeddings or *; empty is *. The router refuses other calls.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Action string `json:"action,omitempty"`
}

// TokenBudget bounds the tokens of model calls. Only that of a request is enforced.
//
// +kubebuilder:validation:XValidation:rule="!has(self.monthlyTokens) || !has(self.dailyTokens) || self.monthlyTokens >= self.dailyTokens",message="monthlyTokens is less than dailyTokens"
type TokenBudget struct {
	// +optional
	// +kubebuilder:validation:Minimum=1
	PerRequestTokens int64 `json:"perRequestTokens,omitempty"`
	// +optional
	// +kubebuilder:validation:Minimum=1
	DailyTokens int64 `json:"dailyTokens,omitempty"`
	// +optional
	// +kubebuilder:validation:Minimum=1
	MonthlyTokens int64 `json:"monthlyTokens,omitempty"`
}

// ModelPreference names the deployments to use, in order. The router refuses a call that names another model.
type ModelPreference struct {
	Primary ModelRef `json:"primary"`
	// +optional
	// +kubebuilder:validation:MaxItems=8
	Fallback []ModelRef `json:"fallback,omitempty"`
}

// ModelRef is a deployment of a model.
type ModelRef struct {
	// +optional
	Provider string `json:"provider,omitempty"`
	// +optional
	Deployment string `json:"deployment,omitempty"`
}

// InferencePolicyStatus is the observed state of InferencePolicy.
type InferencePolicyStatus struct {
	Common `json:",inline"`
	Wait   `json:",inline"`
	// +optional
	ProfileConfigMapRef *NameRef `json:"profileConfigMapRef,omitempty"`
	// +optional
	VersionHash string `json:"versionHash,omitempty"`
	// +optional
	LastCompiledAt *metav1.Time `json:"lastCompiledAt,omitempty"`
	// +optional
	CompiledDigest string `json:"compiledDigest,omitempty"`
	// LoadedDigest is CompiledDigest once every referring router has reported it.
	// +optional
	LoadedDigest string `json:"loadedDigest,omitempty"`
}

// InferencePolicyList is a list of InferencePolicies.
//
// +kubebuilder:object:root=true
type InferencePolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []InferencePolicy `json:"items"`
}

// KarsMemory binds sandboxes to a store of memories.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=cmem
// +kubebuilder:metadata:labels="app.kubernetes.io/name=kars"
// +kubebuilder:printcolumn:name="Sandbox",type=string,JSONPath=`.spec.sandboxRef.name`
// +kubebuilder:printcolumn:name="Store",type=string,JSONPath=`.spec.storeName`
// +kubebuilder:printcolumn:name="Scope",type=string,JSONPath=`.spec.scope`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type KarsMemory struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec KarsMemorySpec `json:"spec"`
	// +optional
	Status KarsMemoryStatus `json:"status,omitempty"`
}

// KarsMemorySpec is the desired state of KarsMemory.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.sandboxRef) || has(self.sandboxRef)",message="the sandbox of a memory cannot be removed"
type KarsMemorySpec struct {
	// +optional
	// +kubebuilder:validation:MaxLength=63
	StoreName string `json:"storeName,omitempty"`
	// SandboxRef is the only sandbox that may bind the memory. It cannot be changed once it is given: the memories are those of its agent.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the sandbox of a memory cannot be changed"
	SandboxRef *NameRef `json:"sandboxRef,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Scope string `json:"scope,omitempty"`
	// +optional
	// +kubebuilder:validation:Minimum=1
	RetentionDays int32 `json:"retentionDays,omitempty"`
	// +optional
	// +kubebuilder:default=true
	DeleteOnSandboxDelete *bool `json:"deleteOnSandboxDelete,omitempty"`
}

// KarsMemoryStatus is the observed state of KarsMemory.
type KarsMemoryStatus struct {
	Common `json:",inline"`
	Wait   `json:",inline"`
	// +optional
	BindingConfigMapRef *NameRef `json:"bindingConfigMapRef,omitempty"`
	// +optional
	VersionHash string `json:"versionHash,omitempty"`
	// +optional
	LastReconciledAt *metav1.Time `json:"lastReconciledAt,omitempty"`
	// +optional
	CompiledDigest string `json:"compiledDigest,omitempty"`
	// +optional
	LoadedDigest string `json:"loadedDigest,omitempty"`
}

// KarsMemoryList is a list of KarsMemories.
//
// +kubebuilder:object:root=true
type KarsMemoryList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []KarsMemory `json:"items"`
}
