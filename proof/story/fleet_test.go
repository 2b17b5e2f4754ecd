// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// fleet makes random Cluster API hierarchies: everything a story may write, in any combination.
type fleet struct {
	set     *catalog.Set
	rand    *rand.Rand
	objects []map[string]any
}

const (
	core      = "cluster.x-k8s.io/v1proposal"
	cpGroup   = "controlplane.cluster.x-k8s.io/v1proposal"
	infra     = "infrastructure.cluster.x-k8s.io/v1proposal"
	bootstrap = "bootstrap.cluster.x-k8s.io/v1proposal"
)

func newFleet(set *catalog.Set, seed uint64) *fleet {
	f := &fleet{set: set, rand: rand.New(rand.NewPCG(seed, seed))}
	for i := range 1 + f.rand.IntN(2) {
		f.cluster(fmt.Sprintf("c%d", i))
	}
	return f
}

func (f *fleet) chance(percent int) bool { return f.rand.IntN(100) < percent }

func (f *fleet) version() string { return []string{"v1.30.0", "v1.31.0"}[f.rand.IntN(2)] }

// add adds an object with random leaf conditions, or sometimes none.
func (f *fleet) add(apiVersion, kind, name string, spec map[string]any, owner map[string]any) map[string]any {
	metadata := map[string]any{"name": name, "namespace": "default", "uid": kind + "-" + name, "generation": int64(1),
		"creationTimestamp": "2026-01-02T03:00:00Z"}
	o := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata, "spec": spec}
	if owner != nil {
		metadata["ownerReferences"] = []any{map[string]any{"apiVersion": owner["apiVersion"], "kind": owner["kind"],
			"name": meta(owner, "name"), "uid": meta(owner, "uid")}}
	}
	if f.chance(6) {
		metadata["deletionTimestamp"] = "2026-01-02T03:03:00Z"
		metadata["finalizers"] = []any{"example.com/hold"}
	}
	if f.chance(6) {
		return o // referred to, but missing
	}
	gk := relation.FromContent(o).GroupKind
	if k := f.set.Kind(gk); k != nil {
		if list := f.leaves(k); len(list) > 0 {
			o["status"] = map[string]any{"conditions": list}
		}
	}
	f.objects = append(f.objects, o)
	return o
}

// leaves draws a cell for each leaf: mostly the good one, sometimes none, or one that is not known.
func (f *fleet) leaves(k *catalog.Kind) []any {
	var list []any
	healthy := f.chance(60)
	for i := range k.Declaration.Types {
		t := &k.Declaration.Types[i]
		if k.Derives(t.Name) || f.chance(5) {
			continue
		}
		reason := t.Reasons[f.rand.IntN(len(t.Reasons))]
		if healthy {
			status := conditions.True
			if f.chance(5) {
				status = conditions.Unknown
			}
			for _, r := range t.Reasons {
				if r.Status == conditions.True || r.Status == status {
					reason = r
				}
				if r.Status == status {
					break
				}
			}
		}
		name := t.Name
		if len(t.Aliases) > 0 && f.chance(20) {
			name = t.Aliases[0]
		}
		c := conditions.Condition{Severity: reason.Severity}
		c.Type, c.Status, c.Reason = name, reason.Status, reason.Name
		entry := wire.ToUnstructured(c, k.Dialect)
		entry["lastTransitionTime"] = "2026-01-02T03:02:00Z"
		list = append(list, entry)
	}
	return list
}

func refTo(apiVersion, kind, name string) map[string]any {
	return map[string]any{"apiVersion": apiVersion, "kind": kind, "name": name}
}

func (f *fleet) cluster(name string) {
	spec := map[string]any{}
	if f.chance(90) {
		spec["infrastructureRef"] = refTo(infra, "AWSCluster", name)
	}
	if f.chance(90) {
		spec["controlPlaneRef"] = refTo(cpGroup, "KubeadmControlPlane", name)
	}
	if f.chance(20) {
		spec["paused"] = true
	}
	f.add(core, "Cluster", name, spec, nil)
	f.add(infra, "AWSCluster", name, map[string]any{}, nil)
	f.controlPlane(name)
	if f.chance(40) {
		f.pool(name)
	}
	for i := range f.rand.IntN(3) {
		f.deployment(name, fmt.Sprintf("%s-md%d", name, i))
	}
}

func (f *fleet) pool(cluster string) {
	name := cluster + "-mp"
	pool := f.add(core, "MachinePool", name, map[string]any{"clusterName": cluster, "replicas": int64(f.rand.IntN(3)),
		"template": map[string]any{"spec": map[string]any{
			"version": f.version(), "infrastructureRef": refTo(infra, "AWSMachinePool", name),
			"bootstrap": map[string]any{"configRef": refTo(bootstrap, "KubeadmConfig", name)}}}}, nil)
	f.add(infra, "AWSMachinePool", name, map[string]any{}, pool)
	f.add(bootstrap, "KubeadmConfig", name, map[string]any{}, pool)
	f.add(core, "MachineHealthCheck", name, map[string]any{"clusterName": cluster}, nil)
	for i := range f.rand.IntN(2) {
		f.machine(cluster, fmt.Sprintf("%s-%d", name, i), pool)
	}
}

func (f *fleet) controlPlane(name string) {
	before := len(f.objects)
	kcp := f.add(cpGroup, "KubeadmControlPlane", name, map[string]any{"replicas": int64(f.rand.IntN(4)), "version": f.version()}, nil)
	if len(f.objects) > before && f.chance(70) {
		status, _ := kcp["status"].(map[string]any)
		if status == nil {
			status = map[string]any{}
			kcp["status"] = status
		}
		status["version"] = f.version()
		kcp["metadata"].(map[string]any)["annotations"] = map[string]any{"addons.tristate.dev/kube-proxy": f.version()}
	}
	for i := range f.rand.IntN(5) {
		f.machine(name, fmt.Sprintf("%s-cp%d", name, i), kcp)
	}
}

func (f *fleet) deployment(cluster, name string) {
	md := f.add(core, "MachineDeployment", name, map[string]any{"clusterName": cluster, "replicas": int64(f.rand.IntN(4)),
		"selector": map[string]any{"matchLabels": map[string]any{"deployment": name}},
		"template": map[string]any{"spec": map[string]any{"version": f.version()}}}, nil)
	for i := range 1 + f.rand.IntN(2) {
		set := fmt.Sprintf("%s-%d", name, i)
		ms := f.add(core, "MachineSet", set, map[string]any{"clusterName": cluster, "replicas": int64(f.rand.IntN(3)),
			"template": map[string]any{"spec": map[string]any{"version": f.version()}}}, md)
		for j := range f.rand.IntN(3) {
			m := f.machine(cluster, fmt.Sprintf("%s-%d", set, j), ms)
			m["metadata"].(map[string]any)["labels"] = map[string]any{"deployment": name}
		}
	}
}

func (f *fleet) machine(cluster, name string, owner map[string]any) map[string]any {
	m := f.add(core, "Machine", name, map[string]any{"clusterName": cluster, "version": f.version(),
		"infrastructureRef": refTo(infra, "AWSMachine", name),
		"bootstrap":         map[string]any{"configRef": refTo(bootstrap, "KubeadmConfig", name)}}, owner)
	f.add(infra, "AWSMachine", name, map[string]any{}, m)
	f.add(bootstrap, "KubeadmConfig", name, map[string]any{}, m)
	return m
}
