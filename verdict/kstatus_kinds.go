// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

type kstatusFunc func(*kstatus, []kcond) (KstatusResult, error)

// kstatusRule returns the rule kstatus has for a kind, of any version.
func kstatusRule(group, kind string) kstatusFunc {
	switch group {
	case "":
		switch kind {
		case "Secret", "ConfigMap":
			return ksAlways
		case "Service":
			return ksService
		case "PersistentVolumeClaim":
			return ksClaim
		case "Pod":
			return ksPod
		}
	case "apps", "extensions":
		switch kind {
		case "Deployment":
			return ksDeployment
		case "ReplicaSet":
			return ksReplicaSet
		case "DaemonSet":
			return ksDaemonSet
		case "StatefulSet":
			if group == "apps" {
				return ksStatefulSet
			}
		}
	case "batch":
		switch kind {
		case "CronJob":
			return ksAlways
		case "Job":
			return ksJob
		}
	case "policy":
		if kind == "PodDisruptionBudget" {
			return ksBudget
		}
	case "apiextensions.k8s.io":
		if kind == "CustomResourceDefinition" {
			return ksDefinition
		}
	}
	return nil
}

func ksAlways(k *kstatus, _ []kcond) (KstatusResult, error) {
	return k.current("Resource is always ready"), nil
}

func ksBudget(k *kstatus, _ []kcond) (KstatusResult, error) {
	return k.current("AllowedDisruptions has been computed."), nil
}

func ksService(k *kstatus, _ []kcond) (KstatusResult, error) {
	if k.str("ClusterIP", "spec", "type") == "LoadBalancer" && k.str("", "spec", "clusterIP") == "" {
		return k.progress("NoIPAssigned", "ClusterIP not set. Service type: LoadBalancer"), nil
	}
	return k.current("Service is ready"), nil
}

func ksClaim(k *kstatus, _ []kcond) (KstatusResult, error) {
	if phase := k.str("unknown", "status", "phase"); phase != "Bound" {
		return k.progress("NotBound", "PVC is not Bound. phase: "+phase), nil
	}
	return k.current("PVC is Bound"), nil
}

// schedulingWindow is how long kstatus tolerates an unschedulable pod.
const schedulingWindow = 15 * time.Second

func ksPod(k *kstatus, list []kcond) (KstatusResult, error) {
	switch phase := k.str("", "status", "phase"); phase {
	case "Succeeded":
		return k.current("Pod has completed successfully"), nil
	case "Failed":
		return k.current("Pod has completed, but not successfully"), nil
	case "Running":
		if isTrue(list, "Ready") {
			return k.current("Pod is Ready"), nil
		}
		crashing, any, err := k.crashing()
		if err != nil {
			return KstatusResult{}, err
		}
		if any {
			return k.failed("ContainerCrashLooping", "Containers in CrashLoop state: "+strings.Join(crashing, ",")), nil
		}
		return k.progress("PodRunningNotReady", "Pod is running but is not Ready"), nil
	case "Pending":
		if c := firstFalse(list, "PodScheduled"); c.reason == "Unschedulable" {
			created, _ := time.Parse(time.RFC3339, k.str("", "metadata", "creationTimestamp"))
			if k.now.Add(-schedulingWindow).Before(created) {
				return k.progress("PodNotScheduled", "Pod has not been scheduled"), nil
			}
			return k.failed("PodUnschedulable", "Pod could not be scheduled"), nil
		}
		return k.progress("PodPending", "Pod is in the Pending phase"), nil
	case "":
		return k.progress("PodNotObserved", "Pod phase not available"), nil
	default:
		return KstatusResult{}, fmt.Errorf("unknown phase %s", phase)
	}
}

// crashing names the containers in CrashLoopBackOff.
func (k *kstatus) crashing() (names []string, any bool, err error) {
	v, found, err := k.typed("[]interface{}", "status", "containerStatuses")
	if err != nil || !found {
		return nil, false, err
	}
	list := decoded(v).items()
	for c := (node{}); list.more(&c); {
		if c.kind() != kindMap {
			return nil, false, errors.New(".status.containerStatuses: an entry is no object")
		}
		if c.get("name").kind() == kindNone {
			continue
		}
		name, err := shaped(c, "name", kindString)
		if err != nil {
			return nil, false, err
		}
		state, err := shaped(c, "state", kindMap)
		if err != nil {
			return nil, false, err
		}
		waiting, err := shaped(state, "waiting", kindMap)
		if err != nil {
			return nil, false, err
		}
		reason, err := shaped(waiting, "reason", kindString)
		if err != nil {
			return nil, false, err
		}
		if reason.str() == "CrashLoopBackOff" {
			names = append(names, name.str())
		}
	}
	return names, len(names) > 0, nil
}

