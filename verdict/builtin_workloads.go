// SPDX-License-Identifier: Apache-2.0

package verdict

// deployment: paused is Suspended; a failure to progress or to create pods is Failed, or Degraded while enough pods
// serve; then the numbers of pods decide. Zero replicas need no Available condition.
func (j *judge) deployment() {
	const rule = "builtin/Deployment"
	want := j.spec.get("replicas").numOr(1)
	available := j.count("availableReplicas")
	j.serving = available > 0
	if j.lagging(rule) {
		j.v.Ready = j.serving
		return
	}
	if j.spec.get("paused").isTrue() {
		j.answer(Suspended, FromBuiltin, rule, "Paused", text("the rollout is paused"))
		j.proveSpec("paused")
		return
	}
	var is [3]cond
	j.findAll(is[:], "Progressing", "ReplicaFailure", "Available")
	progressing, failure, serves := &is[0], &is[1], &is[2]
	switch {
	case progressing.typ != "" && progressing.reason() == "ProgressDeadlineExceeded":
		j.broken(rule, progressing)
		return
	case failure.status == isTrueWord:
		j.broken(rule, failure)
		return
	}
	have, updated, ready := j.count("replicas"), j.count("updatedReplicas"), j.count("readyReplicas")
	switch {
	case have < want:
		j.less(rule, "LessReplicas", "replicas", "replicas created", have, want)
	case updated < want:
		j.less(rule, "LessUpdated", "updatedReplicas", "replicas updated", updated, want)
	case have > updated:
		j.answer(InProgress, FromBuiltin, rule, "OldReplicas", message{wording: extra, s1: "old replicas", n1: have - updated})
		j.proveStatus("replicas")
		j.proveStatus("updatedReplicas")
	case have > want:
		j.answer(InProgress, FromBuiltin, rule, "ExtraReplicas", message{wording: extra, s1: "replicas", n1: have - want})
		j.proveStatus("replicas")
	case available < want:
		j.less(rule, "LessAvailable", "availableReplicas", "replicas available", available, want)
	case ready < want:
		j.less(rule, "LessReady", "readyReplicas", "replicas ready", ready, want)
	case want > 0 && serves.status == isFalseWord:
		j.byCond(InProgress, rule, serves)
	case want == 0:
		j.answer(Current, FromBuiltin, rule, "ScaledToZero", text("scaled to zero"))
		j.proveSpec("replicas")
		return
	default:
		j.answer(Current, FromBuiltin, rule, "Available", message{wording: counted, s1: "replicas available", n1: available, n2: want})
		j.proveStatus("availableReplicas")
		if serves.status == isTrueWord {
			j.v.since = serves.n.getStr("lastTransitionTime")
		}
		return
	}
	j.proveSpec("replicas")
	if j.v.since == "" && serves.status == isFalseWord {
		j.v.since = serves.n.getStr("lastTransitionTime")
	}
	j.v.Ready = serves.status == isTrueWord
}

// broken is Failed, or Degraded while something serves.
func (j *judge) broken(rule string, c *cond) {
	s := Failed
	if j.serving {
		s = Degraded
	}
	j.byCond(s, rule, c)
	if r := c.n.get("reason"); r.present() {
		j.prove(atCondition, c.typ, "reason", r)
	}
}

// replicaSet also judges replication controllers. Pods that cannot be created are a failure, not progress.
func (j *judge) replicaSet(rule string) {
	want := j.spec.get("replicas").numOr(1)
	j.serving = j.count("availableReplicas") > 0
	if j.lagging(rule) {
		return
	}
	var c cond
	if j.find("ReplicaFailure", &c) && c.status == isTrueWord {
		j.broken(rule, &c)
		return
	}
	have := j.count("replicas")
	available := "availableReplicas"
	switch {
	case j.fewer(rule, "LessReplicas", "replicas", "replicas created", want):
	case j.fewer(rule, "LessAvailable", available, "replicas available", want):
	case j.fewer(rule, "LessReady", "readyReplicas", "replicas ready", want):
	case have > want:
		j.answer(InProgress, FromBuiltin, rule, "ExtraReplicas", message{wording: extra, s1: "replicas", n1: have - want})
		j.proveStatus("replicas")
	case want == 0:
		j.answer(Current, FromBuiltin, rule, "ScaledToZero", text("scaled to zero"))
	default:
		j.answer(Current, FromBuiltin, rule, "Available", message{wording: counted, s1: "replicas available", n1: j.count(available), n2: want})
		j.proveStatus(available)
	}
	j.proveSpec("replicas")
}

