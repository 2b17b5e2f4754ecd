// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/approval"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/transition"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Annotations and labels of an ApplicationInstance.
const (
	// AnnotationReconcile with the value "disabled" suspends the instance.
	AnnotationReconcile = "apps.vworkspace.io/reconcile"
	// AnnotationApprovalRequired with the value "true" asks for an approval of everything that is applied, besides the approvals that the catalog policy asks for.
	AnnotationApprovalRequired = "apps.vworkspace.io/approval-required"
	// AnnotationApprovalClaim holds the claim that approves the digest of status.approval.
	AnnotationApprovalClaim = "apps.vworkspace.io/approval-claim"
	// LabelInstance names, on an object that belongs to an instance, the instance.
	LabelInstance = "app.vworkspace.io/application-instance"
)

// ApplicationInstance is an application that is installed from a chart.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=appinst
// +kubebuilder:metadata:labels="app.kubernetes.io/name=vworkspace"
// +kubebuilder:printcolumn:name="App",type=string,JSONPath=`.spec.appRef.catalogId`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.spec.chart.version`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ApplicationInstance struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ApplicationInstanceSpec `json:"spec"`
	// +optional
	Status ApplicationInstanceStatus `json:"status,omitempty"`
}

// ApplicationInstanceSpec is the desired state of an ApplicationInstance.
type ApplicationInstanceSpec struct {
	AppRef AppRef `json:"appRef"`
	Chart  Chart  `json:"chart"`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the release is immutable"
	Release Release `json:"release"`
	// +optional
	Values *Values `json:"values,omitempty"`
	// +optional
	Integrations Integrations `json:"integrations,omitempty"`
	// Probes are further readiness checks of the application, besides the ingress host.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Probes []Probe `json:"probes,omitempty"`
}

// AppRef names the application in the catalog of applications.
type AppRef struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	CatalogID string `json:"catalogId"`
}

// Chart is the chart to install.
//
// +kubebuilder:validation:XValidation:rule="self.sourceType != 'oci' || self.url.startsWith('oci://')",message="the URL of an OCI source begins with oci://"
// +kubebuilder:validation:XValidation:rule="self.sourceType != 'helm' || self.url.startsWith('https://') || self.url.startsWith('http://')",message="the URL of a Helm repository begins with https:// or http://"
type Chart struct {
	// +kubebuilder:validation:Enum=oci;helm
	SourceType string `json:"sourceType"`
	// URL of an OCI source names the repository of charts; the name of the chart is appended.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	URL string `json:"url"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Version is an exact semantic version.
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^v?(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`
	Version string `json:"version"`
	// Insecure fetches over HTTP.
	// +optional
	Insecure bool `json:"insecure,omitempty"`
	// SecretRef names the credentials of the source.
	// +optional
	SecretRef *SecretRef `json:"secretRef,omitempty"`
}

// SecretRef names a Secret of the same namespace.
type SecretRef struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// Release is the Helm release.
type Release struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=53
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`
	// Namespace is that of the instance; empty means the same.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
}

// Values are the values of the chart: exactly one of the three fields, the one that source names.
//
// +kubebuilder:validation:XValidation:rule="(self.source == 'inline') == has(self.inline) && (self.source == 'secretRef') == has(self.secretRef) && (self.source == 'configMapRef') == has(self.configMapRef)",message="exactly the field that source names is set"
type Values struct {
	// +kubebuilder:validation:Enum=inline;secretRef;configMapRef
	Source string `json:"source"`
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	Inline *apiextensionsv1.JSON `json:"inline,omitempty"`
	// +optional
	SecretRef *ValuesRef `json:"secretRef,omitempty"`
	// +optional
	ConfigMapRef *ValuesRef `json:"configMapRef,omitempty"`
}

// ValuesRef names a key of a Secret or ConfigMap of the same namespace.
type ValuesRef struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Key is values.yaml unless set.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key,omitempty"`
}

// Integrations are the controllers that the chart relies on.
type Integrations struct {
	// +optional
	ExternalSecrets Integration `json:"externalSecrets,omitempty"`
	// +optional
	CertManager Integration `json:"certManager,omitempty"`
	// +optional
	Ingress Ingress `json:"ingress,omitempty"`
}

