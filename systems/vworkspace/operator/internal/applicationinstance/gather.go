// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/approval"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/window"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type gatherer struct{ *kit.Env }

func (g *gatherer) gather(ctx context.Context, o *api.ApplicationInstance, now time.Time) (Facts, error) {
	f := Facts{Now: now, Taken: g.Agent.Mark(ctx, string(o.UID)).Sequence, Grace: g.ChartUnreachable, Deleting: !o.DeletionTimestamp.IsZero(),
		Manual: o.Annotations[api.AnnotationReconcile] == "disabled", Warnings: warnings(o)}
	if err := g.dependencies(ctx, o, &f); err != nil {
		return f, err
	}
	source, release, err := g.children(o)
	if err != nil {
		f.Denied = err.Error() // the values cannot be rendered
		return f, nil
	}
	f.Rendered, f.RenderedDigest = o.Status.RenderedVersion, o.Status.RenderedDigest // of a release that was deleted
	if err := g.flux(ctx, o, source, release, &f); err != nil {
		return f, err
	}
	if err := g.policy(ctx, o, &f); err != nil {
		return f, err
	}
	if err := g.waits(ctx, o, &f); err != nil {
		return f, err
	}
	// While nothing is applied, the release that was rendered last is judged.
	wanted := o.Spec.Chart.Version
	if f.idle() && f.Rendered != "" {
		wanted = f.Rendered
	}
	f.Release.Ready = f.Release.Version != "" && kit.SameVersion(f.Release.Version, wanted)
	g.probes(o, &f)
	return f, nil
}

// children returns the Flux objects of an instance, by the settings of the operator.
func (g *gatherer) children(o *api.ApplicationInstance) (source, release *unstructured.Unstructured, err error) {
	if source, release, err = children(o); err == nil && g.ReleaseAccount != "" {
		err = unstructured.SetNestedField(release.Object, g.ReleaseAccount, "spec", "serviceAccountName")
	}
	return source, release, err
}

// dependencies finds the controllers that are missing.
func (g *gatherer) dependencies(ctx context.Context, o *api.ApplicationInstance, f *Facts) error {
	needs := []struct {
		name, group, kind string
		needed            bool
	}{
		{"flux source-controller", "source.toolkit.fluxcd.io",
			map[bool]string{true: "OCIRepository", false: "HelmRepository"}[o.Spec.Chart.SourceType == "oci"], true},
		{"flux helm-controller", "helm.toolkit.fluxcd.io", "HelmRelease", true},
		{"cert-manager", "cert-manager.io", "Certificate", o.Spec.Integrations.CertManager.Enabled},
		{"external-secrets", "external-secrets.io", "ExternalSecret", o.Spec.Integrations.ExternalSecrets.Enabled},
	}
	for _, n := range needs {
		if !n.needed {
			continue
		}
		absent, err := g.Absent(ctx, kit.GVK(n.group, n.kind))
		if err != nil {
			return err
		}
		if absent != "" {
			f.Controllers = append(f.Controllers, n.name)
		}
	}
	return nil
}

// find reads an object of another project from the cache; it does not exist where its kind is not served.
func (g *gatherer) find(ctx context.Context, u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if !g.Served.Serves(u.GroupVersionKind()) {
		return nil, nil
	}
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(u.GroupVersionKind())
	if err := g.Manager.GetClient().Get(ctx, client.ObjectKeyFromObject(u), live); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return live, nil
}

// flux reads the source and the release.
func (g *gatherer) flux(ctx context.Context, o *api.ApplicationInstance, source, release *unstructured.Unstructured, f *Facts) error {
	live, err := g.find(ctx, source)
	if err != nil {
		return err
	}
	var edited []string
	if live != nil {
		if err := g.source(o, source, live, f); err != nil {
			return err
		}
		if edited, err = g.edited(o, source, live, !f.Source.Former); err != nil {
			return err
		}
	}
	defer func() { f.Drift = strings.Join(edited, "; ") }()
	if live, err = g.find(ctx, release); err != nil || live == nil {
		return err
	}
	f.Rendered = live.GetAnnotations()[kit.AnnotationVersion]
	flux := ""
	if f.Release, flux, err = readRelease(o, live); err != nil {
		return err
	}
	f.ReleaseLeft = true
	if flux != "" {
		edited = append(edited, flux)
	}
	applied := g.Children.Applied(o, release, live)
	release = release.DeepCopy()
	if value, there, _ := unstructured.NestedFieldCopy(live.Object, "spec", "suspend"); there { // Suspended is about that
		if err := unstructured.SetNestedField(release.Object, value, "spec", "suspend"); err != nil {
			return err
		}
	}
	more, err := g.edited(o, release, live, applied)
	edited = append(edited, more...)
	return err
}

