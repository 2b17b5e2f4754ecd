// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// SandboxNamespace returns the namespace that a sandbox runs in.
func SandboxNamespace(sandbox string) string { return "kars-" + sandbox }

// RouterURL returns where the router of a sandbox listens.
func RouterURL(sandbox types.NamespacedName) string {
	return fmt.Sprintf("http://%s.%s.svc.cluster.local:%d", sandbox.Name, SandboxNamespace(sandbox.Name), RouterPort)
}

// Ports of a router. The operator and evaluations reach the first one, the agent of the sandbox the others.
const (
	RouterPort = 8443
	AgentPort  = 8080 // models and memory
	ProxyPort  = 3128
)

// Names of the children of a sandbox, in its namespace. The Deployment and the Service of the router have the name of the sandbox.
const (
	TokenSecret      = "router-admin-token"
	AgentTokenSecret = "router-agent-token"
	TokenKey         = "token"
)

// AgentName returns the name of the Deployment of the agent.
func AgentName(sandbox string) string { return sandbox + "-agent" }

// AllowlistName returns the name of the ConfigMap with the destinations of a sandbox.
func AllowlistName(sandbox string) string { return "karssandbox-" + sandbox + "-egress-allowlist" }

// ApprovalsName returns the name of the ConfigMap with the grants of a sandbox, one key each.
func ApprovalsName(sandbox string) string { return "karssandbox-" + sandbox + "-egress-approvals" }

// SandboxLabels mark the children of a sandbox.
func SandboxLabels(sandbox types.NamespacedName) map[string]string {
	return map[string]string{LabelSandbox: sandbox.Name, LabelSandboxOwner: sandbox.Namespace}
}

// Manager is the field manager of everything that the operator writes.
const Manager = "kars-operator"

// Domain is that of the annotations of children.
const Domain = "kars.azure.com"

// Labels and annotations of children.
const (
	LabelSandbox      = "kars.azure.com/sandbox"
	LabelSandboxOwner = "kars.azure.com/sandbox-namespace"
	LabelAgent        = "kars.azure.com/agent"
	LabelEval         = "kars.azure.com/eval"
	AnnotationDigest  = "kars.azure.com/digest"
)

// unprivileged is the user and group of the containers: an image whose own user is root runs as this one.
const unprivileged = 65532

// RestrictedPod returns the security context of a pod by the restricted profile of Kubernetes' pod security standards.
func RestrictedPod() *corev1.PodSecurityContext {
	return &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To[int64](unprivileged),
		RunAsGroup: ptr.To[int64](unprivileged),
		FSGroup:    ptr.To[int64](unprivileged), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}}
}

// RestrictedContainer returns that of its containers, with a root file system that is read only or not.
func RestrictedContainer(readOnly bool) *corev1.SecurityContext {
	return &corev1.SecurityContext{AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(readOnly),
		Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}
}
