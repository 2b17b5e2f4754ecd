// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/tristate/tristate/proof/world"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/applicationinstance"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// helmStatus is a status of a HelmRelease as helm-controller writes it: conditions as "Type Status Reason", and the history. The sources
// are helm-controller v1.6.5: the reasons are constants of its api module (v2/condition_types.go, and pkg/apis/meta v1.30.2 for the generic
// ones); which of them stand together is in the functions that are named, of internal/reconcile and internal/controller.
type helmStatus struct {
	source   string
	cells    []string
	releases []string // of the history, newest first: "VERSION STATUS"
	stale    bool     // the generation is not observed
	upgrade  bool     // from an installed 1.0.0 to 1.1.0
	want     []string // cells of the instance
}

// Cells that stand beside others.
var (
	reconciling   = "Reconciling True " + fluxmeta.ProgressingReason
	exceeded      = "Stalled True RetriesExceeded"
	installFailed = "Released False " + helmv2.InstallFailedReason
	upgradeFailed = "Released False " + helmv2.UpgradeFailedReason
	installed     = "Released True " + helmv2.InstallSucceededReason
	upgraded      = "Released True " + helmv2.UpgradeSucceededReason

	fails, degrades = "Ready=False HelmReleaseFailed", "Degraded=True HelmReleaseDegraded"
)

var helm = map[string]helmStatus{
	"accepted": {source: "HelmReleaseReconciler.reconcileRelease: not observed yet", cells: []string{reconciling, "Ready Unknown " +
		fluxmeta.ProgressingReason}, stale: true,
		want: []string{"Ready=False Installing", "Reconciling=True HelmReleaseInstalling"}},
	"waiting": {source: "helmrelease_controller.go, checkDependencies failed",
		cells: []string{"Reconciling True " + fluxmeta.ProgressingWithRetryReason, "Ready False " + helmv2.DependencyNotReadyReason},
		want:  []string{"Ready=False Installing", "Reconciling=True HelmReleaseInstalling"}},
	"installing": {source: "atomic_release.go, action install running", cells: []string{reconciling, "Ready Unknown " +
		fluxmeta.ProgressingReason},
		want: []string{"Ready=False Installing", "Reconciling=True HelmReleaseInstalling"}},
	"installed": {source: "install.go, Install.success", cells: []string{"Ready True " + helmv2.InstallSucceededReason, installed},
		releases: []string{"1.0.0 deployed"},
		want:     []string{"Ready=True HelmReleaseReady", "Reconciling=False Stable"}},
	"not-installed": {source: "install.go, Install.failure", cells: []string{exceeded, "Ready False " + helmv2.InstallFailedReason,
		installFailed}, releases: []string{"1.0.0 failed"},
		want: []string{fails, "Reconciling=False Stable", "!Degraded"}},
	"tested": {source: "test.go, Test.success", cells: []string{"Ready True " + helmv2.TestSucceededReason, installed, "TestSuccess True " +
		helmv2.TestSucceededReason},
		releases: []string{"1.0.0 deployed"}, want: []string{"Ready=True HelmReleaseReady"}},
	"not-tested": {source: "test.go, Test.failure", cells: []string{exceeded, "Ready False " + helmv2.TestFailedReason, installed,
		"TestSuccess False " + helmv2.TestFailedReason},
		releases: []string{"1.0.0 deployed"}, want: []string{fails}},
	"uninstalled": {source: "uninstall_remediation.go, UninstallRemediation.success",
		cells: []string{exceeded, "Ready False " + helmv2.UninstallSucceededReason, installFailed,
			"Remediated True " + helmv2.UninstallSucceededReason}, releases: []string{"1.0.0 uninstalled"}, want: []string{fails}},
	"not-uninstalled": {source: "uninstall_remediation.go, UninstallRemediation.failure",
		cells: []string{exceeded, "Ready False " + helmv2.UninstallFailedReason, installFailed,
			"Remediated False " + helmv2.UninstallFailedReason}, releases: []string{"1.0.0 failed"}, want: []string{fails}},
	"upgrading": {source: "atomic_release.go, action upgrade running", cells: []string{reconciling, "Ready Unknown " +
		fluxmeta.ProgressingReason, installed}, releases: []string{"1.0.0 deployed"},
		upgrade: true, want: []string{"Ready=False Upgrading", "Reconciling=True HelmReleaseUpgrading"}},
	"upgraded": {source: "upgrade.go, Upgrade.success", cells: []string{"Ready True " + helmv2.UpgradeSucceededReason, upgraded},
		releases: []string{"1.1.0+0a1b2c3d4e5f deployed", "1.0.0+5f4e3d2c1b0a superseded"}, upgrade: true,
		want: []string{"Ready=True HelmReleaseReady", "Reconciling=False Stable"}},
	"not-upgraded": {source: "upgrade.go, Upgrade.failure", cells: []string{exceeded, "Ready False " + helmv2.UpgradeFailedReason,
		upgradeFailed}, releases: []string{"1.1.0 failed", "1.0.0 superseded"},
		upgrade: true, want: []string{fails, degrades}},
	"rolled-back": {source: "rollback_remediation.go, RollbackRemediation.success",
		cells: []string{exceeded, "Ready False " + helmv2.RollbackSucceededReason, upgradeFailed,
			"Remediated True " + helmv2.RollbackSucceededReason}, releases: []string{"1.0.0 deployed", "1.1.0 failed", "1.0.0 superseded"},
		upgrade: true, want: []string{fails, degrades}},
	"not-rolled-back": {source: "rollback_remediation.go, RollbackRemediation.failure",
		cells: []string{exceeded, "Ready False " + helmv2.RollbackFailedReason, upgradeFailed,
			"Remediated False " + helmv2.RollbackFailedReason}, releases: []string{"1.1.0 failed", "1.0.0 superseded"}, upgrade: true,
		want: []string{fails, degrades}},
	"no-artifact": {source: "helmrelease_controller.go, getSource and LoadChart failed",
		cells: []string{"Reconciling True " + fluxmeta.ProgressingWithRetryReason, "Ready False " + helmv2.ArtifactFailedReason},
		want:  []string{"Ready=False ChartUnreachable"}},
	"drifted": {source: "atomic_release.go, drift detection in mode warn", cells: []string{"Ready True " + helmv2.UpgradeSucceededReason,
		upgraded, "Drifted True " + helmv2.DriftDetectedReason},
		releases: []string{"1.1.0 deployed", "1.0.0 superseded"}, upgrade: true, want: []string{"Ready=True HelmReleaseReady",
			"Degraded=True Drifted"}},
	"not-drifted": {source: "atomic_release.go, drift detection in mode warn", cells: []string{"Ready True " + helmv2.UpgradeSucceededReason,
		upgraded, "Drifted False " + helmv2.NoDriftDetectedReason},
		releases: []string{"1.1.0 deployed", "1.0.0 superseded"}, upgrade: true, want: []string{"Ready=True HelmReleaseReady", "!Degraded"}},
}

