// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"fmt"
	"testing"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/proof/story"
)

// TestScale: 1,000 machines under 50 clusters settle with one write per object.
func TestScale(t *testing.T) {
	set := shipped(t)
	f := &fleet{set: set}
	healthy := func(apiVersion, kind, name string, spec, owner map[string]any) map[string]any {
		o := map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": spec, "metadata": map[string]any{
			"name": name, "namespace": "default", "uid": kind + "-" + name, "generation": int64(1)}}
		if owner != nil {
			o["metadata"].(map[string]any)["ownerReferences"] = []any{map[string]any{"apiVersion": owner["apiVersion"],
				"kind": owner["kind"], "name": meta(owner, "name"), "uid": meta(owner, "uid")}}
		}
		k := set.Kind(relation.FromContent(o).GroupKind)
		var list []any
		for i := range k.Declaration.Types {
			c := reported(k.Declaration.Types[i].Name, conditions.True, "")
			if !k.Derives(c.Type) {
				list = append(list, wire.ToUnstructured(c, k.Dialect))
			}
		}
		o["status"] = map[string]any{"conditions": list}
		f.objects = append(f.objects, o)
		return o
	}
	for i := range 50 {
		name := fmt.Sprintf("c%02d", i)
		healthy(core, "Cluster", name, map[string]any{"infrastructureRef": refTo(infra, "AWSCluster", name),
			"controlPlaneRef": refTo(cpGroup, "KubeadmControlPlane", name)}, nil)
		healthy(infra, "AWSCluster", name, map[string]any{}, nil)
		cp := healthy(cpGroup, "KubeadmControlPlane", name, map[string]any{"replicas": int64(20), "version": "v1.30.0"}, nil)
		for j := range 20 {
			name := fmt.Sprintf("%s-%02d", name, j)
			m := healthy(core, "Machine", name, map[string]any{"version": "v1.30.0", "infrastructureRef": refTo(infra, "AWSMachine", name),
				"bootstrap": map[string]any{"configRef": refTo(bootstrap, "KubeadmConfig", name)}}, cp)
			healthy(infra, "AWSMachine", name, map[string]any{}, m)
			healthy(bootstrap, "KubeadmConfig", name, map[string]any{}, m)
		}
	}
	w := settled(t, set, f.objects)
	diff(t, "writes", len(f.objects), w.Writes())
	for _, o := range w.Graph().All() {
		if c := story.Find(set.Kind(o.GroupKind), o.Content, "Ready"); c == nil || c.Status != conditions.True {
			t.Fatalf("%s is not ready: %v", o.ID, c)
		}
	}
	must(t, w.Report(ctx, relation.ID{GroupKind: relation.FromContent(f.objects[4]).GroupKind, Namespace: "default", Name: "c00-00"},
		reported("InstanceReady", conditions.False, "SSHKeyMissing")))
	settle(t, w)
	diff(t, "writes after one failure", len(f.objects)+4, w.Writes()) // AWSMachine, Machine, KubeadmControlPlane, Cluster
}
