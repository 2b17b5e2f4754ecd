// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
)

// TestFaults: no failure ends the agent, and none repeats a secret.
func TestFaults(t *testing.T) {
	tests := map[string]struct {
		endpoint string
		fault    controlplane.Fault
		auth     agent.Auth
		err      string
	}{
		"register refused":   {controlplane.Register, controlplane.Fault{Status: 403}, agent.AuthRejected, ""},
		"register malformed": {controlplane.Register, controlplane.Fault{Malformed: true}, agent.AuthFailed, ""},
		"register dropped":   {controlplane.Register, controlplane.Fault{Drop: true}, agent.AuthUnknown, "the connection failed"},
		"register 500": {controlplane.Register, controlplane.Fault{Status: 500}, agent.AuthUnknown,
			"the control plane answered 500 (fault)"},
		"events 404": {controlplane.Events, controlplane.Fault{Status: 404}, agent.AuthFailed, ""},
		"all 503":    {controlplane.All, controlplane.Fault{Status: 503}, agent.AuthUnknown, "the control plane answered 503 (fault)"},
		"redirected": {controlplane.All, controlplane.Fault{Status: 302}, agent.AuthUnknown,
			"something else than the control plane answered"},
		"a captive portal": {controlplane.All, controlplane.Fault{Portal: true}, agent.AuthUnknown,
			"something else than the control plane answered"},
		"a login is wanted": {controlplane.All, controlplane.Fault{Status: 511}, agent.AuthUnknown,
			"something else than the control plane answered"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.plane.Fail(test.endpoint, test.fault)
			b.until(t, b.now.Add(time.Minute))
			l := b.View().Link
			if l.Auth != test.auth || l.Error != test.err {
				t.Errorf("auth %q, error %q (%s)", l.Auth, l.Error, l.AuthError)
			}
			if strings.Contains(l.Error+l.AuthError, token) {
				t.Error("the token is in an error")
			}
			b.plane.Fail(test.endpoint, controlplane.Fault{})
			b.config.Rotate = "again"
			b.Configure(b.config, false)
			b.until(t, b.now.Add(2*time.Minute))
			if !b.View().Link.OK() {
				t.Errorf("it did not come back: %+v", b.View().Link)
			}
		})
	}
}

// TestTLS: nothing is sent to a control plane that cannot be verified.
func TestTLS(t *testing.T) {
	b := newBench(t)
	if err := b.plane.Untrusted(true); err != nil {
		t.Fatal(err)
	}
	b.until(t, b.now.Add(time.Minute))
	if l := b.View().Link; l.Error != "the certificate of the control plane is signed by an unknown authority" ||
		b.plane.Requests(controlplane.Register) != 0 {
		t.Errorf("link %+v", l)
	}
	for _, endpoint := range []string{"http://control.example.com", "https://user:secret@control.example.com", "control.example.com", ""} {
		if _, err := agent.NewClient(endpoint, nil); err == nil {
			t.Errorf("%q was accepted", endpoint)
		}
	}
}

// runner counts the jobs that run.
type runner struct{ ran []string }

func (r *runner) Run(_ context.Context, j agent.Job) (string, string) {
	r.ran = append(r.ran, j.IdempotencyKey)
	return agent.OutcomeSucceeded, ""
}

func TestJobs(t *testing.T) {
	b := newBench(t)
	r := &runner{}
	b.Runner = r
	b.until(t, b.now.Add(time.Second))
	payload := json.RawMessage(`{"a":1}`)
	hand := func(j controlplane.Job) string {
		j.Kind, j.Payload = agent.JobApply, payload
		return b.plane.Hand("edge", j)
	}
	ids := map[string]string{
		"first":       hand(controlplane.Job{IdempotencyKey: "one"}),
		"again":       hand(controlplane.Job{IdempotencyKey: "one"}),
		"expired":     hand(controlplane.Job{IdempotencyKey: "two", ExpiresIn: -time.Second}),
		"another one": hand(controlplane.Job{IdempotencyKey: "four"}),
	}
	b.plane.Fail(controlplane.Result, controlplane.Fault{Status: 500, Times: 1})
	for range 5 {
		b.Poll(t.Context())
		b.now = b.now.Add(time.Minute)
		b.Beat(t.Context())
		if b.plane.ResultOf(ids["another one"]) != nil {
			break
		}
	}
	want := map[string]string{"first": agent.OutcomeNoop, "again": agent.OutcomeNoop, "expired": agent.OutcomeNoop,
		"another one": agent.OutcomeSucceeded}
	got := map[string]string{}
	for name, id := range ids {
		if result := b.plane.ResultOf(id); result != nil {
			got[name] = result.Outcome
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"one", "four"}, r.ran); diff != "" {
		t.Errorf("ran: -want +got\n%s", diff)
	}
	// Another process knows the jobs that ran.
	b.restart(t)
	b.Runner = r
	b.until(t, b.now.Add(time.Second))
	id := hand(controlplane.Job{IdempotencyKey: "four"})
	b.Poll(t.Context())
	if result := b.plane.ResultOf(id); result == nil || result.Outcome != agent.OutcomeNoop || len(r.ran) != 2 {
		t.Errorf("result %+v, ran %v", result, r.ran)
	}
	// While the cluster counts as disconnected there is no new intent.
	b.Configure(b.config, true)
	before := b.plane.Requests(controlplane.Jobs)
	if next := b.Poll(t.Context()); !next.IsZero() || b.plane.Requests(controlplane.Jobs) != before {
		t.Error("jobs were fetched while new intent is paused")
	}
}