// shaped reads a field of a container status; where upstream panics on a wrong shape, this is an error.
func shaped(n node, field string, want kind) (node, error) {
	v := n.get(field)
	if k := v.kind(); k != kindNone && k != want {
		return node{}, fmt.Errorf(".status.containerStatuses: %s has a wrong shape", field)
	}
	return v, nil
}

func ksDeployment(k *kstatus, list []kcond) (KstatusResult, error) {
	deadline := k.num(math.MaxInt32, "spec", "progressDeadlineSeconds")
	progressing := deadline == math.MaxInt32
	available := false
	for _, c := range list {
		switch c.typ {
		case "Progressing":
			if c.reason == "ProgressDeadlineExceeded" {
				res := k.failed("ProgressDeadlineExceeded", "Progress deadline exceeded")
				res.ConditionMessage = c.message
				return res, nil
			}
			if c.status == "True" && c.reason == "NewReplicaSetAvailable" {
				progressing = true
			}
		case "Available":
			if c.status == "True" {
				available = true
			}
		}
	}
	want := k.num(1, "spec", "replicas")
	have := k.num(0, "status", "replicas")
	updated := k.num(0, "status", "updatedReplicas")
	ready := k.num(0, "status", "readyReplicas")
	up := k.num(0, "status", "availableReplicas")
	switch {
	case want > have:
		return k.progress("LessReplicas", fmt.Sprintf("Replicas: %d/%d", have, want)), nil
	case want > updated:
		return k.progress("LessUpdated", fmt.Sprintf("Updated: %d/%d", updated, want)), nil
	case have > want:
		return k.progress("ExtraPods", fmt.Sprintf("Pending termination: %d", have-want)), nil
	case updated > up:
		return k.progress("LessAvailable", fmt.Sprintf("Available: %d/%d", up, updated)), nil
	case want > ready:
		return k.progress("LessReady", fmt.Sprintf("Ready: %d/%d", ready, want)), nil
	case !progressing:
		return k.progress("ReplicaSetNotAvailable", "ReplicaSet not Available"), nil
	case !available:
		return k.progress("DeploymentNotAvailable", "Deployment not Available"), nil
	}
	return k.current(fmt.Sprintf("Deployment is available. Replicas: %d", have)), nil
}

func ksReplicaSet(k *kstatus, list []kcond) (KstatusResult, error) {
	if isTrue(list, "ReplicaFailure") {
		return k.progress("ReplicaFailure", "Replica Failure condition. Check Pods"), nil
	}
	want := k.num(1, "spec", "replicas")
	have := k.num(0, "status", "replicas")
	labelled := k.num(0, "status", "fullyLabeledReplicas")
	up := k.num(0, "status", "availableReplicas")
	ready := k.num(0, "status", "readyReplicas")
	switch {
	case want > labelled:
		return k.progress("LessLabelled", fmt.Sprintf("Labelled: %d/%d", labelled, want)), nil
	case want > up:
		return k.progress("LessAvailable", fmt.Sprintf("Available: %d/%d", up, want)), nil
	case want > ready:
		return k.progress("LessReady", fmt.Sprintf("Ready: %d/%d", ready, want)), nil
	case have > want:
		return k.progress("ExtraPods", fmt.Sprintf("Pending termination: %d", have-want)), nil
	}
	return k.current(fmt.Sprintf("ReplicaSet is available. Replicas: %d", have)), nil
}

