// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions/wire"
	ports "github.com/tristate/tristate/proof/plane"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/transition"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// story is a Cluster in memory with an agent and a real control plane, on a clock of its own.
type story struct {
	t       *testing.T
	now     time.Time
	object  *api.Cluster
	agent   *agent.Agent
	plane   *controlplane.Server
	writes  int
	missing []kit.Controller
	sick    []string

	token   string
	stored  *agent.Stored
	journal agent.Journal
}

func (s *story) Read(_ context.Context, key agent.SecretKey) ([]byte, error) {
	switch {
	case key.Name == "ca":
		return s.plane.CA(), nil
	case s.token == "":
		return nil, errors.New("secret bootstrap does not exist")
	}
	return []byte(s.token), nil
}

func (s *story) Credential(context.Context, string) (*agent.Stored, error) { return s.stored, nil }
func (s *story) Keep(_ context.Context, c agent.Stored) error              { s.stored = &c; return nil }
func (s *story) Load(context.Context) (agent.Journal, error)               { return s.journal, nil }
func (s *story) Save(_ context.Context, j agent.Journal) error             { s.journal = j; return nil }

func newStory(t *testing.T) *story {
	t.Helper()
	s := &story{t: t, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), token: "bootstrap"}
	plane, err := controlplane.New(controlplane.Options{BootstrapToken: s.token, Now: func() time.Time { return s.now }})
	if err != nil {
		t.Fatal(err)
	}
	address, err := ports.Free() // it goes away and comes back
	if err != nil {
		t.Fatal(err)
	}
	if err := plane.Up(address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Down)
	s.plane = plane
	s.object = &api.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "edge", UID: "u", Generation: 1},
		Spec: api.ClusterSpec{ClusterID: "edge", ControlPlaneEndpoint: plane.URL()}}
	s.restart()
	return s
}

