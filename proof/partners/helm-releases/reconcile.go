// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	helmcommon "helm.sh/helm/v4/pkg/release/common"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/yaml"
)

// again is how long it takes until something is tried again that no watch reports.
const again = time.Second

// releases reconciles HelmReleases.
type releases struct {
	client.Client
	mapper apimeta.RESTMapper
}

// Reconcile brings the release of Helm to what a HelmRelease asks for.
func (r *releases) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var hr helmv2.HelmRelease
	if err := r.Get(ctx, request.NamespacedName, &hr); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	stored := hr.DeepCopy()
	if !hr.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.uninstall(ctx, &hr)
	}
	if controllerutil.AddFinalizer(&hr, helmv2.HelmReleaseFinalizer) {
		return ctrl.Result{}, r.Patch(ctx, &hr, client.MergeFrom(stored))
	}
	if hr.Spec.Suspend {
		return ctrl.Result{}, nil
	}
	if hr.Status.ObservedGeneration < hr.Generation {
		mark(&hr, fluxmeta.ReconcilingCondition, metav1.ConditionTrue, fluxmeta.ProgressingReason, "reconciliation in progress")
	}
	values, err := r.values(ctx, &hr)
	if err != nil {
		return r.retry(ctx, stored, &hr, "ValuesError", err)
	}
	source, err := r.source(ctx, &hr)
	if err != nil {
		return r.retry(ctx, stored, &hr, "SourceNotReady", err)
	}
	c, err := fetch(ctx, source)
	if err != nil {
		return r.retry(ctx, stored, &hr, helmv2.ArtifactFailedReason, err)
	}
	helm, err := newEngine(&hr)
	if err != nil {
		return ctrl.Result{}, err
	}
	latest, err := helm.latest()
	if err != nil {
		return ctrl.Result{}, err
	}
	wanted := state(c.Metadata.Name, c.Metadata.Version, values)
	if latest != nil && latest.Info.Status == helmcommon.StatusDeployed &&
		state(latest.Chart.Metadata.Name, latest.Chart.Metadata.Version, latest.Config) == wanted {
		reason := helmv2.InstallSucceededReason
		if latest.Version > 1 {
			reason = helmv2.UpgradeSucceededReason
		}
		settled(&hr, metav1.ConditionTrue, reason, "Helm "+latest.Info.Description)
		if hr.Status.History == nil {
			err = r.record(helm, &hr)
		}
		return ctrl.Result{}, errors.Join(err, r.write(ctx, stored, &hr))
	}
	attempt := fmt.Sprintf("%x", sha256.Sum256([]byte(wanted)))
	if apimeta.IsStatusConditionTrue(hr.Status.Conditions, fluxmeta.StalledCondition) && hr.Status.LastAttemptedConfigDigest == attempt &&
		hr.Status.LastAttemptedGeneration == hr.Generation {
		return ctrl.Result{}, r.write(ctx, stored, &hr) // the only attempt of this content has failed
	}
	mark(&hr, fluxmeta.ReconcilingCondition, metav1.ConditionTrue, fluxmeta.ProgressingReason, "running")
	mark(&hr, fluxmeta.ReadyCondition, metav1.ConditionUnknown, fluxmeta.ProgressingReason, "running")
	apimeta.RemoveStatusCondition(&hr.Status.Conditions, fluxmeta.StalledCondition)
	hr.Status.LastAttemptedConfigDigest, hr.Status.LastAttemptedGeneration = attempt, hr.Generation
	hr.Status.LastAttemptedRevision = c.Metadata.Version
	if err := r.write(ctx, stored, &hr); err != nil {
		return ctrl.Result{}, err
	}
	stored = hr.DeepCopy()
	succeeded, failed := helmv2.InstallSucceededReason, helmv2.InstallFailedReason
	if latest == nil {
		hr.Status.LastAttemptedReleaseAction = helmv2.ReleaseActionInstall
		err = helm.install(ctx, c, values)
	} else {
		hr.Status.LastAttemptedReleaseAction = helmv2.ReleaseActionUpgrade
		succeeded, failed = helmv2.UpgradeSucceededReason, helmv2.UpgradeFailedReason
		err = helm.upgrade(ctx, c, values)
	}
	if err == nil {
		settled(&hr, metav1.ConditionTrue, succeeded, "Helm "+string(hr.Status.LastAttemptedReleaseAction)+" succeeded")
	} else {
		settled(&hr, metav1.ConditionFalse, failed, "Helm "+string(hr.Status.LastAttemptedReleaseAction)+" failed: "+err.Error())
		mark(&hr, fluxmeta.StalledCondition, metav1.ConditionTrue, "RetriesExceeded", "failed after 1 attempt")
	}
	return ctrl.Result{}, errors.Join(r.record(helm, &hr), r.write(ctx, stored, &hr))
}

