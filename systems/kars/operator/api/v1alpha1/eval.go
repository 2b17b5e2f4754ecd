// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// KarsEval evaluates a sandbox against a corpus of cases.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=ceval
// +kubebuilder:metadata:labels="app.kubernetes.io/name=kars"
// +kubebuilder:printcolumn:name="Sandbox",type=string,JSONPath=`.spec.targetSandboxRef.name`
// +kubebuilder:printcolumn:name="Schedule",type=string,JSONPath=`.spec.schedule`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="LastRun",type=string,JSONPath=`.status.lastRunAt`
// +kubebuilder:printcolumn:name="Passed",type=integer,JSONPath=`.status.lastResult.passed`
// +kubebuilder:printcolumn:name="Failed",type=integer,JSONPath=`.status.lastResult.failed`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 40",message="the name has at most 40 characters, because names of Jobs are made of it"
type KarsEval struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec KarsEvalSpec `json:"spec"`
	// +optional
	Status KarsEvalStatus `json:"status,omitempty"`
}

// KarsEvalSpec is the desired state of KarsEval.
type KarsEvalSpec struct {
	// TargetSandboxRef cannot be changed: the results are those of one sandbox.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the target of an evaluation cannot be changed"
	TargetSandboxRef NameRef `json:"targetSandboxRef"`
	// +optional
	Corpus CorpusSource `json:"corpus,omitempty"`
	// Schedule is a cron expression of 5 or 6 fields.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Schedule string `json:"schedule,omitempty"`
	// +optional
	FailSandboxOnDrift bool `json:"failSandboxOnDrift,omitempty"`
}

// CorpusSource names the cases: exactly one of its fields, or none for the builtin jailbreak-baseline.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.builtin) && has(self.bundleRef))",message="builtin and bundleRef exclude each other"
type CorpusSource struct {
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Builtin string `json:"builtin,omitempty"`
	// +optional
	BundleRef *ArtifactRef `json:"bundleRef,omitempty"`
}

// KarsEvalStatus is the observed state of KarsEval.
type KarsEvalStatus struct {
	Common `json:",inline"`
	Wait   `json:",inline"`
	// +optional
	LastRunAt *metav1.Time `json:"lastRunAt,omitempty"`
	// +optional
	LastResult *EvalResult `json:"lastResult,omitempty"`
	// History has the last 20 results, newest first.
	// +optional
	// +kubebuilder:validation:MaxItems=20
	History []EvalResult `json:"history,omitempty"`
	// +optional
	CorpusConfigMapRef *NameRef `json:"corpusConfigMapRef,omitempty"`
	// +optional
	CorpusDigest string `json:"corpusDigest,omitempty"`
	// +optional
	CronJobName string `json:"cronJobName,omitempty"`
	// CurrentRun is the name of the Job of the run that was asked for and has not ended; a Job that is deleted before is started again.
	// +optional
	CurrentRun string `json:"currentRun,omitempty"`
}

// EvalResult is the result of a run.
type EvalResult struct {
	// Run is the name of the Job.
	Run          string      `json:"run"`
	CompletedAt  metav1.Time `json:"completedAt"`
	CorpusDigest string      `json:"corpusDigest"`
	Total        int32       `json:"total"`
	Passed       int32       `json:"passed"`
	Failed       int32       `json:"failed"`
	// +optional
	Errored int32 `json:"errored,omitempty"`
	// Failing are the ids of at most five cases that failed.
	// +optional
	// +kubebuilder:validation:MaxItems=5
	Failing []string `json:"failing,omitempty"`
}

// KarsEvalList is a list of KarsEvals.
//
// +kubebuilder:object:root=true
type KarsEvalList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []KarsEval `json:"items"`
}
