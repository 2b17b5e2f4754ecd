// SPDX-License-Identifier: Apache-2.0

package verdict

import "github.com/tristate/tristate/conditions"

// deployment judges a Deployment: paused is Suspended; a failure to progress or to create pods is Failed, or Degraded while enough pods
// serve; then the numbers of pods decide. Zero replicas need no Available condition.
func (j *judgement) deployment() {
	j.v.Rule = "builtin/Deployment"
	want := j.spec.get("replicas").numOr(1)
	available := j.count("availableReplicas")
	j.serving = available > 0
	if j.lagging() {
		j.v.Ready = j.serving
		return
	}
	if j.spec.get("paused").isTrue() {
		j.conclude(Suspended, "Paused", text("the rollout is paused"))
		j.proveSpec("paused")
		return
	}
	var is [3]Condition
	j.findAll(is[:], "Progressing", "ReplicaFailure", "Available")
	progressing, failure, serves := &is[0], &is[1], &is[2]
	have, updated := j.count("replicas"), j.count("updatedReplicas")
	switch {
	case progressing.Type != "" && progressing.Reason() == "ProgressDeadlineExceeded":
		j.broken(progressing)
		return
	case failure.Status == conditions.True:
		j.broken(failure)
		return
	case j.fewer("LessReplicas", "replicas", "replicas created", have, want), j.fewer("LessUpdated", "updatedReplicas", "replicas updated",
		updated, want):
	case have > updated:
		j.conclude(InProgress, "OldReplicas", message{format: extra, s1: "old replicas", n1: have - updated}, "replicas", "updatedReplicas")
	case have > want:
		j.conclude(InProgress, "ExtraReplicas", message{format: extra, s1: "replicas", n1: have - want}, "replicas")
	case j.fewer("LessAvailable", "availableReplicas", "replicas available", available, want),
		j.fewer("LessReady", "readyReplicas", "replicas ready", j.count("readyReplicas"), want):
	case want > 0 && serves.Status == conditions.False:
		j.concludeBy(InProgress, serves)
	case want == 0:
		j.conclude(Current, "ScaledToZero", text("scaled to zero"))
		j.proveSpec("replicas")
		return
	default:
		j.conclude(Current, "Available", message{format: counted, s1: "replicas available", n1: available, n2: want}, "availableReplicas")
		if serves.Status == conditions.True {
			j.v.since = serves.n.getStr("lastTransitionTime")
		}
		return
	}
	j.proveSpec("replicas")
	if j.v.since == "" && serves.Status == conditions.False {
		j.v.since = serves.n.getStr("lastTransitionTime")
	}
	j.v.Ready = serves.Status == conditions.True
}

// broken answers Failed, or Degraded while the object serves.
func (j *judgement) broken(c *Condition) {
	s := Failed
	if j.serving {
		s = Degraded
	}
	j.concludeBy(s, c)
	if r := c.n.get("reason"); r.present() {
		j.v.prove(fact{atCondition, c.Type, "reason", r})
	}
}

// replicaSet judges a ReplicaSet or a ReplicationController. Pods that cannot be created are a failure, not progress.
func (j *judgement) replicaSet(rule string) {
	j.v.Rule = rule
	want := j.spec.get("replicas").numOr(1)
	j.serving = j.count("availableReplicas") > 0
	if j.lagging() {
		return
	}
	var c Condition
	if j.find("ReplicaFailure", &c) && c.Status == conditions.True {
		j.broken(&c)
		return
	}
	have := j.count("replicas")
	switch {
	case j.fewer("LessReplicas", "replicas", "replicas created", have, want), j.fewer("LessAvailable", "availableReplicas",
		"replicas available", j.count("availableReplicas"), want),
		j.fewer("LessReady", "readyReplicas", "replicas ready", j.count("readyReplicas"), want):
	case have > want:
		j.conclude(InProgress, "ExtraReplicas", message{format: extra, s1: "replicas", n1: have - want}, "replicas")
	case want == 0:
		j.conclude(Current, "ScaledToZero", text("scaled to zero"))
	default:
		j.conclude(Current, "Available", message{format: counted, s1: "replicas available", n1: j.count("availableReplicas"), n2: want},
			"availableReplicas")
	}
	j.proveSpec("replicas")
}