// statefulSet: readiness counts for every update strategy; with OnDelete the revisions do not, with a partition only
// those above it.
func (j *judge) statefulSet() {
	const rule = "builtin/StatefulSet"
	want := j.spec.get("replicas").numOr(1)
	have, ready := j.count("replicas"), j.count("readyReplicas")
	j.serving = ready > 0
	if j.lagging(rule) {
		return
	}
	strategy := j.spec.get("updateStrategy")
	partition := strategy.get2("rollingUpdate", "partition").numOr(0)
	current, update := j.status.get("currentRevision").str(), j.status.get("updateRevision").str()
	switch {
	case j.fewer(rule, "LessReplicas", "replicas", "replicas created", want):
	case j.fewer(rule, "LessReady", "readyReplicas", "replicas ready", want):
	case have > want:
		j.answer(InProgress, FromBuiltin, rule, "ExtraReplicas", message{wording: extra, s1: "replicas", n1: have - want})
		j.proveStatus("replicas")
	case j.status.get("availableReplicas").kind() != kindNone && j.fewer(rule, "LessAvailable", "availableReplicas", "replicas available", want):
	case strategy.get("type").str() == "OnDelete":
		j.answer(Current, FromBuiltin, rule, "OnDelete", message{wording: counted, s1: "replicas ready, updated on deletion", n1: ready, n2: want})
		j.proveStatus("readyReplicas")
	case partition > 0 && current != update && j.fewer(rule, "LessUpdated", "updatedReplicas", "replicas above the partition updated", want-partition):
	case partition <= 0 && current != update && update != "":
		j.answer(InProgress, FromBuiltin, rule, "LessUpdated",
			message{wording: counted, s1: "replicas updated", n1: j.count("updatedReplicas"), n2: want})
		j.proveStatus("currentRevision")
		j.proveStatus("updateRevision")
	case want == 0:
		j.answer(Current, FromBuiltin, rule, "ScaledToZero", text("scaled to zero"))
	default:
		j.answer(Current, FromBuiltin, rule, "Ready", message{wording: counted, s1: "replicas ready", n1: ready, n2: want})
		j.proveStatus("readyReplicas")
	}
	j.proveSpec("replicas")
}

// daemonSet: with OnDelete nobody updates the pods, so nobody waits for that.
func (j *judge) daemonSet() {
	const rule = "builtin/DaemonSet"
	want, ok := j.status.get("desiredNumberScheduled").num()
	j.serving = j.count("numberReady") > 0
	if j.lagging(rule) {
		return
	}
	if !ok {
		j.answer(InProgress, FromBuiltin, rule, "NoStatus", text("the controller has not counted the nodes yet"))
		j.proveStatus("desiredNumberScheduled")
		return
	}
	onDelete := j.spec.get2("updateStrategy", "type").str() == "OnDelete"
	available := "numberAvailable"
	if j.status.get(available).kind() == kindNone {
		available = "numberReady" // the oldest controllers report no availability
	}
	switch {
	case j.fewer(rule, "LessScheduled", "currentNumberScheduled", "pods scheduled", want):
	case !onDelete && j.fewer(rule, "LessUpdated", "updatedNumberScheduled", "pods updated", want):
	case j.fewer(rule, "LessAvailable", available, "pods available", want):
	case j.fewer(rule, "LessReady", "numberReady", "pods ready", want):
	case onDelete:
		j.answer(Current, FromBuiltin, rule, "OnDelete", message{wording: counted, s1: "pods available, updated on deletion", n1: j.count(available), n2: want})
		j.proveStatus(available)
	default:
		j.answer(Current, FromBuiltin, rule, "Available", message{wording: counted, s1: "pods available", n1: j.count(available), n2: want})
		j.proveStatus(available)
	}
	j.proveStatus("desiredNumberScheduled")
}
