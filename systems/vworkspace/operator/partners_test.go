// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/tristate/tristate/proof/world"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// application is a chart with a workload and a Certificate for its ingress, which names an Issuer that comes later.
const application = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  replicas: %d
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec: {containers: [{name: web, image: web}]}
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {selector: {app: {{ .Release.Name }}}, ports: [{port: %d}]}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: {{ .Release.Name }}-tls, labels: {app.kubernetes.io/instance: {{ .Release.Name }}}}
spec: {secretName: {{ .Release.Name }}-tls, dnsNames: [{{ .Values.ingress.host }}], issuerRef: {name: own}}
`

// TestPartners: an application is installed, upgraded, not upgraded, corrected and uninstalled by programs of others alone: the real
// source-controller fetches its chart, Helm's own engine releases it and waits for its objects, and the controllers of cert-manager issue
// its certificate. No status is written by the test.
func TestPartners(t *testing.T) {
	t.Parallel()
	partners(t)
	w := base(t)
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/cert-manager/cert-manager")
	list.Dir = "../../../proof/partners"
	module, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	crds := filepath.Join(strings.TrimSpace(string(module)), "deploy", "crds")
	if _, err := envtest.InstallCRDs(w.Config, envtest.CRDInstallOptions{Paths: []string{crds}, MaxTime: world.Patience,
		ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	w.run(t)
	r := &chartRegistry{handler: registry.New(registry.Logger(discard))}
	r.up(t)
	t.Cleanup(r.down)
	// 0 is no port.
	for version, content := range map[string][2]int{"1.0.0": {1, 80}, "1.1.0": {2, 80}, "1.2.0": {2, 0}, "1.3.0": {1, 8080}} {
		r.push(t, "shop", version, fmt.Sprintf(application, content[0], content[1]))
	}
	w.sourceController(t)
	w.partner(t, "helm-releases")
	w.partner(t, "cert-manager")

	o, no := instance(w.namespace(t), "shop"), false
	o.Spec.Chart = appsapi.Chart{SourceType: "oci", URL: "oci://" + r.address + "/charts", Name: "shop", Version: "1.0.0", Insecure: true}
	o.Spec.Integrations = appsapi.Integrations{CertManager: appsapi.Integration{Enabled: true},
		Ingress: appsapi.Ingress{Enabled: true, Host: "shop.example.com", Probe: &no}}
	w.Create(t, o)
	w.Seen.Reach(t, o, "Reconciling=True ChartSourceSyncing")
	w.Seen.Reach(t, o, "Ready=False WaitingForCertificate", "Reconciling=True HelmReleaseInstalling")
	w.says(t, o, "Ready", "Certificate shop-tls is not Ready")
	issuer := object("cert-manager.io/v1", "Issuer", o.Namespace, "own")
	issuer.Object["spec"] = map[string]any{"selfSigned": map[string]any{}}
	w.Create(t, issuer)
	const ready = "Ready=True HelmReleaseReadyWithWarnings"
	w.Seen.Reach(t, o, ready, "Reconciling=False Stable")
	var issued corev1.Secret
	if err := w.API.Get(t.Context(), client.ObjectKey{Namespace: o.Namespace, Name: "shop-tls"}, &issued); err != nil ||
		len(issued.Data[corev1.TLSCertKey]) == 0 {
		t.Errorf("the certificate was not issued: %v", err)
	}

	version := func(to string) {
		t.Helper()
		w.Seen.Skip(t, o)
		world.Edit(t, w.World, o, func(o *appsapi.ApplicationInstance) { o.Spec.Chart.Version = to })
	}
	version("1.1.0")
	w.Seen.Reach(t, o, "Ready=False Upgrading", "Reconciling=True HelmReleaseUpgrading")
	w.Seen.Reach(t, o, ready, "Reconciling=False Stable")
	workload := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: "shop"}}
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(workload), workload); err != nil || *workload.Spec.Replicas != 2 {
		t.Errorf("the workload of 1.1.0 is %v, %v", workload.Spec.Replicas, err)
	}
	version("1.2.0")
	w.Seen.Reach(t, o, "Ready=False HelmReleaseFailed", "Degraded=True HelmReleaseDegraded")
	w.says(t, o, "Ready", "UpgradeFailed")
	version("1.3.0")
	w.Seen.Reach(t, o, ready, "Reconciling=False Stable", "Degraded=False Recovered")

	w.Remove(t, o)
	w.Gone(t, o)
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(workload), workload); !apierrors.IsNotFound(err) {
		t.Errorf("after the uninstall the workload is there: %v", err)
	}
}