// settled marks that an action has ended.
func settled(hr *helmv2.HelmRelease, status metav1.ConditionStatus, reason, message string) {
	apimeta.RemoveStatusCondition(&hr.Status.Conditions, fluxmeta.ReconcilingCondition)
	apimeta.RemoveStatusCondition(&hr.Status.Conditions, fluxmeta.StalledCondition)
	mark(hr, helmv2.ReleasedCondition, status, reason, message)
	mark(hr, fluxmeta.ReadyCondition, status, reason, message)
	hr.Status.ObservedGeneration = hr.Generation
}

func mark(hr *helmv2.HelmRelease, conditionType string, status metav1.ConditionStatus, reason, message string) {
	apimeta.SetStatusCondition(&hr.Status.Conditions, metav1.Condition{Type: conditionType, Status: status, Reason: reason,
		Message: message[:min(len(message), 1024)], ObservedGeneration: hr.Generation})
}

// write stores the status where it has changed.
func (r *releases) write(ctx context.Context, stored, hr *helmv2.HelmRelease) error {
	patch := client.MergeFrom(stored)
	if data, err := patch.Data(hr); err != nil || string(data) == "{}" {
		return err
	}
	return r.Status().Patch(ctx, hr, patch)
}

// retry stores why nothing was done, and that it is tried again.
func (r *releases) retry(ctx context.Context, stored, hr *helmv2.HelmRelease, reason string, why error) (ctrl.Result, error) {
	mark(hr, fluxmeta.ReconcilingCondition, metav1.ConditionTrue, fluxmeta.ProgressingWithRetryReason, why.Error())
	mark(hr, fluxmeta.ReadyCondition, metav1.ConditionFalse, reason, why.Error())
	return ctrl.Result{RequeueAfter: again}, r.write(ctx, stored, hr)
}

// state is the content of a release, to be compared.
func state(name, version string, values map[string]any) string {
	if len(values) == 0 {
		values = nil
	}
	text, err := json.Marshal([]any{name, version, values})
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// source returns the source of the chart, once it has fetched what it is asked for.
func (r *releases) source(ctx context.Context, hr *helmv2.HelmRelease) (*sourcev1.OCIRepository, error) {
	ref := hr.Spec.ChartRef
	if ref == nil || ref.Kind != sourcev1.OCIRepositoryKind {
		return nil, errors.New("spec.chartRef is no OCIRepository")
	}
	var source sourcev1.OCIRepository
	if err := r.Get(ctx, client.ObjectKey{Namespace: hr.Namespace, Name: ref.Name}, &source); err != nil {
		return nil, err
	}
	if source.Status.Artifact == nil || source.Status.ObservedGeneration < source.Generation {
		return nil, fmt.Errorf("%s %s has no artifact of its generation", ref.Kind, ref.Name)
	}
	return &source, nil
}

// values returns the values of the chart: those of other objects, and the inline ones over them.
func (r *releases) values(ctx context.Context, hr *helmv2.HelmRelease) (map[string]any, error) {
	out := map[string]any{}
	for _, from := range hr.Spec.ValuesFrom {
		key, content := client.ObjectKey{Namespace: hr.Namespace, Name: from.Name}, map[string][]byte{}
		if from.Kind == "Secret" {
			var s corev1.Secret
			if err := r.Get(ctx, key, &s); err != nil {
				return nil, err
			}
			content = s.Data
		} else {
			var m corev1.ConfigMap
			if err := r.Get(ctx, key, &m); err != nil {
				return nil, err
			}
			for name, text := range m.Data {
				content[name] = []byte(text)
			}
		}
		text, ok := content[from.GetValuesKey()]
		if !ok {
			return nil, fmt.Errorf("%s %s has no key %s", from.Kind, from.Name, from.GetValuesKey())
		}
		if err := yaml.Unmarshal(text, &out); err != nil {
			return nil, err
		}
	}
	if hr.Spec.Values != nil {
		var inline map[string]any
		if err := json.Unmarshal(hr.Spec.Values.Raw, &inline); err != nil {
			return nil, err
		}
		out = overlay(out, inline)
	}
	return out, nil
}

// overlay puts values over others.
func overlay(base, over map[string]any) map[string]any {
	for key, value := range over {
		below, ok := value.(map[string]any)
		if was, both := base[key].(map[string]any); ok && both {
			value = overlay(was, below)
		}
		base[key] = value
	}
	return base
}

// fetch gets the chart that a source has fetched. As with helm-controller the version of a chart from an OCI repository has the beginning
// of its digest.
func fetch(ctx context.Context, source *sourcev1.OCIRepository) (*chart.Chart, error) {
	artifact := source.Status.Artifact
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, artifact.URL, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, 10<<20))
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answers %s", artifact.URL, response.Status)
	case fmt.Sprintf("sha256:%x", sha256.Sum256(data)) != artifact.Digest:
		return nil, fmt.Errorf("the artifact at %s does not have digest %s", artifact.URL, artifact.Digest)
	}
	c, err := loader.LoadArchive(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if tag, digest, ok := strings.Cut(artifact.Revision, "@sha256:"); ok && tag == c.Metadata.Version {
		c.Metadata.Version += "+" + digest[:12]
	}
	return c, nil
}