// edited names the first fields of a child that others have changed since it was applied; a child of another spec is not compared.
func (g *gatherer) edited(o *api.ApplicationInstance, desired, live *unstructured.Unstructured, applied bool) ([]string, error) {
	if !applied {
		return nil, nil
	}
	paths, err := g.Children.Drift(o, desired, live)
	if err != nil || len(paths) == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("%s %s is not as it was applied: %s", live.GetKind(), live.GetName(),
		strings.Join(paths[:min(len(paths), 5)], ", "))}, nil
}

// source reads the source.
func (g *gatherer) source(o *api.ApplicationInstance, source, live *unstructured.Unstructured, f *Facts) (err error) {
	missing := ""
	f.Source, missing, err = readSource(o, live)
	if f.Source.Former = !g.Children.Applied(o, source, live); err == nil && !f.Source.Former {
		f.NoSource = missing // that of another spec would keep the corrected one from being applied
	}
	return err
}

// policy asks the catalog policy and the approval.
func (g *gatherer) policy(ctx context.Context, o *api.ApplicationInstance, f *Facts) error {
	policy, err := g.Policy.Get(ctx)
	var invalid *kit.PolicyError
	if errors.As(err, &invalid) {
		f.Denied = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	rules := policy.Of(o.Spec.AppRef.CatalogID)
	f.Window, f.Changes = window.Open(rules.Windows, f.Now)
	f.Warnings = append(f.Warnings, deprecated(o, rules.Deprecated)...)
	if !policy.Allows(o.Spec.Chart.URL) {
		f.NoSource = fmt.Sprintf("the catalog policy does not allow charts from %s", o.Spec.Chart.URL)
	}
	for _, v := range rules.DeniedVersions {
		if v == o.Spec.Chart.Version {
			f.Denied = fmt.Sprintf("the catalog policy denies version %s of %s", v, o.Spec.AppRef.CatalogID)
		}
	}
	if ns := o.Spec.Release.Namespace; ns != "" && ns != o.Namespace {
		f.Denied = "the namespace of the release is not that of the instance"
	}
	if !rules.ApprovalRequired && o.Annotations[api.AnnotationApprovalRequired] != "true" || f.Deleting {
		return nil
	}
	return g.approval(ctx, o, f)
}

// approval verifies the claim. What was applied last needs none: it was approved before, or applied before an approval was required.
func (g *gatherer) approval(ctx context.Context, o *api.ApplicationInstance, f *Facts) error {
	subject, err := claim.Instance(g.ClusterID, o)
	if err != nil {
		return err
	}
	f.Approval = &approval.Approval{Cluster: g.ClusterID, Digest: subject.Digest}
	if o.Status.RenderedDigest == subject.Digest || o.Status.RenderedDigest == "" && o.Status.RenderedVersion == o.Spec.Chart.Version {
		return nil
	}
	keys, err := g.ApprovalKeys(ctx)
	if err != nil {
		return err
	}
	c, err := claim.Verify(keys, o.Annotations[api.AnnotationApprovalClaim], subject, f.Now)
	if err != nil {
		f.Unapproved = fmt.Sprintf("version %s needs an approval: %v", o.Spec.Chart.Version, err)
		return nil
	}
	f.ApprovalTo = time.Unix(c.Expires, 0)
	f.Approval.By, f.Approval.KeyID, f.Approval.ClaimID, f.Approval.Expires = c.By, c.KeyID, c.ID, operator.Time(f.ApprovalTo.UTC())
	return nil
}

// waits looks at the Secrets and Certificates of the chart.
func (g *gatherer) waits(ctx context.Context, o *api.ApplicationInstance, f *Facts) error {
	if v := o.Spec.Values; v != nil {
		kind, name := "", ""
		if v.SecretRef != nil {
			kind, name = "Secret", v.SecretRef.Name
		} else if v.ConfigMapRef != nil {
			kind, name = "ConfigMap", v.ConfigMapRef.Name
		}
		if kind != "" {
			object := &metav1.PartialObjectMetadata{}
			object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
			err := g.Manager.GetAPIReader().Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: name}, object)
			if client.IgnoreNotFound(err) != nil {
				return err
			}
			if apierrors.IsNotFound(err) {
				f.NoSecret = fmt.Sprintf("%s %s with the values does not exist", kind, name)
			}
		}
	}
	if o.Spec.Integrations.ExternalSecrets.Enabled && f.NoSecret == "" {
		_, unready, err := g.integration(ctx, o, kit.GVK("external-secrets.io", "ExternalSecret").Kind, "external-secrets.io")
		if err != nil {
			return err
		}
		f.NoSecret = unready
	}
	if o.Spec.Integrations.CertManager.Enabled && o.Spec.Integrations.Ingress.Enabled {
		n, unready, err := g.integration(ctx, o, "Certificate", "cert-manager.io")
		if err != nil {
			return err
		}
		if f.NoCertificate = unready; n == 0 {
			f.NoCertificate = "the ingress has no Certificate yet"
		}
	}
	return nil
}

