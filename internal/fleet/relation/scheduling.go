// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/nested"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	helpers "k8s.io/component-helpers/resource"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// refusals returns, for each node by name, the rules of the scheduler by which it takes no such pod: {node, rules, text}. The rules are
// Cordoned, CordonedLong (since a day before the pod was made), Taint, RoleTaint (of control planes and other roles),
// NodeSelector, NodeAffinity, PodAffinity, PodAntiAffinity, TopologySpread, HostPort, Volume (that it does not reach),
// TooManyPods and Insufficient (of cpu, memory or another resource); a node without one is left out. Pods of one owner,
// unless that is a DaemonSet, are refused alike.
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
	asks, near, volumes := requests(pod), v.neighbours(pod), v.volumesOf(pod)
	var spec corev1.PodSpec
	into(nested.Map(pod.Content, "spec"), &spec)
	ports := hostPorts(nested.Map(pod.Content, "spec"))
	tolerated := func(t corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectPreferNoSchedule || slices.ContainsFunc(spec.Tolerations, func(its corev1.Toleration) bool {
			return its.ToleratesTaint(klog.Background(), &t, true)
		})
	}
	out := []any{}
	for _, node := range v.nodes() {
		var rules, texts []string
		refuse := func(rule, text string) {
			rules, texts = append(rules, rule), append(texts, text)
		}
		if node.Spec.Unschedulable && !tolerated(corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}) {
			rule := "Cordoned"
			if cordonedLong(node, pod) {
				rule = "CordonedLong"
			}
			refuse(rule, "is cordoned (spec.unschedulable)")
		}
		for _, taint := range node.Spec.Taints {
			if taint.Key == corev1.TaintNodeUnschedulable || tolerated(taint) {
				continue
			}
			rule := "Taint"
			if strings.HasPrefix(taint.Key, "node-role.kubernetes.io/") {
				rule = "RoleTaint"
			}
			refuse(rule, "has the taint "+taint.ToString())
		}
		for _, key := range slices.Sorted(maps.Keys(spec.NodeSelector)) {
			if value, ok := node.Labels[key]; !ok || value != spec.NodeSelector[key] {
				refuse("NodeSelector", fmt.Sprintf("has not the label %s=%v of nodeSelector", key, spec.NodeSelector[key]))
			}
		}
		if a := spec.Affinity; a != nil && a.NodeAffinity != nil &&
			!matchesNode(a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution, node) {
			refuse("NodeAffinity", "matches no term of the required node affinity")
		}
		for _, n := range near {
			if text := n.refuses(node.Labels); text != "" {
				refuse(n.rule, text)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(volumes)) {
			if !matchesNode(volumes[name], node) {
				refuse("Volume", "does not reach PersistentVolume/"+name+" (its node affinity)")
			}
		}
		if port, other := v.takenPort(ports, node.Name); port != "" {
			refuse("HostPort", "has host port "+port+" in use by Pod/"+other)
		}
		if used, count := v.usage(node.Name); len(node.Status.Allocatable) > 0 {
			if most, ok := node.Status.Allocatable[corev1.ResourcePods]; ok && int64(count) >= most.Value() {
				refuse("TooManyPods", fmt.Sprintf("runs %d of %s pods", count, &most))
			}
			for _, name := range slices.Sorted(maps.Keys(asks)) {
				room := node.Status.Allocatable[name].DeepCopy() // 0 if the node has none of it
				room.Sub(used[name])
				if want := asks[name]; want.Sign() > 0 && room.Cmp(want) < 0 {
					refuse("Insufficient", fmt.Sprintf("has %s of %s left, and %s is asked for", &room, name, &want))
				}
			}
		}
		if len(rules) > 0 {
			out = append(out, map[string]any{"node": node.Name, "rules": rules, "text": "Node/" + node.Name + " " + strings.Join(texts, " and ")})
		}
	}
	slices.SortStableFunc(out, func(a, b any) int { // the least change first
		if long := boolean(hasRule(a, "CordonedLong"), hasRule(b, "CordonedLong")); long != 0 {
			return long
		}
		count := func(r any) int { list, _ := r.(map[string]any)["rules"].([]string); return len(list) }
		return count(a) - count(b)
	})
	return out
}

