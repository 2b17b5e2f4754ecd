// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"strconv"
	"strings"
	"testing"

	"github.com/gobuffalo/flect"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
)

// TestPlural compares how kinds are put in the plural.
func TestPlural(t *testing.T) {
	for _, kind := range strings.Fields(kindNames) {
		var in []rollup.Input
		for i := range 2 {
			in = append(in, rollup.Input{
				Type: "Ready", Object: conditions.ObjectRef{Kind: kind, Name: strconv.Itoa(i)},
				Condition: oursV2(metav1.Condition{Type: "Ready", Status: metav1.ConditionFalse}),
			})
		}
		m, _ := rollup.Aggregate(in, rollup.Options{Dialect: conditions.DialectCAPIv1beta2})
		want := "* " + flect.Pluralize(kind) + " 0, 1: "
		if m.Condition.Message != want {
			t.Errorf("upstream says %q, ours %q", want, m.Condition.Message)
		}
	}
}

const kindNames = `
Machine MachineSet MachineDeployment MachinePool MachineHealthCheck Cluster ClusterClass KubeadmControlPlane KubeadmConfig AWSCluster AWSMachine
AzureMachinePool DockerMachine VSphereVM Metal3Machine BareMetalHost HardwareData ClusterResourceSet ClusterResourceSetBinding ExtensionConfig IPAddress
IPAddressClaim Pod Service Endpoints Ingress IngressClass NetworkPolicy Node Namespace ConfigMap Secret PersistentVolume PersistentVolumeClaim StorageClass
Deployment ReplicaSet StatefulSet DaemonSet Job CronJob HorizontalPodAutoscaler PodDisruptionBudget ResourceQuota LimitRange PriorityClass CSIDriver CSINode
CustomResourceDefinition APIService Gateway GatewayClass HTTPRoute BackendTLSPolicy Certificate Issuer CertificateRequest HelmRelease Kustomization
GitRepository Bucket Application AppProject Kafka KafkaTopic Postgres Redis MongoDB Elasticsearch Prometheus PrometheusRule Alertmanager ServiceMonitor
Policy ClusterPolicy ToolPolicy Proxy Topology Registry Repository Category Entry Query Gallery Key APIKey Relay Array Display Survey Journey Quay
Status Virus Campus Bus Focus Process Address Access Class Bypass Mass Alias Canvas Gas Atlas Lens Settings DNS TLS VPC VPCs AWS Options Series News Species
Index SearchIndex Vertex GraphVertex Matrix Codex Helix Box Mailbox Sandbox Inbox Tax Mutex Suffix Prefix Proxmox Switch Patch Batch Branch Watch Match Search
Hash Mesh Dash Brush Quiz Waltz Blitz Buzz Fez Topic Person Child Woman Man Human Mouse Goose Tooth Foot Wolf Half Shelf Leaf Loaf Knife Life Self Thief
Roof Proof Belief Chief Dwarf Hero Echo Repo Info NodeInfo Photo Video Radio Studio Portfolio Zoo Tattoo Halo Silo Logo Memo Demo Data Metadata Media Medium
Datum Stratum Spectrum Premium Stadium Museum Forum Album Quorum Continuum Maximum Minimum Schema Replica Quota Area Idea Camera Umbrella Villa Delta Beta
Lambda Panda Agenda Pizza Formula Nebula Nova Infra Extra Algebra Orchestra Vanilla Analysis AnalysisRun Basis Crisis Thesis Hypothesis Synopsis Oasis Axis
Emphasis Chassis Criterion Phenomenon Radius Nucleus Locus Equipment Information Money Software Hardware Firmware Traffic Fish Sheep Deer Aircraft Police
MPIJob TFJob RayCluster RayService KarsSandbox ToolPolicy Workspace Environment X ABC
KubeadmConfigTEMPLATE POLICY Indexes Policies`