// statefulSet judges a StatefulSet. Readiness counts for every update strategy; with OnDelete the revisions do not, and with a partition
// only those above it.
func (j *judgement) statefulSet() {
	j.v.Rule = "builtin/StatefulSet"
	want := j.spec.get("replicas").numOr(1)
	have, ready := j.count("replicas"), j.count("readyReplicas")
	j.serving = ready > 0
	if j.lagging() {
		return
	}
	strategy := j.spec.get("updateStrategy")
	partition := strategy.get2("rollingUpdate", "partition").numOr(0)
	current, update := j.status.getStr("currentRevision"), j.status.getStr("updateRevision")
	switch {
	case j.fewer("LessReplicas", "replicas", "replicas created", have, want), j.fewer("LessReady", "readyReplicas", "replicas ready", ready,
		want):
	case have > want:
		j.conclude(InProgress, "ExtraReplicas", message{format: extra, s1: "replicas", n1: have - want}, "replicas")
	case j.status.get("availableReplicas").kind() != kindNone && j.fewer("LessAvailable", "availableReplicas", "replicas available",
		j.count("availableReplicas"), want):
	case strategy.getStr("type") == "OnDelete":
		j.conclude(Current, "OnDelete", message{format: counted, s1: "replicas ready, updated on deletion", n1: ready, n2: want}, "readyReplicas")
	case partition > 0 && current != update && j.fewer("LessUpdated", "updatedReplicas", "replicas above the partition updated",
		j.count("updatedReplicas"), want-partition):
	case partition <= 0 && current != update && update != "":
		j.conclude(InProgress, "LessUpdated", message{format: counted, s1: "replicas updated", n1: j.count("updatedReplicas"), n2: want},
			"currentRevision", "updateRevision")
	case want == 0:
		j.conclude(Current, "ScaledToZero", text("scaled to zero"))
	default:
		j.conclude(Current, "Ready", message{format: counted, s1: "replicas ready", n1: ready, n2: want}, "readyReplicas")
	}
	j.proveSpec("replicas")
}

// daemonSet judges a DaemonSet. With OnDelete the controller does not update the pods, so there is nothing to wait for.
func (j *judgement) daemonSet() {
	j.v.Rule = "builtin/DaemonSet"
	want, ok := j.status.getNum("desiredNumberScheduled")
	j.serving = j.count("numberReady") > 0
	if j.lagging() {
		return
	}
	if !ok {
		j.conclude(InProgress, "NoStatus", text("the controller has not counted the nodes yet"), "desiredNumberScheduled")
		return
	}
	available, counts := "numberAvailable", message{format: counted, s1: "pods available", n2: want}
	if j.status.get(available).kind() == kindNone {
		available = "numberReady" // the oldest controllers report no availability
	}
	counts.n1 = j.count(available)
	onDelete := j.spec.get2("updateStrategy", "type").Text() == "OnDelete"
	switch {
	case j.fewer("LessScheduled", "currentNumberScheduled", "pods scheduled", j.count("currentNumberScheduled"), want), !onDelete &&
		j.fewer("LessUpdated", "updatedNumberScheduled", "pods updated", j.count("updatedNumberScheduled"), want),
		j.fewer("LessAvailable", available, "pods available", counts.n1, want), j.fewer("LessReady", "numberReady", "pods ready",
			j.count("numberReady"), want):
	case onDelete:
		counts.s1 = "pods available, updated on deletion"
		j.conclude(Current, "OnDelete", counts, available)
	default:
		j.conclude(Current, "Available", counts, available)
	}
	j.proveStatus("desiredNumberScheduled")
}
