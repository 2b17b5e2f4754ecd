// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/verdict"
)

// short has the parts of a verdict that the table asserts.
type short struct {
	Status  verdict.Status
	Ready   bool
	Reason  string
	Message string
}

func TestBuiltin(t *testing.T) {
	tests := map[string]struct {
		json string
		want short
	}{
		"deployment paused": {
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":1},"spec":{"paused":true},"status":{"observedGeneration":1,"replicas":1,"availableReplicas":1}}`,
			short{verdict.Suspended, false, "Paused", "the rollout is paused"}},
		"deployment scaled to zero": {
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":1},"spec":{"replicas":0},"status":{"observedGeneration":1}}`,
			short{verdict.Current, true, "ScaledToZero", "scaled to zero"}},
		"deployment not looked at": {
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":1},"spec":{"replicas":0}}`,
			short{verdict.InProgress, false, "NoStatus", "the controller has not looked at the object yet"}},
		"deployment rolls while it serves": {
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":2},"spec":{"replicas":2},"status":{"observedGeneration":2,"replicas":3,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":2,
			 "conditions":[{"type":"Available","status":"True"}]}}`,
			short{verdict.InProgress, true, "LessUpdated", "1 of 2 replicas updated"}},
		"deployment past its deadline serves": {
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":2},"spec":{"replicas":2},"status":{"observedGeneration":2,"replicas":3,"updatedReplicas":1,"availableReplicas":2,
			 "conditions":[{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded","message":"timed out"}]}}`,
			short{verdict.Degraded, true, "ProgressDeadlineExceeded", "timed out"}},
		"deployment over quota": {
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":1},"spec":{"replicas":2},"status":{"observedGeneration":1,
			 "conditions":[{"type":"ReplicaFailure","status":"True","reason":"FailedCreate","message":"exceeded quota"}]}}`,
			short{verdict.Failed, false, "FailedCreate", "exceeded quota"}},
		"stateful set on delete, not ready": {
			`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"generation":1},"spec":{"replicas":2,"updateStrategy":{"type":"OnDelete"}},"status":{"observedGeneration":1,"replicas":2,"readyReplicas":0}}`,
			short{verdict.InProgress, false, "LessReady", "0 of 2 replicas ready"}},
		"stateful set above its partition": {
			`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"generation":1},"spec":{"replicas":3,"updateStrategy":{"rollingUpdate":{"partition":2}}},
			 "status":{"observedGeneration":1,"replicas":3,"readyReplicas":3,"updatedReplicas":1,"currentRevision":"a","updateRevision":"b"}}`,
			short{verdict.Current, true, "Ready", "3 of 3 replicas ready"}},
		"daemon set on delete": {
			`{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"generation":1},"spec":{"updateStrategy":{"type":"OnDelete"}},
			 "status":{"observedGeneration":1,"desiredNumberScheduled":2,"currentNumberScheduled":2,"updatedNumberScheduled":0,"numberAvailable":2,"numberReady":2}}`,
			short{verdict.Current, true, "OnDelete", "2 of 2 pods available, updated on deletion"}},
		"replica set over quota": {
			`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"generation":1},"spec":{"replicas":1},"status":{"observedGeneration":1,"conditions":[{"type":"ReplicaFailure","status":"True","reason":"FailedCreate","message":"m"}]}}`,
			short{verdict.Failed, false, "FailedCreate", "m"}},
		"pod without image": {
			`{"apiVersion":"v1","kind":"Pod","status":{"phase":"Pending","containerStatuses":[{"name":"a","state":{"waiting":{"reason":"ImagePullBackOff","message":"not found"}}}]}}`,
			short{verdict.Failed, false, "ImagePullBackOff", "container a: not found"}},
		"pod without config": {
			`{"apiVersion":"v1","kind":"Pod","status":{"phase":"Pending","containerStatuses":[{"name":"a","state":{"waiting":{"reason":"CreateContainerConfigError"}}}]}}`,
			short{verdict.Failed, false, "CreateContainerConfigError", "container a: CreateContainerConfigError"}},
		"pod with a crashing init container": {
			`{"apiVersion":"v1","kind":"Pod","status":{"phase":"Pending","initContainerStatuses":[{"name":"i","restartCount":3,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":2,"reason":"Error"}}}]}}`,
			short{verdict.Failed, false, "CrashLoopBackOff", "container i exited with code 2 (Error)"}},
		"pod out of memory": {
			`{"apiVersion":"v1","kind":"Pod","status":{"phase":"Running","conditions":[{"type":"Ready","status":"False","reason":"ContainersNotReady"}],"containerStatuses":[{"name":"a","ready":false,"state":{"running":{}},"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]}}`,
			short{verdict.Failed, false, "OOMKilled", "container a exited with code 137 (OOMKilled)"}},
		"pod evicted": {
			`{"apiVersion":"v1","kind":"Pod","status":{"phase":"Failed","reason":"Evicted","message":"low on memory"}}`,
			short{verdict.Failed, false, "Evicted", "low on memory"}},
		"pod failed with a code": {
			`{"apiVersion":"v1","kind":"Pod","spec":{"restartPolicy":"Never"},"status":{"phase":"Failed","containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":3}}}]}}`,
			short{verdict.Failed, false, "Error", "container a exited with code 3 (Error)"}},
		"pod gated": {
			`{"apiVersion":"v1","kind":"Pod","status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated","message":"m"}]}}`,
			short{verdict.Suspended, false, "SchedulingGated", "m"}},
		"pod of a task": {
			`{"apiVersion":"v1","kind":"Pod","spec":{"restartPolicy":"OnFailure"},"status":{"phase":"Running","containerStatuses":[{"name":"a","state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}`,
			short{verdict.InProgress, false, "Running", "the task is running"}},
		"job runs": {
			`{"apiVersion":"batch/v1","kind":"Job","spec":{"completions":3},"status":{"startTime":"2026-01-02T03:04:05Z","active":1,"succeeded":1}}`,
			short{verdict.InProgress, false, "Running", "1 of 3 completions"}},
		"job sure to fail": {
			`{"apiVersion":"batch/v1","kind":"Job","status":{"startTime":"2026-01-02T03:04:05Z","active":1,"conditions":[{"type":"FailureTarget","status":"True","reason":"BackoffLimitExceeded","message":"m"}]}}`,
			short{verdict.Failed, false, "BackoffLimitExceeded", "m"}},
		"claim lost": {
			`{"apiVersion":"v1","kind":"PersistentVolumeClaim","status":{"phase":"Lost"}}`,
			short{verdict.Failed, false, "Lost", "the volume of the claim is gone"}},
		"claim waits for a pod": {
			`{"apiVersion":"v1","kind":"PersistentVolumeClaim","spec":{"storageClassName":"late"},"status":{"phase":"Pending"}}`,
			short{verdict.InProgress, false, "NotBound", "not bound yet"}},
		"claim without class": {
			`{"apiVersion":"v1","kind":"PersistentVolumeClaim","spec":{},"status":{"phase":"Pending"}}`,
			short{verdict.InProgress, false, "NoStorageClass", "no class is set, and there was no default class"}},
		"claim resizes": {
			`{"apiVersion":"v1","kind":"PersistentVolumeClaim","status":{"phase":"Bound","conditions":[{"type":"Resizing","status":"True"}]}}`,
			short{verdict.InProgress, true, "Resizing", "condition Resizing is True"}},
		"volume failed": {
			`{"apiVersion":"v1","kind":"PersistentVolume","status":{"phase":"Failed","message":"m"}}`,
			short{verdict.Failed, false, "Failed", "m"}},
		"node under pressure": {
			`{"apiVersion":"v1","kind":"Node","status":{"conditions":[{"type":"Ready","status":"True"},{"type":"DiskPressure","status":"True","reason":"KubeletHasDiskPressure","message":"m"}]}}`,
			short{verdict.Degraded, true, "KubeletHasDiskPressure", "m"}},
		"node lost": {
			`{"apiVersion":"v1","kind":"Node","status":{"conditions":[{"type":"Ready","status":"Unknown","reason":"NodeStatusUnknown","message":"m"}]}}`,
			short{verdict.Failed, false, "NodeStatusUnknown", "m"}},
		"node cordoned": {
			`{"apiVersion":"v1","kind":"Node","spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`,
			short{verdict.Suspended, true, "Cordoned", "the node takes no new pods"}},
		"namespace that will not go": {
			`{"apiVersion":"v1","kind":"Namespace","metadata":{"deletionTimestamp":"2026-01-02T03:04:05Z"},"status":{"phase":"Terminating","conditions":[
			 {"type":"NamespaceDeletionDiscoveryFailure","status":"False"},{"type":"NamespaceFinalizersRemaining","status":"True","reason":"SomeFinalizersRemain","message":"x.org/f in 1 instance"}]}}`,
			short{verdict.Terminating, false, "SomeFinalizersRemain", "x.org/f in 1 instance"}},
		"stuck finalizer": {
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"deletionTimestamp":"2026-01-02T03:04:05Z","finalizers":["x.org/f"]}}`,
			short{verdict.Terminating, false, "FinalizersLeft", "deletion is requested, finalizer x.org/f is left"}},
		"autoscaler without metrics": {
			`{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","status":{"conditions":[{"type":"AbleToScale","status":"True"},{"type":"ScalingActive","status":"False","reason":"FailedGetResourceMetric","message":"m"}]}}`,
			short{verdict.Degraded, true, "FailedGetResourceMetric", "m"}},
		"autoscaler off": {
			`{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","status":{"conditions":[{"type":"AbleToScale","status":"True"},{"type":"ScalingActive","status":"False","reason":"ScalingDisabled","message":"m"}]}}`,
			short{verdict.Suspended, false, "ScalingDisabled", "m"}},
		"budget used up": {
			`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"generation":1},"status":{"observedGeneration":1,"currentHealthy":1,"desiredHealthy":1,"conditions":[{"type":"DisruptionAllowed","status":"False","reason":"InsufficientPods"}]}}`,
			short{verdict.Current, true, "Computed", "1 of 1 desired pods are healthy"}},
		"load balancer without address": {
			`{"apiVersion":"v1","kind":"Service","spec":{"type":"LoadBalancer","clusterIP":"10.0.0.1"},"status":{"loadBalancer":{}}}`,
			short{verdict.InProgress, false, "NoAddress", "the load balancer has no address yet"}},
		"certificate denied": {
			`{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","status":{"conditions":[{"type":"Denied","status":"True","reason":"No","message":"m"}]}}`,
			short{verdict.Failed, false, "No", "m"}},
		"flow schema dangling": {
			`{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","status":{"conditions":[{"type":"Dangling","status":"True","reason":"NotFound","message":"m"}]}}`,
			short{verdict.Failed, false, "NotFound", "m"}},
		"api service cannot be discovered": {
			`{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","status":{"conditions":[{"type":"Available","status":"False","reason":"FailedDiscoveryCheck","message":"m"}]}}`,
			short{verdict.Failed, false, "FailedDiscoveryCheck", "m"}},
		"secret": {
			`{"apiVersion":"v1","kind":"Secret","data":{}}`,
			short{verdict.Current, true, "Static", "objects of this kind have no status"}},
		"gateway not taken": {
			`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","spec":{},"status":{"conditions":[{"type":"Accepted","status":"Unknown","reason":"Pending","message":"Waiting for controller"}]}}`,
			short{verdict.InProgress, false, "Pending", "Waiting for controller"}},
		"gateway with a broken listener beside one that works": {
			`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","status":{"conditions":[{"type":"Programmed","status":"True","reason":"Programmed"}],"listeners":[
			 {"name":"a","conditions":[{"type":"Programmed","status":"True","reason":"Programmed"}]},
			 {"name":"b","conditions":[{"type":"Programmed","status":"False","reason":"Invalid","message":"no certificate"}]}]}}`,
			short{verdict.Degraded, true, "Invalid", "no certificate"}},
	}
	e := new(verdict.Engine)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			v := judgeRaw(e, []byte(tc.json), now)
			if diff := cmp.Diff(tc.want, short{v.Status, v.Ready, v.Reason, v.Message}); diff != "" {
				t.Errorf("want (-) and got (+):\n%s", diff)
			}
			if len(v.Evidence) == 0 && v.Reason != "Static" {
				t.Error("no evidence")
			}
			if !verdict.Builtin(v.Rule) && v.Status != verdict.Terminating {
				t.Errorf("want a rule of the kind, got %s", v.Rule)
			}
		})
	}
}

// TestGrace: a pod that cannot be scheduled fails when the grace is over; until then its verdict has the time to look again.
func TestGrace(t *testing.T) {
	raw := []byte(`{"apiVersion":"v1","kind":"Pod","status":{"phase":"Pending","conditions":[
		{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/3 nodes","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`)
	e := &verdict.Engine{SchedulingGrace: 2 * time.Minute}
	since := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	v := judgeRaw(e, raw, since.Add(time.Minute))
	if v.Status != verdict.InProgress || !v.NextLook.Equal(since.Add(2*time.Minute)) {
		t.Errorf("want InProgress until the grace is over, got %s until %s", v.Status, v.NextLook)
	}
	v = judgeRaw(e, raw, v.NextLook)
	if v.Status != verdict.Failed || !v.NextLook.IsZero() {
		t.Errorf("want Failed after the grace, got %s, look again at %s", v.Status, v.NextLook)
	}
}
