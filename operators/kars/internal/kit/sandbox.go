// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
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
