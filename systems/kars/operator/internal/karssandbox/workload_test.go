// SPDX-License-Identifier: Apache-2.0

package karssandbox

import (
	"strings"
	"testing"

	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func box(isolation string) *api.KarsSandbox {
	o := &api.KarsSandbox{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "box"}}
	o.Spec.Runtime.Kind = "OpenClaw"
	o.Spec.Sandbox = &api.IsolationSpec{Isolation: isolation}
	o.Spec.Governance = &api.GovernanceSpec{TrustThreshold: ptr.To[int32](700)}
	return o
}

// TestIsolation: each level has what the one before has, and no pod has a token of the API server.
func TestIsolation(t *testing.T) {
	e := &kit.Env{Settings: kit.Settings{RuntimeImages: map[string]string{"OpenClaw": "openclaw"}, ConfidentialClass: "kata"}}
	for level, want := range map[string]struct {
		readOnly bool
		class    string
	}{"": {true, ""}, standard: {false, ""}, enhanced: {true, ""}, confidential: {true, "kata"}} {
		o := box(level)
		pod := agentOf(e, o, Facts{}, []mount{{"mcp-wiki-jwks", "mcp/wiki"}, {"list", "egress"}}, "10.0.0.1").Spec.Template.Spec
		c := pod.Containers[0]
		if got := *c.SecurityContext.ReadOnlyRootFilesystem; got != want.readOnly || ptr.Deref(pod.RuntimeClassName, "") != want.class {
			t.Errorf("%q: read only %v, class %q, want %+v", level, got, ptr.Deref(pod.RuntimeClassName, ""), want)
		}
		if *pod.AutomountServiceAccountToken || !*pod.SecurityContext.RunAsNonRoot || *c.SecurityContext.AllowPrivilegeEscalation ||
			len(c.SecurityContext.Capabilities.Drop) == 0 {
			t.Errorf("%q: the pod is not restricted: %+v", level, pod)
		}
		mounts := ""
		for _, m := range c.VolumeMounts {
			mounts += m.MountPath + " "
		}
		if mounts != "/etc/kars/mcp/wiki /tmp " {
			t.Errorf("%q: the agent has %s", level, mounts)
		}
		env := map[string]string{}
		for _, v := range c.Env {
			env[v.Name] = v.Value
		}
		if env["KARS_TRUST_THRESHOLD"] != "700" || !strings.HasSuffix(env["HTTPS_PROXY"], "@10.0.0.1:3128") {
			t.Errorf("%q: %v", level, env)
		}
		if r := routerOf(e, o, Facts{}, nil).Spec.Template.Spec; !*r.Containers[0].SecurityContext.ReadOnlyRootFilesystem ||
			r.RuntimeClassName != nil || *r.AutomountServiceAccountToken {
			t.Errorf("%q: the router is %+v", level, r)
		}
	}
	f := Facts{NoClass: true}
	if !f.Blocked() || len(f.failures()) != 1 {
		t.Errorf("without a runtime class: blocked %v, %v", f.Blocked(), f.failures())
	}
}

// TestPolicies: what is not permitted is denied in both directions; the agent may reach its router, and nothing may reach the agent.
func TestPolicies(t *testing.T) {
	o := box("")
	all := map[string]networkingv1.NetworkPolicySpec{}
	for _, p := range policies(&kit.Env{Settings: kit.Settings{Namespace: "kars-system"}}, o) {
		np := p.(*networkingv1.NetworkPolicy)
		if all[np.Name] = np.Spec; len(np.Spec.PolicyTypes) != 2 {
			t.Errorf("%s holds for %v only", np.Name, np.Spec.PolicyTypes)
		}
	}
	if s := all["sandbox-policy"]; len(s.PodSelector.MatchLabels) != 0 || len(s.Ingress)+len(s.Egress) != 0 {
		t.Errorf("sandbox-policy permits %+v", s)
	}
	agent := all["agent-policy"]
	if len(agent.Ingress) != 0 || len(agent.Egress) != 1 || len(agent.Egress[0].To) != 1 ||
		agent.Egress[0].To[0].PodSelector.MatchLabels[kit.LabelSandbox] != "box" || len(agent.Egress[0].Ports) != 2 {
		t.Errorf("agent-policy permits %+v", agent)
	}
	e := &kit.Env{Settings: kit.Settings{RuntimeImages: map[string]string{}}}
	for name, labels := range map[string]map[string]string{"router": routerOf(e, o, Facts{}, nil).Spec.Template.Labels,
		"agent": agentOf(e, o, Facts{}, nil, "10.0.0.1").Spec.Template.Labels} {
		_, routes := labels[kit.LabelSandbox]
		_, acts := labels[kit.LabelAgent]
		if routes == acts || routes != (name == "router") {
			t.Errorf("the pods of the %s have labels %v", name, labels)
		}
	}
}
