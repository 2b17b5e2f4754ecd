// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/tristate/tristate/proof/world"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/applicationinstance"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// releases tests the states of a HelmRelease, as helm-controller writes them.
func releases(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	o := instance(ns, "shop")
	w.Create(t, o)
	w.Seen.Reach(t, o, "Ready=Unknown Reconciling", "Reconciling=True ChartSourceSyncing", "Suspended=False Active", "Blocked=False Unblocked",
		"!Degraded", "!Deleting")
	w.fetched(t, o, "1.0.0")
	w.Seen.Reach(t, o, "Ready=Unknown Reconciling", "Reconciling=True HelmReleaseInstalling")
	w.helmWrites(t, o, "installing")
	w.Seen.Reach(t, o, "Ready=False Installing", "Reconciling=True HelmReleaseInstalling")
	w.helmWrites(t, o, "not-installed")
	w.Seen.Reach(t, o, "Ready=False HelmReleaseFailed", "Reconciling=False Stable", "!Degraded")
	w.helmWrites(t, o, "installed")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady", "Reconciling=False Stable", "!Degraded")

	world.Edit(t, w.World, o, func(o *appsapi.ApplicationInstance) { o.Spec.Chart.Version = "1.1.0" })
	w.Seen.Reach(t, o, "Ready=False Upgrading", "Reconciling=True ChartSourceSyncing")
	w.fetched(t, o, "1.1.0")
	w.Seen.Reach(t, o, "Ready=False Upgrading", "Reconciling=True HelmReleaseUpgrading")
	w.helmWrites(t, o, "not-upgraded")
	w.Seen.Reach(t, o, "Ready=False HelmReleaseFailed", "Degraded=True HelmReleaseDegraded")
	w.helmWrites(t, o, "upgraded")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady", "Degraded=False Recovered", "Reconciling=False Stable")

	// Drift: Flux reports it, or somebody edits the HelmRelease. It is not repaired.
	w.helmWrites(t, o, "drifted")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady", "Degraded=True Drifted")
	w.helmWrites(t, o, "upgraded")
	w.Seen.Reach(t, o, "Degraded=False Recovered")
	edit := func(interval time.Duration) {
		world.Eventually(t, func() error {
			u := object(helmv2.GroupVersion.String(), "HelmRelease", ns, "shop")
			if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
				return err
			}
			if err := unstructured.SetNestedField(u.Object, interval.String(), "spec", "interval"); err != nil {
				return err
			}
			return w.API.Update(t.Context(), u)
		})
	}
	edit(time.Hour)
	w.Seen.Reach(t, o, "Degraded=True Drifted")
	for range 3 {
		w.Wake(t)
		u := object(helmv2.GroupVersion.String(), "HelmRelease", ns, "shop")
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil || text(u, "spec", "interval") != "1h0m0s" {
			t.Errorf("the edit is remediated: the interval is %s, %v", text(u, "spec", "interval"), err)
		}
	}
	edit(5 * time.Minute)
	w.helmWrites(t, o, "upgraded")
	w.Seen.Reach(t, o, "Degraded=False Recovered", "Ready=True HelmReleaseReady")

	// A warning does not make it less ready.
	world.Edit(t, w.World, o, func(o *appsapi.ApplicationInstance) { o.Spec.Chart.Insecure = true })
	w.fetched(t, o, "1.1.0")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReadyWithWarnings")
	world.Edit(t, w.World, o, func(o *appsapi.ApplicationInstance) { o.Spec.Chart.Insecure = false })
	w.fetched(t, o, "1.1.0")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady")
	uninstall(t, w, o)
}

