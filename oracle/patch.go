// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 the deprecated functions are the ones to compare with

package oracle

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	upstream "sigs.k8s.io/cluster-api/util/conditions"
	upstreamV1 "sigs.k8s.io/cluster-api/util/conditions/deprecated/v1beta1"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/oracle/setters"
)

// stamped is a list with its times by name, see stamp; Refused says that there was a conflict, after which lists differ:
// upstream stops at the first one.
type stamped struct {
	List    []conditions.Condition
	Times   []string
	Refused bool
}

func stampedList(list []conditions.Condition, refused bool) stamped {
	if refused {
		return stamped{Refused: true}
	}
	out := stamped{List: slices.Clone(list)}
	for i := range out.List {
		c := &out.List[i]
		out.Times = append(out.Times, stamp(c.LastTransitionTime.Time))
		c.LastTransitionTime = metav1.Time{}
	}
	if len(out.List) == 0 {
		out.List = nil
	}
	return out
}

func listOfV1(list clusterv1.Conditions) []conditions.Condition {
	var out []conditions.Condition
	for i := range list {
		out = append(out, *oursV1(&list[i]))
	}
	return out
}

// setV2 sets several conditions one after another.
func setV2(s *Source, mutate func(*rollup.Options)) Comparison {
	obj := &objectV2{ObjectMeta: metav1.ObjectMeta{Generation: int64(s.N(4))}, list: listV2(s, 8, typesInOrder)}
	ours := wire.FromMeta(obj.list)
	before := slices.Clone(obj.list)
	now := time.Now()
	var steps []metav1.Condition
	for range 1 + s.N(4) {
		c := conditionV2(s, Pick(s, typesInOrder...))
		if n := len(obj.list); n > 0 && s.N(3) == 1 { // the same once more
			c = obj.list[s.N(n)]
		}
		steps = append(steps, c)
		if mutate != nil {
			o := rollup.Options{}
			mutate(&o)
			c.Message += o.Target.Name
		}
		ours = setters.SetCAPIv1beta2(ours, conditions.Condition{Condition: c}, obj.Generation, now)
		upstream.Set(obj, steps[len(steps)-1])
	}
	return Comparison{
		Case: func() string { return fmt.Sprintf("generation %d list %+v set %+v", obj.Generation, before, steps) },
		Ours: stampedList(ours, false), Theirs: stampedList(wire.FromMeta(obj.list), false),
	}
}

// typesInOrder are types with a place in the order of the list, and others.
var typesInOrder = []string{
	"Deleting", "Available", "Zeta", "Ready", "Paused", "Alpha", "UpToDate", "RemoteConnectionProbe", "BootstrapConfigReady",
	"InfrastructureReady", "ControlPlaneInitialized", "ControlPlaneAvailable", "WorkersAvailable", "CertificatesAvailable", "Initialized",
	"EtcdClusterHealthy", "ControlPlaneComponentsHealthy", "NodeHealthy", "NodeReady", "NodeKubeadmLabelsAndTaintsSet", "EtcdPodHealthy",
	"EtcdMemberHealthy", "APIServerPodHealthy", "ControllerManagerPodHealthy", "SchedulerPodHealthy", "HealthCheckSucceeded",
	"OwnerRemediated", "TopologyReconciled", "Updating", "RollingOut", "Remediating", "ScalingDown", "ScalingUp", "MachinesReady",
	"ControlPlaneMachinesReady", "WorkerMachinesReady", "MachinesUpToDate", "ControlPlaneMachinesUpToDate", "WorkerMachinesUpToDate",
}

// edit returns a list of which another writer has changed some entries, dropped some and added some.
func edit[T any](s *Source, list []T, name func(T) string, fresh func(t string) T, touch func(*T)) []T {
	var out []T
	for _, c := range list {
		switch s.N(6) {
		case 1:
			continue
		case 2:
			c = fresh(name(c))
		case 3:
			touch(&c)
		}
		out = append(out, c)
	}
	for range s.N(3) {
		t := Pick(s, typesV1...)
		if !slices.ContainsFunc(out, func(c T) bool { return name(c) == t }) {
			out = append(out, fresh(t))
		}
	}
	return out
}

