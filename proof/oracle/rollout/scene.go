// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"fmt"
	"math/rand/v2"
)

// scene is a roll-out: the statuses of one object in order.
type scene struct {
	name   string
	paused bool
	states []map[string]any
}

// The faults of a roll-out.
const (
	none   = "none"
	image  = "image that cannot be pulled"
	probe  = "probe that fails"
	quota  = "quota that is used up"
	paused = "pause"
	late   = "late start"
)

// draw makes a scene at random.
func draw(r *rand.Rand, n int) scene {
	switch n % 4 {
	case 0:
		return statefulSet(r, n)
	case 1:
		return daemonSet(r, n)
	}
	return deployment(r, n)
}

// object is one status of an object.
func object(kind string, generation int, spec, status map[string]any) map[string]any {
	return map[string]any{"apiVersion": "apps/v1", "kind": kind, "metadata": map[string]any{"name": "web", "namespace": "shop",
		"generation": int64(generation)},
		"spec": spec, "status": status}
}

func condition(name, status, reason string) any {
	return map[string]any{"type": name, "status": status, "reason": reason, "message": reason, "lastUpdateTime": "2026-01-02T03:04:05Z",
		"lastTransitionTime": "2026-01-02T03:04:05Z"}
}

// deployment is a roll-out of a Deployment from old pods, of which there may be none, to new ones: one new pod more at each step, and one
// old pod less for each new one that is available, until the fault holds it up.
func deployment(r *rand.Rand, n int) scene {
	replicas, fault := 1+r.IntN(5), []string{none, image, probe, quota, paused, late}[r.IntN(6)]
	old := replicas * r.IntN(2)
	s := scene{name: fmt.Sprintf("%d: Deployment of %d, %d old, %s", n, replicas, old, fault), paused: fault == paused}
	stuck := r.IntN(replicas) // how many new pods become available before the fault
	generation, fresh, available := 2, 0, 0
	add := func(progress, reason string, seen int, failing bool) {
		status := map[string]any{"observedGeneration": int64(seen)}
		for field, value := range map[string]int{"replicas": old + fresh, "updatedReplicas": fresh, "readyReplicas": old + available,
			"availableReplicas":   old + available,
			"unavailableReplicas": max(0, replicas-old-available)} {
			if value > 0 { // the API leaves zeroes out
				status[field] = int64(value)
			}
		}
		serves := condition("Available", "False", "MinimumReplicasUnavailable")
		if old+available >= replicas {
			serves = condition("Available", "True", "MinimumReplicasAvailable")
		}
		list := []any{serves, condition("Progressing", progress, reason)}
		if failing {
			list = append(list, condition("ReplicaFailure", "True", "FailedCreate"))
		}
		status["conditions"] = list
		spec := map[string]any{"replicas": int64(replicas), "progressDeadlineSeconds": int64(600)}
		if s.paused {
			spec["paused"] = true
		}
		s.states = append(s.states, object("Deployment", generation, spec, status))
	}
	add("True", "NewReplicaSetAvailable", 1, false)
	if fault == paused && r.IntN(2) == 0 { // a pause of a roll-out that is done
		fresh, available, old = old, old, 0
		add("Unknown", "DeploymentPaused", 2, false)
		return s
	}
	deadline := func(failing bool) {
		add("True", "ReplicaSetUpdated", 2, failing)
		add("False", "ProgressDeadlineExceeded", 2, failing)
	}
	for fresh < replicas {
		if fault == quota && fresh >= stuck {
			deadline(true)
			break
		}
		fresh++
		add("True", "ReplicaSetUpdated", 2, false)
		switch {
		case (fault == image || fault == probe) && available >= stuck:
			deadline(false)
			return s
		case fault == paused && available >= stuck:
			add("Unknown", "DeploymentPaused", 2, false)
			return s
		case fault == late && available >= stuck: // the deadline passes, and then the pods come
			deadline(false)
			fault = none
		}
		available++
		add("True", "ReplicaSetUpdated", 2, false)
		if old > 0 {
			old--
			add("True", "ReplicaSetUpdated", 2, false)
		}
	}
	if fault == quota {
		return s
	}
	add("True", "NewReplicaSetAvailable", 2, false)
	if r.IntN(3) == 0 { // a new scale
		generation = 3
		add("True", "NewReplicaSetAvailable", 2, false)
		replicas++
		add("True", "ReplicaSetUpdated", 3, false)
		fresh++
		add("True", "ReplicaSetUpdated", 3, false)
		available++
		add("True", "NewReplicaSetAvailable", 3, false)
	}
	return s
}

// statefulSet is a roll-out of a StatefulSet, the last pod first, down to a partition.
func statefulSet(r *rand.Rand, n int) scene {
	replicas, fault := 1+r.IntN(4), []string{none, image, probe, quota}[r.IntN(4)]
	partition := r.IntN(2) * r.IntN(replicas)
	s := scene{name: fmt.Sprintf("%d: StatefulSet of %d, partition %d, %s", n, replicas, partition, fault)}
	stuck := r.IntN(replicas - partition)
	ready, updated := replicas, 0
	add := func(seen int) {
		current := "web-1"
		if updated == replicas && ready == replicas {
			current = "web-2"
		}
		status := map[string]any{"observedGeneration": int64(seen), "replicas": int64(replicas), "currentRevision": current,
			"updateRevision": "web-2"}
		if seen < 2 {
			status["currentRevision"], status["updateRevision"] = "web-1", "web-1"
		}
		for field, value := range map[string]int{"readyReplicas": ready, "availableReplicas": ready, "updatedReplicas": updated,
			"currentReplicas": replicas - updated} {
			if value > 0 {
				status[field] = int64(value)
			}
		}
		if status["availableReplicas"] == nil {
			status["availableReplicas"] = int64(0) // the API writes this one
		}
		s.states = append(s.states, object("StatefulSet", 2, map[string]any{"replicas": int64(replicas),
			"updateStrategy": map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"partition": int64(partition)}}}, status))
	}
	add(1)
	for updated < replicas-partition {
		ready--
		add(2)
		if fault == quota && updated == stuck {
			return s
		}
		updated++
		add(2)
		if fault != none && updated > stuck {
			return s
		}
		ready++
		add(2)
	}
	return s
}

// daemonSet is a roll-out of a DaemonSet, one node at a time.
func daemonSet(r *rand.Rand, n int) scene {
	nodes, fault := r.IntN(5), []string{none, image, probe, quota}[r.IntN(4)]
	s := scene{name: fmt.Sprintf("%d: DaemonSet on %d nodes, %s", n, nodes, fault)}
	available, updated, scheduled := nodes, 0, nodes
	add := func(seen int) {
		status := map[string]any{"observedGeneration": int64(seen), "desiredNumberScheduled": int64(nodes),
			"currentNumberScheduled": int64(scheduled),
			"numberReady":            int64(available), "numberMisscheduled": int64(0)}
		for field, value := range map[string]int{"numberAvailable": available, "updatedNumberScheduled": updated, "numberUnavailable": nodes -
			available} {
			if value > 0 {
				status[field] = int64(value)
			}
		}
		s.states = append(s.states, object("DaemonSet", 2, map[string]any{"updateStrategy": map[string]any{"type": "RollingUpdate"}}, status))
	}
	add(1)
	add(2)
	for stuck := r.IntN(nodes + 1); updated < nodes; {
		available--
		scheduled--
		add(2)
		if fault == quota && updated == stuck {
			return s
		}
		scheduled++
		updated++
		add(2)
		if fault != none && updated > stuck {
			return s
		}
		available++
		add(2)
	}
	return s
}