// integration looks at the objects of a kind that belong to the instance: how many there are, and the first that is not Ready.
func (g *gatherer) integration(ctx context.Context, o *api.ApplicationInstance, kind, group string) (n int, unready string, err error) {
	gvk := kit.GVK(group, kind)
	if !g.Served.Serves(gvk) {
		return 0, "", nil
	}
	seen := map[string]bool{}
	for _, selector := range belongs(o) {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk)
		if err := g.Manager.GetClient().List(ctx, list, client.InNamespace(o.Namespace), selector); err != nil {
			return 0, "", err
		}
		for i := range list.Items {
			u := &list.Items[i]
			if seen[u.GetName()] {
				continue
			}
			seen[u.GetName()] = true
			if ok, why := readyOf(u); !ok && unready == "" {
				unready = strings.TrimSuffix(fmt.Sprintf("%s %s is not Ready: %s", kind, u.GetName(), why), ": ")
			}
		}
	}
	return len(seen), unready, nil
}

// belongs returns the labels by which an object belongs to an instance.
func belongs(o *api.ApplicationInstance) []client.MatchingLabels {
	return []client.MatchingLabels{{api.LabelInstance: o.Name}, {"app.kubernetes.io/instance": o.Spec.Release.Name}}
}

// readyOf reads the condition Ready of an object.
func readyOf(u *unstructured.Unstructured) (ok bool, why string) {
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, entry := range list {
		if m, _ := entry.(map[string]any); m["type"] == "Ready" {
			reason, _ := m["reason"].(string)
			return m["status"] == "True", reason
		}
	}
	return false, ""
}

// probes sets the probes of a released application and reads their results.
func (g *gatherer) probes(o *api.ApplicationInstance, f *Facts) {
	var probes []kit.Probe
	if i := o.Spec.Integrations.Ingress; i.Enabled && (i.Probe == nil || *i.Probe) {
		probes = append(probes, kit.Probe{Name: "ingress", URL: "https://" + i.Host + "/"})
	}
	for _, p := range o.Spec.Probes {
		probes = append(probes, kit.Probe{Name: p.Name, URL: p.URL, TCP: p.TCP, Threshold: p.FailureThreshold})
	}
	key := client.ObjectKeyFromObject(o)
	if f.Deleting || !f.Release.Before && !f.Release.Ready {
		g.Probes.Watch(key, nil)
		return
	}
	g.Probes.Watch(key, probes)
	results := g.Probes.Results(key)
	for _, p := range probes {
		endpoint, failure := p.URL+p.TCP, ""
		switch r, tried := results[p.Name]; {
		case r.Failed:
			failure = endpoint + ": " + r.Reason
		case !tried && !slices.Contains(o.Status.Endpoints, endpoint):
			f.Untried = true
			continue
		case !tried && strings.HasPrefix(o.Status.UnreachableEndpoint, endpoint+": "):
			failure = o.Status.UnreachableEndpoint // the operator was restarted: the stored result holds
		}
		f.Endpoints = append(f.Endpoints, endpoint)
		f.Endpoint = cmp.Or(f.Endpoint, failure)
	}
}

// reported is the policy of the Flux objects: "The operator reports; it does not auto-remediate."
var reported = child.Policy{Report: true}

// act applies the source and the release, unless something prevents it.
func (g *gatherer) act(ctx context.Context, o *api.ApplicationInstance, f *Facts) (err error) {
	if r := &f.Release; r.Exists && !f.Deleting && (f.asked() && !r.Suspended || !f.asked() && r.Paused) {
		if err = g.pause(ctx, o, r, f.asked()); err != nil {
			f.Unpaused = err.Error()
		}
	}
	if f.idle() || f.NoSecret != "" && !f.Release.Exists {
		return err
	}
	source, release, invalid := g.children(o)
	if invalid != nil {
		return err // gather has reported the other
	}
	if failed := g.Children.EnsureWith(ctx, o, source, reported); failed != nil {
		return cmp.Or(err, failed)
	}
	if !f.Source.Exists || f.Source.Former { // what the former spec came to is nothing about this one
		f.Source = Source{Exists: true, Fetching: true}
	}
	if failed := g.Children.EnsureWith(ctx, o, release, reported); failed != nil {
		return cmp.Or(err, failed)
	}
	f.Release.Exists, f.Rendered = true, o.Spec.Chart.Version
	if subject, err := claim.Instance(g.ClusterID, o); err == nil {
		f.RenderedDigest = subject.Digest
	}
	return err
}

// unwritten makes a fact of a child that could not be written: an object of another owner has its name, the policy of
// the cluster denies it, or the API server answered with an error or not at all. The latter says nothing about chart or
// release.
func unwritten(f *Facts, err error) {
	f.Retry = true
	switch owned := (*child.OwnedError)(nil); {
	case errors.As(err, &owned) && strings.HasPrefix(owned.Object, "HelmRelease "):
		f.Release.Failed = err.Error()
	case errors.As(err, &owned):
		f.NoSource = err.Error()
	case refused(err):
		f.Denied = err.Error()
	default:
		f.Unwritten = err.Error()
	}
}

// refused reports whether the cluster's policy rejected a write.
func refused(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
}
