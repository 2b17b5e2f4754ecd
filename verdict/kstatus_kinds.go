// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
)

type kstatusFunc func(*kstatus, []Condition) (KstatusResult, error)

// kstatusRules are the rules that kstatus has for kinds, of any version, by group and kind.
var kstatusRules = map[string]kstatusFunc{
	"/ConfigMap": ksAlways, "/Secret": ksAlways, "batch/CronJob": ksAlways,
	"/PersistentVolumeClaim": ksClaim, "/Pod": ksPod, "/Service": ksService,
	"apps/DaemonSet": ksDaemonSet, "apps/Deployment": ksDeployment, "apps/ReplicaSet": ksReplicaSet, "apps/StatefulSet": ksStatefulSet,
	"extensions/DaemonSet": ksDaemonSet, "extensions/Deployment": ksDeployment, "extensions/ReplicaSet": ksReplicaSet,
	"apiextensions.k8s.io/CustomResourceDefinition": ksDefinition, "batch/Job": ksJob, "policy/PodDisruptionBudget": ksBudget,
}

// ksCheck is something that keeps an object from being current.
type ksCheck struct {
	fails           bool
	reason, message string
}

// conclude returns the first check that fails as progress; without one the object is current.
func (k *kstatus) conclude(done string, checks ...ksCheck) (KstatusResult, error) {
	for _, c := range checks {
		if c.fails {
			return k.progress(c.reason, c.message), nil
		}
	}
	return k.current(done), nil
}

// ksFewer is the check that as many things are there as are wanted.
func ksFewer(reason, what string, have, want int64) ksCheck {
	return ksCheck{have < want, reason, fmt.Sprintf("%s: %d/%d", what, have, want)}
}

// ksMore is the check that no more pods are there than are wanted.
func ksMore(have, want int64) ksCheck {
	return ksCheck{have > want, "ExtraPods", fmt.Sprintf("Pending termination: %d", have-want)}
}

func ksAlways(k *kstatus, _ []Condition) (KstatusResult, error) {
	return k.current("Resource is always ready"), nil
}

func ksBudget(k *kstatus, _ []Condition) (KstatusResult, error) {
	return k.current("AllowedDisruptions has been computed."), nil
}

func ksService(k *kstatus, _ []Condition) (KstatusResult, error) {
	if k.str("ClusterIP", "spec", "type") == "LoadBalancer" && k.str("", "spec", "clusterIP") == "" {
		return k.progress("NoIPAssigned", "ClusterIP not set. Service type: LoadBalancer"), nil
	}
	return k.current("Service is ready"), nil
}

func ksClaim(k *kstatus, _ []Condition) (KstatusResult, error) {
	if phase := k.str("unknown", "status", "phase"); phase != "Bound" {
		return k.progress("NotBound", "PVC is not Bound. phase: "+phase), nil
	}
	return k.current("PVC is Bound"), nil
}

// schedulingWindow is how long kstatus tolerates an unschedulable pod.
const schedulingWindow = 15 * time.Second

