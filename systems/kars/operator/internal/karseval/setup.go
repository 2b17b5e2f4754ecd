// SPDX-License-Identifier: Apache-2.0

package karseval

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/operator/enqueue"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// +kubebuilder:rbac:groups=kars.azure.com,resources=karsevals,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kars.azure.com,resources=karsevals/status,verbs=patch
// +kubebuilder:rbac:groups=batch,resources=jobs;cronjobs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=list
// +kubebuilder:rbac:groups="",resources=pods/log,verbs=get

// CorpusName returns the name of the ConfigMap with the cases of an evaluation.
func CorpusName(eval string) string { return "karseval-" + eval + "-corpus" }

func cronName(eval string) string { return "karseval-" + eval }

// Setup adds the kind to the operator.
func Setup(e *kit.Env) error {
	g := &gatherer{env: e}
	return operator.Setup(e.Host, operator.Kind[*api.KarsEval, Facts]{
		Resource: api.GroupVersion.WithResource("karsevals"), Conditions: Kind,
		Gather:   g.gather,
		Act:      act(e),
		Refused:  func(f *Facts, err error) { f.WriteError = err },
		Judge:    operator.JudgeWith[*api.KarsEval](Begin, Judge),
		Conclude: conclude,
		Watch: func(b *builder.Builder) *builder.Builder {
			return e.WatchConfigMaps(b, "KarsEval", &api.KarsEvalList{}).
				Owns(&batchv1.CronJob{}).
				Watches(&batchv1.Job{}, enqueue.Mapped(func(_ context.Context, o client.Object) []reconcile.Request {
					return enqueue.Named(o.GetNamespace(), o.GetLabels()[kit.LabelEval])
				})).
				Watches(&api.KarsSandbox{}, enqueue.Mapped(func(ctx context.Context, o client.Object) []reconcile.Request {
					return enqueue.Requests(enqueue.Indexed(ctx, e.Manager.GetClient(), &api.KarsEvalList{}, o.GetNamespace(), kit.ByTarget, o.GetName()))
				}))
		},
	})
}

// act publishes the corpus, keeps the schedule, and starts the run that was asked for.
func act(e *kit.Env) func(context.Context, *api.KarsEval, *Facts) error {
	return func(ctx context.Context, o *api.KarsEval, f *Facts) error {
		if f.Digest == "" {
			return nil
		}
		child := e.Children.ConfigMap(o, CorpusName(o.Name), map[string]string{"corpus.json": f.Corpus},
			map[string]string{kit.AnnotationDigest: f.Digest})
		if err := e.Children.Ensure(ctx, o, child); err != nil {
			return err
		}
		if err := schedule(ctx, e, o, *f); err != nil {
			return err
		}
		if f.TargetMissing != "" || f.TargetNotReady != "" {
			return nil
		}
		if f.Current != "" {
			if err := hold(ctx, e, o, f.Current, f.Job); err != nil {
				return err
			}
		}
		if o.Annotations[RunNow] != "true" {
			return nil
		}
		name, err := run(ctx, e, o)
		if err != nil {
			return err
		}
		f.RunAsked, f.Running = true, true
		if name != "" {
			f.Current = name
		}
		return nil
	}
}

// schedule keeps the CronJob as the spec has it; it is suspended while the target cannot be asked.
func schedule(ctx context.Context, e *kit.Env, o *api.KarsEval, f Facts) error {
	key := client.ObjectKey{Namespace: o.Namespace, Name: cronName(o.Name)}
	if o.Spec.Schedule == "" {
		return e.Children.Remove(ctx, o, &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}})
	}
	fields := strings.Fields(o.Spec.Schedule)
	suspended := f.TargetMissing != "" || f.TargetNotReady != ""
	ttl := int32(86400)
	spec := jobSpec(e, o, map[string]string{kit.LabelEval: o.Name})
	spec.TTLSecondsAfterFinished = &ttl
	return e.Children.Ensure(ctx, o, &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, OwnerReferences: []metav1.OwnerReference{e.Children.OwnerOf(o)}},
		Spec: batchv1.CronJobSpec{
			Schedule: strings.Join(fields[len(fields)-5:], " "), // a CronJob has no seconds
			Suspend:  &suspended, ConcurrencyPolicy: batchv1.ForbidConcurrent,
			JobTemplate: batchv1.JobTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{kit.LabelEval: o.Name,
				child.LabelManaged: kit.Manager}}, Spec: spec},
		},
	})
}

