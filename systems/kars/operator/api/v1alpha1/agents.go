// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// A2AAgent is an agent that other agents can reach.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=a2a
// +kubebuilder:metadata:labels="app.kubernetes.io/name=kars"
// +kubebuilder:printcolumn:name="Endpoint",type=string,JSONPath=`.spec.endpointUrl`
// +kubebuilder:printcolumn:name="Production",type=boolean,JSONPath=`.spec.productionMode`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type A2AAgent struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec A2AAgentSpec `json:"spec"`
	// +optional
	Status A2AAgentStatus `json:"status,omitempty"`
}

// A2AAgentSpec is the desired state of A2AAgent.
//
// +kubebuilder:validation:XValidation:rule="!has(self.productionMode) || !self.productionMode || self.endpointUrl.startsWith('https://')",message="productionMode demands an https endpoint"
type A2AAgentSpec struct {
	// +kubebuilder:validation:MaxLength=2048
	EndpointURL string `json:"endpointUrl"`
	// +kubebuilder:validation:MaxItems=16
	SigningKeys []SigningKey `json:"signingKeys"`
	// +optional
	ProductionMode bool `json:"productionMode,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Capabilities []string `json:"capabilities,omitempty"`
	// +optional
	Trust *A2ATrust `json:"trust,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Federation []FederationPeer `json:"federation,omitempty"`
	// +optional
	PolicyRefs *A2APolicyRefs `json:"policyRefs,omitempty"`
	// +optional
	DisplayName string `json:"displayName,omitempty"`
	// +optional
	Description string `json:"description,omitempty"`
}

// A2ATrust has the requirements of the agent on its callers.
type A2ATrust struct {
	// +optional
	RequireSignedRequests bool `json:"requireSignedRequests,omitempty"`
	// +optional
	MinSignaturesRequired int32 `json:"minSignaturesRequired,omitempty"`
	// +optional
	MaxClockSkewSeconds int32 `json:"maxClockSkewSeconds,omitempty"`
}

// FederationPeer is another agent: one of the cluster by name, or one elsewhere by URL and pinned key.
type FederationPeer struct {
	Label string `json:"label"`
	// +kubebuilder:validation:Enum=in-cluster;external
	Kind string `json:"kind"`
	// +optional
	AgentRef *NameRef `json:"agentRef,omitempty"`
	// +optional
	EndpointURL string `json:"endpointUrl,omitempty"`
	// +optional
	PinnedKid string `json:"pinnedKid,omitempty"`
}

// A2APolicyRefs names the policies of the agent.
type A2APolicyRefs struct {
	// +optional
	ToolPolicy string `json:"toolPolicy,omitempty"`
}

// A2AAgentStatus is the observed state of A2AAgent.
type A2AAgentStatus struct {
	Common `json:",inline"`
	// +optional
	AgentCardConfigMapRef *NameRef `json:"agentCardConfigMapRef,omitempty"`
	// +optional
	VersionHash string `json:"versionHash,omitempty"`
	// +optional
	LastCompiledAt *metav1.Time `json:"lastCompiledAt,omitempty"`
}

// A2AAgentList is a list of A2AAgents.
//
// +kubebuilder:object:root=true
type A2AAgentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []A2AAgent `json:"items"`
}

// McpServer is an MCP server whose OAuth metadata and keys the sandboxes get.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=mcp
// +kubebuilder:metadata:labels="app.kubernetes.io/name=kars"
// +kubebuilder:printcolumn:name="URL",type=string,JSONPath=`.spec.url`
// +kubebuilder:printcolumn:name="Production",type=boolean,JSONPath=`.spec.productionMode`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type McpServer struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec McpServerSpec `json:"spec"`
	// +optional
	Status McpServerStatus `json:"status,omitempty"`
}

// McpServerSpec is the desired state of McpServer.
//
// +kubebuilder:validation:XValidation:rule="!has(self.productionMode) || !self.productionMode || (has(self.oauth) && has(self.oauth.issuer))",message="productionMode demands oauth.issuer"
type McpServerSpec struct {
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	URL string `json:"url,omitempty"`
	// +optional
	OAuth *McpOAuth `json:"oauth,omitempty"`
	// +optional
	ProductionMode bool `json:"productionMode,omitempty"`
	// +optional
	Scopes []string `json:"scopes,omitempty"`
	// +optional
	AllowedSandboxes *McpSandboxes `json:"allowedSandboxes,omitempty"`
}

