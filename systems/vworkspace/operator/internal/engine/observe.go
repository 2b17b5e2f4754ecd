// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"fmt"

	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Observe reads the status of an operation's object.
func Observe(o *api.Operation, u *unstructured.Unstructured) State {
	switch u.GetKind() {
	case "Backup", "Restore":
		return velero(u)
	case "Workflow":
		return workflow(u)
	case "Job":
		return job(u)
	case "HelmRelease":
		return release(o, u)
	}
	return State{Phase: Running}
}

func text(u *unstructured.Unstructured, path ...string) string {
	s, _, _ := unstructured.NestedString(u.Object, append([]string{"status"}, path...)...)
	return s
}

// condition returns a condition of the status, and the generation that it is of.
func condition(u *unstructured.Unstructured, conditionType string) (status, reason, message string, of int64) {
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, entry := range list {
		if m, _ := entry.(map[string]any); m["type"] == conditionType {
			status, _ = m["status"].(string)
			reason, _ = m["reason"].(string)
			message, _ = m["message"].(string)
			of, _ = m["observedGeneration"].(int64)
		}
	}
	return status, reason, message, of
}

func velero(u *unstructured.Unstructured) State {
	var s State
	switch phase := text(u, "phase"); phase {
	case "", "New":
		s.Phase = Waiting
	case "Completed":
		s.Phase = Succeeded
	case "Failed", "FailedValidation", "PartiallyFailed":
		s.Phase, s.Message = Failed, phase
		if why := text(u, "failureReason"); why != "" {
			s.Message += ": " + why
		}
		if list, _, _ := unstructured.NestedStringSlice(u.Object, "status", "validationErrors"); len(list) > 0 {
			s.Message += ": " + list[0]
		}
	default: // InProgress, WaitingForPluginOperations, Finalizing
		s.Phase = Running
	}
	return s
}

func workflow(u *unstructured.Unstructured) State {
	var s State
	switch phase := text(u, "phase"); phase {
	case "", "Pending":
		s.Phase = Waiting
	case "Succeeded":
		s.Phase = Succeeded
	case "Failed", "Error":
		s.Phase, s.Message = Failed, cmp.Or(text(u, "message"), phase)
	default:
		s.Phase = Running
	}
	return s
}

func job(u *unstructured.Unstructured) State {
	s := State{Phase: Waiting}
	if active, _, _ := unstructured.NestedInt64(u.Object, "status", "active"); active > 0 {
		s.Phase = Running
	}
	if status, _, _, _ := condition(u, "Complete"); status == "True" {
		s.Phase = Succeeded
	}
	if status, reason, message, _ := condition(u, "Failed"); status == "True" {
		s.Phase, s.Message = Failed, fmt.Sprintf("%s: %s", cmp.Or(reason, "Failed"), message)
	}
	return s
}

// release reads the HelmRelease of the target: the upgrade runs once its controller reports work on the version that was asked for, and is
// over when that is released at the generation that was observed.
func release(o *api.Operation, u *unstructured.Unstructured) State {
	s := State{Phase: Waiting}
	version := o.Spec.Parameters.Helm.TargetVersion
	observed, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	history, _, _ := unstructured.NestedSlice(u.Object, "status", "history")
	current := ""
	if len(history) > 0 {
		m, _ := history[0].(map[string]any)
		current, _ = m["chartVersion"].(string)
	}
	if u.GetAnnotations()[kit.AnnotationVersion] != version {
		return s
	}
	status, reason, message, of := condition(u, "Ready")
	if status == "Unknown" && of >= u.GetGeneration() { // Helm is at work on this spec
		s.Phase = Running
	}
	if u.GetGeneration() > observed {
		return s
	}
	if attempted := text(u, "lastAttemptedRevision"); status == "False" && attempted != "" {
		current = attempted // a failure may leave no release behind
	}
	if !kit.SameVersion(current, version) {
		return s // the result is that of another version
	}
	switch {
	case status == "True":
		s.Phase = Succeeded
	case status == "False" && failed[reason]:
		s.Phase, s.Message = Failed, reason+": "+message
	}
	return s
}

// failed are the reasons of a HelmRelease that are failures; an artifact that cannot be fetched is fetched again.
var failed = map[string]bool{"InstallFailed": true, "UpgradeFailed": true, "RollbackFailed": true, "UninstallFailed": true,
	"TestFailed":        true,
	"RollbackSucceeded": true, "UninstallSucceeded": true}
