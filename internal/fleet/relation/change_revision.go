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

	"github.com/tristate/tristate/internal/declare/nested"
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
		return nested.Map(o.Content, "data", "spec", "template")
	}
	return nested.Map(o.Content, "spec", "template")
}

// revisions adds the differences between the last two templates of a workload.
func (e *edits) revisions(o *Object) {
	if o.Group != "apps" || !slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet"}, o.Kind) {
		return
	}
	number := func(item *Object) int64 {
		if item.GroupKind == revisionKind {
			return nested.Number(item.Content, "revision")
		}
		n, _ := strconv.ParseInt(item.mark("annotations", "deployment.kubernetes.io/revision"), 10, 64)
		return n
	}
	all := slices.DeleteFunc(e.v.Graph.Owned(o), func(item *Object) bool {
		return item.GroupKind != revisionKind && item.GroupKind != replicaSetKind || number(item) == 0
	})
	if len(all) < 2 {
		return
	}
	slices.SortFunc(all, func(a, b *Object) int { return cmp.Compare(number(b), number(a)) })
	current, previous := all[0], all[1]
	e.diffed[o.ID] = true
	if n := e.cause.Node; n.GroupKind == podKind && n.Object != nil && !e.isOf(n.Object, current) {
		return // the pod is of an older template
	}
	open := rollingOut(o)
	writes := writesOf(o)
	for _, d := range differences("spec.template", templateOf(previous), templateOf(current)) {
		c := Change{ID: o.ID, Path: d.path, From: d.from, To: d.to}
		if made := createdAt(current); made.After(createdAt(previous)) {
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

// isOf reports whether a pod is of a revision of its workload. A pod that does not show its revision is.
func (e *edits) isOf(pod, revision *Object) bool {
	if revision.GroupKind == revisionKind {
		return strings.HasSuffix(revision.Name, pod.mark("labels", "controller-revision-hash"))
	}
	owners := e.v.Graph.Owners(pod)
	return !slices.ContainsFunc(owners, func(o *Object) bool { return o.GroupKind == replicaSetKind && o.ID != revision.ID })
}

// rollingOut reports whether the last template of a workload has not been rolled out yet: nothing shows that it ever worked.
func rollingOut(o *Object) bool {
	status := nested.Map(o.Content, "status")
	switch o.Kind {
	case "Deployment":
		for _, c := range nested.Maps(status, "conditions") {
			if c["type"] == "Progressing" {
				return c["reason"] != "NewReplicaSetAvailable"
			}
		}
		return false
	case "StatefulSet":
		return nested.Text(status, "currentRevision") != nested.Text(status, "updateRevision")
	}
	return nested.Number(status, "updatedNumberScheduled") < nested.Number(status, "desiredNumberScheduled")
}

// difference is a field that two templates have with different values; nil is absent.
type difference struct {
	path     string
	from, to any
}

// unequal are labels and annotations that differ without any meaning.
var unequal = []string{"pod-template-hash", "controller-revision-hash", "kubectl.kubernetes.io/restartedAt", "creationTimestamp"}

// differences compares two values field by field. Items of a list are compared by their name or other key, where each has one.
func differences(path string, from, to any) (out []difference) {
	if reflect.DeepEqual(from, to) {
		return nil
	}
	before, after := ".", ""
	a, known := from.(map[string]any)
	b, both := to.(map[string]any)
	if !known || !both {
		before, after = "[", "]"
		a, known = keyedItems(from)
		b, both = keyedItems(to)
	}
	if !known || !both {
		return []difference{{path, from, to}}
	}
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for _, key := range sortedKeys(keys) {
		if !slices.Contains(unequal, key) {
			out = append(out, differences(path+before+key+after, a[key], b[key])...)
		}
	}
	return out
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
