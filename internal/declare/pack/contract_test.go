// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

// The contract of Cluster API v1beta2 holds for unknown providers, and for kinds whose conditions providers may leave out.
func TestContract(t *testing.T) {
	own, _ := shipped(t)
	engine := pack.Default(own)
	for name, test := range map[string]struct {
		apiVersion, kind, rest string
		want                   verdict.Status
	}{
		"an infrastructure that is not there yet": {"infrastructure.cluster.x-k8s.io/v1beta2", "FooCluster",
			`status: {initialization: {provisioned: false}}`, verdict.InProgress},
		"an infrastructure that is being made": {"infrastructure.cluster.x-k8s.io/v1beta2", "FooCluster",
			`status: {initialization: {provisioned: false}, conditions: [{type: Ready, status: "False", reason: NotReady, observedGeneration: 2}]}`,
			verdict.InProgress},
		"an infrastructure without conditions": {"infrastructure.cluster.x-k8s.io/v1beta2", "FooMachine",
			`status: {initialization: {provisioned: true}}`, verdict.Current},
		"an infrastructure that was there": {"infrastructure.cluster.x-k8s.io/v1beta2", "FooMachine",
			`status: {initialization: {provisioned: true}, conditions: [{type: Ready, status: "False", reason: InstanceTerminated, observedGeneration: 2}]}`, verdict.Failed},
		"an infrastructure of v1beta1": {"infrastructure.cluster.x-k8s.io/v1beta1", "FooMachine",
			`status: {ready: false, failureReason: CreateError, failureMessage: no quota}`, verdict.Failed},
		"a template of machines": {"infrastructure.cluster.x-k8s.io/v1beta2", "FooMachineTemplate", `spec: {}`,
			verdict.Current},
		"a configuration without its data": {"bootstrap.cluster.x-k8s.io/v1beta2", "FooConfig",
			`status: {initialization: {dataSecretCreated: false}}`, verdict.InProgress},
		"a configuration with its data": {"bootstrap.cluster.x-k8s.io/v1beta2", "FooConfig",
			`status: {initialization: {dataSecretCreated: true}}`, verdict.Current},
		"a control plane that comes up": {"controlplane.cluster.x-k8s.io/v1beta2", "FooControlPlane",
			`status: {initialization: {controlPlaneInitialized: false}}`, verdict.InProgress},
		"a control plane that lacks a machine": {"controlplane.cluster.x-k8s.io/v1beta2", "FooControlPlane",
			`{spec: {replicas: 3}, status: {initialization: {controlPlaneInitialized: true}, replicas: 3, readyReplicas: 3, availableReplicas: 2, upToDateReplicas: 3}}`, verdict.InProgress},
		"a control plane that is complete": {"controlplane.cluster.x-k8s.io/v1beta2", "FooControlPlane",
			`{spec: {replicas: 3}, status: {initialization: {controlPlaneInitialized: true}, replicas: 3, readyReplicas: 3, availableReplicas: 3, upToDateReplicas: 3}}`, verdict.Current},
		"an address of a provider without conditions": {"ipam.cluster.x-k8s.io/v1beta2", "IPAddressClaim", `status: {addressRef: {name: a}}`,
			verdict.Current},
		"an address that was not allocated": {"ipam.cluster.x-k8s.io/v1beta2", "IPAddressClaim",
			`status: {conditions: [{type: Ready, status: "False", reason: PoolExhausted}]}`, verdict.Failed},
		"too many machines that are not healthy": {"cluster.x-k8s.io/v1beta2", "MachineHealthCheck",
			`status: {expectedMachines: 3, currentHealthy: 1, conditions: [{type: RemediationAllowed, status: "False", reason: TooManyUnhealthy}]}`,
			verdict.Failed},
		"too many unhealthy machines of v1beta1": {"cluster.x-k8s.io/v1beta1", "MachineHealthCheck",
			`status: {expectedMachines: 3, currentHealthy: 1, conditions: [{type: RemediationAllowed, status: "False", reason: TooManyUnhealthy}]}`,
			verdict.Failed},
		"a check with an unhealthy machine": {"cluster.x-k8s.io/v1beta1", "MachineHealthCheck",
			`status: {expectedMachines: 3, currentHealthy: 2}`, verdict.Degraded},
		"a check without a healthy machine": {"cluster.x-k8s.io/v1beta1", "MachineHealthCheck", `status: {expectedMachines: 3}`,
			verdict.Degraded},
		"a check whose machines are healthy": {"cluster.x-k8s.io/v1beta1", "MachineHealthCheck",
			`status: {expectedMachines: 3, currentHealthy: 3}`, verdict.Current},
		"a pool serves while it grows": {"cluster.x-k8s.io/v1beta1", "MachinePool",
			`{spec: {replicas: 3}, status: {phase: ScalingUp, readyReplicas: 2}}`, verdict.Current},
		"a pool that runs without one of its machines": {"cluster.x-k8s.io/v1beta1", "MachinePool",
			`{spec: {replicas: 3}, status: {phase: Running, replicas: 3, readyReplicas: 2}}`, verdict.InProgress},
		"a pool that failed": {"cluster.x-k8s.io/v1beta1", "MachinePool",
			`{spec: {replicas: 3}, status: {phase: Failed}}`, verdict.Failed},
		"a class whose references are of older versions": {"cluster.x-k8s.io/v1beta2", "ClusterClass",
			`status: {conditions: [{type: RefVersionsUpToDate, status: "False", reason: RefVersionsNotUpToDate}, {type: VariablesReady, status: "True", reason: VariablesReady}]}`, verdict.Degraded},
		// What Cluster API wrote as v1beta1.
		"a control plane that is upgraded, v1beta1": {"controlplane.cluster.x-k8s.io/v1beta1", "KubeadmControlPlane",
			`status: {conditions: [{type: Ready, status: "False", severity: Warning, reason: RollingUpdateInProgress, message: Rolling 2 replicas with outdated spec}, {type: MachinesSpecUpToDate, status: "False", severity: Warning, reason: RollingUpdateInProgress}]}`, verdict.InProgress},
		"a control plane that grows, v1beta1": {"controlplane.cluster.x-k8s.io/v1beta1", "KubeadmControlPlane",
			`status: {conditions: [{type: Ready, status: "False", severity: Warning, reason: ScalingUp, message: Scaling up control plane to 3 replicas (actual 1)}, {type: Resized, status: "False", severity: Warning, reason: ScalingUp}]}`, verdict.InProgress},
		"workers that come up, v1beta1": {"cluster.x-k8s.io/v1beta1", "MachineDeployment",
			`status: {conditions: [{type: Ready, status: "False", severity: Warning, reason: WaitingForAvailableMachines, message: "Minimum availability requires 3 replicas, current 1 available"}]}`, verdict.InProgress},
		"a cluster whose control plane is upgraded": {"cluster.x-k8s.io/v1beta1", "Cluster",
			`{spec: {infrastructureRef: {kind: A, name: a}, controlPlaneRef: {kind: B, name: b}}, status: {conditions: [{type: Ready, status: "False", severity: Warning, reason: RollingUpdateInProgress}, {type: ControlPlaneReady, status: "False", severity: Warning, reason: RollingUpdateInProgress}]}}`, verdict.InProgress},
		"a machine whose node does not come, v1beta1": {"cluster.x-k8s.io/v1beta1", "Machine",
			`status: {conditions: [{type: Ready, status: "False", severity: Warning, reason: NodeStartupTimeout, message: Node failed to report startup in 10m0s}]}`, verdict.Failed},
		"a machine whose infrastructure failed, v1beta1": {"cluster.x-k8s.io/v1beta1", "Machine",
			`status: {conditions: [{type: Ready, status: "False", severity: Error, reason: InstanceProvisionFailed}]}`, verdict.Failed},
		"machines that cannot be made, v1beta1": {"cluster.x-k8s.io/v1beta1", "MachineSet",
			`status: {conditions: [{type: Ready, status: "False", severity: Error, reason: BootstrapTemplateCloningFailed}, {type: MachinesCreated, status: "False", severity: Error, reason: BootstrapTemplateCloningFailed}]}`, verdict.Failed},
		"a cluster whose infrastructure is awaited": {"cluster.x-k8s.io/v1beta1", "Cluster",
			`{spec: {infrastructureRef: {kind: A, name: a}}, status: {conditions: [{type: Ready, status: "False", severity: Info, reason: WaitingForInfrastructure}, {type: InfrastructureReady, status: "False", severity: Info, reason: WaitingForInfrastructure}]}}`, verdict.InProgress},
		"a control plane without a healthy etcd, v1beta1": {"controlplane.cluster.x-k8s.io/v1beta1", "KubeadmControlPlane",
			`status: {conditions: [{type: Ready, status: "False", severity: Error, reason: EtcdClusterUnhealthy}, {type: EtcdClusterHealthy, status: "False", severity: Error, reason: EtcdClusterUnhealthy}]}`, verdict.Failed},
	} {
		object := map[string]any{}
		if err := yaml.Unmarshal([]byte(test.rest), &object); err != nil {
			t.Fatal(name, err)
		}
		object["apiVersion"], object["kind"] = test.apiVersion, test.kind
		object["metadata"] = map[string]any{"name": "a", "namespace": "n", "generation": int64(2)}
		if got := engine.Judge(object, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)); got.Status != test.want {
			t.Errorf("%s: want %s, got %s %s, by %s", name, test.want, got.Status, got.Reason, got.Rule)
		}
	}
}