// McpOAuth is how callers are authorized.
type McpOAuth struct {
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Issuer string `json:"issuer,omitempty"`
	// +optional
	Audience string `json:"audience,omitempty"`
	// +optional
	Resource string `json:"resource,omitempty"`
	// PKCE is S256.
	// +optional
	// +kubebuilder:default=S256
	PKCE string `json:"pkce,omitempty"`
}

// McpSandboxes selects the sandboxes that get the metadata.
type McpSandboxes struct {
	// +optional
	MatchLabels map[string]string `json:"matchLabels,omitempty"`
}

// McpServerStatus is the observed state of McpServer.
type McpServerStatus struct {
	Common `json:",inline"`
	// +optional
	LastProbedAt *metav1.Time `json:"lastProbedAt,omitempty"`
	// +optional
	SigningKeyRef *NameRef `json:"signingKeyRef,omitempty"`
	// +optional
	JwksConfigMapRef *NameRef `json:"jwksConfigMapRef,omitempty"`
}

// McpServerList is a list of McpServers.
//
// +kubebuilder:object:root=true
type McpServerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []McpServer `json:"items"`
}

// TrustGraph is the trust between agents as a graph whose edges are signed.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=tg
// +kubebuilder:metadata:labels="app.kubernetes.io/name=kars"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Vertices",type=integer,JSONPath=`.status.validVertices`
// +kubebuilder:printcolumn:name="ValidEdges",type=integer,JSONPath=`.status.validEdges`
// +kubebuilder:printcolumn:name="InvalidEdges",type=integer,JSONPath=`.status.invalidEdges`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type TrustGraph struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec TrustGraphSpec `json:"spec"`
	// +optional
	Status TrustGraphStatus `json:"status,omitempty"`
}

// TrustGraphSpec is the desired state of TrustGraph.
type TrustGraphSpec struct {
	// +kubebuilder:validation:MaxItems=1024
	Vertices []TrustVertex `json:"vertices"`
	// +optional
	// +kubebuilder:validation:MaxItems=8192
	Edges []TrustEdge `json:"edges,omitempty"`
}

// TrustVertex is an agent with its public key.
type TrustVertex struct {
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.size() > 0",message="a vertex has an id"
	ID string `json:"id"`
	// +optional
	// +kubebuilder:default=EdDSA
	// +kubebuilder:validation:MaxLength=32
	Alg string `json:"alg,omitempty"`
	// PublicKeyB64u is an Ed25519 public key, base64url without padding.
	// +kubebuilder:validation:MaxLength=128
	PublicKeyB64u string `json:"publicKeyB64u"`
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Label string `json:"label,omitempty"`
}

// TrustEdge is the trust of one agent in another, signed by the first.
type TrustEdge struct {
	// +kubebuilder:validation:MaxLength=253
	From string `json:"from"`
	// +kubebuilder:validation:MaxLength=253
	To    string `json:"to"`
	Score int64  `json:"score"`
	// IssuedAt and NotAfter are seconds since 1970.
	IssuedAt int64 `json:"issuedAt"`
	// +optional
	NotAfter *int64 `json:"notAfter,omitempty"`
	// Signature is an Ed25519 signature, base64url without padding.
	// +kubebuilder:validation:MaxLength=256
	Signature string `json:"signature"`
	// Reason is not signed.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Reason string `json:"reason,omitempty"`
}

// TrustGraphStatus is the observed state of TrustGraph.
type TrustGraphStatus struct {
	Common `json:",inline"`
	// +optional
	ValidVertices int32 `json:"validVertices,omitempty"`
	// +optional
	ValidEdges int32 `json:"validEdges,omitempty"`
	// +optional
	InvalidEdges int32 `json:"invalidEdges,omitempty"`
	// +optional
	ProjectionConfigMapRef *NameRef `json:"projectionConfigMapRef,omitempty"`
	// +optional
	LastReconciledAt *metav1.Time `json:"lastReconciledAt,omitempty"`
}

// TrustGraphList is a list of TrustGraphs.
//
// +kubebuilder:object:root=true
type TrustGraphList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []TrustGraph `json:"items"`
}
