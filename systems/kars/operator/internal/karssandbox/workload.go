// SPDX-License-Identifier: Apache-2.0

package karssandbox

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"strconv"
	"strings"

	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Root is where a router finds its artifacts, and an agent the directories of its McpServers.
const Root = "/etc/kars"

// The levels of spec.sandbox.isolation, each with what the one before has.
const (
	standard     = "standard"     // the restricted profile of Kubernetes' pod security standards, and the network of [policies]
	enhanced     = "enhanced"     // a root file system that is read only
	confidential = "confidential" // the runtime class that the operator is given
)

func isolation(o *api.KarsSandbox) string {
	if o.Spec.Sandbox == nil {
		return enhanced
	}
	return cmp.Or(o.Spec.Sandbox.Isolation, enhanced)
}

// routerLabels select the pods of the router. The agent's do not have them.
func routerLabels(o *api.KarsSandbox) map[string]string {
	return map[string]string{kit.LabelSandbox: o.Name}
}

// agentLabels select the pods of the agent.
func agentLabels(o *api.KarsSandbox) map[string]string {
	return map[string]string{kit.LabelAgent: o.Name}
}

// routerOf returns the Deployment of the router.
func routerOf(e *kit.Env, o *api.KarsSandbox, f Facts, mounted []mount) *appsv1.Deployment {
	volumes, paths := projected(mounted)
	var ports []corev1.ContainerPort
	for _, secret := range []mount{{kit.TokenSecret, "token"}, {kit.AgentTokenSecret, "agent-token"}} {
		source := corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: secret.name}}
		volumes = append(volumes, corev1.Volume{Name: secret.folder, VolumeSource: source})
		paths = append(paths, corev1.VolumeMount{Name: secret.folder, MountPath: Root + "/" + secret.folder, ReadOnly: true})
	}
	args := []string{"--root=" + Root}
	for _, port := range []struct {
		flag   string
		number int32
	}{{"listen", kit.RouterPort}, {"agent", kit.AgentPort}, {"proxy", kit.ProxyPort}} {
		args = append(args, fmt.Sprintf("--%s=:%d", port.flag, port.number))
		ports = append(ports, corev1.ContainerPort{ContainerPort: port.number, Protocol: corev1.ProtocolTCP})
	}
	for _, flag := range [][2]string{{"memory", e.MemoryEndpoint}, {"inference", e.InferenceEndpoint}} {
		if flag[1] != "" {
			args = append(args, "--"+flag[0]+"="+flag[1])
		}
	}
	if e.PushURL != "" {
		args = append(args, "--push="+e.PushURL+o.Namespace+"/"+o.Name)
	}
	container := corev1.Container{Name: "router", Image: e.RouterImage, Command: []string{"kars-router"}, Args: args, VolumeMounts: paths,
		Ports: ports}
	return deployment(o, f, o.Name, routerLabels(o), true, corev1.PodSpec{Volumes: volumes, Containers: []corev1.Container{container}})
}

// agentOf returns the Deployment of the agent, which reaches the router at an address and nothing else.
func agentOf(e *kit.Env, o *api.KarsSandbox, f Facts, mounted []mount, address string) *appsv1.Deployment {
	image := e.RuntimeImages[o.Spec.Runtime.Kind]
	if o.Spec.Runtime.Kind == byo {
		image = o.Spec.Runtime.BYO.Image
	}
	var servers []mount
	for _, m := range mounted {
		if strings.HasPrefix(m.folder, "mcp/") {
			servers = append(servers, m)
		}
	}
	volumes, paths := projected(servers)
	volumes = append(volumes, corev1.Volume{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
	paths = append(paths, corev1.VolumeMount{Name: "tmp", MountPath: "/tmp"})
	at := func(port int) string { return net.JoinHostPort(address, strconv.Itoa(port)) }
	env := []corev1.EnvVar{
		{Name: "KARS_TOKEN", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: kit.AgentTokenSecret}, Key: kit.TokenKey}}},
		{Name: "KARS_ROUTER", Value: "http://" + at(kit.AgentPort)},
		{Name: "HTTPS_PROXY", Value: "http://agent:$(KARS_TOKEN)@" + at(kit.ProxyPort)},
		{Name: "OPENAI_BASE_URL", Value: "http://" + at(kit.AgentPort) + "/v1"},
		{Name: "OPENAI_API_KEY", Value: "$(KARS_TOKEN)"},
		{Name: "HOME", Value: "/tmp"},
	}
	if g := o.Spec.Governance; g != nil && g.TrustThreshold != nil {
		env = append(env, corev1.EnvVar{Name: "KARS_TRUST_THRESHOLD", Value: strconv.Itoa(int(*g.TrustThreshold))})
	}
	pod := corev1.PodSpec{Volumes: volumes, Containers: []corev1.Container{{Name: "runtime", Image: image, Env: env, VolumeMounts: paths}}}
	if isolation(o) == confidential {
		pod.RuntimeClassName = &e.ConfidentialClass
	}
	return deployment(o, f, kit.AgentName(o.Name), agentLabels(o), isolation(o) != standard, pod)
}

// deployment returns a Deployment of a sandbox with one pod, or none while it is suspended. Its pod is restricted and has no token of the
// API server.
func deployment(o *api.KarsSandbox, f Facts, name string, selector map[string]string, readOnly bool,
	pod corev1.PodSpec) *appsv1.Deployment {
	replicas := int32(1)
	if f.Suspended {
		replicas = 0
	}
	pod.ServiceAccountName, pod.AutomountServiceAccountToken, pod.EnableServiceLinks = o.Name, ptr.To(false), ptr.To(false)
	pod.SecurityContext = kit.RestrictedPod()
	for i := range pod.Containers {
		pod.Containers[i].SecurityContext = kit.RestrictedContainer(readOnly)
	}
	at := component(o, name)
	labels := maps.Clone(selector)
	labels[kit.LabelSandboxOwner] = o.Namespace
	return &appsv1.Deployment{ObjectMeta: at, Spec: appsv1.DeploymentSpec{
		Replicas: &replicas,
		Selector: &metav1.LabelSelector{MatchLabels: selector},
		Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod},
	}}
}

// projected returns the volumes of ConfigMaps, which may not be there yet, and where they are mounted.
func projected(mounted []mount) (volumes []corev1.Volume, paths []corev1.VolumeMount) {
	for i, m := range mounted {
		volume := fmt.Sprintf("artifact-%d", i)
		volumes = append(volumes, corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: m.name}, Optional: ptr.To(true)}}})
		paths = append(paths, corev1.VolumeMount{Name: volume, MountPath: Root + "/" + m.folder, ReadOnly: true})
	}
	return volumes, paths
}
