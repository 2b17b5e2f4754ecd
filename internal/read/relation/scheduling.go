// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// refusals returns, for each node by name, the rules of the scheduler by which it takes no such pod: {node, rules, text}. The rules are
// Cordoned, Taint,
// RoleTaint (of control planes and other roles), NodeSelector, NodeAffinity, PodAffinity, PodAntiAffinity, TopologySpread, HostPort,
// Volume (that it does not
// reach), TooManyPods and Insufficient (of cpu, memory or another resource); a node without one is left out.
//
// Pods of one owner, unless that is a DaemonSet, are refused alike.
func (v *View) refusals(pod map[string]any) []any {
	alike := ""
	o := FromContent(pod)
	for _, owner := range o.owners() {
		if owner.Kind != "DaemonSet" {
			alike = owner.uid + owner.String()
		}
	}
	if known, there := v.refused[alike]; there && alike != "" {
		return known
	}
	out := v.refusedBy(o)
	v.refused[alike] = out
	return out
}

func (v *View) refusedBy(pod *Object) []any {
	spec := sub(pod.Content, "spec")
	asks, near, volumes, ports := requests(spec), v.neighbours(pod), v.volumesOf(pod), hostPorts(spec)
	out := []any{}
	for _, node := range v.Graph.List(nodeKind) {
		var rules, texts []any
		refuse := func(rule, text string) {
			rules, texts = append(rules, rule), append(texts, text)
		}
		nodeSpec := sub(node.Content, "spec")
		if nodeSpec["unschedulable"] == true &&
			!tolerates(spec, map[string]any{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}) {
			refuse("Cordoned", "is cordoned (spec.unschedulable)")
		}
		for _, taint := range mapsIn(nodeSpec["taints"]) {
			if taint["key"] != "node.kubernetes.io/unschedulable" && taint["effect"] != "PreferNoSchedule" && !tolerates(spec, taint) {
				text := fmt.Sprintf("has the taint %v", taint["key"])
				if value, _ := taint["value"].(string); value != "" {
					text += "=" + value
				}
				rule := "Taint"
				if key, _ := taint["key"].(string); strings.HasPrefix(key, "node-role.kubernetes.io/") {
					rule = "RoleTaint"
				}
				refuse(rule, fmt.Sprintf("%s:%v", text, taint["effect"]))
			}
		}
		set := labels.Set(node.Labels())
		for _, key := range sortedKeys(sub(spec, "nodeSelector")) {
			if value := sub(spec, "nodeSelector")[key]; set[key] != value || !set.Has(key) {
				refuse("NodeSelector", fmt.Sprintf("has not the label %s=%v of nodeSelector", key, value))
			}
		}
		if terms, ok := sub(sub(sub(spec, "affinity"), "nodeAffinity"), "requiredDuringSchedulingIgnoredDuringExecution")["nodeSelectorTerms"].([]any); ok {
			if !slices.ContainsFunc(mapsIn(terms), func(term map[string]any) bool { return matchesTerm(term, set, node.Name) }) {
				refuse("NodeAffinity", "matches no term of the required node affinity")
			}
		}
		for _, n := range near {
			if text := n.refuses(set); text != "" {
				refuse(n.rule, text)
			}
		}
		for _, volume := range volumes {
			if !reaches(node, volume) {
				refuse("Volume", "does not reach PersistentVolume/"+volume.Name+" (its node affinity)")
			}
		}
		if port, other := v.takenPort(ports, node.Name); port != "" {
			refuse("HostPort", "has host port "+port+" in use by Pod/"+other)
		}
		allocatable := sub(sub(node.Content, "status"), "allocatable")
		if used, count := v.usage(node.Name); len(allocatable) > 0 {
			if most, err := resource.ParseQuantity(fmt.Sprint(allocatable["pods"])); err == nil && int64(count) >= most.Value() {
				refuse("TooManyPods", fmt.Sprintf("runs %d of %s pods", count, &most))
			}
			for _, name := range slices.Sorted(maps.Keys(asks)) {
				room, err := resource.ParseQuantity(fmt.Sprint(allocatable[name]))
				if err != nil {
					room = resource.Quantity{} // the node has none of it
				}
				room.Sub(used[name])
				if want := asks[name]; want.Sign() > 0 && room.Cmp(want) < 0 {
					refuse("Insufficient", fmt.Sprintf("has %s of %s left, and %s is asked for", &room, name, &want))
				}
			}
		}
		if len(rules) > 0 {
			var all []string
			for _, t := range texts {
				all = append(all, t.(string))
			}
			out = append(out, map[string]any{"node": node.Name, "rules": rules, "text": "Node/" + node.Name + " " + strings.Join(all, " and ")})
		}
	}
	slices.SortStableFunc(out, func(a, b any) int { // the least change first
		count := func(r any) int { list, _ := r.(map[string]any)["rules"].([]any); return len(list) }
		return count(a) - count(b)
	})
	return out
}

