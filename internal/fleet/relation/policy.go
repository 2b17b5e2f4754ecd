// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/internal/declare/nested"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var policyKind = schema.GroupKind{Group: "networking.k8s.io", Kind: "NetworkPolicy"}

// end is one end of a connection: a pod, or what is known of the pods that would be there.
type end struct {
	namespace string
	labels    labels.Set
	ip        string
}

// port is the port of a pod that a connection leads to. One without a number may be any.
type port struct {
	number         int64
	name, protocol string
}

// blocks returns the network policies that leave a pod without the way to a Service whose address its containers are given, or to DNS:
// {name, namespace, text}. A way is blocked if policies select one of its ends and none of them allows the other. Services without running
// pods are left out; pods of one owner are alike.
func (v *View) blocks(pod map[string]any) []any {
	o := FromContent(pod)
	alike := "blocks " + o.ID.String()
	for _, owner := range o.owners() {
		alike = "blocks " + owner.uid + owner.String()
	}
	if known, there := v.refused[alike]; there {
		return known
	}
	out := []any{}
	self, named := endOf(o), map[string]bool{}
	try := func(subject, peer end, direction string, to port, what string) {
		for _, policy := range v.blocking(subject, peer, direction, to) {
			if key := policy.ID.String() + what; !named[key] {
				named[key] = true
				out = append(out, map[string]any{"name": policy.Name, "namespace": policy.Namespace, "text": fmt.Sprintf("NetworkPolicy/%s does not "+
					"allow %s (spec.%s)", policy.Name, what, direction)})
			}
		}
	}
	addresses := expr.Addresses(pod)
	for _, address := range addresses {
		service := v.Graph.Get(ID{serviceKind, address.Namespace, address.Name})
		if service == nil {
			continue
		}
		set, _ := nested.Map(service.Content, "spec")["selector"].(map[string]any)
		s := expr.Selector(map[string]any{"matchLabels": set})
		if len(set) == 0 || s == nil {
			continue
		}
		for _, target := range v.running(s, []string{service.Namespace}) {
			to := targetOf(service, target, address.Port)
			what := fmt.Sprintf("what Pod/%s asks of Service/%s at port %s", o.Name, service.Name, to)
			try(endOf(target), self, "ingress", to, what)
			try(self, endOf(target), "egress", to, what)
			break // the others are alike
		}
	}
	if len(addresses) > 0 {
		try(self, end{namespace: "kube-system", labels: labels.Set{"k8s-app": "kube-dns"}}, "egress", port{53, "dns", "UDP"}, "what Pod/"+o.Name+
			" asks of DNS at port 53/UDP")
	}
	v.refused[alike] = out
	return out
}

func (p port) String() string { return fmt.Sprintf("%d/%s", p.number, p.protocol) }

func endOf(pod *Object) end {
	return end{pod.Namespace, labels.Set(pod.Labels()), nested.Text(pod.Content, "status", "podIP")}
}

// targetOf returns the port of a pod that a port of its Service leads to.
func targetOf(service, pod *Object, number int64) port {
	for _, p := range nested.Maps(service.Content, "spec", "ports") {
		if number != 0 && nested.Number(p, "port") != number {
			continue
		}
		out := port{number: nested.Number(p, "targetPort"), name: nested.Text(p, "targetPort"),
			protocol: cmp.Or(nested.Text(p, "protocol"), "TCP")}
		if p["targetPort"] == nil {
			out.number = nested.Number(p, "port")
		}
		for _, c := range nested.Maps(pod.Content, "spec", "containers") {
			for _, its := range nested.Maps(c, "ports") {
				if out.name != "" && nested.Text(its, "name") == out.name || out.name == "" && nested.Number(its, "containerPort") == out.number {
					out.number, out.name = nested.Number(its, "containerPort"), nested.Text(its, "name")
				}
			}
		}
		return out
	}
	return port{number: number, protocol: "TCP"}
}

// blocking returns the policies that select one end in a direction, if none of them allows the other end; none if one does, or none selects
// it.
func (v *View) blocking(subject, peer end, direction string, to port) []*Object {
	var out []*Object
	for _, policy := range v.indexed("policies", policyKind, subject.namespace, func(o *Object) []string { return []string{o.Namespace} }) {
		spec := nested.Map(policy.Content, "spec")
		s := expr.Selector(nested.Map(spec, "podSelector"))
		if s == nil || !s.Matches(subject.labels) || !directed(spec, direction) {
			continue
		}
		peers := map[string]string{"ingress": "from", "egress": "to"}[direction]
		for _, rule := range nested.Maps(spec, direction) {
			from, ports := nested.Maps(rule, peers), nested.Maps(rule, "ports")
			if (len(from) == 0 || slices.ContainsFunc(from, func(p map[string]any) bool { return v.admits(p, policy.Namespace, peer) })) &&
				(len(ports) == 0 || slices.ContainsFunc(ports, to.in)) {
				return nil
			}
		}
		out = append(out, policy)
	}
	return out
}

// directed reports whether a policy is about a direction.
func directed(spec map[string]any, direction string) bool {
	list, ok := spec["policyTypes"].([]any)
	if !ok {
		return direction == "ingress" || spec["egress"] != nil
	}
	return slices.ContainsFunc(list, func(item any) bool { return strings.EqualFold(fmt.Sprint(item), direction) })
}

// admits reports whether a peer of a rule means an end. Of an end without an address every block may be meant.
func (v *View) admits(p map[string]any, own string, e end) bool {
	if block := nested.Map(p, "ipBlock"); len(block) > 0 {
		ip, err := netip.ParseAddr(e.ip)
		if err != nil {
			return true
		}
		inside := func(text any) bool {
			prefix, err := netip.ParsePrefix(fmt.Sprint(text))
			return err == nil && prefix.Contains(ip)
		}
		except, _ := block["except"].([]any)
		return inside(block["cidr"]) && !slices.ContainsFunc(except, inside)
	}
	if s, ok := p["namespaceSelector"].(map[string]any); ok {
		set := labels.Set{"kubernetes.io/metadata.name": e.namespace}
		if namespace := v.Graph.Get(ID{GroupKind: schema.GroupKind{Kind: "Namespace"}, Name: e.namespace}); namespace != nil {
			set = labels.Merge(labels.Set(namespace.Labels()), set)
		}
		if parsed := expr.Selector(s); parsed == nil || !parsed.Matches(set) {
			return false
		}
	} else if e.namespace != own {
		return false
	}
	s, ok := p["podSelector"].(map[string]any)
	if !ok {
		return true
	}
	parsed := expr.Selector(s)
	return parsed != nil && parsed.Matches(e.labels)
}

// in reports whether a rule's entry about ports means a port.
func (p port) in(entry map[string]any) bool {
	if protocol := nested.Text(entry, "protocol"); protocol != "" && protocol != p.protocol || protocol == "" && p.protocol != "TCP" {
		return false
	}
	name, number, last := nested.Text(entry, "port"), nested.Number(entry, "port"), nested.Number(entry, "endPort")
	switch {
	case p.number == 0, entry["port"] == nil:
		return true
	case name != "":
		return name == p.name
	}
	return number == p.number || last != 0 && number <= p.number && p.number <= last
}