// restart starts another process of the operator.
func (s *story) restart() {
	s.t.Helper()
	s.agent = agent.New(s, s, func() time.Time { return s.now })
	s.agent.Buffer.Capacity = 20
	if err := s.agent.Load(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// pass makes a pass: judge, store, configure the agent, take over the transitions.
func (s *story) pass() time.Time {
	s.t.Helper()
	f := Facts{View: s.agent.View(), Tolerance: agent.HeartbeatInterval, Window: DisconnectWindow, Recovery: RecoveryThreshold,
		Missing: s.missing, Degraded: s.sick, Now: s.now}
	result := judge(s.object, f, s.now).Commit()
	j := conclude(s.object, f, result, s.now)
	if len(result.Errors) > 0 {
		s.t.Fatal(result.Errors)
	}
	if result.Changed {
		s.writes++
		s.object.Status.Conditions, s.object.Status.Waits = wire.ToMeta(result.Conditions()), result.Waits
		s.object.Status.Transitions = j.Status.(*api.ClusterStatus).Transitions
	}
	s.agent.Configure(agent.Config{ClusterID: "edge", Endpoint: s.object.Spec.ControlPlaneEndpoint,
		Token: agent.SecretKey{Name: "bootstrap", Key: "token"},
		CA:    agent.SecretKey{Name: "ca", Key: "ca.crt"}, Rotate: s.object.Annotations[api.AnnotationRotate]}, is(result, TypeDisconnected))
	s.agent.Take(agent.ResourceRef{APIVersion: api.GroupVersion.String(), Kind: "Cluster", Name: "edge", UID: "u"},
		s.object.Status.Transitions)
	return sooner(j.Again, result.RequeueAt)
}

// until runs passes and tasks on the clock until the object has all cells, for an hour at most; a cell with ! is one that it has not.
func (s *story) until(cells ...string) {
	s.t.Helper()
	var have []string
	for end := s.now.Add(time.Hour); s.now.Before(end); {
		next := sooner(s.pass(), s.agent.Beat(s.t.Context()), s.agent.Flush(s.t.Context()))
		s.pass()
		have = have[:0]
		for _, c := range s.object.Status.Conditions {
			have = append(have, c.Type+"="+string(c.Status)+" "+c.Reason)
		}
		if !slices.ContainsFunc(cells, func(c string) bool { return !slices.Contains(have, c) }) {
			return
		}
		if next.IsZero() || !next.After(s.now) {
			next = s.now.Add(time.Second)
		}
		s.now = next
	}
	s.t.Fatalf("the cluster never had %v; it has %v", cells, have)
}

func sooner(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

func (s *story) rotate(value string) {
	metav1.SetMetaDataAnnotation(&s.object.ObjectMeta, api.AnnotationRotate, value)
}

// TestStory: every row of the Cluster is reached from its trigger and left again, and every transition arrives at the control plane once
// and in order.
func TestStory(t *testing.T) {
	s := newStory(t)
	s.missing = []kit.Controller{{Name: "velero"}}
	s.plane.Fail(controlplane.Events, controlplane.Fault{Status: 429, RetryAfter: "1", Heartbeats: ptr.To(true)})
	s.until("ControllersHealthy=False ControllerMissing")
	s.until("Connected=True ControlPlaneReachable", "Disconnected=False Connected", "Authenticated=True CredentialAccepted")
	s.plane.Fail(controlplane.Events, controlplane.Fault{})
	s.until("Connected=True RoundTripOK")
	s.missing, s.sick = nil, []string{"velero: 0 of 1 replicas are ready"}
	s.until("ControllersHealthy=False ControllerDegraded")
	s.sick = nil
	s.until("ControllersHealthy=True AllControllersReady")

	s.plane.Down()
	s.until("Connected=False ControlPlaneUnreachable", "Disconnected=False Connected", "Authenticated=True CredentialAccepted")
	s.until("Connected=False ControlPlaneUnreachable", "Disconnected=True NoRecentRoundTrip")
	if err := s.plane.Up(""); err != nil {
		t.Fatal(err)
	}
	s.until("Connected=True RoundTripOK", "Disconnected=True NoRecentRoundTrip")
	s.until("Connected=True RoundTripOK", "Disconnected=False Connected")

	s.plane.Revoke()
	s.until("Authenticated=False CredentialRejected")
	s.rotate("1")
	s.until("Authenticated=True CredentialAccepted", "Connected=True RoundTripOK")
	s.plane.Fail(controlplane.Register, controlplane.Fault{Malformed: true})
	s.rotate("2")
	s.until("Authenticated=False ControlPlaneAuthenticationFailed")
	s.plane.Fail(controlplane.Register, controlplane.Fault{})
	s.until("Authenticated=True CredentialAccepted")
	s.token = ""
	s.rotate("3")
	s.until("Authenticated=False ControlPlaneAuthenticationFailed")
	s.token = "bootstrap"
	s.until("Authenticated=True CredentialAccepted")
	s.restart()
	s.until("Authenticated=True CredentialAccepted", "Connected=True RoundTripOK", "Disconnected=False Connected")

	s.plane.Fail(controlplane.Rotate, controlplane.Fault{Status: 500})
	s.now = s.stored.ExpiresAt
	s.until("Authenticated=False CredentialExpired")
	s.plane.Fail(controlplane.Rotate, controlplane.Fault{})
	s.rotate("4")
	s.until("Authenticated=True CredentialAccepted", "Connected=True RoundTripOK", "Disconnected=False Connected")

	s.plane.Fail(controlplane.Events, controlplane.Fault{Status: 429, RetryAfter: "60", Heartbeats: ptr.To(false)})
	for i := range 30 {
		s.agent.Take(agent.ResourceRef{Kind: "Operation", UID: "o"},
			[]transition.Transition{{Sequence: int64(i)}, {Sequence: int64(i + 1), Type: "Running", Status: "True", Time: metav1.Time{Time: s.now}}})
	}
	s.until("BufferOverflow=True EventBufferFull")
	s.plane.Fail(controlplane.Events, controlplane.Fault{})
	s.until("BufferOverflow=False BufferDrained")

	// Nothing changes any more: heartbeats, and no write.
	writes, beats := s.writes, s.plane.Heartbeats()
	for range 200 {
		s.pass()
		s.agent.Beat(t.Context())
		s.agent.Flush(t.Context())
		s.now = s.now.Add(5 * time.Second)
	}
	if s.writes != writes || s.plane.Heartbeats() <= beats+20 {
		t.Errorf("%d writes and %d heartbeats in idleness", s.writes-writes, s.plane.Heartbeats()-beats)
	}
	var want, got []int64
	for i := range s.object.Status.Transitions[len(s.object.Status.Transitions)-1].Sequence {
		want = append(want, i+1)
	}
	for _, e := range s.plane.Received() {
		if e.ResourceRef != nil && e.ResourceRef.UID == "u" {
			got = append(got, e.Sequence)
		}
	}
	if dropped := s.agent.Buffer.State().Total; dropped == 0 {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("transitions: -want +got\n%s", diff)
		}
	} else if !slices.IsSorted(got) || int64(len(got)) < int64(len(want))-dropped {
		t.Errorf("%d of %d transitions arrived, %d events were dropped", len(got), len(want), dropped)
	}
	if _, err := json.Marshal(s.object); err != nil {
		t.Error(err)
	}
}

// TestUnreachable: Connected=False ControlPlaneUnreachable is for outbound HTTPS that fails, and its message has the error of the network.
// While no request is made there is no Connected at all.
func TestUnreachable(t *testing.T) {
	tests := map[string]struct {
		fail    func(*story) error
		message string // of Connected; empty: it is not there
	}{
		"nothing listens":       {func(s *story) error { s.plane.Down(); return nil }, "connection refused"},
		"another certificate":   {func(s *story) error { return s.plane.Untrusted(true) }, "unknown authority"},
		"server errors":         {func(s *story) error { s.plane.Fail(controlplane.Events, controlplane.Fault{Status: 503}); return nil }, "503"},
		"no registration token": {func(s *story) error { s.token = ""; s.rotate("1"); return nil }, ""},
		"a rejected credential": {func(s *story) error { s.plane.Revoke(); return nil }, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.until("Connected=True RoundTripOK")
			if err := test.fail(s); err != nil {
				t.Fatal(err)
			}
			if test.message != "" {
				s.until("Connected=False ControlPlaneUnreachable")
				if c := meta.FindStatusCondition(s.object.Status.Conditions, TypeConnected); c.Message == "" {
					t.Error("Connected has no message")
				}
			}
			s.until("Disconnected=True NoRecentRoundTrip")
			c := meta.FindStatusCondition(s.object.Status.Conditions, TypeConnected)
			if c == nil != (test.message == "") || c != nil && !strings.Contains(c.Message, test.message) {
				t.Errorf("Connected is %+v, want a message with %q", c, test.message)
			}
		})
	}
}

// TestServerError: "the most recent outbound round-trip to the control plane succeeded". After a heartbeat that was answered with 503 it
// did not, until the next one.
func TestServerError(t *testing.T) {
	s := newStory(t)
	s.until("Connected=True RoundTripOK")
	s.plane.Fail(controlplane.Events, controlplane.Fault{Status: 503, Times: 1, Heartbeats: ptr.To(true)})
	s.until("Connected=False ControlPlaneUnreachable")
	s.until("Connected=True RoundTripOK")
}

// TestInstallable: the status lists each required controller that is not installed, with where it is looked for, and nothing else. So does
// the heartbeat, by the message of the condition: the control plane can offer to install them.
func TestInstallable(t *testing.T) {
	velero := kit.Controller{Name: "velero", Namespace: "velero", Deployment: "velero", Group: "velero.io", Kind: "Backup"}
	secrets := kit.Controller{Name: "external-secrets", Namespace: "external-secrets", Deployment: "external-secrets",
		Group: "external-secrets.io", Kind: "ExternalSecret"}
	missing := func(list ...kit.Controller) (have []api.Installable, message string) {
		t.Helper()
		o := &api.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "edge", Generation: 1}}
		f := Facts{Missing: list, Degraded: []string{"cert-manager: 0 of 1 replicas are ready"}, Now: start}
		result := judge(o, f, start).Commit()
		have = conclude(o, f, result, start).Status.(*api.ClusterStatus).Installable
		if c := meta.FindStatusCondition(wire.ToMeta(result.Conditions()), TypeControllersHealthy); c != nil {
			message = c.Message
		}
		return have, message
	}
	have, message := missing(secrets, velero)
	want := []api.Installable{{Name: "external-secrets", Namespace: "external-secrets", Deployment: "external-secrets",
		Group: "external-secrets.io"},
		{Name: "velero", Namespace: "velero", Deployment: "velero", Group: "velero.io"}}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if !strings.Contains(message, "not installed: external-secrets, velero") {
		t.Errorf("the message is %q", message)
	}
	if have, _ := missing(); len(have) > 0 {
		t.Errorf("nothing is missing, and the status lists %+v", have)
	}
}
