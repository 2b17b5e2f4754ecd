// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SetCAPIv1beta2 returns the list with the condition set as Cluster API v1beta2's setter does it, for programs that must write
// what that library writes: observed at the given generation; the time, in whole seconds, is the one that it brings or now,
// and moves only with the status. A list that changes is sorted: what matters most to people first, Paused and Deleting last,
// types that the order does not know between them by name. The given list is not changed.
func SetCAPIv1beta2(list []Condition, c Condition, generation int64, now time.Time) []Condition {
	c.ObservedGeneration = generation
	out, changed := put(list, c, now)
	if changed {
		sortCAPIv1beta2(out)
	}
	return out
}

// put returns the list with the condition in its place, or behind the others, and reports whether anything but times differs.
// The time moves with the status only.
func put(list []Condition, c Condition, now time.Time) ([]Condition, bool) {
	if c.LastTransitionTime.IsZero() {
		c.LastTransitionTime = metav1.Time{Time: now.UTC()}
	}
	c.LastTransitionTime.Time = c.LastTransitionTime.Truncate(time.Second)
	i := Find(list, c.Type)
	if i < 0 {
		return append(slices.Clip(list), c), true
	}
	old := &list[i]
	if old.Status == c.Status {
		c.LastTransitionTime = old.LastTransitionTime
	}
	if sameState(old, &c, true) {
		return list, false
	}
	out := slices.Clone(list)
	out[i] = c
	return out, true
}

// sameState reports whether two conditions say the same, whenever they came to it.
func sameState(a, b *Condition, generation bool) bool {
	return a.Type == b.Type && a.Status == b.Status && a.Severity == b.Severity && a.Reason == b.Reason && a.Message == b.Message &&
		(!generation || a.ObservedGeneration == b.ObservedGeneration)
}

func sortCAPIv1beta2(list []Condition) {
	slices.SortStableFunc(list, func(a, b Condition) int { return compareCAPIv1beta2(a.Type, b.Type) })
}

// compareCAPIv1beta2 orders types as they stand in a list.
func compareCAPIv1beta2(a, b string) int {
	return cmp.Or(cmp.Compare(placeCAPIv1beta2(a), placeCAPIv1beta2(b)), strings.Compare(a, b))
}

// placeCAPIv1beta2 is the place of a type in the list (Cluster API v1.14, util/conditions).
func placeCAPIv1beta2(conditionType string) int {
	const others = 35
	switch conditionType {
	case "Available":
		return 0
	case "Ready":
		return 1
	case "UpToDate":
		return 2
	case "RemoteConnectionProbe":
		return 3
	case "BootstrapConfigReady":
		return 4
	case "InfrastructureReady":
		return 5
	case "ControlPlaneInitialized":
		return 6
	case "ControlPlaneAvailable":
		return 7
	case "WorkersAvailable":
		return 8
	case "CertificatesAvailable":
		return 9
	case "Initialized":
		return 10
	case "EtcdClusterHealthy":
		return 11
	case "ControlPlaneComponentsHealthy":
		return 12
	case "NodeHealthy":
		return 13
	case "NodeReady":
		return 14
	case "NodeKubeadmLabelsAndTaintsSet":
		return 15
	case "EtcdPodHealthy":
		return 16
	case "EtcdMemberHealthy":
		return 17
	case "APIServerPodHealthy":
		return 18
	case "ControllerManagerPodHealthy":
		return 19
	case "SchedulerPodHealthy":
		return 20
	case "HealthCheckSucceeded":
		return 21
	case "OwnerRemediated":
		return 22
	case "TopologyReconciled":
		return 23
	case "Updating":
		return 24
	case "RollingOut":
		return 25
	case "Remediating":
		return 26
	case "ScalingDown":
		return 27
	case "ScalingUp":
		return 28
	case "MachinesReady":
		return 29
	case "ControlPlaneMachinesReady":
		return 30
	case "WorkerMachinesReady":
		return 31
	case "MachinesUpToDate":
		return 32
	case "ControlPlaneMachinesUpToDate":
		return 33
	case "WorkerMachinesUpToDate":
		return 34
	case "Paused":
		return others + 1
	case "Deleting":
		return others + 2
	}
	return others
}