func hasRule(refusal any, rule string) bool {
	list, _ := refusal.(map[string]any)["rules"].([]string)
	return slices.Contains(list, rule)
}

// cordonedLong reports whether a node was cordoned long before a pod was made: it is not why the pod has no node.
func cordonedLong(node *corev1.Node, pod *Object) bool {
	for _, taint := range node.Spec.Taints {
		if taint.Key == corev1.TaintNodeUnschedulable && taint.TimeAdded != nil {
			return createdAt(pod).Sub(taint.TimeAdded.Time) > longCordon
		}
	}
	return false
}

// longCordon is after how long a cordoned node counts as one that is not used.
const longCordon = 24 * time.Hour

// nodes returns the nodes, in order, with what the scheduler reads of them.
func (v *View) nodes() []*corev1.Node {
	if v.node == nil {
		for _, o := range v.Graph.List(nodeKind) {
			n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: o.Name, Labels: o.Labels()}}
			into(nested.Map(o.Content, "spec"), &n.Spec)
			n.Status.Allocatable = quantities(nested.Map(o.Content, "status", "allocatable"))
			v.node = append(v.node, n)
		}
	}
	return v.node
}

// into reads a map into a type of the API; invalid fields stay empty.
func into(m map[string]any, out any) {
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(m, out)
}

// matchesNode reports whether a node matches a selector; without one each does.
func matchesNode(s *corev1.NodeSelector, node *corev1.Node) bool {
	if s == nil {
		return true
	}
	ok, err := nodeaffinity.NewLazyErrorNodeSelector(s).Match(node)
	return ok && err == nil
}

// podsOn returns the pods of a node that have not ended.
func (v *View) podsOn(node string) []*Object {
	return v.indexed("node", podKind, node, func(o *Object) []string {
		if !runs(o) {
			return nil
		}
		return []string{nested.Text(o.Content, "spec", "nodeName")}
	})
}

// usage returns what the pods of a node ask for, and how many they are.
func (v *View) usage(node string) (corev1.ResourceList, int) {
	pods := v.podsOn(node)
	if v.used == nil {
		v.used = map[string]corev1.ResourceList{}
	}
	if v.used[node] == nil {
		total := corev1.ResourceList{}
		for _, pod := range pods {
			for name, q := range requests(pod) {
				sum := total[name]
				sum.Add(q)
				total[name] = sum
			}
		}
		v.used[node] = total
	}
	return v.used[node], len(pods)
}

// requests returns what a pod asks of a node. Of the pod only that is read, as there may be many.
func requests(o *Object) corev1.ResourceList {
	spec := nested.Map(o.Content, "spec")
	containers := func(field string) (out []corev1.Container) {
		for _, c := range nested.Maps(spec, field) {
			container := corev1.Container{Resources: corev1.ResourceRequirements{Requests: quantities(nested.Map(c, "resources", "requests"))}}
			if always := corev1.ContainerRestartPolicyAlways; c["restartPolicy"] == string(always) {
				container.RestartPolicy = &always
			}
			out = append(out, container)
		}
		return out
	}
	pod := corev1.Pod{Spec: corev1.PodSpec{Containers: containers("containers"), InitContainers: containers("initContainers"),
		Overhead: quantities(nested.Map(spec, "overhead"))}}
	if own := quantities(nested.Map(spec, "resources", "requests")); len(own) > 0 {
		pod.Spec.Resources = &corev1.ResourceRequirements{Requests: own}
	}
	return helpers.PodRequests(&pod, helpers.PodResourcesOptions{})
}

// quantities reads a map of quantities; invalid ones are left out.
func quantities(m map[string]any) corev1.ResourceList {
	out := corev1.ResourceList{}
	for name, value := range m {
		if q, err := resource.ParseQuantity(fmt.Sprint(value)); err == nil {
			out[corev1.ResourceName(name)] = q
		}
	}
	return out
}
