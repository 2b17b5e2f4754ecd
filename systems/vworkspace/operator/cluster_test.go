// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/cluster"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// connection tests the life of the connection: every failure of the control plane, and the way back.
func connection(t *testing.T, w *vworkspace) {
	c := w.cluster()
	w.plane.Fail(controlplane.Events, controlplane.Fault{Status: 429, RetryAfter: "1", Heartbeats: ptr.To(true)})
	w.Create(t, c)
	w.Seen.Reach(t, c, "ControllersHealthy=False ControllerMissing", "!Connected", "!Disconnected", "!Authenticated", "!BufferOverflow")
	w.Seen.Reach(t, c, "Connected=True ControlPlaneReachable", "Disconnected=False Connected", "Authenticated=True CredentialAccepted")
	w.plane.Fail(controlplane.Events, controlplane.Fault{})
	w.Seen.Reach(t, c, "Connected=True RoundTripOK", "Disconnected=False Connected")

	w.plane.Down()
	w.Seen.Reach(t, c, "Connected=False ControlPlaneUnreachable", "Disconnected=False Connected", "Authenticated=True CredentialAccepted")
	w.Later(t, c.Spec.Connectivity.DisconnectWindow.Duration)
	w.Seen.Reach(t, c, "Connected=False ControlPlaneUnreachable", "Disconnected=True NoRecentRoundTrip")
	w.up(t)
	w.Later(t, c.Spec.Connectivity.HeartbeatInterval.Duration*2) // whatever the pause has grown to
	w.Seen.Reach(t, c, "Connected=True RoundTripOK", "Disconnected=True NoRecentRoundTrip")
	w.Later(t, c.Spec.Connectivity.RecoveryThreshold.Duration)
	w.Seen.Reach(t, c, "Connected=True RoundTripOK", "Disconnected=False Connected")
	w.delivered(t, c, "Connected=False ControlPlaneUnreachable", "Disconnected=True NoRecentRoundTrip", "Disconnected=False Connected")

	// A certificate that is not trusted is no contact.
	if err := w.plane.Untrusted(true); err != nil {
		t.Fatal(err)
	}
	w.Seen.Reach(t, c, "Connected=False ControlPlaneUnreachable")
	if err := w.plane.Untrusted(false); err != nil {
		t.Fatal(err)
	}
	w.Seen.Reach(t, c, "Connected=True RoundTripOK", "Disconnected=False Connected")
}

func (w *vworkspace) up(t *testing.T) {
	t.Helper()
	if err := w.plane.Up(""); err != nil {
		t.Fatal(err)
	}
}

// credentials tests the ways in which a credential fails.
func credentials(t *testing.T, w *vworkspace) {
	c := w.cluster()
	w.Seen.Reach(t, c, "Authenticated=True CredentialAccepted")
	rotate := func(value string) {
		world.Edit(t, w.World, c, func(c *opsapi.Cluster) {
			metav1.SetMetaDataAnnotation(&c.ObjectMeta, opsapi.AnnotationRotate, value)
		})
	}

	// The credential is revoked: the operator stops, and continues after another registration.
	w.plane.Revoke()
	w.Seen.Reach(t, c, "Authenticated=False CredentialRejected")
	// "requires admin intervention": which one
	for _, way := range []string{opsapi.AnnotationRotate, "Secret " + agent.CredentialsName, "Secret bootstrap", "restarted"} {
		w.says(t, c, "Authenticated", way)
	}
	rotate("1")
	w.Seen.Reach(t, c, "Authenticated=True CredentialAccepted", "Connected=True RoundTripOK")

	// 403 is the same.
	w.plane.Fail(controlplane.Events, controlplane.Fault{Status: 403, Heartbeats: ptr.To(true)})
	w.Seen.Reach(t, c, "Authenticated=False CredentialRejected")
	w.plane.Fail(controlplane.Events, controlplane.Fault{})
	rotate("2")
	w.Seen.Reach(t, c, "Authenticated=True CredentialAccepted")

	// An answer that is no credential.
	w.plane.Fail(controlplane.Register, controlplane.Fault{Malformed: true})
	rotate("3")
	w.Seen.Reach(t, c, "Authenticated=False ControlPlaneAuthenticationFailed")
	w.plane.Fail(controlplane.Register, controlplane.Fault{})
	w.Seen.Reach(t, c, "Authenticated=True CredentialAccepted")

	// The bootstrap token is gone.
	w.Remove(t, secret("bootstrap", nil))
	rotate("4")
	w.Seen.Reach(t, c, "Authenticated=False ControlPlaneAuthenticationFailed")
	w.Create(t, secret("bootstrap", map[string]string{"token": bootstrap}))
	w.Seen.Reach(t, c, "Authenticated=True CredentialAccepted")

	// Expiry, with a rotation that fails.
	w.plane.SetTTL(time.Hour)
	before := len(w.plane.Tokens())
	rotate("5")
	w.registered(t, before)
	w.plane.Fail(controlplane.Rotate, controlplane.Fault{Status: 500})
	w.Later(t, time.Hour)
	w.Seen.Reach(t, c, "Authenticated=False CredentialExpired")
	w.plane.SetTTL(30 * 24 * time.Hour)
	w.plane.Fail(controlplane.Rotate, controlplane.Fault{})
	rotate("6")
	w.Seen.Reach(t, c, "Authenticated=True CredentialAccepted", "Connected=True RoundTripOK")
}

