// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"github.com/tristate/tristate/internal/declare/nested"
	"slices"
	"strings"
)

// surroundings returns edges from a pod that only fails or waits to what it needs at runtime and is unhealthy: the Services that it calls,
// and what belongs to its node, if the pods of its owner fail there alone.
func (v *View) surroundings(o *Object, j Judgement, known []Edge) []Edge {
	if o.GroupKind != podKind || !failing(j) {
		return nil
	}
	r := resolver{v: v, o: o, j: j, known: known}
	self := Cause{Node: &Node{ID: o.ID, Object: o, Judgement: j}}
	self.Nodes = []*Node{self.Node}
	for _, id := range v.Called(self.Node) {
		item := v.Graph.Get(id)
		if item == nil {
			continue
		}
		its := v.judge(item)
		n := &Node{ID: id, Object: item, Judgement: its}
		if weight(its.Verdict) >= broken && (j.Reason == "PodInitializing" || v.follows(self, Cause{Node: n, Nodes: []*Node{n}})) {
			r.add(id, "calls", false)
		} else if j.Reason == "PodInitializing" {
			for _, pod := range v.unserving(item) {
				r.add(pod.ID, "calls", false)
			}
		}
	}
	if strings.Contains(strings.ToLower(j.Message), "no space left on device") {
		for _, p := range v.pointersOf(o) {
			if item, _ := v.resolve(p, o); item != nil && item.Kind == "PersistentVolumeClaim" {
				r.add(item.ID, "volume", false)
			}
		}
	}
	for _, agent := range v.agents(o) {
		r.add(agent.ID, "node", false)
	}
	return r.out
}

// unserving returns pods that a Service selects, if none of them is ready.
func (v *View) unserving(service *Object) []*Object {
	s := matching(nested.At(service.Content, "spec", "selector"))
	if s == nil {
		return nil
	}
	pods := v.Graph.selected(s, service.Namespace, mostMentions, nil, nil)
	if slices.ContainsFunc(pods, podReady) {
		return nil
	}
	return pods
}

// agents returns the pods of DaemonSets that are not ready on the node of a pod, if the pods of its owner fail on this node and run on
// others.
func (v *View) agents(pod *Object) []*Object {
	node := nested.Text(pod.Content, "spec", "nodeName")
	elsewhere, here := false, false
	for _, owner := range v.Graph.Owners(pod) {
		for _, other := range v.owned(owner) {
			at, ready := nested.Text(other.Content, "spec", "nodeName"), podReady(other)
			if at == "" || other.GroupKind != podKind {
				continue
			}
			if at == node && ready || at != node && !ready {
				return nil
			}
			elsewhere, here = elsewhere || at != node, here || at == node
		}
	}
	if !elsewhere || !here || node == "" {
		return nil
	}
	return slices.DeleteFunc(v.podsOn(node), func(other *Object) bool {
		return other.ID == pod.ID || podReady(other) || !slices.ContainsFunc(other.owners(), func(r reference) bool { return r.Kind == "DaemonSet" })
	})
}