// uninstall waits for the HelmRelease and for the objects of the chart.
func uninstall(t *testing.T, w *vworkspace, o *appsapi.ApplicationInstance) {
	ns := o.Namespace
	finalize := func(finalizers []string) {
		world.Eventually(t, func() error {
			u := object(helmv2.GroupVersion.String(), "HelmRelease", ns, o.Spec.Release.Name)
			if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
				return client.IgnoreNotFound(err)
			}
			u.SetFinalizers(finalizers)
			return w.API.Update(t.Context(), u)
		})
	}
	finalize([]string{helmv2.HelmReleaseFinalizer})
	child := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "web",
		Labels: map[string]string{appsapi.LabelInstance: o.Name}, Finalizers: []string{"example.dev/load-balancer"}},
		Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
	w.Create(t, child)
	w.Remove(t, o)
	w.Seen.Reach(t, o, "Deleting=True Uninstalling")
	w.Remove(t, child)
	finalize(nil)
	w.Seen.Reach(t, o, "Deleting=True WaitingForChildResources")
	world.Edit(t, w.World, child, func(s *corev1.Service) { s.Finalizers = nil })
	w.Gone(t, o)
}

// charts tests sources that cannot be reached; source-controller's statuses are written by the test here, and by the real one in
// TestSourceController.
func charts(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	o := instance(ns, "shop")
	w.Create(t, o)
	failing := []string{"Reconciling True ProgressingWithRetry", "Ready False OCIArtifactPullFailed", "FetchFailed True OCIArtifactPullFailed"}
	w.sourceWrites(t, o, "", failing...)
	w.Seen.Reach(t, o, "Ready=False ChartUnreachable", "!Degraded")
	w.Seen.Reach(t, o, "Ready=False ChartUnreachable", "Degraded=True ChartUnreachable")
	w.fetched(t, o, "1.0.0")
	w.Seen.Reach(t, o, "Ready=Unknown Reconciling", "Degraded=False Recovered")
	w.helmWrites(t, o, "installed")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady")
	// The application runs on while its registry is away.
	w.sourceWrites(t, o, "1.0.0", failing...)
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady", "Degraded=True ChartUnreachable")
	w.fetched(t, o, "1.0.0")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady", "Degraded=False Recovered")
	w.helmWrites(t, o, "no-artifact")
	w.Seen.Reach(t, o, "Ready=False ChartUnreachable")
	w.helmWrites(t, o, "installed")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady")
}

// repository tests an application from a chart of a Helm repository.
func repository(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	o := instance(ns, "shop")
	o.Spec.Chart.SourceType, o.Spec.Chart.URL = "helm", "https://charts.example.com"
	w.Create(t, o)
	w.Seen.Reach(t, o, "Ready=Unknown Reconciling", "Reconciling=True ChartSourceSyncing")
	source := &sourcev1.HelmRepository{}
	fetched := func(cells ...string) {
		w.flux(t, client.ObjectKey{Namespace: ns, Name: applicationinstance.SourceName(o)}, source, "HelmRepository",
			sourcev1.GroupVersion.String(), func() {
				// source-controller v1.9.3, helmrepository_controller.go, summarizeAndPatch
				source.Status.ObservedGeneration, source.Status.Conditions = source.Generation, conditionsOf(source.Generation, cells)
				source.Status.Artifact = &fluxmeta.Artifact{Path: "p", URL: "http://source/p", Revision: "sha256:0", LastUpdateTime: metav1.Now(),
					Digest: "sha256:0000000000000000000000000000000000000000000000000000000000000000"}
			})
	}
	fetched("Ready True Succeeded", "ArtifactInStorage True Succeeded")
	w.Seen.Reach(t, o, "Reconciling=True HelmReleaseInstalling")
	w.helmWrites(t, o, "installed")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady", "Reconciling=False Stable")
	world.Edit(t, w.World, o, func(o *appsapi.ApplicationInstance) { o.Spec.Chart.URL = "https://charts.example.org" })
	world.Eventually(t, func() error {
		u := object(sourcev1.GroupVersion.String(), "HelmRepository", ns, applicationinstance.SourceName(o))
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
			return err
		}
		if url, _, _ := unstructured.NestedString(u.Object, "spec", "url"); url != o.Spec.Chart.URL {
			return fmt.Errorf("the source has URL %s, want %s", url, o.Spec.Chart.URL)
		}
		return nil
	})
	fetched("Ready False IndexationFailed", "FetchFailed True IndexationFailed")
	w.Seen.Reach(t, o, "Degraded=True ChartUnreachable")
}

