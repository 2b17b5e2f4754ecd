// SPDX-License-Identifier: Apache-2.0

package why_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/world/clitest"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// TestWhy_everything: without a name, why reads a namespace of a real API server, with what its conditions need of other objects, and ranks
// its causes.
func TestWhy_everything(t *testing.T) {
	config := plane.ForTest(t)
	plane.NeedControllers(t)
	namespace := plane.Namespace(t, config)
	client := kubernetes.NewForConfigOrDie(config)
	run := func(args ...string) string {
		var out, errs bytes.Buffer
		a := &cli.App{In: &bytes.Buffer{}, Out: &out, Err: &errs, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
		if code := a.Run(t.Context(), append([]string{"why", "-n", namespace, "--kubeconfig", clitest.Kubeconfig(t, config, "", "")},
			args...)); code != 0 {
			t.Errorf("exit code %d: %s", code, &errs)
		}
		return out.String()
	}
	services, pods := client.CoreV1().Services(namespace), client.CoreV1().Pods(namespace)
	if _, err := services.Create(t.Context(), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}}}},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	pod, err := pods.Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{"app": "webs"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.invalid/web:1"}}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "web", Ready: true,
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	if _, err := pods.UpdateStatus(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	want := "1 cause, 1 unhealthy object.\n1. " + namespace +
		"/Service/web: Routable NoPodMatches\n   says: no pod has the labels of its selector; Pod/web has app=webs, not web\n"
	got := ""
	if err := wait.PollUntilContextTimeout(t.Context(), time.Second, 5*time.Minute, true, func(context.Context) (bool, error) {
		got = run("-o", "brief")
		return strings.HasPrefix(got, want), nil
	}); err != nil {
		t.Fatalf("-want\n%s+got\n%s", want, got)
	}
	if err := services.Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := wait.PollUntilContextTimeout(t.Context(), time.Second, 5*time.Minute, true, func(context.Context) (bool, error) {
		got = run()
		return got == "nothing wrong here.\n", nil
	}); err != nil {
		t.Errorf("a healthy namespace: %s", got)
	}
}
