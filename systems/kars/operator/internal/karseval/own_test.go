// SPDX-License-Identifier: Apache-2.0

package karseval

import (
	"testing"

	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// TestForgedRun: the report of a Job or pod counts only if it runs what the operator would run, whatever its labels and owner are.
func TestForgedRun(t *testing.T) {
	o := &api.KarsEval{}
	o.Name, o.Spec.TargetSandboxRef.Name = "nightly", "box"
	want := jobSpec(&kit.Env{Settings: kit.Settings{RunnerImage: "kars-eval-runner"}}, o, nil).Template.Spec
	tests := map[string]struct {
		change func(*corev1.PodSpec)
		own    bool
	}{
		"as it is made": {func(*corev1.PodSpec) {}, true},
		"with defaults of the API server": {func(p *corev1.PodSpec) {
			p.Containers[0].TerminationMessagePath, p.Containers[0].ImagePullPolicy = "/dev/termination-log", corev1.PullAlways
			p.Volumes[0].ConfigMap.DefaultMode, p.DNSPolicy, p.SchedulerName = ptr.To[int32](420), corev1.DNSClusterFirst, "default-scheduler"
		}, true},
		"on a node":            {func(p *corev1.PodSpec) { p.NodeName, p.ServiceAccountName = "one", "default" }, true},
		"another image":        {func(p *corev1.PodSpec) { p.Containers[0].Image = "forged" }, false},
		"another router":       {func(p *corev1.PodSpec) { p.Containers[0].Args[0] = "--router=http://forged" }, false},
		"a variable":           {func(p *corev1.PodSpec) { p.Containers[0].Env = []corev1.EnvVar{{Name: "HTTP_PROXY", Value: "forged"}} }, false},
		"another corpus":       {func(p *corev1.PodSpec) { p.Volumes[0].ConfigMap.Name = "forged" }, false},
		"a container more":     {func(p *corev1.PodSpec) { p.Containers = append(p.Containers, corev1.Container{Name: "two"}) }, false},
		"a container before":   {func(p *corev1.PodSpec) { p.InitContainers = []corev1.Container{{Name: "first"}} }, false},
		"other names of hosts": {func(p *corev1.PodSpec) { p.HostAliases = []corev1.HostAlias{{IP: "192.0.2.1"}} }, false},
	}
	for name, test := range tests {
		have := *want.DeepCopy()
		test.change(&have)
		if got := runsAs(want, have); got != test.own {
			t.Errorf("%s: it is the operator's: %v", name, got)
		}
	}
}