// squatted tests chart sources whose name an object of another owner has: it is left alone, and the instance has no source.
func squatted(t *testing.T, w *vworkspace) {
	for kind, chart := range map[string]appsapi.Chart{
		"OCIRepository":  {},
		"HelmRepository": {SourceType: "helm", URL: "https://charts.example.com"},
	} {
		o := instance(w.namespace(t), "shop")
		if chart.URL != "" {
			o.Spec.Chart.SourceType, o.Spec.Chart.URL = chart.SourceType, chart.URL
		}
		theirs := object(sourcev1.GroupVersion.String(), kind, o.Namespace, applicationinstance.SourceName(o))
		theirs.Object["spec"] = map[string]any{"interval": "1m", "url": "oci://registry.example.com/other"}
		w.Create(t, theirs)
		w.Create(t, o)
		w.Seen.Reach(t, o, "Blocked=True MissingChartSource")
		after := object(sourcev1.GroupVersion.String(), kind, o.Namespace, theirs.GetName())
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(after), after); err != nil ||
			after.GetGeneration() != theirs.GetGeneration() {
			t.Errorf("the %s of another owner was touched: %v", kind, err)
		}
	}
}

// integrations tests the controllers that a chart relies on, which are installed later.
func integrations(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	o := instance(ns, "shop")
	probe := false
	o.Spec.Integrations = appsapi.Integrations{CertManager: appsapi.Integration{Enabled: true},
		ExternalSecrets: appsapi.Integration{Enabled: true},
		Ingress:         appsapi.Ingress{Enabled: true, Host: "shop.example.com", Probe: &probe}}
	o.Spec.Values = &appsapi.Values{Source: "secretRef", SecretRef: &appsapi.ValuesRef{Name: "values"}}
	w.Create(t, o)
	w.Seen.Reach(t, o, "Blocked=True MissingDependencies", "Ready=False WaitingForSecret")
	w.installed(t, "cert-manager.io", "Certificate")
	w.installed(t, "external-secrets.io", "ExternalSecret")
	w.knows(t, "cert-manager.io", "Certificate")
	w.knows(t, "external-secrets.io", "ExternalSecret")
	w.says(t, o, "Blocked", "not present: cert-manager, external-secrets") // their definitions alone do nothing
	certManager := w.deployment(t, "cert-manager", "cert-manager", nil)
	w.says(t, o, "Blocked", "not present: external-secrets")
	w.deployment(t, "external-secrets", "external-secrets", nil)
	w.Seen.Reach(t, o, "Blocked=False Unblocked", "Ready=False WaitingForSecret")
	w.Remove(t, certManager)
	w.Seen.Reach(t, o, "Blocked=True MissingDependencies")
	w.deployment(t, "cert-manager", "cert-manager", nil)
	w.Seen.Reach(t, o, "Blocked=False Unblocked")
	values := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "values"},
		StringData: map[string]string{"values.yaml": "a: 1"}}
	w.Create(t, values)
	w.Seen.Reach(t, o, "Ready=False WaitingForCertificate")
	w.fetched(t, o, "1.0.0")
	w.helmWrites(t, o, "installed")
	labels := map[string]string{"app.kubernetes.io/instance": "shop"}
	synced := object("external-secrets.io/v1", "ExternalSecret", ns, "db")
	synced.SetLabels(labels)
	w.Create(t, synced)
	w.Seen.Reach(t, o, "Ready=False WaitingForSecret")
	w.ready(t, synced, "SecretSynced") // external-secrets v1.3, pkg/apis/externalsecrets/v1: ConditionReasonSecretSynced
	w.Seen.Reach(t, o, "Ready=False WaitingForCertificate")
	certificate := object("cert-manager.io/v1", "Certificate", ns, "tls")
	certificate.SetLabels(labels)
	w.Create(t, certificate)
	w.ready(t, certificate, "Ready") // cert-manager v1.21, pkg/controller/certificates/readiness: ReadyReason
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady")
}

