// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story"
	"github.com/tristate/tristate/proof/story/live"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	core  = "cluster.x-k8s.io"
	infra = "infrastructure.cluster.x-k8s.io"
)

func id(group, kind, name string) relation.ID {
	return relation.ID{GroupKind: schema.GroupKind{Group: group, Kind: kind}, Namespace: "default", Name: name}
}

func object(group, kind, name string, spec map[string]any, metadata map[string]any) map[string]any {
	m := map[string]any{"name": name}
	for key, value := range metadata {
		m[key] = value
	}
	return map[string]any{"apiVersion": group + "/v1proposal", "kind": kind, "metadata": m, "spec": spec}
}

func condition(conditionType string, s conditions.Status, reason string, severity conditions.Severity) conditions.Condition {
	c := conditions.Condition{Severity: severity}
	c.Type, c.Status, c.Reason = conditionType, s, reason
	return c
}

// leaves declares nothing that is derived: Tristate does not run here.
const leaves = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: machines}
spec:
  for: {group: cluster.x-k8s.io, kind: Machine, versions: [v1proposal]}
  dialect: capi-v1beta1
  conditions:
  - {type: EtcdReady, meaning: It works., reasons: [{reason: "", status: "True", meaning: It works.}]}
`

// TestSameAsMemory does the same to a memory world and to a real API server, and finds the same objects in both after each step:
// the memory world is honest.
func TestSameAsMemory(t *testing.T) {
	config := server(t)
	plane.NeedControllers(t)
	ctx := patient(t)
	set, err := catalog.Load(map[string][]byte{"leaves.yaml": []byte(leaves)})
	must(t, err)
	kinds := []schema.GroupKind{{Group: core, Kind: "Cluster"}, {Group: core, Kind: "Machine"}, {Group: infra, Kind: "AWSMachine"}}
	real, err := live.New(ctx, live.Options{Config: plane.OfTest(config), Catalogs: set, Namespace: plane.Namespace(t, config), Kinds: kinds})
	must(t, err)
	memory := story.NewMemoryWorld(set)

	cluster := object(core, "Cluster", "c", map[string]any{"paused": false,
		"infrastructureRef": map[string]any{"apiVersion": infra + "/v1proposal", "kind": "AWSCluster", "name": "c", "namespace": "default"}}, nil)
	spec := map[string]any{"clusterName": "c", "version": "v1.30.0", "bootstrap": map[string]any{},
		"infrastructureRef": map[string]any{"apiVersion": infra + "/v1proposal", "kind": "AWSMachine", "name": "m"}}
	ownedBy := func(names ...string) map[string]any {
		var refs []any
		for _, name := range names {
			refs = append(refs, map[string]any{"apiVersion": core + "/v1proposal", "kind": "Cluster", "name": name})
		}
		return map[string]any{"ownerReferences": refs}
	}
	held := ownedBy("c")
	held["finalizers"] = []any{"example.com/hold"}
	m := id(core, "Machine", "m")
	steps := []struct {
		name string
		do   func(story.World) error
	}{
		{"create", func(w story.World) error { return w.Apply(ctx, cluster) }},
		{"again", func(w story.World) error { return w.Apply(ctx, cluster) }},
		{"another", func(w story.World) error { return w.Apply(ctx, object(core, "Cluster", "d", map[string]any{}, nil)) }},
		{"owned", func(w story.World) error { return w.Apply(ctx, object(core, "Machine", "m", spec, ownedBy("c"))) }},
		{"owned twice", func(w story.World) error { return w.Apply(ctx, object(core, "Machine", "n", spec, ownedBy("c", "d"))) }},
		{"held", func(w story.World) error { return w.Apply(ctx, object(core, "Machine", "o", spec, held)) }},
		{"status in the object", func(w story.World) error {
			o := object(core, "Machine", "m", spec, ownedBy("c"))
			o["status"] = map[string]any{"phase": "Running"}
			return w.Apply(ctx, o)
		}},
		{"report", func(w story.World) error {
			return w.Report(ctx, m, condition("EtcdReady", "False", "EtcdProvisioning", "Info"))
		}},
		{"report another", func(w story.World) error { return w.Report(ctx, m, condition("ApiServerPodReady", "True", "", "")) }},
		{"report the first again", func(w story.World) error {
			return w.Report(ctx, m, condition("EtcdReady", "False", "EtcdAlarmActive", "Warning"))
		}},
		{"retract", func(w story.World) error { return w.Retract(ctx, m, "EtcdReady") }},
		{"retract what is not there", func(w story.World) error { return w.Retract(ctx, m, "EtcdReady") }},
		{"status", func(w story.World) error {
			return w.PatchStatus(ctx, m, map[string]any{"phase": "Running", "nodeRef": map[string]any{"kind": "Node", "name": "m"}})
		}},
		{"status removed", func(w story.World) error { return w.PatchStatus(ctx, m, map[string]any{"phase": nil}) }},
		{"labels", func(w story.World) error {
			return w.Patch(ctx, m, map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}})
		}},
		{"spec", func(w story.World) error {
			return w.Patch(ctx, m, map[string]any{"spec": map[string]any{"version": "v1.31.0"}})
		}},
		{"replaced", func(w story.World) error { return w.Apply(ctx, object(core, "Machine", "m", spec, ownedBy("c"))) }},
		{"report on the dying", func(w story.World) error {
			if err := w.Delete(ctx, id(core, "Machine", "o")); err != nil {
				return err
			}
			return w.Report(ctx, id(core, "Machine", "o"), condition("EtcdReady", "False", "Deleting", "Info"))
		}},
		{"collected", func(w story.World) error { return w.Delete(ctx, id(core, "Cluster", "c")) }},
		{"finalizer removed", func(w story.World) error {
			return w.Patch(ctx, id(core, "Machine", "o"), map[string]any{"metadata": map[string]any{"finalizers": nil}})
		}},
		{"last owner", func(w story.World) error { return w.Delete(ctx, id(core, "Cluster", "d")) }},
	}
	for _, step := range steps {
		var found [2][]any
		for i, w := range []story.World{memory, real} {
			if err := step.do(w); err != nil {
				t.Fatalf("%s: %T: %v", step.name, w, err)
			}
			objects, err := w.Settle(ctx)
			must(t, err)
			found[i] = comparable(objects)
		}
		diff(t, step.name, found[0], found[1])
	}
	for name, do := range map[string]func(story.World) error{
		"delete":  func(w story.World) error { return w.Delete(ctx, m) },
		"get":     func(w story.World) error { _, err := w.Get(ctx, m); return err },
		"patch":   func(w story.World) error { return w.Patch(ctx, m, map[string]any{}) },
		"status":  func(w story.World) error { return w.PatchStatus(ctx, m, map[string]any{}) },
		"report":  func(w story.World) error { return w.Report(ctx, m, condition("EtcdReady", "True", "", "")) },
		"retract": func(w story.World) error { return w.Retract(ctx, m, "EtcdReady") },
		"owner":   func(w story.World) error { return w.Apply(ctx, object(core, "Machine", "m", spec, ownedBy("c"))) },
	} {
		for _, w := range []story.World{memory, real} {
			if err := do(w); !errors.Is(err, story.ErrNotFound) {
				t.Errorf("%s of what is not there: %T: got %v, want not found", name, w, err)
			}
		}
	}
}

// comparable returns objects without the fields that differ from server to server; uids are replaced by names.
func comparable(objects []map[string]any) []any {
	names := map[any]any{}
	for _, o := range objects {
		m := o["metadata"].(map[string]any)
		names[m["uid"]] = "uid of " + m["name"].(string)
	}
	var out []any
	for _, o := range objects {
		o = runtime.DeepCopyJSON(o)
		m := o["metadata"].(map[string]any)
		delete(m, "resourceVersion")
		delete(m, "managedFields")
		for _, field := range []string{"creationTimestamp", "deletionTimestamp"} {
			if s, ok := m[field].(string); ok {
				m[field] = isTime(s)
			}
		}
		m["uid"] = names[m["uid"]]
		refs, _ := m["ownerReferences"].([]any)
		for _, ref := range refs {
			ref := ref.(map[string]any)
			ref["uid"] = names[ref["uid"]]
		}
		status, _ := o["status"].(map[string]any)
		list, _ := status["conditions"].([]any)
		for _, entry := range list {
			entry := entry.(map[string]any)
			if s, ok := entry["lastTransitionTime"].(string); ok {
				entry["lastTransitionTime"] = isTime(s)
			}
		}
		if len(list) == 0 {
			delete(status, "conditions")
		}
		if len(status) == 0 {
			delete(o, "status")
		}
		out = append(out, o)
	}
	return out
}

func isTime(s string) string {
	if _, err := time.Parse(time.RFC3339, s); err != nil {
		return err.Error()
	}
	return "a time"
}
