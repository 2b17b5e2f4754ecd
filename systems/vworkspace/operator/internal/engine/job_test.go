// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestJobPod: the pod of an operation cannot gain privileges and has a token only by its own account; a restricted one meets the restricted
// Pod Security Standard: its seccomp profile, no privileges to gain, not as root, and every capability dropped.
func TestJobPod(t *testing.T) {
	for name, test := range map[string]struct {
		parameters        api.JobParameters
		token, restricted bool
	}{
		"as it is":        {api.JobParameters{Image: "i"}, false, false},
		"with an account": {api.JobParameters{Image: "i", ServiceAccountName: "migrator"}, true, false},
		"restricted":      {api.JobParameters{Image: "i", Restricted: true}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			content, err := jobSpec(&test.parameters)
			if err != nil {
				t.Fatal(err)
			}
			var s batchv1.JobSpec
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &s); err != nil {
				t.Fatal(err)
			}
			pod := s.Template.Spec
			of, container := pod.SecurityContext, pod.Containers[0].SecurityContext
			if of == nil || of.SeccompProfile == nil || of.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
				t.Errorf("the pod has %+v, want the seccomp profile of the runtime", of)
			}
			if container == nil || container.AllowPrivilegeEscalation == nil || *container.AllowPrivilegeEscalation {
				t.Errorf("the container has %+v, and may gain privileges", container)
			}
			if token := pod.AutomountServiceAccountToken; token == nil || *token != test.token {
				t.Errorf("the pod mounts a token: %v, want %v", token, test.token)
			}
			if user := of.RunAsNonRoot; user != nil && *user != test.restricted || user == nil && test.restricted {
				t.Errorf("runAsNonRoot is %v, want %v", user, test.restricted)
			}
			if c := container.Capabilities; (c != nil && len(c.Drop) == 1 && c.Drop[0] == "ALL" && len(c.Add) == 0) != test.restricted {
				t.Errorf("the capabilities are %+v; restricted: %v", c, test.restricted)
			}
		})
	}
}