// ready writes the condition Ready of an object.
func (w *vworkspace) ready(t *testing.T, u *unstructured.Unstructured, reason string) {
	t.Helper()
	u.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True", "reason": reason}}}
	if err := w.API.Update(t.Context(), u); err != nil {
		t.Fatal(err)
	}
}

// endpoints tests readiness checks over the network.
func endpoints(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	var code atomic.Int64
	code.Store(http.StatusOK)
	web := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(int(code.Load())) }))
	t.Cleanup(web.Close)
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := instance(ns, "shop")
	o.Spec.Probes = []appsapi.Probe{{Name: "web", URL: web.URL, FailureThreshold: 2}, {Name: "database", TCP: socket.Addr().String(),
		FailureThreshold: 2}}
	w.released(t, o)
	code.Store(http.StatusInternalServerError)
	w.Seen.Reach(t, o, "Degraded=True EndpointUnreachable", "Ready=False EndpointUnreachable")
	code.Store(http.StatusOK)
	w.Seen.Reach(t, o, "Degraded=False Recovered", "Ready=True HelmReleaseReady")
	if err := socket.Close(); err != nil {
		t.Fatal(err)
	}
	w.Seen.Reach(t, o, "Degraded=True EndpointUnreachable")
	world.Edit(t, w.World, o, func(o *appsapi.ApplicationInstance) { o.Spec.Probes = nil })
	w.Seen.Reach(t, o, "Degraded=False Recovered", "Ready=True HelmReleaseReady")
}

// suspended waits until the HelmRelease of an instance is suspended, or is not.
func (w *vworkspace) suspended(t *testing.T, ns string, want bool) {
	t.Helper()
	world.Eventually(t, func() error {
		u := object(helmv2.GroupVersion.String(), helmv2.HelmReleaseKind, ns, "shop")
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
			return err
		}
		if have, _, _ := unstructured.NestedBool(u.Object, "spec", "suspend"); have != want {
			return fmt.Errorf("the HelmRelease is suspended: %v, want %v", have, want)
		}
		return nil
	})
}

