// SPDX-License-Identifier: Apache-2.0

// Package jobs carries out the jobs of the control plane.
//
//	apply    {object}                                                        server-side apply, without force
//	delete   {apiVersion, kind, namespace, name}
//	intent   {intent: suspend|resume|cancel|approve, apiVersion, kind, namespace, name, claim}
//
// # Rules
//
//  1. Only ApplicationInstances and Operations are touched, only in namespaces of the gate, and only objects that the control plane
//     manages.
//  2. A field of another manager stays with it: the outcome is conflict.
//  3. No message repeats a claim.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tristate/tristate/operator/child"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Manager is the field manager of the objects that jobs apply.
const Manager = "vworkspace-agent"

// Runner implements [agent.Runner].
type Runner struct {
	Client    client.Client
	Reader    client.Reader // not cached
	ClusterID string
}

// target names an object.
type target struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	Intent     string `json:"intent,omitempty"`
	Claim      string `json:"claim,omitempty"`
}

var allowed = map[schema.GroupVersionKind]bool{appsapi.GroupVersion.WithKind("ApplicationInstance"): true,
	opsapi.GroupVersion.WithKind("Operation"): true}

var errKind = errors.New("only ApplicationInstances and Operations are managed")

// Run implements [agent.Runner].
func (r *Runner) Run(ctx context.Context, job agent.Job) (outcome, message string) {
	var err error
	switch job.Kind {
	case agent.JobApply:
		err = r.apply(ctx, job.Payload)
	case agent.JobDelete:
		var none bool
		if none, err = r.delete(ctx, job.Payload); none {
			return agent.OutcomeNoop, "the object does not exist"
		}
	case agent.JobIntent:
		err = r.intent(ctx, job.Payload)
	default:
		err = fmt.Errorf("job kind %q is not known", job.Kind)
	}
	switch {
	case err == nil:
		return agent.OutcomeSucceeded, ""
	case apierrors.IsConflict(err):
		return agent.OutcomeConflict, child.Reason(err)
	}
	return agent.OutcomeFailed, child.Reason(err)
}

// gate refuses namespaces that are not the control plane's.
func (r *Runner) gate(ctx context.Context, namespace string) error {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	if err := r.Reader.Get(ctx, client.ObjectKey{Name: namespace}, object); err != nil {
		return err
	}
	if object.Labels[kit.LabelNamespace] != kit.ManagedNamespace {
		return fmt.Errorf("namespace %s is not managed", namespace)
	}
	return nil
}

func (r *Runner) apply(ctx context.Context, payload json.RawMessage) error {
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(payload, &u.Object); err != nil {
		return errors.New("the payload is not an object")
	}
	if err := claim.Exact(payload); err != nil {
		return err
	}
	if !allowed[u.GroupVersionKind()] {
		return errKind
	}
	if err := r.gate(ctx, u.GetNamespace()); err != nil {
		return err
	}
	clean := &unstructured.Unstructured{Object: map[string]any{"spec": u.Object["spec"]}}
	clean.SetGroupVersionKind(u.GroupVersionKind())
	clean.SetNamespace(u.GetNamespace())
	clean.SetName(u.GetName())
	clean.SetAnnotations(u.GetAnnotations())
	labels := u.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[kit.LabelManagedBy], labels[kit.LabelClusterID] = kit.ManagedBy, r.ClusterID
	clean.SetLabels(labels)
	return r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(clean), client.FieldOwner(Manager))
}

// read finds an object that the control plane manages.
func (r *Runner) read(ctx context.Context, payload json.RawMessage) (*metav1.PartialObjectMetadata, target, error) {
	var t target
	if err := json.Unmarshal(payload, &t); err != nil {
		return nil, t, errors.New("the payload is malformed")
	}
	gvk := schema.FromAPIVersionAndKind(t.APIVersion, t.Kind)
	if !allowed[gvk] {
		return nil, t, errKind
	}
	if err := r.gate(ctx, t.Namespace); err != nil {
		return nil, t, err
	}
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(gvk)
	if err := r.Reader.Get(ctx, client.ObjectKey{Namespace: t.Namespace, Name: t.Name}, object); err != nil {
		return nil, t, err
	}
	if object.Labels[kit.LabelManagedBy] != kit.ManagedBy {
		return nil, t, fmt.Errorf("%s %s is not managed by the control plane", t.Kind, t.Name)
	}
	return object, t, nil
}

func (r *Runner) delete(ctx context.Context, payload json.RawMessage) (none bool, err error) {
	object, _, err := r.read(ctx, payload)
	if err == nil {
		err = r.Client.Delete(ctx, object)
	}
	return apierrors.IsNotFound(err), err
}

func (r *Runner) intent(ctx context.Context, payload json.RawMessage) error {
	object, t, err := r.read(ctx, payload)
	if err != nil {
		return err
	}
	annotations, spec := map[string]any{}, map[string]any{}
	switch {
	case t.Kind == "ApplicationInstance" && t.Intent == "suspend":
		annotations[appsapi.AnnotationReconcile] = "disabled"
	case t.Kind == "ApplicationInstance" && t.Intent == "resume":
		annotations[appsapi.AnnotationReconcile] = nil
	case t.Kind == "ApplicationInstance" && t.Intent == "approve":
		annotations[appsapi.AnnotationApprovalClaim] = t.Claim
	case t.Kind == "Operation" && t.Intent == "cancel":
		annotations[opsapi.AnnotationCancel] = "true"
	case t.Kind == "Operation" && t.Intent == "approve":
		spec["approvals"] = map[string]any{"claim": t.Claim}
	default:
		return fmt.Errorf("intent %q of a %s is not known", t.Intent, t.Kind)
	}
	patch := map[string]any{"metadata": map[string]any{"annotations": annotations}}
	if len(spec) > 0 {
		patch["spec"] = spec
	}
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	return r.Client.Patch(ctx, object, client.RawPatch(types.MergePatchType, data), client.FieldOwner(Manager))
}