// hold starts a run again whose Job others have deleted, and takes back what others have changed in it. The Job of an operator that made
// other Jobs stays as it is: its pods cannot be changed.
func hold(ctx context.Context, e *kit.Env, o *api.KarsEval, name string, live *batchv1.Job) error {
	job := jobOf(e, o, name)
	if live != nil && (!live.DeletionTimestamp.IsZero() || !e.Children.Applied(o, job, live)) {
		return nil
	}
	return e.Children.Ensure(ctx, o, job)
}

// jobOf returns the Job of a run that was asked for.
func jobOf(e *kit.Env, o *api.KarsEval, name string) *batchv1.Job {
	labels := map[string]string{kit.LabelEval: o.Name, runOf: o.Name}
	ttl := int32(3600)
	spec := jobSpec(e, o, labels)
	spec.TTLSecondsAfterFinished = &ttl
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: name, Labels: labels,
		OwnerReferences: []metav1.OwnerReference{e.Children.OwnerOf(o)}}, Spec: spec}
}

// run starts the Job that the annotation asks for, removes the annotation, and returns the name of the Job. The annotation is read again,
// because the cache may still have one that was removed.
func run(ctx context.Context, e *kit.Env, o *api.KarsEval) (string, error) {
	partial := &metav1.PartialObjectMetadata{}
	partial.SetGroupVersionKind(api.GroupVersion.WithKind("KarsEval"))
	if err := e.Children.Live.Get(ctx, client.ObjectKeyFromObject(o), partial); err != nil {
		return "", fmt.Errorf("read annotation %s: %s", RunNow, child.Reason(err))
	}
	if partial.Annotations[RunNow] != "true" {
		return "", nil
	}
	name := fmt.Sprintf("karseval-%s-runnow-%s", o.Name, digest.Version([]byte(string(o.UID) + partial.ResourceVersion))[:8])
	if err := e.Children.Ensure(ctx, o, jobOf(e, o, name)); err != nil {
		return "", err
	}
	if err := e.Children.Client.Patch(ctx, partial,
		client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"annotations":{%q:null}}}`, RunNow))); err != nil {
		return "", fmt.Errorf("remove annotation %s: %s", RunNow, child.Reason(err))
	}
	return name, nil
}

func jobSpec(e *kit.Env, o *api.KarsEval, labels map[string]string) batchv1.JobSpec {
	target := types.NamespacedName{Namespace: o.Namespace, Name: o.Spec.TargetSandboxRef.Name}
	backoff := int32(0)
	return batchv1.JobSpec{BackoffLimit: &backoff, Template: corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: ptr.To(false), SecurityContext: kit.RestrictedPod(),
			Volumes: []corev1.Volume{{Name: "corpus", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: CorpusName(o.Name)}}}}},
			Containers: []corev1.Container{{Name: "runner", Image: e.RunnerImage, Command: []string{"kars-eval-runner"},
				SecurityContext: kit.RestrictedContainer(true),
				Args:            []string{"--router=" + kit.RouterURL(target), "--corpus=/etc/corpus/corpus.json"},
				VolumeMounts:    []corev1.VolumeMount{{Name: "corpus", MountPath: "/etc/corpus", ReadOnly: true}}}},
		},
	}}
}

func conclude(o *api.KarsEval, f Facts, _ conditions.Result, _ time.Time) operator.Conclusion {
	last, history := o.Status.LastResult, o.Status.History
	if f.Result != nil && (last == nil || last.Run != f.Result.Run) {
		last = f.Result
		history = append([]api.EvalResult{*f.Result}, history...)
		history = history[:min(len(history), maxHistory)]
	}
	phase := ""
	switch {
	case f.bad():
	case f.Result != nil && f.Result.Failed > 0:
		phase = "Degraded"
	case f.RunAsked || f.Running:
		phase = "Running"
	}
	status := api.KarsEvalStatus{Common: api.Common{Phase: phase}, LastResult: last, History: history, CorpusDigest: f.Digest,
		CurrentRun: f.Current}
	if last != nil {
		status.LastRunAt = &last.CompletedAt
	}
	if f.Digest != "" {
		status.CorpusConfigMapRef = api.Ref(CorpusName(o.Name))
	}
	if f.Digest != "" && o.Spec.Schedule != "" {
		status.CronJobName = cronName(o.Name)
	}
	return operator.Conclusion{Status: &status}
}