// patchV2 repeats what led from one list to another on a third.
func patchV2(s *Source, mutate func(*rollup.Options)) Comparison {
	name := func(c metav1.Condition) string { return c.Type }
	fresh := func(t string) metav1.Condition { return conditionV2(s, t) }
	touch := func(c *metav1.Condition) {
		c.LastTransitionTime = metav1.Time{Time: Pick(s, instants...)}
		c.ObservedGeneration += int64(s.N(2))
	}
	before := listV2(s, 4, typesV1)
	after := edit(s, before, name, fresh, touch)
	latest := edit(s, Pick(s, before, after), name, fresh, touch)
	o := setters.PatchOptions{Dialect: conditions.DialectCAPIv1beta2, Now: time.Now()}
	if s.N(2) == 1 {
		o.Owned = types(s, 8)
	}
	o.Force = s.N(6) == 1
	theirs := &objectV2{list: slices.Clone(latest), ObjectMeta: metav1.ObjectMeta{Generation: 9}}
	p, err := upstream.NewPatch(&objectV2{list: before}, &objectV2{list: after})
	if err == nil {
		err = p.Apply(theirs, upstream.OwnedConditionTypes(o.Owned), upstream.ForceOverwrite(o.Force))
	}
	mutatePatch(&o, mutate)
	ours, conflict := setters.Diff(wire.FromMeta(before), wire.FromMeta(after)).Apply(wire.FromMeta(latest), o)
	return Comparison{
		Case: func() string {
			return fmt.Sprintf("before %+v after %+v latest %+v options %+v: %v, %v", before, after, latest, o, conflict, err)
		},
		Ours: stampedList(ours, conflict != nil), Theirs: stampedList(wire.FromMeta(theirs.list), err != nil),
	}
}

// patchV1 is patchV2 with severities instead of generations.
func patchV1(s *Source, mutate func(*rollup.Options)) Comparison {
	name := func(c clusterv1.Condition) string { return string(c.Type) }
	fresh := func(t string) clusterv1.Condition { return conditionV1(s, t) }
	touch := func(c *clusterv1.Condition) { c.LastTransitionTime = metav1.Time{Time: Pick(s, instants...)} }
	before := listV1(s, 4)
	after := clusterv1.Conditions(edit(s, before, name, fresh, touch))
	latest := clusterv1.Conditions(edit(s, Pick(s, before, after), name, fresh, touch))
	o := setters.PatchOptions{Dialect: conditions.DialectCAPIv1beta1, Now: time.Now()}
	if s.N(2) == 1 {
		o.Owned = types(s, 8)
	}
	o.Force = s.N(6) == 1
	theirs := &objectV1{list: slices.Clone(latest)}
	p, err := upstreamV1.NewPatch(&objectV1{list: before}, &objectV1{list: after})
	if err == nil {
		err = p.Apply(theirs, upstreamV1.WithOwnedConditions(typed(o.Owned)...), upstreamV1.WithForceOverwrite(o.Force))
	}
	mutatePatch(&o, mutate)
	ours, conflict := setters.Diff(listOfV1(before), listOfV1(after)).Apply(listOfV1(latest), o)
	return Comparison{
		Case: func() string {
			return fmt.Sprintf("before %+v after %+v latest %+v options %+v: %v, %v", before, after, latest, o, conflict, err)
		},
		Ours: stampedList(ours, conflict != nil), Theirs: stampedList(listOfV1(theirs.list), err != nil),
	}
}

// mutatePatch breaks the options of a patch: another profile, or other owned types.
func mutatePatch(o *setters.PatchOptions, mutate func(*rollup.Options)) {
	if mutate == nil {
		return
	}
	m := rollup.Options{Dialect: o.Dialect}
	mutate(&m)
	o.Dialect = m.Dialect
	if m.Target.Name != "" {
		o.Owned = append(o.Owned, m.Target.Name)
	}
}