// policies tests the catalog policy and the annotations: windows, approvals, sources that are not allowed.
func policies(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	o := instance(ns, "shop")
	o.Spec.AppRef.CatalogID = "governed"
	o.Spec.Values = &appsapi.Values{Source: "inline", Inline: &apiextensionsv1.JSON{Raw: []byte(`{"web":{"host":"shop"}}`)}}
	w.released(t, o)
	annotate := func(key, value string) {
		world.Edit(t, w.World, o, func(o *appsapi.ApplicationInstance) { metav1.SetMetaDataAnnotation(&o.ObjectMeta, key, value) })
	}
	annotate(appsapi.AnnotationReconcile, "disabled")
	w.Seen.Reach(t, o, "Suspended=True ManuallySuspended", "Ready=True HelmReleaseReady", "Reconciling=False Stable")
	w.suspended(t, ns, true)
	annotate(appsapi.AnnotationReconcile, "enabled")
	w.Seen.Reach(t, o, "Suspended=False Active", "Ready=True HelmReleaseReady")
	w.suspended(t, ns, false)

	policy := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: kit.PolicyName}}
	opens := w.Now().Add(2 * time.Second).UTC()
	window := func(end time.Time) string {
		return fmt.Sprintf("applications:\n- catalogId: governed\n  maintenanceWindows:\n  - {start: %s, end: %s}\n",
			opens.Format(time.RFC3339), end.UTC().Format(time.RFC3339))
	}
	policy.Data = map[string]string{kit.PolicyKey: window(opens.Add(time.Hour))}
	w.Create(t, policy)
	rules := func(text string) {
		world.Edit(t, w.World, policy, func(c *corev1.ConfigMap) { c.Data = map[string]string{kit.PolicyKey: text} })
	}
	w.Seen.Reach(t, o, "Suspended=True MaintenanceWindow", "Ready=True HelmReleaseReady")
	rules(window(w.Now().Add(2 * time.Second)))
	w.Seen.Reach(t, o, "Suspended=False Active")

	rules("applications:\n- {catalogId: governed, deprecatedValues: [{key: web.host, use: ingress.host}]}\n")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReadyWithWarnings")
	w.says(t, o, "Ready", "values key web.host is deprecated: use ingress.host")
	rules("applications: []\n")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady")

	rules("applications:\n- {catalogId: governed, approvalRequired: true}\n")
	w.subject(t, o) // the operator has the rule before it sees the edit
	world.Edit(t, w.World, o, func(o *appsapi.ApplicationInstance) { o.Spec.Chart.Version = "1.1.0" })
	w.Seen.Reach(t, o, "Blocked=True AwaitingApproval", "Reconciling=False Stable")
	annotate(appsapi.AnnotationApprovalClaim, w.approve(t, o, time.Hour))
	w.Seen.Reach(t, o, "Blocked=False Unblocked")
	w.fetched(t, o, "1.1.0")
	w.helmWrites(t, o, "upgraded")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady", "Blocked=False Unblocked")

	annotate(appsapi.AnnotationApprovalClaim, "") // a release that somebody deletes comes back: its version was approved before
	w.Remove(t, object(helmv2.GroupVersion.String(), helmv2.HelmReleaseKind, ns, "shop"))
	w.helmWrites(t, o, "upgraded")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady", "Blocked=False Unblocked")

	rules("applications:\n- {catalogId: governed, deniedVersions: [1.1.0]}\n")
	w.Seen.Reach(t, o, "Blocked=True PolicyDenied", "Ready=True HelmReleaseReady")
	rules("applications: [")
	w.Seen.Reach(t, o, "Blocked=True PolicyDenied")
	rules("allowedSources: [\"oci://registry.example.org\"]\napplications: []\n")
	w.Seen.Reach(t, o, "Blocked=True MissingChartSource")
	rules("allowedSources: [\"oci://registry.example.org\", \"oci://registry.example.com/charts\"]\n")
	w.Seen.Reach(t, o, "Blocked=False Unblocked", "Ready=True HelmReleaseReady")
	w.Remove(t, policy)
}

// gates tests objects that the operator does not manage.
func gates(t *testing.T, w *vworkspace) {
	open := w.NewNamespace(t) // without the label
	ungated, waits := instance(open, "shop"), instance(open, "waits")
	w.Create(t, ungated)
	w.Create(t, waits)
	other := instance(w.namespace(t), "shop")
	other.Labels[kit.LabelClusterID] = "edge-2"
	w.Create(t, other)
	ours := instance(w.namespace(t), "shop")
	w.Create(t, ours)
	w.Seen.Reach(t, ours, "Blocked=False Unblocked")
	w.Wake(t)
	for _, o := range []*appsapi.ApplicationInstance{ungated, other} {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil || len(o.Status.Conditions) > 0 || len(o.Finalizers) > 0 {
			t.Errorf("%s/%s was touched: %v %v", o.Namespace, o.Name, o.Status.Conditions, err)
		}
	}
	w.Remove(t, ungated)
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(ungated), ungated); !apierrors.IsNotFound(err) {
		t.Errorf("an object without the label was held: %v", err)
	}
	world.Edit(t, w.World, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: open}}, func(n *corev1.Namespace) {
		metav1.SetMetaDataLabel(&n.ObjectMeta, kit.LabelNamespace, kit.ManagedNamespace)
	})
	w.Seen.Reach(t, waits, "Blocked=False Unblocked") // its namespace may also be seen after it
}