// podsOn returns the pods of a node that have not ended.
func (v *View) podsOn(node string) []*Object {
	return v.indexed("node", podKind, node, func(o *Object) []string {
		if !runs(o) {
			return nil
		}
		return []string{textIn(sub(o.Content, "spec"), "nodeName")}
	})
}

// usage returns what the pods of a node ask for, and how many they are.
func (v *View) usage(node string) (map[string]resource.Quantity, int) {
	pods := v.podsOn(node)
	if v.used == nil {
		v.used = map[string]map[string]resource.Quantity{}
	}
	if v.used[node] == nil {
		v.used[node] = map[string]resource.Quantity{}
		for _, pod := range pods {
			add(v.used[node], requests(sub(pod.Content, "spec")))
		}
	}
	return v.used[node], len(pods)
}

// requests returns what a pod asks of a node: the sum over its containers and those init containers that run along with them or, if more,
// what one init container asks for, and the overhead.
func requests(spec map[string]any) map[string]resource.Quantity {
	of := func(container map[string]any) map[string]resource.Quantity {
		out := map[string]resource.Quantity{}
		for name, value := range sub(sub(container, "resources"), "requests") {
			if q, err := resource.ParseQuantity(fmt.Sprint(value)); err == nil {
				out[name] = q
			}
		}
		return out
	}
	total, first := map[string]resource.Quantity{}, map[string]resource.Quantity{}
	for _, c := range mapsIn(spec["containers"]) {
		add(total, of(c))
	}
	for _, c := range mapsIn(spec["initContainers"]) {
		if c["restartPolicy"] == "Always" {
			add(total, of(c))
			continue
		}
		for name, q := range of(c) {
			if most := first[name]; q.Cmp(most) > 0 {
				first[name] = q
			}
		}
	}
	for name, q := range first {
		if sum := total[name]; q.Cmp(sum) > 0 {
			total[name] = q
		}
	}
	add(total, of(map[string]any{"resources": map[string]any{"requests": spec["overhead"]}}))
	return total
}

func add(total, more map[string]resource.Quantity) {
	for name, q := range more {
		sum := total[name].DeepCopy()
		sum.Add(q)
		total[name] = sum
	}
}

// tolerates reports whether a pod tolerates a taint: a toleration without effect is for all, one without key and with Exists for every
// taint.
func tolerates(spec, taint map[string]any) bool {
	text := func(value any) string { s, _ := value.(string); return s }
	return slices.ContainsFunc(mapsIn(spec["tolerations"]), func(t map[string]any) bool {
		effect, key := text(t["effect"]), text(t["key"])
		return (effect == "" || effect == text(taint["effect"])) && (key == "" && t["operator"] == "Exists" || key == text(taint["key"]) &&
			key != "") &&
			(t["operator"] == "Exists" || text(t["value"]) == text(taint["value"]))
	})
}

// matchesTerm reports whether a node matches a term of a node selector; an empty term, or one that is not valid, matches none.
func matchesTerm(term map[string]any, set labels.Set, name string) bool {
	expressions, fields := mapsIn(term["matchExpressions"]), mapsIn(term["matchFields"])
	holds := func(e map[string]any, set labels.Set) bool {
		key, _ := e["key"].(string)
		word, _ := e["operator"].(string)
		operators := map[string]selection.Operator{"In": selection.In, "NotIn": selection.NotIn, "Exists": selection.Exists,
			"DoesNotExist": selection.DoesNotExist,
			"Gt":           selection.GreaterThan, "Lt": selection.LessThan}
		list, _ := e["values"].([]any)
		var values []string
		for _, value := range list {
			values = append(values, fmt.Sprint(value))
		}
		r, err := labels.NewRequirement(key, operators[word], values)
		return err == nil && r.Matches(set)
	}
	for _, e := range expressions {
		if !holds(e, set) {
			return false
		}
	}
	for _, e := range fields {
		if !holds(e, labels.Set{"metadata.name": name}) {
			return false
		}
	}
	return len(expressions)+len(fields) > 0
}

// sub returns a map in a map; an empty one without it.
func sub(m map[string]any, key string) map[string]any {
	out, _ := m[key].(map[string]any)
	return out
}

// mapsIn returns the maps in a list.
func mapsIn(list any) []map[string]any {
	items, _ := list.([]any)
	var out []map[string]any
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}
