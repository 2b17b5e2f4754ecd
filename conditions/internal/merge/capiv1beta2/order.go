// SPDX-License-Identifier: Apache-2.0

package capiv1beta2

import (
	"cmp"
	"strings"
)

// order is the order of the types in a list (Cluster API v1.14, util/conditions). Types that it does not name stand behind these, by name,
// and before Paused and Deleting.
var order = []string{
	"Available", "Ready", "UpToDate", "RemoteConnectionProbe", "BootstrapConfigReady", "InfrastructureReady",
	"ControlPlaneInitialized", "ControlPlaneAvailable", "WorkersAvailable", "CertificatesAvailable", "Initialized",
	"EtcdClusterHealthy", "ControlPlaneComponentsHealthy", "NodeHealthy", "NodeReady", "NodeKubeadmLabelsAndTaintsSet",
	"EtcdPodHealthy", "EtcdMemberHealthy", "APIServerPodHealthy", "ControllerManagerPodHealthy", "SchedulerPodHealthy",
	"HealthCheckSucceeded", "OwnerRemediated", "TopologyReconciled", "Updating", "RollingOut", "Remediating", "ScalingDown",
	"ScalingUp", "MachinesReady", "ControlPlaneMachinesReady", "WorkerMachinesReady", "MachinesUpToDate",
	"ControlPlaneMachinesUpToDate", "WorkerMachinesUpToDate",
}

// positions are those of the types in order.
var positions = func() map[string]int {
	out := map[string]int{"Paused": len(order) + 1, "Deleting": len(order) + 2}
	for i, name := range order {
		out[name] = i
	}
	return out
}()

func compareTypes(a, b string) int {
	return cmp.Or(cmp.Compare(position(a), position(b)), strings.Compare(a, b))
}

func position(conditionType string) int {
	if at, ok := positions[conditionType]; ok {
		return at
	}
	return len(order)
}
