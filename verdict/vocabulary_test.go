// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/tristate/tristate/verdict"
)

// TestVocabulary: conventions alone read the statuses of widely used operators. Each status is written from what the
// operator documents, in its smallest form.
func TestVocabulary(t *testing.T) {
	const (
		current, progress, failed, degraded, off = verdict.Current, verdict.InProgress, verdict.Failed, verdict.Degraded, verdict.Suspended
	)
	cond := func(list ...string) string {
		out := ""
		for i := 0; i < len(list); i += 4 {
			if out != "" {
				out += ","
			}
			out += fmt.Sprintf(`{"type":%q,"status":%q,"reason":%q,"message":%q}`, list[i], list[i+1], list[i+2], list[i+3])
		}
		return `{"conditions":[` + out + `]}`
	}
	tests := map[string]struct {
		kind, status, spec string
		want               verdict.Status
	}{
		"certificate being issued": {"Certificate", cond(
			"Issuing", "True", "DoesNotExist", "Issuing certificate as Secret does not exist",
			"Ready", "False", "DoesNotExist", "Issuing certificate as Secret does not exist"), "", progress},
		"certificate failed": {"Certificate", cond("Ready", "False", "Failed", "the request was denied"), "", failed},
		"certificate ready": {"Certificate", cond("Ready", "True", "Ready", "Certificate is up to date and has not expired"), "",
			current},
		"issuer cannot register":  {"ClusterIssuer", cond("Ready", "False", "ErrRegisterACMEAccount", "Failed to register"), "", failed},
		"helm release installing": {"HelmRelease", cond("Ready", "Unknown", "Progressing", "Running 'install' action"), "", progress},
		"helm release failed": {"HelmRelease", cond("Ready", "False", "InstallFailed", "timed out", "Released", "False",
			"InstallFailed", "timed out"), "", failed},
		"helm release suspended": {"HelmRelease", cond("Ready", "False", "InstallFailed", "x"), `{"suspend":true}`, off},
		"kustomization waits": {"Kustomization",
			cond("Ready", "False", "DependencyNotReady", "dependency 'flux-system/infra' is not ready"), "", progress},
		"git repository stalled": {"GitRepository", cond("Stalled", "True", "URLInvalid", "x", "Ready", "False", "URLInvalid", "x"), "",
			failed},
		"scaled object idle": {"ScaledObject", cond("Ready", "True", "ScaledObjectReady", "ok", "Active", "False", "ScalerNotActive",
			"Scaling is not performed because triggers are not active", "Fallback", "False", "NoFallbackFound", "No fallbacks are active", "Paused",
			"Unknown", "", ""), "", current},
		"scaled object falls back": {"ScaledObject", cond("Ready", "True", "ScaledObjectReady", "ok", "Active", "True", "ScalerActive", "",
			"Fallback", "True", "FallbackExists", "At least one trigger is falling back"), "", degraded},
		"scaled object paused": {"ScaledObject", cond("Ready", "True", "ScaledObjectReady", "ok", "Paused", "True",
			"ScaledObjectPaused", "paused"), "", off},
		"knative revision idle": {"Revision", cond("Ready", "True", "", "", "Active", "False", "NoTraffic",
			"The target is not receiving traffic.", "ContainerHealthy", "True", "", "", "ResourcesAvailable", "True", "", ""), "", current},
		"knative service deploying": {"Service", cond("Ready", "Unknown", "RevisionMissing", "waiting for a Revision to become ready",
			"ConfigurationsReady", "Unknown", "", ""), "", progress},
		"kafka ready":     {"Kafka", cond("Ready", "True", "", "", "Warning", "True", "DeprecatedFields", "x"), "", current},
		"kafka not ready": {"Kafka", cond("NotReady", "True", "Creating", "Kafka cluster is being deployed"), "", progress},
		"kafka invalid":   {"Kafka", cond("NotReady", "True", "InvalidResourceException", "x"), "", failed},
		"crossplane not synced": {"Bucket", cond("Ready", "True", "Available", "", "Synced", "False", "ReconcileError", "cannot update"),
			"", degraded},
		"crossplane creating": {"Bucket", cond("Ready", "False", "Creating", "", "Synced", "True", "ReconcileSuccess", ""), "",
			progress},
		"crossplane provider": {"Provider", cond("Installed", "True", "ActivePackageRevision", "", "Healthy", "False",
			"UnhealthyPackageRevision", "post establish runtime hook failed"), "", failed},
		"config connector updating": {"SQLInstance", cond("Ready", "False", "Updating", "Update in progress"), "", progress},
		"config connector failed":   {"SQLInstance", cond("Ready", "False", "UpdateFailed", "Error 403"), "", failed},
		"ack synced":                {"Bucket", cond("ACK.ResourceSynced", "True", "", "Resource synced successfully"), "", current},
		"ack terminal": {"Bucket", cond("ACK.ResourceSynced", "False", "", "", "ACK.Terminal", "True", "", "InvalidParameter"),
			"", failed},
		"azure waits": {"ResourceGroup",
			cond("Ready", "False", "Reconciling", "The resource is in the process of being reconciled"), "", progress},
		"pipeline run runs":   {"PipelineRun", cond("Succeeded", "Unknown", "Running", "Tasks Completed: 1"), "", progress},
		"pipeline run failed": {"PipelineRun", cond("Succeeded", "False", "Failed", "Tasks Completed: 3 (Failed: 1)"), "", failed},
		"pipeline run done": {"PipelineRun", cond("Succeeded", "True", "Completed", "Tasks Completed: 3 (Failed: 0, Cancelled 0)"),
			"", current},
		"training job runs": {"PyTorchJob", cond("Created", "True", "PyTorchJobCreated", "", "Running", "True", "PyTorchJobRunning",
			""), "", progress},
		"training job done": {"PyTorchJob", cond("Created", "True", "PyTorchJobCreated", "", "Running", "False", "PyTorchJobRunning",
			"", "Succeeded", "True", "PyTorchJobSucceeded", ""), "", current},
		"cluster operator fine": {"ClusterOperator", cond("Available", "True", "AsExpected", "", "Progressing", "False", "AsExpected",
			"", "Degraded", "False", "AsExpected", "", "Upgradeable", "False", "MinorVersion", "x"), "", current},
		"cluster operator degraded": {"ClusterOperator", cond("Available", "True", "AsExpected", "", "Degraded", "True", "SyncError", "x"),
			"", degraded},
		"cluster operator rolls": {"ClusterOperator", cond("Available", "True", "AsExpected", "", "Progressing", "True", "RollingOut",
			"x", "Degraded", "False", "AsExpected", ""), "", progress},
		"machine config pool": {"MachineConfigPool", cond("Updated", "False", "", "", "Updating", "True", "", "All nodes are updating",
			"Degraded", "False", "", "", "NodeDegraded", "False", "", ""), "", progress},
		"deployment config": {"DeploymentConfig", cond("Available", "True", "", "", "Progressing", "True",
			"NewReplicationControllerAvailable", "x"), "", current},
		"sealed secret": {"SealedSecret", cond("Synced", "False", "", "no key could decrypt secret (password)"), "", failed},
		"keycloak": {"Keycloak", cond("Ready", "True", "", "", "HasErrors", "False", "", "", "RollingUpdate", "False", "",
			""), "", current},
		"realm import": {"KeycloakRealmImport", cond("Done", "False", "", "", "Started", "True", "", "", "HasErrors", "False",
			"", ""), "", progress},
		"karpenter drifted": {"NodeClaim", cond("Ready", "True", "Ready", "", "Drifted", "True", "NodePoolDrifted", "",
			"Initialized", "True", "", ""), "", current},
		"postgres healthy":     {"Cluster", `{"phase":"Cluster in healthy state","instances":3,"readyInstances":3}`, "", current},
		"postgres setting up":  {"Cluster", `{"phase":"Setting up primary"}`, "", progress},
		"postgres upgrading":   {"Cluster", `{"phase":"Upgrading cluster"}`, "", progress},
		"postgres disk":        {"Cluster", `{"phase":"Not enough disk space"}`, "", failed},
		"percona paused":       {"PerconaXtraDBCluster", `{"state":"paused"}`, "", off},
		"percona initializing": {"PerconaXtraDBCluster", `{"state":"initializing","pxc":{"status":"initializing"}}`, "", progress},
		"percona error":        {"PerconaServerMongoDB", `{"state":"error","message":"x"}`, "", failed},
		"minio":                {"Tenant", `{"currentState":"Initialized","healthStatus":"green"}`, "", current},
		"minio red":            {"Tenant", `{"currentState":"Initialized","healthStatus":"red"}`, "", failed},
		"minio waits":          {"Tenant", `{"currentState":"Waiting for Tenant to be healthy"}`, "", progress},
		"ceph warns":           {"CephCluster", `{"phase":"Ready","state":"Created","ceph":{"health":"HEALTH_WARN"}}`, "", failed},
		"ceph fine":            {"CephCluster", `{"phase":"Ready","state":"Created","ceph":{"health":"HEALTH_OK"}}`, "", current},
		"backup runs":          {"Backup", `{"phase":"InProgress"}`, "", progress},
		"backup partly":        {"Backup", `{"phase":"PartiallyFailed"}`, "", failed},
		"backup done":          {"Backup", `{"phase":"Completed","completionTimestamp":"2026-01-02T03:04:05Z"}`, "", current},
		"workflow runs": {"Workflow",
			`{"phase":"Running","conditions":[{"type":"PodRunning","status":"True"},{"type":"Completed","status":"False"}]}`, "", progress},
		"workflow done": {"Workflow",
			`{"phase":"Succeeded","conditions":[{"type":"PodRunning","status":"False"},{"type":"Completed","status":"True"}]}`, "", current},
		"ray cluster":     {"RayCluster", `{"state":"ready","desiredWorkerReplicas":2}`, "", current},
		"ray suspended":   {"RayCluster", `{"state":"suspended"}`, "", off},
		"pipeline paused": {"Pipeline", `{"phase":"Paused","desiredPhase":"Paused"}`, "", off},
		"flink": {"FlinkDeployment",
			`{"jobManagerDeploymentStatus":"READY","lifecycleState":"STABLE","jobStatus":{"state":"RUNNING"},"reconciliationStatus":{"state":"DEPLOYED"}}`, "", current},
		"flink deploying": {"FlinkDeployment",
			`{"jobManagerDeploymentStatus":"DEPLOYING","lifecycleState":"DEPLOYED","jobStatus":{"state":"RECONCILING"}}`, "", progress},
		"http proxy invalid": {"HTTPProxy",
			`{"currentStatus":"invalid","description":"x","conditions":[{"type":"Valid","status":"False","reason":"ErrorPresent","message":"x"}]}`,
			"", failed},
		"virtual server warning": {"VirtualServer", `{"state":"Warning","reason":"AddedOrUpdatedWithWarning"}`, "", failed},
		"route admitted":         {"Route", `{"ingress":[{"host":"x","conditions":[{"type":"Admitted","status":"True"}]}]}`, "", current},
		"route rejected": {"Route",
			`{"ingress":[{"host":"x","conditions":[{"type":"Admitted","status":"False","reason":"HostAlreadyClaimed","message":"taken"}]}]}`, "",
			failed},
		"policy violated": {"Policy", `{"compliant":"NonCompliant"}`, "", failed},
		"policy kept":     {"Policy", `{"compliant":"Compliant"}`, "", current},
		"template error": {"ConstraintTemplate",
			`{"created":true,"byPod":[{"id":"a","errors":[{"code":"ingest_error","message":"x"}]}]}`, "", failed},
		"volume degraded": {"Volume", `{"state":"attached","robustness":"degraded"}`, "", failed},
		"catalog source":  {"CatalogSource", `{"connectionState":{"lastObservedState":"TRANSIENT_FAILURE"}}`, "", failed},
		"operator installed": {"ClusterServiceVersion",
			`{"phase":"Succeeded","conditions":[{"phase":"Pending","reason":"RequirementsUnknown"},{"phase":"Succeeded"}]}`, "", current},
		"mysql online": {"InnoDBCluster", `{"cluster":{"status":"ONLINE","onlineInstances":3}}`, "", current},
		"mysql partly": {"InnoDBCluster", `{"cluster":{"status":"ONLINE_PARTIAL"}}`, "", failed},
		"gloo":         {"VirtualService", `{"statuses":{"gloo-system":{"state":"Rejected","reason":"x"}}}`, "", failed},
		"kro instance": {"WebApp", `{"state":"ACTIVE","conditions":[{"type":"Ready","status":"True","reason":"Ready"}]}`, "",
			current},
		"kro inactive": {"ResourceGraphDefinition",
			`{"state":"Inactive","conditions":[{"type":"Ready","status":"False","reason":"GraphInvalid","message":"x"}]}`, "", failed},
		"cluster api scaling": {"MachineDeployment", `{"phase":"ScalingDown"}`, "", progress},
		"cluster api paused": {"Cluster",
			`{"phase":"Provisioned","conditions":[{"type":"Paused","status":"True","reason":"Paused"},{"type":"Available","status":"False","reason":"NotAvailable","message":"x"}]}`, "", off},
		"argo application": {"Application",
			`{"health":{"status":"Degraded"},"sync":{"status":"Synced"},"history":[{"status":"Failed"}]}`, "", failed},
		"argo application progress": {"Application", `{"health":{"status":"Progressing"},"sync":{"status":"OutOfSync"}}`, "", progress},
		"kueue workload": {"Workload", cond("QuotaReserved", "True", "QuotaReserved", "", "Admitted", "True", "Admitted", "",
			"Evicted", "False", "", ""), "", current},
		"job set suspended": {"JobSet", cond("Suspended", "True", "SuspendedJobs", "jobset is suspended"), `{"suspend":true}`, off},
		"vault secret":      {"VaultStaticSecret", cond("Ready", "False", "VaultClientError", "connection refused"), "", failed},
		"percona ready": {"PerconaXtraDBCluster",
			`{"state":"ready","conditions":[{"type":"initializing","status":"True"},{"type":"error","status":"True","reason":"ErrorReconcile"},{"type":"ready","status":"True"}]}`, "", current},
		"pulumi failed": {"Stack", `{"lastUpdate":{"state":"failed","message":"x"}}`, "", failed},
		"ansible runs": {"Kiali", cond("Running", "True", "Running", "Running reconciliation", "Failure", "False", "", ""), "",
			progress},
		"ansible done": {"Kiali", cond("Running", "True", "Successful", "Awaiting next reconciliation", "Failure", "False", "",
			"", "Successful", "True", "Successful", "Last reconciliation succeeded"), "", current},
		"new replica set": {"Rollout", cond("Available", "True", "AvailableReason", "", "Progressing", "True",
			"NewReplicaSetCreated", "x"), "", progress},
		"a task that runs, and is ready": {"Migration", cond("Ready", "True", "", "", "Running", "True", "", ""), "", progress},
		"a task that is over":            {"Rebalance", cond("Processing", "True", "", "", "Complete", "True", "", ""), "", current},
		"a task that was paused": {"OpsRequest", cond("PausePostgres", "True", "PausePostgres", "", "Successful", "True", "", ""), "",
			current},
		"a task never serves": {"Task", cond("Complete", "True", "", "", "Ready", "True", "", "", "Failed", "True", "", "no answer"),
			"", failed},
		"a maintenance":         {"NodeMaintenance", `{"phase":"Running"}`, "", progress},
		"a set of tasks":        {"TaskSet", `{"phase":"Running"}`, "", progress},
		"a set":                 {"Set", `{"phase":"Running"}`, "", current},
		"a session of a backup": {"BackupSession", `{"phase":"Skipped"}`, "", off},
		"elastic yellow":        {"Elasticsearch", `{"health":"yellow","phase":"ApplyingChanges"}`, "", progress},
		"cassandra": {"CassandraDatacenter",
			`{"cassandraOperatorProgress":"Updating","conditions":[{"type":"Ready","status":"True"},{"type":"Stopped","status":"False"},{"type":"ReplacingNodes","status":"False"}]}`, "", progress},
	}
	e := new(verdict.Engine)
	for name, tc := range tests {
		spec := tc.spec
		if spec == "" {
			spec = `{"x":1}`
		}
		raw := fmt.Sprintf(`{"apiVersion":"example.org/v1","kind":%q,"metadata":{"name":"x"},"spec":%s,"status":%s}`, tc.kind, spec, tc.status)
		if !json.Valid([]byte(raw)) {
			t.Fatalf("%s: invalid JSON", name)
		}
		v := judgeRaw(e, []byte(raw), now)
		if v.Status != tc.want && !(tc.want.Broken() && v.Status.Broken()) {
			t.Errorf("%s: want %s, got %s by %s: %s %v", name, tc.want, v.Status, v.Rule, v.Message, v.Evidence)
		}
	}
}
