// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"slices"
	"strings"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// absent are the texts by which a registry or repository answers that it does not have a chart or a version; Flux passes them on in its
// messages. The codes are those of the OCI distribution specification.
var absent = []string{"MANIFEST_UNKNOWN", "NAME_UNKNOWN", "404 Not Found"}

// readSource reads the status of a Flux source, and why the configured source does not exist: its address is none, or what answers there
// does not have it.
func readSource(o *api.ApplicationInstance, u *unstructured.Unstructured) (s Source, missing string, err error) {
	s.Exists = true
	var conditions []metav1.Condition
	fetched, observed := false, int64(0)
	if u.GetKind() == sourcev1.OCIRepositoryKind {
		var source sourcev1.OCIRepository
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &source); err != nil {
			return s, "", err
		}
		conditions, observed = source.Status.Conditions, source.Status.ObservedGeneration
		if a := source.Status.Artifact; a != nil {
			tag, _, _ := strings.Cut(a.Revision, "@")
			fetched = tag == strings.ReplaceAll(o.Spec.Chart.Version, "+", "_")
		}
	} else {
		var source sourcev1.HelmRepository
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &source); err != nil {
			return s, "", err
		}
		conditions, observed = source.Status.Conditions, source.Status.ObservedGeneration
		fetched = source.Status.Artifact != nil
	}
	stale := observed < u.GetGeneration()
	if c := meta.FindStatusCondition(conditions, fluxmeta.StalledCondition); c != nil && c.Status == metav1.ConditionTrue && !stale {
		if c.Reason == sourcev1.URLInvalidReason || c.Reason == fluxmeta.InvalidURLReason {
			return s, "the chart source is not valid: " + c.Message, nil
		}
	}
	ready := meta.FindStatusCondition(conditions, fluxmeta.ReadyCondition)
	failed := meta.FindStatusCondition(conditions, sourcev1.FetchFailedCondition)
	switch {
	case failed != nil && failed.Status == metav1.ConditionTrue && failed.ObservedGeneration >= u.GetGeneration():
		s.Failed = failed.Reason + ": " + steady(failed.Message)
	case ready != nil && ready.Status == metav1.ConditionFalse && ready.ObservedGeneration >= u.GetGeneration():
		s.Failed = ready.Reason + ": " + steady(ready.Message)
	}
	s.Fetching = !fetched || stale || meta.IsStatusConditionTrue(conditions, fluxmeta.ReconcilingCondition)
	if slices.ContainsFunc(absent, func(text string) bool { return strings.Contains(s.Failed, text) }) {
		missing = "the chart source does not exist: " + s.Failed
	}
	return s, missing, nil
}

// failures are the reasons of Ready=False of a HelmRelease that stay until something is changed or tried again.
var failures = map[string]bool{helmv2.InstallFailedReason: true, helmv2.UpgradeFailedReason: true, helmv2.RollbackFailedReason: true,
	helmv2.UninstallFailedReason: true,
	helmv2.TestFailedReason:      true, helmv2.RollbackSucceededReason: true, helmv2.UninstallSucceededReason: true,
	"StorageOperationFailed": true,
	"ValuesError":            true, "ImpersonationFailed": true}

// readRelease reads the status of a HelmRelease.
func readRelease(o *api.ApplicationInstance, u *unstructured.Unstructured) (Release, string, error) {
	r := Release{Exists: true, Paused: paused(u), Before: o.Status.ReleasedAt != nil}
	var hr helmv2.HelmRelease
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &hr); err != nil {
		return r, "", err
	}
	r.Suspended = hr.Spec.Suspend
	for i, s := range hr.Status.History {
		if s.Status == "deployed" || s.Status == "superseded" {
			r.Before = true
		}
		if i == 0 && s.Status == "deployed" {
			r.Chart = s.ChartName + "@" + s.ChartVersion
		}
	}
	ready := meta.FindStatusCondition(hr.Status.Conditions, fluxmeta.ReadyCondition)
	if ready == nil {
		return r, "", nil
	}
	r.Judged = true
	made := generation(u)
	if r.Suspended && !r.Paused && hr.Status.ObservedGeneration == made-1 { // its controller does not look at the suspension
		made--
	}
	observed := hr.Status.ObservedGeneration >= made && ready.ObservedGeneration >= made
	r.Progressing = meta.IsStatusConditionTrue(hr.Status.Conditions, fluxmeta.ReconcilingCondition) || ready.Status == metav1.ConditionUnknown
	if latest := hr.Status.History.Latest(); latest != nil && observed && ready.Status == metav1.ConditionTrue {
		r.Version = latest.ChartVersion
	}
	if ready.Status == metav1.ConditionFalse && ready.ObservedGeneration >= made {
		switch {
		case ready.Reason == helmv2.ArtifactFailedReason:
			r.Unreachable = ready.Reason + ": " + steady(ready.Message)
		case failures[ready.Reason]:
			r.Failed = ready.Reason + ": " + ready.Message
		}
	}
	if c := meta.FindStatusCondition(hr.Status.Conditions, helmv2.ReleasedCondition); c != nil && c.Status == metav1.ConditionFalse &&
		r.Before {
		r.Degraded = c.Reason + ": " + c.Message
	}
	drifted := ""
	if c := meta.FindStatusCondition(hr.Status.Conditions, helmv2.DriftedCondition); c != nil && c.Status == metav1.ConditionTrue {
		drifted = "Flux reports: " + c.Message
	}
	return r, drifted, nil
}

// steady returns the first line of a message: the other lines of Flux have attempts and addresses.
func steady(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return line
}
