// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	podKind        = schema.GroupKind{Kind: "Pod"}
	deploymentKind = schema.GroupKind{Group: "apps", Kind: "Deployment"}
	replicaSetKind = schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}
	revisionKind   = schema.GroupKind{Group: "apps", Kind: "ControllerRevision"}
)

// templateOf returns the template of pods of a ReplicaSet, a ControllerRevision or a workload.
func templateOf(o *Object) map[string]any {
	if o.GroupKind == revisionKind {
		return sub(sub(sub(o.Content, "data"), "spec"), "template")
	}
	return sub(sub(o.Content, "spec"), "template")
}

func matchesLabels(s labels.Selector, set map[string]any) bool {
	return s.Matches(labels.Set(textsOf(set)))
}

// revisions adds the differences between the last two templates of a workload.
func (e *edits) revisions(o *Object) {
	if o.Group != "apps" || !slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet"}, o.Kind) {
		return
	}
	type revision struct {
		*Object
		number int64
	}
	var all []revision
	for _, item := range e.v.Graph.Owned(o) {
		switch {
		case item.GroupKind == replicaSetKind && o.Kind == "Deployment":
			if n, err := strconv.ParseInt(item.mark("annotations", "deployment.kubernetes.io/revision"), 10, 64); err == nil {
				all = append(all, revision{item, n})
			}
		case item.GroupKind == revisionKind:
			all = append(all, revision{item, numberIn(item.Content, "revision")})
		}
	}
	if len(all) < 2 {
		return
	}
	slices.SortFunc(all, func(a, b revision) int { return cmp.Compare(b.number, a.number) })
	current, previous := all[0], all[1]
	e.diffed[o.ID] = true
	if n := e.cause.Node; n.GroupKind == podKind && n.Object != nil && !e.isOf(n.Object, o, current.Object) {
		return // the pod is of an older template
	}
	open := rollingOut(o)
	writes := writesOf(o)
	for _, d := range differences("spec.template", templateOf(previous.Object), templateOf(current.Object)) {
		c := Change{ID: o.ID, Path: d.path, From: d.from, To: d.to}
		if made := timeOf(current.Object, "creationTimestamp"); made.After(timeOf(previous.Object, "creationTimestamp")) {
			c.At = made
		}
		for _, w := range writes { // the first write that owns the field since then
			if !slices.ContainsFunc(w.paths, func(path string) bool {
				return path == d.path || strings.HasPrefix(path, d.path) || strings.HasPrefix(d.path, path)
			}) {
				continue
			}
			if c.By == "" || w.at.Before(c.At) || c.At.IsZero() {
				c.By = e.v.manager(o, w.manager)
				if c.At.IsZero() || w.at.Before(c.At) && c.At.Sub(w.at) < time.Minute {
					c.At = w.at
				}
			}
		}
		if c.By == "" {
			c.By = e.v.manager(o, "")
		}
		e.add(c, open)
	}
}

// isOf reports whether a pod is of a revision of a workload. A pod that does not show its revision is.
func (e *edits) isOf(pod, workload, revision *Object) bool {
	if revision.GroupKind == replicaSetKind {
		owners := e.v.Graph.Owners(pod)
		return !slices.ContainsFunc(owners, func(o *Object) bool { return o.GroupKind == replicaSetKind && o.ID != revision.ID })
	}
	hash := pod.Labels()["controller-revision-hash"]
	return hash == "" || workload.GroupKind == revision.GroupKind || strings.HasSuffix(revision.Name, hash)
}

// rollingOut reports whether the last template of a workload has not been rolled out yet: nothing shows that it ever worked.
func rollingOut(o *Object) bool {
	status := sub(o.Content, "status")
	switch o.Kind {
	case "Deployment":
		for _, c := range mapsIn(status["conditions"]) {
			if c["type"] == "Progressing" {
				return c["reason"] != "NewReplicaSetAvailable"
			}
		}
		return false
	case "StatefulSet":
		return textIn(status, "currentRevision") != textIn(status, "updateRevision")
	}
	return numberIn(status, "updatedNumberScheduled") < numberIn(status, "desiredNumberScheduled")
}

// difference is a field that two templates have with different values; nil is absent.
type difference struct {
	path     string
	from, to any
}

// unequal are labels and annotations that differ without any meaning.
var unequal = []string{"pod-template-hash", "controller-revision-hash", "kubectl.kubernetes.io/restartedAt", "creationTimestamp"}

// differences compares two values field by field. Items of a list are compared by their name or other key, where each has one.
func differences(path string, from, to any) []difference {
	if reflect.DeepEqual(from, to) {
		return nil
	}
	a, isMap := from.(map[string]any)
	b, both := to.(map[string]any)
	if isMap && both {
		var out []difference
		keys := maps.Clone(a)
		maps.Copy(keys, b)
		for _, key := range sortedKeys(keys) {
			if !slices.Contains(unequal, key) {
				out = append(out, differences(path+"."+key, a[key], b[key])...)
			}
		}
		return out
	}
	x, listed := keyedItems(from)
	y, bothListed := keyedItems(to)
	if listed && bothListed {
		var out []difference
		keys := maps.Clone(x)
		maps.Copy(keys, y)
		for _, key := range sortedKeys(keys) {
			out = append(out, differences(path+"["+key+"]", x[key], y[key])...)
		}
		return out
	}
	if from == nil && to == nil {
		return nil
	}
	return []difference{{path, from, to}}
}

// keyedItems returns the items of a list by the field that names them in Kubernetes; false if an item has none, or two have the same.
func keyedItems(value any) (map[string]any, bool) {
	list, ok := value.([]any)
	if !ok && value != nil {
		return nil, false
	}
	for _, key := range []string{"name", "containerPort", "mountPath", "key", "topologyKey"} {
		out := map[string]any{}
		for _, item := range list {
			if m, _ := item.(map[string]any); m[key] != nil {
				out[fmt.Sprint(m[key])] = item
			}
		}
		if len(out) == len(list) {
			return out, true
		}
	}
	return nil, false
}
