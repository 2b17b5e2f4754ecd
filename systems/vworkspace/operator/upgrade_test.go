// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/tristate/tristate/proof/plane/recorded"
	"github.com/tristate/tristate/proof/world"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/cluster"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// before is what the operator of commit 86c8337 wrote, and of commit 503247c3 the Cluster and its credential: that commit with this file in
// it, run with
//
//	TRISTATE_RECORD=1 go test ./vworkspace -run TestUpgrade
//
// It is made in the same way when a version is released.
const before = "testdata/before.yaml"

// TestUpgrade: this version takes over what the version before wrote without a needless write: an application that is released, one whose
// chart is fetched, an operation that has ended and one that waits for an approval, with their children, and a Cluster, which goes on with
// its control plane by its credential. The clock is that of the record, as credentials are rotated.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	const ns, recordedURL = "team-before", "https://control-plane.invalid"
	w := base(t)
	kinds := []schema.GroupVersionKind{corev1.SchemeGroupVersion.WithKind("Namespace"), corev1.SchemeGroupVersion.WithKind("Secret"),
		opsapi.GroupVersion.WithKind("Cluster"), appsapi.GroupVersion.WithKind("ApplicationInstance"), opsapi.GroupVersion.WithKind("Operation"),
		sourcev1.GroupVersion.WithKind("OCIRepository"), helmv2.GroupVersion.WithKind("HelmRelease"), batchv1.SchemeGroupVersion.WithKind("Job")}
	keep := func(o *unstructured.Unstructured) bool {
		return o.GetNamespace() == ns || o.GetKind() == "Namespace" && o.GetName() == ns || o.GetKind() == "Cluster" || o.GetKind() == "Secret" &&
			o.GetName() == agent.CredentialsName
	}
	if recorded.Making() {
		w.run(t)
		w.Create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns,
			Labels: map[string]string{kit.LabelNamespace: kit.ManagedNamespace}}})
		shop, fetching := instance(ns, "shop"), instance(ns, "fetching")
		w.released(t, shop)
		w.Create(t, fetching)
		w.Seen.Reach(t, fetching, "Reconciling=True ChartSourceSyncing", "Ready=Unknown Reconciling")
		done, waits := w.operation(ns, "done", "shop"), w.operation(ns, "waits", "shop")
		w.Create(t, done)
		w.Seen.Reach(t, done, "Succeeded=True EngineCompleted")
		waits.Spec.Approvals.Required = true
		w.Create(t, waits)
		w.Seen.Reach(t, waits, "Blocked=True AwaitingApproval")
		self := w.cluster()
		self.Spec.Connectivity = opsapi.Connectivity{HeartbeatInterval: &metav1.Duration{Duration: time.Hour},
			LongPoll: &metav1.Duration{Duration: time.Second}}
		w.Create(t, self)
		w.Seen.Reach(t, self, "Connected=True RoundTripOK", "Authenticated=True CredentialAccepted", "Disconnected=False Connected",
			"ControllersHealthy=False ControllerMissing")
		world.Patiently(t, world.Patience, w.sent.Quiet(world.Request.Writes))
		if err := w.Stop(); err != nil {
			t.Fatal(err)
		}
		data, err := recorded.Save(t.Context(), w.API, kinds, keep)
		if err != nil {
			t.Fatal(err)
		}
		data = bytes.ReplaceAll(data, []byte(w.plane.URL()), []byte(recordedURL))
		if err := os.WriteFile(before, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(before)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.ReplaceAll(data, []byte(recordedURL), []byte(w.plane.URL()))
	record, err := recorded.Restore(t.Context(), w.API, w.Admin, data, kinds, keep)
	if err != nil {
		t.Fatal(err)
	}
	credential, err := (&cluster.Secrets{Reader: w.API, Namespace: system}).Credential(t.Context(), clusterID)
	if err != nil || credential == nil {
		t.Fatalf("the record has no credential: %v", err)
	}
	w.plane.Accept(credential.Credential)
	w.Advance(time.Until(credential.IssuedAt) + time.Hour)
	if err := record.Note(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.run(t)
	// What is made now shows that the operator works.
	after := w.namespace(t)
	shop, command := instance(after, "shop"), w.operation(after, "command", "shop")
	w.released(t, shop)
	w.Create(t, command)
	w.Seen.Reach(t, command, "Succeeded=True EngineCompleted")
	world.Eventually(t, func() error {
		if w.plane.Heartbeats() == 0 {
			return errors.New("the control plane has no heartbeat of the Cluster")
		}
		return nil
	})
	w.Wake(t)
	world.Patiently(t, world.Patience, w.sent.Quiet(world.Request.Writes))
	changed, err := record.Changed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(changed) > 0 {
		t.Errorf("over what the version before wrote there was written\n  %s", strings.Join(changed, "\n  "))
	}
	if writes := w.sent.Since(nil, func(r world.Request) bool {
		return r.Writes() && r.Namespace == ns &&
			r.Resource != "events"
	}); slices.ContainsFunc(writes, func(s string) bool { return strings.Contains(s, "/status") }) {
		t.Errorf("a status was sent again: %v", writes)
	}
}
