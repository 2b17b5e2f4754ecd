// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/internal/declare/nested"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// neighbour is a rule of a pod about the pods that run in the same domain of nodes.
type neighbour struct {
	rule, key string
	domains   map[string]string // by the value of the label key of nodes: a pod there
	needs     bool              // a node has to be in one of the domains; otherwise in none
	text      string
	counts    map[string]int // of a spread: the pods of each domain
	least     int
	most      int // the skew that is allowed
}

// terms returns the required terms of a pod of podAffinity or podAntiAffinity.
func terms(pod *Object, kind string) []map[string]any {
	return nested.Maps(pod.Content, "spec", "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution")
}

// neighbours returns the required affinity and anti-affinity of a pod, the anti-affinity of other pods that excludes it, and its topology
// spread. Namespace selectors that select by labels are not looked at.
func (v *View) neighbours(pod *Object) []neighbour {
	own := labels.Set(pod.Labels())
	var out []neighbour
	for _, rule := range []string{"PodAntiAffinity", "PodAffinity"} {
		for _, term := range terms(pod, "p"+rule[1:]) {
			s := expr.Selector(term["labelSelector"])
			if s == nil || len(nested.Map(term, "namespaceSelector")) > 0 {
				continue
			}
			n := neighbour{rule: rule, key: nested.Text(term, "topologyKey"), domains: map[string]string{}, needs: rule == "PodAffinity"}
			others := v.running(s, v.within(term, pod.Namespace))
			if n.needs && len(others) == 0 && s.Matches(own) {
				continue // the first of its kind may run anywhere
			}
			for _, other := range others {
				if value, ok := v.domain(other, n.key); ok {
					n.domains[value] = cmp.Or(n.domains[value], other.Name)
				}
			}
			n.text = "runs no pod with " + s.String() + " in its " + n.key
			out = append(out, n)
		}
	}
	for _, other := range v.indexed("anti-affinity", podKind, "", func(o *Object) []string {
		return make([]string, min(1, len(terms(o, "podAntiAffinity")))) // the empty key if it has any
	}) {
		for _, term := range terms(other, "podAntiAffinity") {
			s := expr.Selector(term["labelSelector"])
			if s == nil || !runs(other) || !s.Matches(own) || !slices.Contains(v.within(term, other.Namespace), pod.Namespace) {
				continue
			}
			key := nested.Text(term, "topologyKey")
			if value, ok := v.domain(other, key); ok {
				out = append(out, neighbour{rule: "PodAntiAffinity", key: key, domains: map[string]string{value: other.Name}})
			}
		}
	}
	for _, c := range nested.Maps(pod.Content, "spec", "topologySpreadConstraints") {
		s := expr.Selector(c["labelSelector"])
		if c["whenUnsatisfiable"] != "DoNotSchedule" || s == nil {
			continue
		}
		n := neighbour{rule: "TopologySpread", key: nested.Text(c, "topologyKey"), counts: map[string]int{},
			most: int(nested.Number(c, "maxSkew"))}
		for _, node := range v.nodes() {
			if value, ok := node.Labels[n.key]; ok {
				n.counts[value] += 0
			}
		}
		for _, other := range v.running(s, []string{pod.Namespace}) {
			if value, ok := v.domain(other, n.key); ok {
				n.counts[value]++
			}
		}
		if len(n.counts) > 0 {
			n.least = slices.Min(slices.Collect(maps.Values(n.counts)))
		}
		if !s.Matches(own) {
			n.most++
		}
		out = append(out, n)
	}
	return out
}

// refuses returns why a node takes no pod with such a rule; empty if it does.
func (n neighbour) refuses(set map[string]string) string {
	value, there := set[n.key]
	switch {
	case n.counts != nil && !there:
		return "has not the label " + n.key + " of the topology spread"
	case n.counts != nil:
		if n.counts[value]+1-n.least > n.most {
			return fmt.Sprintf("has %d such pods in its %s %s, and another domain has %d (topology spread)", n.counts[value], n.key, value, n.least)
		}
		return ""
	case n.needs:
		if !there || n.domains[value] == "" {
			return n.text
		}
		return ""
	case there && n.domains[value] != "":
		return fmt.Sprintf("runs Pod/%s in its %s, which anti-affinity excludes", n.domains[value], n.key)
	}
	return ""
}

