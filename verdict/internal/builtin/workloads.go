// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/object"
)

// deployment judges a Deployment: paused is Suspended; a failure to progress or to create pods is Failed, or Degraded while enough pods
// serve; then the numbers of pods decide. Zero replicas need no Available condition.
func (j *Kinds) deployment() {
	j.Answer.Rule = "builtin/Deployment"
	want := j.Spec.Get("replicas").NumberOr(1)
	available := j.count("availableReplicas")
	j.Serving = available > 0
	if j.lagging() {
		j.Answer.Ready = j.Serving
		return
	}
	if j.Spec.Get("paused").IsTrue() {
		j.conclude(answer.Suspended, "Paused", object.Text("the rollout is paused"))
		j.ProveSpec("paused")
		return
	}
	var is [3]object.Condition
	j.FindAll(is[:], "Progressing", "ReplicaFailure", "Available")
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
		j.conclude(answer.InProgress, "OldReplicas", object.Extra.Count("old replicas", have-updated, 0), "replicas", "updatedReplicas")
	case have > want:
		j.conclude(answer.InProgress, "ExtraReplicas", object.Extra.Count("replicas", have-want, 0), "replicas")
	case j.fewer("LessAvailable", "availableReplicas", "replicas available", available, want),
		j.fewer("LessReady", "readyReplicas", "replicas ready", j.count("readyReplicas"), want):
	case want > 0 && serves.Status == conditions.False:
		j.concludeBy(answer.InProgress, serves)
	case want == 0:
		j.conclude(answer.Current, "ScaledToZero", object.Text("scaled to zero"))
		j.ProveSpec("replicas")
		return
	default:
		j.conclude(answer.Current, "Available", object.Counted.Count("replicas available", available, want), "availableReplicas")
		if serves.Status == conditions.True {
			j.Answer.Since = serves.LastTransition()
		}
		return
	}
	j.ProveSpec("replicas")
	if j.Answer.Since.IsZero() && serves.Status == conditions.False {
		j.Answer.Since = serves.LastTransition()
	}
	j.Answer.Ready = serves.Status == conditions.True
}

// broken answers Failed, or Degraded while the object serves.
func (j *Kinds) broken(c *object.Condition) {
	s := answer.Failed
	if j.Serving {
		s = answer.Degraded
	}
	j.concludeBy(s, c)
	if r := c.N.Get("reason"); r.Present() {
		j.Answer.Prove(object.OfCondition(c.Type, "reason", r))
	}
}

// replicaSet judges a ReplicaSet or a ReplicationController. Pods that cannot be created are a failure, not progress.
func (j *Kinds) replicaSet(rule string) {
	j.Answer.Rule = rule
	want := j.Spec.Get("replicas").NumberOr(1)
	j.Serving = j.count("availableReplicas") > 0
	if j.lagging() {
		return
	}
	var c object.Condition
	if j.Find("ReplicaFailure", &c) && c.Status == conditions.True {
		j.broken(&c)
		return
	}
	have := j.count("replicas")
	switch {
	case j.fewer("LessReplicas", "replicas", "replicas created", have, want), j.fewer("LessAvailable", "availableReplicas",
		"replicas available", j.count("availableReplicas"), want),
		j.fewer("LessReady", "readyReplicas", "replicas ready", j.count("readyReplicas"), want):
	case have > want:
		j.conclude(answer.InProgress, "ExtraReplicas", object.Extra.Count("replicas", have-want, 0), "replicas")
	case want == 0:
		j.conclude(answer.Current, "ScaledToZero", object.Text("scaled to zero"))
	default:
		j.conclude(answer.Current, "Available", object.Counted.Count("replicas available", j.count("availableReplicas"), want),
			"availableReplicas")
	}
	j.ProveSpec("replicas")
}

// statefulSet judges a StatefulSet. Readiness counts for every update strategy; with OnDelete the revisions do not, and with a partition
// only those above it.
func (j *Kinds) statefulSet() {
	j.Answer.Rule = "builtin/StatefulSet"
	want := j.Spec.Get("replicas").NumberOr(1)
	have, ready := j.count("replicas"), j.count("readyReplicas")
	j.Serving = ready > 0
	if j.lagging() {
		return
	}
	strategy := j.Spec.Get("updateStrategy")
	partition := strategy.Get2("rollingUpdate", "partition").NumberOr(0)
	current, update := j.Status.TextAt("currentRevision"), j.Status.TextAt("updateRevision")
	switch {
	case j.fewer("LessReplicas", "replicas", "replicas created", have, want), j.fewer("LessReady", "readyReplicas", "replicas ready", ready,
		want):
	case have > want:
		j.conclude(answer.InProgress, "ExtraReplicas", object.Extra.Count("replicas", have-want, 0), "replicas")
	case j.Status.Get("availableReplicas").Kind() != object.None && j.fewer("LessAvailable", "availableReplicas", "replicas available",
		j.count("availableReplicas"), want):
	case strategy.TextAt("type") == "OnDelete":
		j.conclude(answer.Current, "OnDelete", object.Counted.Count("replicas ready, updated on deletion", ready, want), "readyReplicas")
	case partition > 0 && current != update && j.fewer("LessUpdated", "updatedReplicas", "replicas above the partition updated",
		j.count("updatedReplicas"), want-partition):
	case partition <= 0 && current != update && update != "":
		j.conclude(answer.InProgress, "LessUpdated", object.Counted.Count("replicas updated", j.count("updatedReplicas"), want),
			"currentRevision", "updateRevision")
	case want == 0:
		j.conclude(answer.Current, "ScaledToZero", object.Text("scaled to zero"))
	default:
		j.conclude(answer.Current, "Ready", object.Counted.Count("replicas ready", ready, want), "readyReplicas")
	}
	j.ProveSpec("replicas")
}

// daemonSet judges a DaemonSet. With OnDelete the controller does not update the pods, so there is nothing to wait for.
func (j *Kinds) daemonSet() {
	j.Answer.Rule = "builtin/DaemonSet"
	want, ok := j.Status.NumberAt("desiredNumberScheduled")
	j.Serving = j.count("numberReady") > 0
	if j.lagging() {
		return
	}
	if !ok {
		j.conclude(answer.InProgress, "NoStatus", object.Text("the controller has not counted the nodes yet"), "desiredNumberScheduled")
		return
	}
	available, counts := "numberAvailable", object.Counted.Count("pods available", 0, want)
	if j.Status.Get(available).Kind() == object.None {
		available = "numberReady" // the oldest controllers report no availability
	}
	counts.N1 = j.count(available)
	onDelete := j.Spec.Get2("updateStrategy", "type").Text() == "OnDelete"
	switch {
	case j.fewer("LessScheduled", "currentNumberScheduled", "pods scheduled", j.count("currentNumberScheduled"), want), !onDelete &&
		j.fewer("LessUpdated", "updatedNumberScheduled", "pods updated", j.count("updatedNumberScheduled"), want),
		j.fewer("LessAvailable", available, "pods available", counts.N1, want), j.fewer("LessReady", "numberReady", "pods ready",
			j.count("numberReady"), want):
	case onDelete:
		counts.S1 = "pods available, updated on deletion"
		j.conclude(answer.Current, "OnDelete", counts, available)
	default:
		j.conclude(answer.Current, "Available", counts, available)
	}
	j.ProveStatus("desiredNumberScheduled")
}
