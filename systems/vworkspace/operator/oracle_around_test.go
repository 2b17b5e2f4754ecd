// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// endpoint is a server that a readiness check asks.
type endpoint struct {
	url  string
	code atomic.Int64
}

// begin makes the tenants, with an instance each, and starts the operator and the Cluster.
func (o *oracle) begin(t *testing.T, tenants int) {
	t.Helper()
	d := func(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
	o.modes = map[string]int{}
	o.options.BufferCapacity, o.options.ChartUnreachable, o.options.VanishedGrace = 150, 0, 0
	o.controllers = "False ControllerMissing"
	o.logged()
	o.run(t)
	o.self = o.vworkspace.cluster()
	o.self.Spec.Connectivity = opsapi.Connectivity{HeartbeatInterval: d(20 * time.Second), LongPoll: d(time.Second),
		DisconnectWindow: d(30 * time.Second), RecoveryThreshold: d(8 * time.Second)}
	o.Create(t, o.self)
	for i := range tenants {
		p := &played{ns: o.namespace(t), web: &endpoint{}, app: app{governed: i%2 == 1, version: "1.0.0"}}
		p.web.code.Store(http.StatusOK)
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(int(p.web.code.Load())) }))
		t.Cleanup(server.Close)
		p.web.url = server.URL
		o.tenants = append(o.tenants, p)
	}
}

// around does something that concerns all tenants. unwatched reports that no watch sees it, or that time has to pass; settles, that the
// statuses are compared before the next steps. Otherwise those come while it goes on.
func (o *oracle) around(t *testing.T) (what string, unwatched, settles bool) {
	t.Helper()
	switch o.random.IntN(8) {
	case 0, 1:
		d := []time.Duration{12 * time.Minute, 36 * time.Minute, 65 * time.Minute, 25 * time.Hour}[o.random.IntN(4)]
		o.Later(t, d)
		return "the clock jumps " + d.String(), true, true
	case 2, 3:
		return o.restarts(t)
	case 4:
		return o.rules(t), false, true
	case 5:
		return o.projects(t), false, true
	}
	if o.trouble != "" {
		o.mend(t)
		return "the control plane works again", true, o.random.IntN(2) == 0
	}
	o.trouble = []string{"down", "untrusted", "busy", "refusing", "limited", "garbled", "portal", "revoked", "forbidden", "unregistered",
		"expired"}[o.random.IntN(11)]
	o.modes[o.trouble]++
	o.fail(t)
	return "control plane: " + o.trouble, true, o.random.IntN(2) == 0
}

// restarts ends the operator and starts it again. Where nothing else happens no status but that of the Cluster is written by it.
func (o *oracle) restarts(t *testing.T) (what string, unwatched, settles bool) {
	t.Helper()
	o.measure(t)
	if err := o.Stop(); err != nil {
		t.Fatal(err)
	}
	o.run(t)
	if o.random.IntN(2) == 0 {
		return "the operator is killed", true, false
	}
	before := maps.Clone(o.written)
	o.agree(t, true)
	for key, n := range o.written {
		if was := before[key]; was != n && key != "Cluster /"+clusterID {
			t.Errorf("%s was written %d times by a restart", key, n-was)
		}
	}
	return "the operator is killed", true, true
}

// rules sets the catalog policy.
func (o *oracle) rules(t *testing.T) string {
	t.Helper()
	was := o.policy
	o.policy = world.Pick(o.random, was, "", "window", "approve", "deny", "elsewhere", "garbage")
	o.closes = time.Time{}
	policy := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: kit.PolicyName}}
	text := map[string]string{"deny": "applications:\n- {catalogId: governed, deniedVersions: [1.1.0]}\n",
		"approve":   "applications:\n- {catalogId: governed, approvalRequired: true}\n",
		"elsewhere": "allowedSources: [\"oci://registry.example.org\"]\n", "garbage": "applications: ["}[o.policy]
	if o.policy == "window" {
		o.closes = o.Now().Add(20 * time.Minute).UTC().Truncate(time.Second)
		text = fmt.Sprintf("applications:\n- catalogId: governed\n  maintenanceWindows:\n  - {start: %s, end: %s}\n",
			o.Now().Add(-time.Minute).UTC().Format(time.RFC3339), o.closes.Format(time.RFC3339))
	}
	world.Set(t, o.World, policy, was, o.policy, func(c *corev1.ConfigMap) { c.Data = map[string]string{kit.PolicyKey: text} })
	return "policy: " + o.policy
}