// within returns the namespaces of a term: those that it lists, all of the graph for an empty selector, or that of its pod.
func (v *View) within(term map[string]any, own string) []string {
	var out []string
	list, _ := term["namespaces"].([]any)
	for _, item := range list {
		out = append(out, fmt.Sprint(item))
	}
	if s, ok := term["namespaceSelector"].(map[string]any); ok && len(s) == 0 {
		out = nil
		for _, id := range v.Graph.IDs(schema.GroupKind{Kind: "Namespace"}) {
			out = append(out, id.Name)
		}
	}
	if len(out) == 0 {
		return []string{own}
	}
	return out
}

// running returns the pods of some namespaces that a selector matches and that have a node.
func (v *View) running(s labels.Selector, namespaces []string) []*Object {
	var out []*Object
	for _, namespace := range namespaces {
		for _, o := range v.Graph.selected(s, namespace, 0, nil, nil) {
			if runs(o) {
				out = append(out, o)
			}
		}
	}
	return out
}

// runs reports whether a pod has a node and has not ended.
func runs(o *Object) bool {
	phase := nested.Map(o.Content, "status")["phase"]
	return nested.Text(o.Content, "spec", "nodeName") != "" && phase != "Succeeded" && phase != "Failed"
}

// domain returns the value of a label of the node of a pod.
func (v *View) domain(pod *Object, key string) (string, bool) {
	node := v.Graph.Get(ID{GroupKind: nodeKind, Name: nested.Text(pod.Content, "spec", "nodeName")})
	if node == nil {
		return "", false
	}
	value, ok := node.Labels()[key]
	return value, ok
}

// volumesOf returns, of the bound volumes of a pod that only some nodes reach, which nodes these are.
func (v *View) volumesOf(pod *Object) map[string]*corev1.NodeSelector {
	out := map[string]*corev1.NodeSelector{}
	for _, volume := range nested.Maps(pod.Content, "spec", "volumes") {
		name := nested.Text(volume, "persistentVolumeClaim", "claimName")
		claim := v.Graph.Get(ID{schema.GroupKind{Kind: "PersistentVolumeClaim"}, pod.Namespace, name})
		if name == "" || claim == nil {
			continue
		}
		bound := v.Graph.Get(ID{GroupKind: schema.GroupKind{Kind: "PersistentVolume"}, Name: nested.Text(claim.Content, "spec", "volumeName")})
		if bound == nil {
			continue
		}
		if required := nested.Map(bound.Content, "spec", "nodeAffinity", "required"); len(required) > 0 {
			out[bound.Name] = &corev1.NodeSelector{}
			into(required, out[bound.Name])
		}
	}
	return out
}

// hostPorts returns the ports of nodes that a pod takes, as PORT/PROTOCOL.
func hostPorts(spec map[string]any) (out []string) {
	for _, c := range nested.Maps(spec, "containers") {
		for _, p := range nested.Maps(c, "ports") {
			if n := nested.Number(p, "hostPort"); n > 0 {
				out = append(out, fmt.Sprintf("%d/%s", n, cmp.Or(nested.Text(p, "protocol"), "TCP")))
			}
		}
	}
	return out
}

// takenPort returns a host port of a pod that another pod of a node has, with that pod; empty without one.
func (v *View) takenPort(ports []string, node string) (port, pod string) {
	for _, wanted := range ports {
		for _, other := range v.podsOn(node) {
			if slices.Contains(hostPorts(nested.Map(other.Content, "spec")), wanted) {
				return strings.ToLower(wanted), other.Name
			}
		}
	}
	return "", ""
}