// Integration is one controller.
type Integration struct {
	// +optional
	Enabled bool `json:"enabled,omitempty"`
}

// Ingress is the address of the application. Host is passed to the chart as ingress.host, and probed over HTTPS.
//
// +kubebuilder:validation:XValidation:rule="!has(self.enabled) || !self.enabled || (has(self.host) && self.host.size() > 0)",message="an ingress has a host"
type Ingress struct {
	// +optional
	Enabled bool `json:"enabled,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Host string `json:"host,omitempty"`
	// Probe is whether the host is probed; true unless set.
	// +optional
	Probe *bool `json:"probe,omitempty"`
}

// Probe is a readiness check over the network.
//
// +kubebuilder:validation:XValidation:rule="has(self.url) != has(self.tcp)",message="exactly one of url and tcp is set"
type Probe struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// URL is asked with GET; a status from 200 to 399 passes. Redirects are not followed.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^https?://`
	URL string `json:"url,omitempty"`
	// TCP is a host and port that accept a connection.
	// +optional
	// +kubebuilder:validation:MaxLength=259
	TCP string `json:"tcp,omitempty"`
	// FailureThreshold is how many failures in a row count; 3 unless set.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=60
	FailureThreshold int32 `json:"failureThreshold,omitempty"`
}

// ApplicationInstanceStatus is the observed state of an ApplicationInstance.
type ApplicationInstanceStatus struct {
	// ObservedGeneration is the generation that was judged.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
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
	// HelmReleaseRef names the HelmRelease.
	// +optional
	HelmReleaseRef *SecretRef `json:"helmReleaseRef,omitempty"`
	// LastAppliedChart is NAME@VERSION of the chart that was released last.
	// +optional
	LastAppliedChart string `json:"lastAppliedChart,omitempty"`
	// RenderedVersion is the version of the chart that the HelmRelease was made for last. A HelmRelease that is deleted comes back in that version
	// without another approval.
	// +optional
	RenderedVersion string `json:"renderedVersion,omitempty"`
	// RenderedDigest is the digest of the spec that was applied last, which was approved where an approval is required.
	// +optional
	RenderedDigest string `json:"renderedDigest,omitempty"`
	// Approval says what has to be approved; absent: nothing.
	// +optional
	Approval *approval.Approval `json:"approval,omitempty"`
	// Endpoints are the addresses that were probed.
	// +listType=atomic
	// +optional
	Endpoints []string `json:"endpoints,omitempty"`
	// UnreachableEndpoint is an address whose probe failed, and why.
	// +optional
	UnreachableEndpoint string `json:"unreachableEndpoint,omitempty"`
	// ReleasedAt is when the release was first seen Ready; Degraded and Upgrading depend on it.
	// +optional
	ReleasedAt *metav1.Time `json:"releasedAt,omitempty"`
	// Inventory are the objects of the chart, as the HelmRelease named them last; it is kept while the instance is deleted, until they are gone.
	// +listType=map
	// +listMapKey=id
	// +kubebuilder:validation:MaxItems=500
	// +optional
	Inventory []InventoryEntry `json:"inventory,omitempty"`
}

// InventoryEntry names an object as Flux does.
type InventoryEntry struct {
	// ID is NAMESPACE_NAME_GROUP_KIND.
	// +kubebuilder:validation:MaxLength=1024
	ID string `json:"id"`
	// Version is the version of the API.
	// +kubebuilder:validation:MaxLength=63
	Version string `json:"v"`
}

// ApplicationInstanceList is a list of instances.
//
// +kubebuilder:object:root=true
type ApplicationInstanceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ApplicationInstance `json:"items"`
}

// GetConditions makes the kind an Object of its generated pass.
func (o *ApplicationInstance) GetConditions() []metav1.Condition { return o.Status.Conditions }

// GetTransitions returns the record of the object's transitions.
func (o *ApplicationInstance) GetTransitions() []transition.Transition { return o.Status.Transitions }

// GetWaits makes the kind an Object of its generated pass.
func (o *ApplicationInstance) GetWaits() []conditions.Wait { return o.Status.Waits }
