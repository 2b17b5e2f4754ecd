// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// What failing pods share and no ready one has counts from so many failing pods of so many owners on, where there are as many ready ones.
// The pods of one owner share its template; what they share counts if others of that owner are ready without it.
const leastFailing, leastOwners, leastReady = 4, 3, 4

// trait is something that pods may share: an object that they use, or a value. Its kinds come in the order of traitKinds.
type trait struct {
	kind, value string
	id          ID // of an object
}

// traitKinds are the kinds of traits, the ones first that say most.
var traitKinds = []string{"node", "zone", "image", "config", "account", "class", "label"}

func (t trait) String() string {
	switch {
	case t.id.Name != "":
		return t.id.Kind + "/" + t.id.Name
	case t.kind == "zone", t.kind == "label":
		return t.kind + " " + t.value
	}
	return t.kind + " " + t.value
}

// traits returns what a pod may share with others.
func (v *View) traits(pod *Object) (out []trait) {
	spec := nested.Map(pod.Content, "spec")
	if name := nested.Text(spec, "nodeName"); name != "" {
		id := ID{GroupKind: nodeKind, Name: name}
		out = append(out, trait{"node", name, id})
		if node := v.Graph.Get(id); node != nil {
			if zone := node.mark("labels", "topology.kubernetes.io/zone"); zone != "" {
				out = append(out, trait{kind: "zone", value: zone})
			}
		}
	}
	for _, s := range nested.Maps(pod.Content, "status", "containerStatuses") {
		if _, digest, found := strings.Cut(nested.Text(s, "imageID"), "@"); found {
			out = append(out, trait{kind: "image", value: digest})
		}
	}
	for _, c := range nested.Maps(spec, "containers") {
		out = append(out, trait{kind: "image", value: nested.Text(c, "image")})
	}
	for _, p := range v.pointersOf(pod) {
		_, id := v.resolve(p, pod)
		switch {
		case id.Kind == "ConfigMap" || id.Kind == "Secret":
			out = append(out, trait{"config", id.String(), id})
		case id.Kind == "ServiceAccount" && id.Name != "default":
			out = append(out, trait{"account", id.String(), id})
		case strings.HasSuffix(id.Kind, "Class"):
			out = append(out, trait{"class", id.String(), id})
		case id.Kind == "PersistentVolumeClaim":
			if claim := v.Graph.Get(id); claim != nil {
				if name := nested.Text(claim.Content, "spec", "storageClassName"); name != "" {
					out = append(out, trait{"class", name, ID{GroupKind: schema.GroupKind{Group: "storage.k8s.io", Kind: "StorageClass"}, Name: name}})
				}
			}
		}
	}
	for key, value := range pod.Labels() {
		if !strings.HasSuffix(key, "-hash") && !strings.HasSuffix(key, "pod-name") && !strings.HasSuffix(key, "pod-index") &&
			!strings.HasSuffix(key, "-uid") {
			out = append(out, trait{kind: "label", value: key + "=" + value})
		}
	}
	return out
}

// contrasted names what the failing pods of some causes share and no ready pod has, see [Cause.Shared]. If that is a node that reports
// nothing wrong, the node is the cause in place of its pods.
func (v *View) contrasted(list []Ranked) []Ranked {
	var failing []*Node
	of := map[ID]int{}
	for i, r := range list {
		for _, n := range r.Nodes {
			if n.GroupKind == podKind && !n.Missing() && !n.Judgement.Derived() &&
				weigh(n.Judgement) >= broken && n.Judgement.Verdict != verdict.Terminating {
				failing = append(failing, n)
				of[n.ID] = i
			}
		}
	}
	if len(failing) < leastFailing {
		return list
	}
	have := map[trait][]*Node{}
	for _, n := range failing {
		for _, t := range v.traits(n.Object) {
			if with := have[t]; len(with) == 0 || with[len(with)-1] != n {
				have[t] = append(with, n)
			}
		}
	}
	for t, with := range have {
		if len(with) < leastFailing || 4*len(with) < 3*len(failing) {
			delete(have, t)
		}
	}
	owners := func(nodes []*Node) map[string]bool {
		out := map[string]bool{}
		for _, n := range nodes {
			out[controllerOf(n.Object)] = true
		}
		return out
	}
	all, ready, siblings := owners(failing), 0, 0
	for _, id := range v.Graph.IDs(podKind) {
		if len(have) == 0 {
			return list
		}
		pod := v.Graph.Get(id)
		if pod == nil || !podReady(pod) || slices.ContainsFunc(pod.owners(), func(r reference) bool { return r.Kind == "DaemonSet" }) {
			continue
		}
		ready++
		if all[controllerOf(pod)] {
			siblings++
		}
		for _, t := range v.traits(pod) {
			delete(have, t)
		}
	}
	var best trait
	for t, with := range have {
		if ready < leastReady || len(owners(with)) < leastOwners && siblings < leastReady {
			continue
		}
		if best.kind == "" || cmp.Or(cmp.Compare(len(have[best]), len(with)), cmp.Compare(slices.Index(traitKinds, t.kind),
			slices.Index(traitKinds, best.kind)), cmp.Compare(t.value, best.value)) < 0 {
			best = t
		}
	}
	with := have[best]
	if best.kind == "" {
		return list
	}
	text := fmt.Sprintf("%d of %d failing pods have %s, and none of %d ready ones", len(with), len(failing), best, ready)
	if len(with) == len(failing) {
		text = fmt.Sprintf("all %d failing pods have %s, and none of %d ready ones", len(with), best, ready)
	}
	node := v.Graph.Get(best.id)
	if best.kind != "node" || node == nil || !v.judge(node).Fine() {
		first := len(list)
		for _, n := range with {
			first = min(first, of[n.ID])
		}
		list[first].Shared = text
		return list
	}
	n := &Node{ID: node.ID, Object: node, Edge: "node", Judgement: Judgement{Verdict: verdict.Degraded, Reason: "SharedByFailing", Message: text,
		Rule: "contrast", Remedy: "see the kubelet, the network and the disks of the node; kubectl cordon " + node.Name + " keeps new pods away"}}
	r := Ranked{Cause: Cause{Node: n, Nodes: []*Node{n}, Shared: text}}
	var kept []Ranked
	folded := map[int]bool{}
	for _, pod := range with {
		folded[of[pod.ID]] = true
	}
	for i, other := range list {
		if folded[i] && !slices.ContainsFunc(other.Nodes, func(n *Node) bool { return !slices.Contains(with, n) }) {
			if r.Chain == nil {
				r.Chain = append(slices.Clone(other.Chain), n)
			}
			for _, pod := range other.Nodes {
				r.Explains = append(r.Explains, pod.ID)
			}
			r.Explains = append(r.Explains, other.Explains...)
			continue
		}
		kept = append(kept, other)
	}
	if r.Chain == nil {
		list[of[with[0].ID]].Shared = text
		return list
	}
	slices.SortFunc(r.Explains, Compare)
	r.Explains = slices.Compact(r.Explains)
	return append(kept, r)
}

// controllerOf names the owner of a pod, or the pod if it has none.
func controllerOf(pod *Object) string {
	for _, r := range pod.owners() {
		return pod.Namespace + "/" + r.String()
	}
	return pod.ID.String()
}
