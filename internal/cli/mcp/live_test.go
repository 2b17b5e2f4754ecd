// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/world/clitest"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// TestCluster asks a real API server: the causes are found, a wait ends, and no answer has a part of a Secret or of the
// kubeconfig.
func TestCluster(t *testing.T) {
	config := plane.ForTest(t)
	namespace := plane.Namespace(t, config)
	client := kubernetes.NewForConfigOrDie(config)
	const word = "correct-horse-battery"
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "key",
		Annotations: map[string]string{"kubectl.kubernetes.io/last-applied-configuration": word}},
		StringData: map[string]string{"password": word}}
	if _, err := client.CoreV1().Secrets(namespace).Create(t.Context(), secret, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	from := func(name string) []corev1.EnvFromSource {
		return []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}}}
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.PodSpec{Containers: []corev1.Container{
		{Name: "a", Image: "registry.invalid/a:1", EnvFrom: from("key")}, {Name: "b", Image: "registry.invalid/b:1", EnvFrom: from("absent")}}}}
	pod, err := client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pod.Status.Phase = corev1.PodPending
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "b", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
		Reason: "CreateContainerConfigError", Message: `secret "absent" not found`}}}}
	if _, err := client.CoreV1().Pods(namespace).UpdateStatus(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	s := sessionAt(t, time.Now, "--kubeconfig", clitest.Kubeconfig(t, config, namespace, ""))
	hidden := []string{word, base64.StdEncoding.EncodeToString([]byte(word))}
	for _, part := range []string{base64.StdEncoding.EncodeToString(config.KeyData), config.BearerToken} {
		if part != "" {
			hidden = append(hidden, part)
		}
	}
	if len(hidden) < 3 {
		t.Fatal("the kubeconfig has no key and no token")
	}
	for name, c := range map[string]struct {
		tool      string
		arguments map[string]any
		has       string
		fails     bool
	}{
		"problems":          {"problems", nil, "Secret/absent", false},
		"everywhere":        {"problems", map[string]any{"all_namespaces": true}, namespace, false},
		"why":               {"why", map[string]any{"object": "pod/web"}, "Pod/web is ", false},
		"tree":              {"tree", map[string]any{"object": "pod/web", "namespace": namespace}, "Secret/absent", false},
		"tree of a secret":  {"tree", map[string]any{"object": "secret/key"}, "secrets are not shown", true},
		"status":            {"status", nil, "Pod/web", false},
		"status of secrets": {"status", map[string]any{"objects": []string{"secrets"}}, "secrets are not shown", true},
		"wait":              {"wait", map[string]any{"objects": []string{"pod/web"}, "seconds": 50}, "failed after ", false},
		"wait is met":       {"wait", map[string]any{"objects": []string{"pod/web"}, "for": []string{"create"}}, "met", false},
		"wait for a secret": {"wait", map[string]any{"objects": []string{"secret/key"}, "for": []string{"create"}}, "met", false},
	} {
		t.Run(name, func(t *testing.T) {
			text, failed := call(t, s, c.tool, c.arguments)
			if _, data := body(t, text); failed != c.fails || !strings.Contains(data, c.has) {
				t.Errorf("error %v: no %q in:\n%s", failed, c.has, text)
			}
			for _, part := range hidden {
				if strings.Contains(text, part) {
					t.Errorf("%q is in:\n%s", part, text)
				}
			}
		})
	}
}