// unread are reasons of the api module that stand in no condition that an instance is judged by.
var unread = []string{helmv2.InventoryBuildFailedReason, helmv2.NamespaceCheckSkippedReason}

// TestHelmReasons: the table has every reason that the api module of helm-controller declares.
func TestHelmReasons(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/fluxcd/helm-controller/api/v2").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimSpace(string(out))
	have := map[string]bool{}
	for _, reason := range unread {
		have[reason] = true
	}
	for _, s := range helm {
		for _, cell := range s.cells {
			have[fields(cell)[2]] = true
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || !strings.HasSuffix(spec.Names[0].Name, "Reason") || len(spec.Values) != 1 {
				return true
			}
			if value, ok := spec.Values[0].(*ast.BasicLit); ok {
				declared++
				if reason := strings.Trim(value.Value, "\""); !have[reason] {
					t.Errorf("the table has no status with reason %s", reason)
				}
			}
			return true
		})
	}
	if declared < 15 {
		t.Errorf("%d reasons were found in %s", declared, dir)
	}
}

// statuses writes every status of the table to a HelmRelease.
func statuses(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	objects := map[string]*appsapi.ApplicationInstance{}
	for name, s := range helm {
		o := instance(ns, name)
		objects[name] = o
		w.Create(t, o)
		w.fetched(t, o, "1.0.0")
		if s.upgrade {
			w.helmWrites(t, o, "installed")
		}
	}
	for name, s := range helm {
		o := objects[name]
		if s.upgrade {
			w.Seen.Reach(t, o, "Ready=True HelmReleaseReady")
			world.Edit(t, w.World, o, func(o *appsapi.ApplicationInstance) { o.Spec.Chart.Version = "1.1.0" })
			w.Seen.Reach(t, o, "Ready=False Upgrading", "Reconciling=True ChartSourceSyncing")
			w.fetched(t, o, "1.1.0")
		}
		w.Seen.Reach(t, o, "Reconciling=True "+map[bool]string{true: "HelmReleaseUpgrading", false: "HelmReleaseInstalling"}[s.upgrade])
		w.helmWrites(t, o, name)
		w.Seen.Reach(t, o, s.want...)
	}
}

