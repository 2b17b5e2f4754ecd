// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tristate/tristate/proof/plane/process"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// outcome is the annotation of a pod that asks KWOK for something else than success.
const outcome = "localplane.tristate.dev/outcome"

// TestNodes: on nodes, pods are scheduled and do what their annotation asks for, seen by the real controllers above them.
func TestNodes(t *testing.T) {
	t.Parallel()
	if _, err := process.Find(); errors.Is(err, ErrNotBuilt) {
		ForTest(t) // skips or fails
	}
	p, err := Start(t.Context(), Options{Nodes: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	client, err := kubernetes.NewForConfig(p.Config())
	if err != nil {
		t.Fatal(err)
	}
	jobs := client.BatchV1().Jobs("default")
	tests := map[string]func(batchv1.Job, corev1.Pod) bool{
		"": func(j batchv1.Job, _ corev1.Pod) bool { return jobIs(j, batchv1.JobComplete) },
		"fail": func(j batchv1.Job, pod corev1.Pod) bool {
			return jobIs(j, batchv1.JobFailed) && pod.Status.Phase == corev1.PodFailed &&
				pod.Status.ContainerStatuses[0].State.Terminated.ExitCode == 1
		},
		"run": func(j batchv1.Job, pod corev1.Pod) bool { return j.Status.Active == 1 && podIsReady(pod) },
		"unready": func(_ batchv1.Job, pod corev1.Pod) bool {
			return pod.Status.Phase == corev1.PodRunning && !podIsReady(pod)
		},
		"hang":       func(_ batchv1.Job, pod corev1.Pod) bool { return waitsFor(pod, "ContainerCreating") },
		"image-pull": func(_ batchv1.Job, pod corev1.Pod) bool { return waitsFor(pod, "ImagePullBackOff") },
		"crash-loop": func(_ batchv1.Job, pod corev1.Pod) bool { return waitsFor(pod, "CrashLoopBackOff") },
	}
	for name := range tests {
		template := podTemplate(name)
		template.Spec.RestartPolicy = corev1.RestartPolicyNever
		_, err := jobs.Create(t.Context(), &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Name: "job-" + name + "x"},
			Spec:       batchv1.JobSpec{BackoffLimit: new(int32), Template: template},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, reached := range tests {
		eventually(t, func(ctx context.Context) error {
			job, err := jobs.Get(ctx, "job-"+name+"x", metav1.GetOptions{})
			if err != nil {
				return err
			}
			pods, err := client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "job-name=" + job.Name})
			if err != nil || len(pods.Items) != 1 {
				return fmt.Errorf("outcome %q: %d pods: %w", name, len(pods.Items), err)
			}
			if !reached(*job, pods.Items[0]) {
				return fmt.Errorf("outcome %q: job %+v, pod %+v", name, job.Status, pods.Items[0].Status)
			}
			return nil
		})
	}

	deployments := client.AppsV1().Deployments("default")
	template := podTemplate("crash-loop")
	template.Labels = map[string]string{"app": "web"}
	replicas := int32(3)
	_, err = deployments.Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: template.Labels}, Template: template},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	available := func(want int32) {
		t.Helper()
		eventually(t, func(ctx context.Context) error {
			d, err := deployments.Get(ctx, "web", metav1.GetOptions{})
			if err == nil && (d.Status.ObservedGeneration < d.Generation || d.Status.UpdatedReplicas < replicas ||
				d.Status.AvailableReplicas != want) {
				err = fmt.Errorf("want %d available replicas, got %+v", want, d.Status)
			}
			return err
		})
	}
	available(0)
	// A new template without the annotation replaces the crashing pods.
	eventually(t, func(ctx context.Context) error {
		d, err := deployments.Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		delete(d.Spec.Template.Annotations, outcome)
		_, err = deployments.Update(ctx, d, metav1.UpdateOptions{})
		return err
	})
	available(replicas)
}

func podTemplate(want string) corev1.PodTemplateSpec {
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main",
		Image: "registry.example.com/main:1"}}}}
	if want != "" {
		template.Annotations = map[string]string{outcome: want}
	}
	return template
}

func jobIs(job batchv1.Job, want batchv1.JobConditionType) bool {
	for _, c := range job.Status.Conditions {
		if c.Type == want && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

func podIsReady(pod corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func waitsFor(pod corev1.Pod, reason string) bool {
	statuses := pod.Status.ContainerStatuses
	return len(statuses) == 1 && statuses[0].State.Waiting != nil && statuses[0].State.Waiting.Reason == reason
}
