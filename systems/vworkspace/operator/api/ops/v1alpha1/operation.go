// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/approval"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/transition"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AnnotationCancel with the value "true" cancels an Operation.
const AnnotationCancel = "ops.vworkspace.io/cancel"

// Operation is a day-2 operation on an application. It runs once, to its end.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=op
// +kubebuilder:metadata:labels="app.kubernetes.io/name=vworkspace"
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Engine",type=string,JSONPath=`.spec.engine`
// +kubebuilder:printcolumn:name="Target",type=string,JSONPath=`.spec.targetRef.name`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Operation struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec OperationSpec `json:"spec"`
	// +optional
	Status OperationStatus `json:"status,omitempty"`
}

// OperationSpec is the request. While a claim is there, nothing of it changes but the approvals: remove the claim to edit it.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.approvals) || !has(oldSelf.approvals.required) || !oldSelf.approvals.required || (has(self.approvals) && has(self.approvals.required) && self.approvals.required)",message="an approval that is required stays required"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.approvals) || !has(oldSelf.approvals.claim) || oldSelf.approvals.claim.size() == 0 || !has(self.approvals) || !has(self.approvals.claim) || self.approvals.claim.size() == 0 || (self.parameters == oldSelf.parameters && self.policy == oldSelf.policy && has(self.preconditionTimeout) == has(oldSelf.preconditionTimeout) && (!has(self.preconditionTimeout) || self.preconditionTimeout == oldSelf.preconditionTimeout))",message="what a claim approves cannot change: remove the claim first"
type OperationSpec struct {
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the target is immutable"
	TargetRef TargetRef `json:"targetRef"`
	// +kubebuilder:validation:Enum=Backup;Restore;Upgrade;Migration;RunCommand;Runbook
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the type is immutable"
	Type string `json:"type"`
	// +kubebuilder:validation:Enum=velero;workflow;job;helm
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the engine is immutable"
	Engine string `json:"engine"`
	// Parameters are immutable once the operation has started, and while there is a claim.
	// +optional
	// +kubebuilder:default={}
	Parameters Parameters `json:"parameters,omitempty"`
	// +optional
	Approvals Approvals `json:"approvals,omitempty"`
	// +optional
	// +kubebuilder:default={}
	Policy Policy `json:"policy,omitempty"`
	// PreconditionTimeout is how long the operation may be blocked by its target or by other operations before it fails; 0s: for ever. Unless set
	// it is that of the operator.
	// +optional
	PreconditionTimeout *metav1.Duration `json:"preconditionTimeout,omitempty"`
}

// TargetRef names an ApplicationInstance of the same namespace.
type TargetRef struct {
	// +kubebuilder:validation:Enum=apps.vworkspace.io/v1alpha1
	APIVersion string `json:"apiVersion"`
	// +kubebuilder:validation:Enum=ApplicationInstance
	Kind string `json:"kind"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// Policy are conditions of the start.
type Policy struct {
	// RequireReady is whether the target must be Ready; unless set true for Backup, Upgrade and Migration.
	// +optional
	RequireReady *bool `json:"requireReady,omitempty"`
}

// Approvals of an operation.
type Approvals struct {
	// Required cannot be reset.
	// +optional
	Required bool `json:"required,omitempty"`
	// Claim approves the digest of status.approval. It is issued for an operation that exists: by its uid.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Claim string `json:"claim,omitempty"`
}

// Parameters of the engines. Further fields are kept and passed to no engine.
//
// +kubebuilder:pruning:PreserveUnknownFields
type Parameters struct {
	// TimeoutSeconds is how long the engine may run. Unless set it is that of the operator: half an hour for Backup and a day for every other type.
	// +optional
	// +kubebuilder:validation:Minimum=1
	TimeoutSeconds int64 `json:"timeoutSeconds,omitempty"`
	// +optional
	Job *JobParameters `json:"job,omitempty"`
	// +optional
	Helm *HelmParameters `json:"helm,omitempty"`
	// +optional
	Velero *VeleroParameters `json:"velero,omitempty"`
	// +optional
	Workflow *WorkflowParameters `json:"workflow,omitempty"`
}

// JobParameters are those of engine job.
type JobParameters struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Image string `json:"image"`
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Command []string `json:"command,omitempty"`
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	Args []string `json:"args,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ServiceAccountName string `json:"serviceAccountName,omitempty"`
	// Restricted runs the pods by the restricted Pod Security Standard: not as root, and without capabilities. Whether or not it is set they cannot gain privileges, have the seccomp
	// profile of the runtime, and mount no token unless there is a serviceAccountName.
	// +optional
	Restricted bool `json:"restricted,omitempty"`
	// PodAnnotations are those of the pods.
	// +optional
	PodAnnotations map[string]string `json:"podAnnotations,omitempty"`
}

// HelmParameters are those of engine helm.
type HelmParameters struct {
	// TargetVersion is the exact chart version to upgrade to.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	TargetVersion string `json:"targetVersion"`
}

// VeleroParameters are those of engine velero.
type VeleroParameters struct {
	// BackupName that is restored.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	BackupName string `json:"backupName,omitempty"`
}

// WorkflowParameters are those of engine workflow.
type WorkflowParameters struct {
	// Template is the WorkflowTemplate that runs.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Template string `json:"template"`
	// +optional
	Arguments map[string]string `json:"arguments,omitempty"`
}

// EngineRef names the object that an engine works on.
type EngineRef struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// +optional
	UID string `json:"uid,omitempty"`
}

// OperationStatus is the observed state of an Operation.
type OperationStatus struct {
	// ObservedGeneration is the generation that was judged.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Phase is Pending, Running, Succeeded, Failed or Cancelled.
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
	// Approval says what has to be approved; absent: nothing.
	// +optional
	Approval *approval.Approval `json:"approval,omitempty"`
	// StartedAt is when the operation was handed to its engine.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// FinishedAt is when it ended; it never changes again.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
	// EngineRef names the object of the engine.
	// +optional
	EngineRef *EngineRef `json:"engineRef,omitempty"`
}

// OperationList is a list of operations.
//
// +kubebuilder:object:root=true
type OperationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Operation `json:"items"`
}

// GetConditions makes the kind an Object of its generated pass.
func (o *Operation) GetConditions() []metav1.Condition { return o.Status.Conditions }

// GetTransitions returns the record of the object's transitions.
func (o *Operation) GetTransitions() []transition.Transition { return o.Status.Transitions }

// GetWaits makes the kind an Object of its generated pass.
func (o *Operation) GetWaits() []conditions.Wait { return o.Status.Waits }