// projects installs another project, or changes the state of a controller.
func (o *oracle) projects(t *testing.T) string {
	t.Helper()
	kinds := map[string][]string{"cert-manager.io": {"Certificate"}, "external-secrets.io": {"ExternalSecret"},
		"velero.io": {"Backup", "Restore"}, "argoproj.io": {"Workflow"}}
	for _, group := range slices.Sorted(maps.Keys(kinds)) {
		if o.served[group] || o.random.IntN(2) == 0 {
			continue
		}
		for _, kind := range kinds[group] {
			o.installed(t, group, kind)
		}
		o.served[group] = true
		return "installed: " + group
	}
	was := o.velero
	o.velero = world.Pick(o.random, was, "ready", "unready", "")
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "velero", Name: "velero"}}
	annotations := map[string]map[string]string{"unready": {"localplane.tristate.dev/outcome": "unready"}}[o.velero]
	switch {
	case o.velero == "":
		o.Remove(t, d)
	case was == "":
		o.deployment(t, "velero", "velero", annotations)
	default:
		world.Edit(t, o.World, d, func(d *appsv1.Deployment) { d.Spec.Template.Annotations = annotations })
	}
	// Statements 81 to 84.
	o.controllers = map[string]string{"": "False ControllerMissing", "unready": "False ControllerDegraded",
		"ready": "True AllControllersReady"}[o.velero]
	return "velero: " + o.velero
}

// rotate makes the operator register again.
func (o *oracle) rotate(t *testing.T) {
	t.Helper()
	o.rotation++
	world.Edit(t, o.World, o.self, func(c *opsapi.Cluster) {
		metav1.SetMetaDataAnnotation(&c.ObjectMeta, opsapi.AnnotationRotate, fmt.Sprint(o.rotation))
	})
}

// fail makes the failure of the control plane that o.trouble names, and lets the time pass that it needs.
func (o *oracle) fail(t *testing.T) {
	t.Helper()
	events := map[string]controlplane.Fault{"busy": {Status: 503}, "refusing": {Status: 503, Heartbeats: ptr.To(false)},
		"limited": {Status: 429, RetryAfter: "1"},
		"garbled": {Malformed: true}, "portal": {Portal: true}, "forbidden": {Status: 403}}
	o.plane.Fail(controlplane.Events, events[o.trouble])
	switch o.trouble {
	case "down":
		o.plane.Down()
	case "untrusted":
		if err := o.plane.Untrusted(true); err != nil {
			t.Fatal(err)
		}
	case "revoked":
		o.plane.Revoke()
	case "unregistered":
		o.Remove(t, secret("bootstrap", nil))
		o.rotate(t)
	case "expired":
		o.plane.SetTTL(time.Hour)
		before := len(o.plane.Tokens())
		o.rotate(t)
		o.registered(t, before)
		o.plane.Fail(controlplane.Rotate, controlplane.Fault{Status: 500})
		o.Later(t, 65*time.Minute)
		return
	}
	o.Later(t, time.Minute)
}

// mend ends the failure of the control plane.
func (o *oracle) mend(t *testing.T) {
	t.Helper()
	o.plane.Fail(controlplane.Events, controlplane.Fault{})
	switch o.trouble {
	case "down":
		o.up(t)
	case "untrusted":
		if err := o.plane.Untrusted(false); err != nil {
			t.Fatal(err)
		}
	case "unregistered":
		o.Create(t, secret("bootstrap", map[string]string{"token": bootstrap}))
	case "expired":
		o.plane.SetTTL(30 * 24 * time.Hour)
		o.plane.Fail(controlplane.Rotate, controlplane.Fault{})
		o.rotate(t)
	case "revoked", "forbidden":
		o.rotate(t)
	}
	o.trouble = ""
}

// claims issues a claim: a good one, one that is signed with another key, one for something else of the same name, one for another name, or
// one for other content.
func (o *oracle) claims(t *testing.T, which string, s claim.Subject, until time.Time) string {
	t.Helper()
	by := ada
	switch which {
	case "":
		return ""
	case "forged":
		by = eve
	case "replayed":
		s.UID = "the-one-that-was-deleted"
	case "other":
		s.Name += "-other"
	case "edited":
		s.Digest = "sha256:" + strings.Repeat("0", 64)
	}
	text := o.sign(t, by, s, until.Sub(o.Now()))
	o.issued = append(o.issued, text)
	return text
}

// claimKinds are the claims of the steps.
var claimKinds = []string{"good", "good", "good", "forged", "replayed", "other", "edited", ""}
