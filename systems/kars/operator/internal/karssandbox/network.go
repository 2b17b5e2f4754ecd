// SPDX-License-Identifier: Apache-2.0

package karssandbox

import (
	"context"
	"fmt"

	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// policies returns the NetworkPolicies of the namespace of a sandbox:
//
//	operator, evaluations ──8443──▶ router ──▶ anywhere: it decides by the name of the host
//	                                  ▲
//	agent ──8080, 3128────────────────┘        and nowhere else, not even to a resolver of names
//
// The router and the agent are pods of their own because a NetworkPolicy holds for all containers of a pod.
func policies(e *kit.Env, o *api.KarsSandbox) []client.Object {
	both := []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}
	routers, agents := metav1.LabelSelector{MatchLabels: routerLabels(o)}, metav1.LabelSelector{MatchLabels: agentLabels(o)}
	evaluations := []metav1.LabelSelectorRequirement{{Key: kit.LabelEval, Operator: metav1.LabelSelectorOpExists}}
	evaluation := networkingv1.NetworkPolicyPeer{NamespaceSelector: within(o.Namespace),
		PodSelector: &metav1.LabelSelector{MatchExpressions: evaluations}}
	return []client.Object{
		&networkingv1.NetworkPolicy{ObjectMeta: component(o, "sandbox-policy"), Spec: networkingv1.NetworkPolicySpec{PolicyTypes: both}},
		&networkingv1.NetworkPolicy{ObjectMeta: component(o, "router-policy"), Spec: networkingv1.NetworkPolicySpec{
			PodSelector: routers, PolicyTypes: both,
			Ingress: []networkingv1.NetworkPolicyIngressRule{
				{From: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: within(e.Namespace)}, evaluation}, Ports: ports(kit.RouterPort)},
				{From: []networkingv1.NetworkPolicyPeer{{PodSelector: &agents}}, Ports: ports(kit.AgentPort, kit.ProxyPort)},
			},
			Egress: []networkingv1.NetworkPolicyEgressRule{{}},
		}},
		&networkingv1.NetworkPolicy{ObjectMeta: component(o, "agent-policy"), Spec: networkingv1.NetworkPolicySpec{
			PodSelector: agents, PolicyTypes: both,
			Egress: []networkingv1.NetworkPolicyEgressRule{
				{To: []networkingv1.NetworkPolicyPeer{{PodSelector: &routers}}, Ports: ports(kit.AgentPort, kit.ProxyPort)}},
		}},
	}
}

// ports are TCP ports of a rule.
func ports(numbers ...int32) (out []networkingv1.NetworkPolicyPort) {
	for _, n := range numbers {
		port, tcp := intstr.FromInt32(n), corev1.ProtocolTCP
		out = append(out, networkingv1.NetworkPolicyPort{Port: &port, Protocol: &tcp})
	}
	return out
}

// within selects a namespace by name.
func within(namespace string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}}
}

// service returns the Service of the router.
func service(o *api.KarsSandbox) *corev1.Service {
	ports := []corev1.ServicePort{{Name: "router", Port: kit.RouterPort}, {Name: "agent", Port: kit.AgentPort},
		{Name: "proxy", Port: kit.ProxyPort}}
	for i := range ports {
		ports[i].TargetPort, ports[i].Protocol = intstr.FromInt32(ports[i].Port), corev1.ProtocolTCP
	}
	return &corev1.Service{ObjectMeta: component(o, o.Name), Spec: corev1.ServiceSpec{Selector: routerLabels(o), Ports: ports}}
}

// address returns the address of the Service of the router, which the agent gets instead of a name. A Service that is created anew has
// another one, and the agent is started again.
func address(ctx context.Context, e *kit.Env, o *api.KarsSandbox) (string, error) {
	key, live := client.ObjectKey{Namespace: kit.SandboxNamespace(o.Name), Name: o.Name}, &corev1.Service{}
	if exists, err := e.Children.Exists(ctx, key, live); err != nil || !exists {
		if err = e.Children.Live.Get(ctx, key, live); err != nil { // the cache does not have it yet
			return "", err
		}
	}
	if live.Spec.ClusterIP == "" || live.Spec.ClusterIP == corev1.ClusterIPNone {
		return "", fmt.Errorf("the Service %s has no address", key)
	}
	return live.Spec.ClusterIP, nil
}