func ksStatefulSet(k *kstatus, _ []kcond) (KstatusResult, error) {
	if k.str("", "spec", "updateStrategy", "type") == "OnDelete" {
		return k.current("StatefulSet is using the ondelete update strategy"), nil
	}
	want := k.num(1, "spec", "replicas")
	have := k.num(0, "status", "replicas")
	ready := k.num(0, "status", "readyReplicas")
	current := k.num(0, "status", "currentReplicas")
	updated := k.num(0, "status", "updatedReplicas")
	partition := k.num(-1, "spec", "updateStrategy", "rollingUpdate", "partition")
	switch {
	case want > have:
		return k.progress("LessReplicas", fmt.Sprintf("Replicas: %d/%d", have, want)), nil
	case want > ready:
		return k.progress("LessReady", fmt.Sprintf("Ready: %d/%d", ready, want)), nil
	case have > want:
		return k.progress("ExtraPods", fmt.Sprintf("Pending termination: %d", have-want)), nil
	case partition != -1 && updated < want-partition:
		return k.progress("PartitionRollout", fmt.Sprintf("updated: %d/%d", updated, want-partition)), nil
	case partition != -1:
		return k.current(fmt.Sprintf("Partition rollout complete. updated: %d", updated)), nil
	case want > current:
		return k.progress("LessCurrent", fmt.Sprintf("current: %d/%d", current, want)), nil
	case k.str("", "status", "currentRevision") != k.str("", "status", "updateRevision"):
		return k.progress("RevisionMismatch", "Waiting for updated revision to match current"), nil
	}
	return k.current(fmt.Sprintf("All replicas scheduled as expected. Replicas: %d", have)), nil
}

func ksDaemonSet(k *kstatus, _ []kcond) (KstatusResult, error) {
	_, found, err := k.typed("int64", "metadata", "generation")
	if err != nil {
		return KstatusResult{}, err
	}
	if !found {
		return k.progress("NoGeneration", "DaemonSet metadata.generation not found"), nil
	}
	_, found, err = k.typed("int64", "status", "observedGeneration")
	if err != nil {
		return KstatusResult{}, err
	}
	if !found {
		return k.progress("NoObservedGeneration", "DaemonSet status.observedGeneration not found"), nil
	}
	want := k.num(-1, "status", "desiredNumberScheduled")
	current := k.num(0, "status", "currentNumberScheduled")
	updated := k.num(0, "status", "updatedNumberScheduled")
	up := k.num(0, "status", "numberAvailable")
	ready := k.num(0, "status", "numberReady")
	switch {
	case want == -1:
		return k.progress("NoDesiredNumber", "Missing .status.desiredNumberScheduled"), nil
	case want > current:
		return k.progress("LessCurrent", fmt.Sprintf("Current: %d/%d", current, want)), nil
	case want > updated:
		return k.progress("LessUpdated", fmt.Sprintf("Updated: %d/%d", updated, want)), nil
	case want > up:
		return k.progress("LessAvailable", fmt.Sprintf("Available: %d/%d", up, want)), nil
	case want > ready:
		return k.progress("LessReady", fmt.Sprintf("Ready: %d/%d", ready, want)), nil
	}
	return k.current(fmt.Sprintf("All replicas scheduled as expected. Replicas: %d", want)), nil
}

func ksJob(k *kstatus, list []kcond) (KstatusResult, error) {
	parallelism := k.num(1, "spec", "parallelism")
	completions := k.num(parallelism, "spec", "completions")
	succeeded := k.num(0, "status", "succeeded")
	active := k.num(0, "status", "active")
	failed := k.num(0, "status", "failed")
	for _, c := range list {
		switch {
		case c.typ == "Complete" && c.status == "True":
			return k.current(fmt.Sprintf("Job Completed. succeeded: %d/%d", succeeded, completions)), nil
		case c.typ == "Failed" && c.status == "True":
			return k.failed("JobFailed", fmt.Sprintf("Job Failed. failed: %d/%d", failed, completions)), nil
		}
	}
	if k.str("", "status", "startTime") == "" {
		return k.progress("JobNotStarted", "Job not started"), nil
	}
	return k.current(fmt.Sprintf("Job in progress. success:%d, active: %d, failed: %d", succeeded, active, failed)), nil
}

func ksDefinition(k *kstatus, list []kcond) (KstatusResult, error) {
	for _, c := range list {
		switch {
		case c.typ == "NamesAccepted" && c.status == "False":
			return k.failed(c.reason, c.message), nil
		case c.typ == "Established" && c.status == "False" && c.reason != "Installing":
			return k.failed(c.reason, c.message), nil
		case c.typ == "Established" && c.status == "True":
			return k.current("CRD is established"), nil
		}
	}
	return k.progress("Installing", "Install in progress"), nil
}