func ksPod(k *kstatus, list []Condition) (KstatusResult, error) {
	switch phase := k.str("", "status", "phase"); phase {
	case "Succeeded":
		return k.current("Pod has completed successfully"), nil
	case "Failed":
		return k.current("Pod has completed, but not successfully"), nil
	case "Running":
		if _, ready := first(list, "Ready", conditions.True); ready {
			return k.current("Pod is Ready"), nil
		}
		crashing, err := k.crashing()
		if err != nil {
			return KstatusResult{}, err
		}
		if len(crashing) > 0 {
			return k.failed("ContainerCrashLooping", "Containers in CrashLoop state: "+strings.Join(crashing, ",")), nil
		}
		return k.progress("PodRunningNotReady", "Pod is running but is not Ready"), nil
	case "Pending":
		if c, _ := first(list, "PodScheduled", conditions.False); c.Reason() == "Unschedulable" {
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

// crashing names the containers in CrashLoopBackOff. Where upstream panics on the shape of a container status, this is an error.
func (k *kstatus) crashing() (names []string, err error) {
	v, found, err := k.typed("[]interface{}", "status", "containerStatuses")
	if err != nil || !found {
		return nil, err
	}
	list := Object{v}.items()
	for c := (Object{}); list.more(&c); {
		if c.kind() != kindMap {
			return nil, errors.New(".status.containerStatuses: an entry is no object")
		}
		if c.get("name").kind() == kindNone {
			continue
		}
		shaped := func(o Object, field string, want kind) Object {
			v := o.get(field)
			if k := v.kind(); k != kindNone && k != want && err == nil {
				err = fmt.Errorf(".status.containerStatuses: %s has a wrong shape", field)
			}
			return v
		}
		name := shaped(c, "name", kindString)
		reason := shaped(shaped(shaped(c, "state", kindMap), "waiting", kindMap), "reason", kindString)
		if err != nil {
			return nil, err
		}
		if reason.Text() == "CrashLoopBackOff" {
			names = append(names, name.Text())
		}
	}
	return names, nil
}

func ksDeployment(k *kstatus, list []Condition) (KstatusResult, error) {
	deadline := k.num(math.MaxInt32, "spec", "progressDeadlineSeconds")
	progressing := deadline == math.MaxInt32
	available := false
	for _, c := range list {
		switch c.Type {
		case "Progressing":
			if c.Reason() == "ProgressDeadlineExceeded" {
				res := k.failed("ProgressDeadlineExceeded", "Progress deadline exceeded")
				res.ConditionMessage = c.Message()
				return res, nil
			}
			if c.Status == conditions.True && c.Reason() == "NewReplicaSetAvailable" {
				progressing = true
			}
		case "Available":
			if c.Status == conditions.True {
				available = true
			}
		}
	}
	want := k.num(1, "spec", "replicas")
	have := k.num(0, "status", "replicas")
	updated := k.num(0, "status", "updatedReplicas")
	ready := k.num(0, "status", "readyReplicas")
	up := k.num(0, "status", "availableReplicas")
	return k.conclude(fmt.Sprintf("Deployment is available. Replicas: %d", have),
		ksFewer("LessReplicas", "Replicas", have, want), ksFewer("LessUpdated", "Updated", updated, want), ksMore(have, want),
		ksFewer("LessAvailable", "Available", up, updated), ksFewer("LessReady", "Ready", ready, want),
		ksCheck{!progressing, "ReplicaSetNotAvailable", "ReplicaSet not Available"},
		ksCheck{!available, "DeploymentNotAvailable", "Deployment not Available"})
}

func ksReplicaSet(k *kstatus, list []Condition) (KstatusResult, error) {
	if _, failed := first(list, "ReplicaFailure", conditions.True); failed {
		return k.progress("ReplicaFailure", "Replica Failure condition. Check Pods"), nil
	}
	want := k.num(1, "spec", "replicas")
	have := k.num(0, "status", "replicas")
	labelled := k.num(0, "status", "fullyLabeledReplicas")
	up := k.num(0, "status", "availableReplicas")
	ready := k.num(0, "status", "readyReplicas")
	return k.conclude(fmt.Sprintf("ReplicaSet is available. Replicas: %d", have),
		ksFewer("LessLabelled", "Labelled", labelled, want), ksFewer("LessAvailable", "Available", up, want),
		ksFewer("LessReady", "Ready", ready, want), ksMore(have, want))
}

func ksStatefulSet(k *kstatus, _ []Condition) (KstatusResult, error) {
	if k.str("", "spec", "updateStrategy", "type") == "OnDelete" {
		return k.current("StatefulSet is using the ondelete update strategy"), nil
	}
	want := k.num(1, "spec", "replicas")
	have := k.num(0, "status", "replicas")
	ready := k.num(0, "status", "readyReplicas")
	current := k.num(0, "status", "currentReplicas")
	updated := k.num(0, "status", "updatedReplicas")
	partition := k.num(-1, "spec", "updateStrategy", "rollingUpdate", "partition")
	checks := []ksCheck{ksFewer("LessReplicas", "Replicas", have, want), ksFewer("LessReady", "Ready", ready, want), ksMore(have, want)}
	if partition != -1 {
		return k.conclude(fmt.Sprintf("Partition rollout complete. updated: %d", updated),
			append(checks, ksFewer("PartitionRollout", "updated", updated, want-partition))...)
	}
	return k.conclude(fmt.Sprintf("All replicas scheduled as expected. Replicas: %d", have),
		append(checks, ksFewer("LessCurrent", "current", current, want),
			ksCheck{k.str("", "status", "currentRevision") != k.str("", "status", "updateRevision"), "RevisionMismatch",
				"Waiting for updated revision to match current"})...)
}

func ksDaemonSet(k *kstatus, _ []Condition) (KstatusResult, error) {
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
	return k.conclude(fmt.Sprintf("All replicas scheduled as expected. Replicas: %d", want),
		ksCheck{want == -1, "NoDesiredNumber", "Missing .status.desiredNumberScheduled"},
		ksFewer("LessCurrent", "Current", current, want), ksFewer("LessUpdated", "Updated", updated, want),
		ksFewer("LessAvailable", "Available", up, want), ksFewer("LessReady", "Ready", ready, want))
}

func ksJob(k *kstatus, list []Condition) (KstatusResult, error) {
	parallelism := k.num(1, "spec", "parallelism")
	completions := k.num(parallelism, "spec", "completions")
	succeeded := k.num(0, "status", "succeeded")
	active := k.num(0, "status", "active")
	failed := k.num(0, "status", "failed")
	for _, c := range list {
		switch {
		case c.Type == "Complete" && c.Status == conditions.True:
			return k.current(fmt.Sprintf("Job Completed. succeeded: %d/%d", succeeded, completions)), nil
		case c.Type == "Failed" && c.Status == conditions.True:
			return k.failed("JobFailed", fmt.Sprintf("Job Failed. failed: %d/%d", failed, completions)), nil
		}
	}
	if k.str("", "status", "startTime") == "" {
		return k.progress("JobNotStarted", "Job not started"), nil
	}
	return k.current(fmt.Sprintf("Job in progress. success:%d, active: %d, failed: %d", succeeded, active, failed)), nil
}

func ksDefinition(k *kstatus, list []Condition) (KstatusResult, error) {
	for _, c := range list {
		switch {
		case c.Type == "NamesAccepted" && c.Status == conditions.False:
			return k.failed(c.Reason(), c.Message()), nil
		case c.Type == "Established" && c.Status == conditions.False && c.Reason() != "Installing":
			return k.failed(c.Reason(), c.Message()), nil
		case c.Type == "Established" && c.Status == conditions.True:
			return k.current("CRD is established"), nil
		}
	}
	return k.progress("Installing", "Install in progress"), nil
}