// conditionsOf makes conditions of cells.
func conditionsOf(generation int64, cells []string) (out []metav1.Condition) {
	for _, cell := range cells {
		f := fields(cell)
		out = append(out, metav1.Condition{Type: f[0], Status: metav1.ConditionStatus(f[1]), Reason: f[2], Message: "as Flux writes it",
			ObservedGeneration: generation,
			LastTransitionTime: metav1.Now().Rfc3339Copy()})
	}
	return out
}

// helmWrites plays helm-controller: it writes a status of the table to the HelmRelease of an instance.
func (w *vworkspace) helmWrites(t *testing.T, o *appsapi.ApplicationInstance, name string) {
	t.Helper()
	s, ok := helm[name]
	if !ok {
		t.Fatalf("the table has no status %s", name)
	}
	w.helmStatus(t, o, s)
}

// helmStatus writes a status to the HelmRelease of an instance.
func (w *vworkspace) helmStatus(t *testing.T, o *appsapi.ApplicationInstance, s helmStatus) {
	t.Helper()
	hr := &helmv2.HelmRelease{}
	w.flux(t, client.ObjectKey{Namespace: o.Namespace, Name: o.Spec.Release.Name}, hr, "HelmRelease", helmv2.GroupVersion.String(), func() {
		observed := hr.Generation
		if s.stale {
			observed--
		}
		hr.Status = helmv2.HelmReleaseStatus{ObservedGeneration: observed, Conditions: conditionsOf(hr.Generation, s.cells)}
		for i, release := range s.releases {
			f := fields(release)
			hr.Status.History = append(hr.Status.History, &helmv2.Snapshot{Name: hr.Name, Namespace: hr.Namespace, Version: len(s.releases) - i,
				ChartName:    o.Spec.Chart.Name,
				ChartVersion: f[0], Status: f[1], Digest: "sha256:0", ConfigDigest: "sha256:0", FirstDeployed: metav1.Now(),
				LastDeployed: metav1.Now()})
		}
	})
}

// sourceWrites plays source-controller: it writes the conditions of the OCIRepository of an instance, and the artifact of a version; empty:
// none.
func (w *vworkspace) sourceWrites(t *testing.T, o *appsapi.ApplicationInstance, version string, cells ...string) {
	t.Helper()
	source := &sourcev1.OCIRepository{}
	w.flux(t, client.ObjectKey{Namespace: o.Namespace, Name: applicationinstance.SourceName(o)}, source, "OCIRepository",
		sourcev1.GroupVersion.String(), func() {
			source.Status.ObservedGeneration = source.Generation
			source.Status.Conditions = conditionsOf(source.Generation, cells)
			if source.Status.Artifact = nil; version != "" {
				source.Status.Artifact = &fluxmeta.Artifact{Path: "p", URL: "http://source/p",
					Digest:   "sha256:0000000000000000000000000000000000000000000000000000000000000000",
					Revision: version + "@sha256:0", LastUpdateTime: metav1.Now()}
			}
		})
}

// fetched writes the status of a source that has the artifact: source-controller v1.9.3, ocirepository_controller.go, summarizeAndPatch.
func (w *vworkspace) fetched(t *testing.T, o *appsapi.ApplicationInstance, version string) {
	t.Helper()
	w.sourceWrites(t, o, version, "Ready True Succeeded", "ArtifactInStorage True Succeeded")
}

// flux waits for an object of Flux and changes its status.
func (w *vworkspace) flux(t *testing.T, key client.ObjectKey, into client.Object, kind, version string, change func()) {
	t.Helper()
	world.Eventually(t, func() error {
		u := object(version, kind, key.Namespace, key.Name)
		if err := w.API.Get(t.Context(), key, u); err != nil {
			return err
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, into); err != nil {
			return err
		}
		change()
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(into)
		if err != nil {
			return err
		}
		u.Object = content
		u.SetAPIVersion(version)
		u.SetKind(kind)
		return w.API.Status().Update(t.Context(), u)
	})
}

// released brings an instance of version 1.0.0 to Ready.
func (w *vworkspace) released(t *testing.T, o *appsapi.ApplicationInstance) {
	t.Helper()
	w.Create(t, o)
	w.fetched(t, o, "1.0.0")
	w.helmWrites(t, o, "installed")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady", "Reconciling=False Stable")
}

// instance returns an application from an OCI chart.
func instance(ns, name string) *appsapi.ApplicationInstance {
	return &appsapi.ApplicationInstance{ObjectMeta: gated(ns, name),
		Spec: appsapi.ApplicationInstanceSpec{AppRef: appsapi.AppRef{CatalogID: "odoo"},
			Chart:   appsapi.Chart{SourceType: "oci", URL: "oci://registry.example.com/charts", Name: "odoo", Version: "1.0.0"},
			Release: appsapi.Release{Name: name}}}
}

var short = 2 * time.Second
