// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/relation"
)

// advices are remedies for objects without one in a catalog: by kind (empty: any), the reasons they are for, and a sentence. The first
// that fits is used. NAME and NAMESPACE are replaced by those of the object; -n NAMESPACE is removed if there is none.
func advices() []struct{ kind, reasons, text string } {
	return []struct{ kind, reasons, text string }{
		{"Pod", "ErrImagePull ImagePullBackOff ErrImageNeverPull InvalidImageName RegistryUnavailable",
			"correct the name of the image, or give the pod a pull secret that may read it"},
		{"Pod", "CrashLoopBackOff Error OOMKilled ContainerCannotRun StartError",
			"read the log of the container: kubectl logs -n NAMESPACE NAME --all-containers --previous"},
		{"Pod", "CreateContainerConfigError CreateContainerError", "create the configuration that the container names, or correct the name"},
		{"Pod", "Unschedulable", "add nodes that fit, or ask for less: requests, selectors, affinity and taints decide"},
		{"Pod", "SchedulingGated", "remove the scheduling gates when what they wait for is there"},
		{"Pod", "Evicted NodeLost NodeAffinity UnexpectedAdmissionError", "delete the pod, so that its owner makes a new one elsewhere"},
		{"Deployment", "ProgressDeadlineExceeded", "see the pods of its newest ReplicaSet, which did not become available in time"},
		{"ReplicaSet", "FailedCreate", "see what refuses its pods: a quota, a policy, a webhook or a missing service account"},
		{"StatefulSet", "FailedCreate", "see what refuses its pods: a quota, a policy, a webhook or a missing service account"},
		{"Job", "BackoffLimitExceeded DeadlineExceeded PodFailurePolicy FailedIndexes MaxFailedIndexesExceeded",
			"correct what its pods run, delete the job and create it again: a job that has failed does not start anew"},
		{"Deployment", "Paused DeploymentPaused", "kubectl rollout resume -n NAMESPACE deployment/NAME"},
		{"PersistentVolumeClaim", "NoStorageClass", "name a storage class in spec.storageClassName, mark one as the default, or create a volume that fits"},
		{"PersistentVolumeClaim", "NotBound Pending Provisioning", "see whether the provisioner of its storage class runs, or create a volume that fits"},
		{"PersistentVolumeClaim", "Lost", "the volume is gone: restore the data into a new claim"},
		{"Service", "NoAddress Pending", "see whether something in the cluster serves load balancers"},
		{"HorizontalPodAutoscaler", "FailedGetResourceMetric FailedGetScale InvalidMetricSourceType InvalidSelector FailedGetExternalMetric",
			"see whether the metrics API is served (kubectl get apiservices) and the target exists"},
		{"Node", "KubeletNotReady NodeStatusUnknown NodeStatusNeverUpdated", "see whether the machine is up and its kubelet runs"},
		{"APIService", "FailedDiscoveryCheck ServiceNotFound MissingEndpoints", "see whether the pods of the service that it names run"},
		{"Namespace", "SomeResourcesRemain ContentDeletionFailed SomeFinalizersRemain FinalizersLeft Deleting",
			"delete what remains; where a finalizer remains, check that its controller is running"},
		{"", "FinalizersLeft Deleting", "check that the controller behind each finalizer is running; it removes the finalizer when its clean-up is done"},
		{"", "NotFound", "create it, or correct the reference"},
	}
}

// Advice returns a remedy for an unhealthy object: that of its catalog, or the usual one; empty if there is none.
func Advice(n *relation.Node) string {
	if n.Judgement.Remedy != "" {
		return n.Judgement.Remedy
	}
	if held := finalizers(n); len(held) > 0 && n.Judgement.Verdict == "Terminating" && n.Kind != "Namespace" {
		if len(held) == 1 {
			return "check that the controller behind finalizer " + held[0] + " is running; it removes the finalizer when its clean-up is done"
		}
		return "check that the controllers behind finalizers " + listed(held) + " are running; they remove them when their clean-up is done"
	}
	namespace := "-n " + n.Namespace
	if n.Namespace == "" {
		namespace = ""
	}
	for _, a := range advices() {
		if (a.kind == "" || a.kind == n.Kind) && strings.Contains(" "+a.reasons+" ", " "+n.Judgement.Reason+" ") && n.Judgement.Reason != "" {
			text := strings.ReplaceAll(a.text, "-n NAMESPACE", namespace)
			return strings.ReplaceAll(strings.ReplaceAll(text, "NAME", n.Name), "  ", " ")
		}
	}
	return ""
}

// finalizers returns the finalizers that hold an object, each with the manager that set it, if the managed fields name one. Those of the garbage collector are left out.
func finalizers(n *relation.Node) []string {
	if n.Object == nil {
		return nil
	}
	metadata, _ := n.Object.Content["metadata"].(map[string]any)
	list, _ := metadata["finalizers"].([]any)
	var out []string
	for _, item := range list {
		if s, _ := item.(string); s != "" && s != "foregroundDeletion" && s != "orphan" {
			if manager := managerOf(metadata, s); manager != "" {
				s += " (set by " + manager + ")"
			}
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

// managerOf returns the field manager that owns a finalizer; empty if the managed fields name none, or kubectl.
func managerOf(metadata map[string]any, finalizer string) string {
	entries, _ := metadata["managedFields"].([]any)
	for _, item := range entries {
		entry, _ := item.(map[string]any)
		fields, _ := entry["fieldsV1"].(map[string]any)
		fields, _ = fields["f:metadata"].(map[string]any)
		fields, _ = fields["f:finalizers"].(map[string]any)
		if _, owns := fields[`v:"`+finalizer+`"`]; owns {
			manager, _ := entry["manager"].(string)
			if !strings.HasPrefix(manager, "kubectl") {
				return manager
			}
		}
	}
	return ""
}