// registered waits until the operator has stored a credential that is issued after a number of others. When the control plane issues it is
// too early: one that has expired before it arrives is none.
func (w *vworkspace) registered(t *testing.T, issued int) {
	t.Helper()
	world.Eventually(t, func() error {
		w.Wake(t)
		stored, err := (&cluster.Secrets{Reader: w.API, Namespace: system}).Credential(t.Context(), clusterID)
		if tokens := w.plane.Tokens(); err == nil && (len(tokens) == issued || stored == nil || stored.Token != tokens[len(tokens)-1]) {
			err = errors.New("the cluster has not registered again")
		}
		return err
	})
}

// overflow fills the buffer while events are refused.
func overflow(t *testing.T, w *vworkspace) {
	c := w.cluster()
	w.Seen.Reach(t, c, "Connected=True RoundTripOK", "Disconnected=False Connected")
	w.plane.Fail(controlplane.Events, controlplane.Fault{Status: 429, RetryAfter: "1", Heartbeats: ptr.To(false)})
	w.burst(t, "burst")
	w.Seen.Reach(t, c, "BufferOverflow=True EventBufferFull")
	w.plane.Fail(controlplane.Events, controlplane.Fault{})
	w.Seen.Reach(t, c, "BufferOverflow=False BufferDrained")
	w.plane.Fail(controlplane.Events, controlplane.Fault{Status: 503, Heartbeats: ptr.To(false)})
	w.burst(t, "again")
	w.Seen.Reach(t, c, "BufferOverflow=True EventBufferFull")
	w.plane.Fail(controlplane.Events, controlplane.Fault{})
	w.Seen.Reach(t, c, "BufferOverflow=False BufferDrained")
}

// burst makes more transitions than the buffer holds.
func (w *vworkspace) burst(t *testing.T, name string) {
	t.Helper()
	ns := w.namespace(t)
	for i := range 30 {
		o := w.operation(ns, fmt.Sprintf("%s-%d", name, i), "absent")
		w.Create(t, o)
		w.Seen.Reach(t, o, "Accepted=False ValidationFailed", "Succeeded=False NotYetSucceeded")
		w.Remove(t, o)
	}
}

// controllers tests the controllers that the cluster needs.
func controllers(t *testing.T, w *vworkspace) {
	c := w.cluster()
	w.Seen.Reach(t, c, "ControllersHealthy=False ControllerMissing")
	w.installable(t, c, "cert-manager", "external-secrets", "velero")
	var others []client.Object
	for _, name := range []string{"cert-manager", "external-secrets"} {
		w.Create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
		others = append(others, w.deployment(t, name, name, nil))
	}
	velero := w.deployment(t, "velero", "velero", map[string]string{"localplane.tristate.dev/outcome": "unready"})
	w.Seen.Reach(t, c, "ControllersHealthy=False ControllerDegraded")
	world.Edit(t, w.World, velero, func(d *appsv1.Deployment) { d.Spec.Template.Annotations = nil })
	w.Seen.Reach(t, c, "ControllersHealthy=True AllControllersReady")
	w.installable(t, c)

	// Each of the five counts, and the message names the one that is unhealthy.
	for _, place := range [][2]string{{"flux-system", "source-controller"}, {"flux-system", "helm-controller"},
		{"cert-manager", "cert-manager"},
		{"external-secrets", "external-secrets"}, {"velero", "velero"}} {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: place[0], Name: place[1]}}
		world.Edit(t, w.World, d, func(d *appsv1.Deployment) {
			d.Spec.Template.Annotations = map[string]string{"localplane.tristate.dev/outcome": "unready"}
		})
		healthy := func(want metav1.ConditionStatus, text string) {
			t.Helper()
			world.Eventually(t, func() error {
				if got := w.Condition(t, c, "ControllersHealthy"); got.Status != want || !strings.Contains(got.Message, text) {
					return fmt.Errorf("ControllersHealthy is %s %s: %s, want %s and %q", got.Status, got.Reason, got.Message, want, text)
				}
				return nil
			})
		}
		healthy(metav1.ConditionFalse, place[1])
		world.Edit(t, w.World, d, func(d *appsv1.Deployment) { d.Spec.Template.Annotations = nil })
		healthy(metav1.ConditionTrue, "")
	}
	w.Seen.Skip(t, c)
	w.Remove(t, velero)
	w.Seen.Reach(t, c, "ControllersHealthy=False ControllerMissing")
	w.installable(t, c, "velero")
	for _, o := range others { // they are installed again by the scenarios that need them
		w.Remove(t, o)
	}
}

// knows waits until the operator knows that kinds are served, and judges everything again.
func (w *vworkspace) knows(t *testing.T, group string, kinds ...string) {
	t.Helper()
	world.Eventually(t, func() error {
		for _, kind := range kinds {
			if !w.operator.Served.Serves(kit.GVK(group, kind)) {
				return fmt.Errorf("%s of %s is not served", kind, group)
			}
		}
		return nil
	})
	w.Wake(t)
}

// installable waits until the status of the Cluster lists exactly some controllers that could be installed.
func (w *vworkspace) installable(t *testing.T, c *opsapi.Cluster, names ...string) {
	t.Helper()
	world.Eventually(t, func() error {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(c), c); err != nil {
			return err
		}
		var have []string
		for _, i := range c.Status.Installable {
			have = append(have, i.Name)
		}
		if !slices.Equal(have, names) {
			return fmt.Errorf("the status lists %q, want %q", have, names)
		}
		return nil
	})
}
