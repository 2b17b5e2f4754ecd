// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/operators/vworkspace/api/transition"
	"github.com/tristate/tristate/operators/vworkspace/internal/agent"
	"github.com/tristate/tristate/operators/vworkspace/internal/controlplane"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const token = "bootstrap-secret"

// memory keeps secrets and journals, and outlives an agent.
type memory struct {
	mu         sync.Mutex
	ca         []byte
	token      string
	credential *agent.Stored
	journal    []byte
	saves      int
}

func (m *memory) Read(_ context.Context, key agent.SecretKey) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case key.Key == "ca":
		return m.ca, nil
	case m.token == "":
		return nil, errors.New("no such Secret")
	}
	return []byte(m.token), nil
}

func (m *memory) Credential(context.Context, string) (*agent.Stored, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.credential, nil
}

func (m *memory) Keep(_ context.Context, c agent.Stored) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.credential = &c
	return nil
}

func (m *memory) Load(context.Context) (j agent.Journal, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.journal != nil {
		err = json.Unmarshal(m.journal, &j)
	}
	return j, err
}

func (m *memory) Save(_ context.Context, j agent.Journal) (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saves++
	m.journal, err = json.Marshal(j)
	return err
}

// bench is an agent with a control plane, on a clock of its own.
type bench struct {
	*agent.Agent
	*memory
	plane  *controlplane.Server
	config agent.Config
	now    time.Time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	plane, err := controlplane.New(controlplane.Options{BootstrapToken: token, Now: func() time.Time { return b.now }})
	if err != nil {
		t.Fatal(err)
	}
	if err := plane.Up("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Down)
	b.plane, b.memory = plane, &memory{ca: plane.CA(), token: token}
	b.config = agent.Config{ClusterID: "edge", Endpoint: plane.URL(), Token: agent.SecretKey{Name: "bootstrap", Key: "token"}, CA: agent.SecretKey{Name: "ca", Key: "ca"}}
	b.restart(t)
	return b
}

// restart is another process of the operator.
func (b *bench) restart(t *testing.T) {
	t.Helper()
	b.Agent = agent.New(b.memory, b.memory, func() time.Time { return b.now })
	b.Configure(b.config, false)
	if err := b.Agent.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// until runs the tasks of heartbeat and events on the clock until a time.
func (b *bench) until(t *testing.T, end time.Time) {
	t.Helper()
	for b.now.Before(end) {
		next := end
		for _, task := range []func(context.Context) time.Time{b.Beat, b.Flush} {
			if at := task(t.Context()); !at.IsZero() && at.Before(next) {
				next = at
			}
		}
		if !next.After(b.now) {
			next = b.now.Add(time.Millisecond)
		}
		b.now = next
	}
}

func (b *bench) transitions(uid string, from, n int) {
	var record []transition.Transition
	for i := range n {
		status := metav1.ConditionTrue
		if i%2 == 1 {
			status = metav1.ConditionFalse
		}
		record = append(record, transition.Transition{Sequence: int64(from + i), Type: "Ready", Status: status, Reason: "R", Generation: 1, Time: metav1.Time{Time: b.now}})
	}
	b.Take(agent.ResourceRef{APIVersion: "apps.vworkspace.io/v1alpha1", Kind: "ApplicationInstance", Namespace: "team", Name: uid, UID: uid}, record)
}

func (b *bench) received() (out []string) {
	for _, e := range b.plane.Received() {
		out = append(out, fmt.Sprintf("%s %d", e.ResourceRef.UID, e.Sequence))
	}
	return out
}

// TestHour: a control plane that is away for an hour costs a bounded number of attempts and bounded memory, and afterwards everything in the buffer arrives, in order.
func TestHour(t *testing.T) {
	b := newBench(t)
	start := b.now
	b.until(t, start.Add(time.Second))
	if v := b.View(); !v.Link.OK() || !v.Link.Beat {
		t.Fatalf("the agent is not connected: %+v", v.Link)
	}
	b.plane.Down()
	attempts := 0
	var want []string
	for i := range 60 {
		for j := range 30 { // 1800 in all: more than the buffer has room for
			b.transitions("a", i*30+j+1, 1)
			want = append(want, fmt.Sprintf("a %d", i*30+j+1))
		}
		end := start.Add(time.Duration(i+1) * time.Minute)
		for b.now.Before(end) {
			next := b.Beat(t.Context())
			attempts++
			b.Flush(t.Context())
			if !next.After(b.now) {
				t.Fatalf("the next attempt is not later: %s", next.Sub(b.now))
			}
			b.now = next
		}
	}
	if attempts > 130 || attempts < 45 {
		t.Errorf("%d attempts in an hour", attempts)
	}
	if n := b.Buffer.Len(); n != agent.Capacity {
		t.Errorf("the buffer has %d events", n)
	}
	if v := b.View(); v.Link.Error == "" || v.Link.Auth != agent.AuthAccepted {
		t.Errorf("link %+v", v.Link)
	}
	if s := b.Buffer.State(); s.Dropped != int64(len(want)-agent.Capacity) {
		t.Errorf("%d dropped of %d", s.Dropped, len(want))
	}
	if err := b.plane.Up(""); err != nil {
		t.Fatal(err)
	}
	b.until(t, b.now.Add(2*time.Minute))
	if diff := cmp.Diff(want[len(want)-agent.Capacity:], b.received()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if s := b.Buffer.State(); s.Dropped != 0 || !s.Drained || s.Total != int64(len(want)-agent.Capacity) {
		t.Errorf("after the drain: %d dropped, drained %v, %d in all", s.Dropped, s.Drained, s.Total)
	}
	if b.plane.Duplicates() != 0 {
		t.Errorf("%d duplicates", b.plane.Duplicates())
	}
}

// TestExactlyOnce: whatever is lost with a process, each transition arrives once.
func TestExactlyOnce(t *testing.T) {
	tests := map[string]func(b *bench){
		"nothing was stored": func(b *bench) { b.memory.journal = nil },
		"stored, and not delivered": func(b *bench) {
			b.plane.Fail(controlplane.Events, controlplane.Fault{Drop: true})
			b.Flush(t.Context())
		},
		"delivered and stored":          func(b *bench) { b.Flush(t.Context()) },
		"delivered, and the old stored": func(b *bench) { old := b.memory.journal; b.Flush(t.Context()); b.memory.journal = old },
	}
	for name, crash := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.until(t, b.now.Add(time.Second))
			b.transitions("a", 1, 3)
			b.until(t, b.now.Add(3*time.Second))
			b.transitions("a", 1, 5)
			b.now = b.now.Add(time.Minute)
			crash(b)
			b.plane.Fail(controlplane.Events, controlplane.Fault{})
			b.restart(t)
			b.transitions("a", 1, 6)
			b.until(t, b.now.Add(time.Minute))
			if diff := cmp.Diff([]string{"a 1", "a 2", "a 3", "a 4", "a 5", "a 6"}, b.received()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestGap: transitions that the record of an object has dropped are counted.
func TestGap(t *testing.T) {
	b := newBench(t)
	b.transitions("a", 1, 1)
	b.transitions("a", 5, 2)
	if s := b.Buffer.State(); s.Dropped != 3 || len(s.Events) != 3 {
		t.Errorf("%d dropped, %d events", s.Dropped, len(s.Events))
	}
}

// TestRejected: after a 401 nothing is sent until something changes.
func TestRejected(t *testing.T) {
	b := newBench(t)
	b.until(t, b.now.Add(time.Minute))
	b.plane.Revoke()
	b.until(t, b.now.Add(time.Minute))
	if v := b.View(); v.Link.Auth != agent.AuthRejected || v.Link.Error != "" {
		t.Fatalf("link %+v", v.Link)
	}
	before := b.plane.Requests(controlplane.Events) + b.plane.Requests(controlplane.Register)
	b.transitions("a", 1, 1)
	b.until(t, b.now.Add(time.Hour))
	if after := b.plane.Requests(controlplane.Events) + b.plane.Requests(controlplane.Register); after != before {
		t.Errorf("%d requests after the rejection", after-before)
	}
	b.config.Rotate = "again"
	b.Configure(b.config, false)
	b.until(t, b.now.Add(time.Minute))
	if v := b.View(); !v.Link.OK() || len(b.received()) != 1 {
		t.Errorf("link %+v, received %v", v.Link, b.received())
	}
}

// TestRefreshed: a 401 with a credential that somebody has rotated meanwhile is none.
func TestRefreshed(t *testing.T) {
	b := newBench(t)
	b.until(t, b.now.Add(time.Second))
	other := newBench(t)
	other.memory, other.plane, other.config = b.memory, b.plane, b.config
	newer := *b.memory.credential
	b.plane.Revoke()
	b.memory.mu.Lock()
	b.memory.credential = nil
	b.memory.mu.Unlock()
	other.now = b.now
	other.restart(t)
	other.until(t, other.now.Add(time.Second))
	if b.memory.credential == nil || b.memory.credential.Token == newer.Token {
		t.Fatal("the other process has not registered")
	}
	b.until(t, b.now.Add(time.Minute))
	if v := b.View(); !v.Link.OK() {
		t.Errorf("link %+v", v.Link)
	}
}

// TestRotation: a credential is rotated in time, and expires where that fails.
func TestRotation(t *testing.T) {
	b := newBench(t)
	b.until(t, b.now.Add(time.Minute))
	first := b.memory.credential.Token
	b.now = b.now.Add(7 * 24 * time.Hour)
	b.until(t, b.now.Add(time.Minute))
	if b.memory.credential.Token == first || b.plane.Requests(controlplane.Rotate) != 1 {
		t.Fatalf("the credential was not rotated after a week: %d requests", b.plane.Requests(controlplane.Rotate))
	}
	b.plane.Fail(controlplane.Rotate, controlplane.Fault{Status: 500})
	b.now = b.memory.credential.ExpiresAt.Add(-time.Hour)
	b.until(t, b.now.Add(50*time.Minute))
	if v := b.View(); v.Link.Auth != agent.AuthAccepted {
		t.Errorf("before the expiry: %+v", v.Link)
	}
	b.until(t, b.now.Add(20*time.Minute))
	if v := b.View(); v.Link.Auth != agent.AuthExpired {
		t.Errorf("after the expiry: %+v", v.Link)
	}
}

// TestExpired: a credential whose time was over when events or a poll presented it has expired, and rotation is tried further.
func TestExpired(t *testing.T) {
	for name, present := range map[string]func(b *bench){
		"events": func(b *bench) {
			b.transitions("a", 1, 1)
			b.now = b.Flush(t.Context()) // that is when they are sent
			b.Flush(t.Context())
		},
		"poll": func(b *bench) { b.Poll(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.until(t, b.now.Add(time.Minute))
			b.plane.Fail(controlplane.Rotate, controlplane.Fault{Status: 500})
			b.now = b.memory.credential.ExpiresAt
			present(b)
			if v := b.View(); v.Link.Auth != agent.AuthExpired {
				t.Errorf("after the expiry: %+v", v.Link)
			}
			before := b.plane.Requests(controlplane.Rotate)
			b.until(t, b.now.Add(10*time.Minute))
			if v := b.View(); v.Link.Auth != agent.AuthExpired || b.plane.Requests(controlplane.Rotate) == before {
				t.Errorf("later: %+v, %d more rotations tried", v.Link, b.plane.Requests(controlplane.Rotate)-before)
			}
		})
	}
}

// TestRetryAfter is honoured by heartbeat and events.
func TestRetryAfter(t *testing.T) {
	b := newBench(t)
	b.until(t, b.now.Add(time.Second))
	b.plane.Fail(controlplane.Events, controlplane.Fault{Status: 429, RetryAfter: "600"})
	b.transitions("a", 1, 1)
	before := b.plane.Requests(controlplane.Events)
	b.until(t, b.now.Add(9*time.Minute))
	if n := b.plane.Requests(controlplane.Events) - before; n > 2 {
		t.Errorf("%d requests within Retry-After", n)
	}
	b.plane.Fail(controlplane.Events, controlplane.Fault{})
	b.until(t, b.now.Add(5*time.Minute))
	if len(b.received()) != 1 || !b.View().Link.OK() {
		t.Errorf("received %v", b.received())
	}
}

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
		"register 500":       {controlplane.Register, controlplane.Fault{Status: 500}, agent.AuthUnknown, "the control plane answered 500 (fault)"},
		"events 404":         {controlplane.Events, controlplane.Fault{Status: 404}, agent.AuthFailed, ""},
		"all 503":            {controlplane.All, controlplane.Fault{Status: 503}, agent.AuthUnknown, "the control plane answered 503 (fault)"},
		"redirected":         {controlplane.All, controlplane.Fault{Status: 302}, agent.AuthFailed, ""},
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
	if l := b.View().Link; l.Error != "the certificate of the control plane is signed by an unknown authority" || b.plane.Requests(controlplane.Register) != 0 {
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
		"unsigned":    hand(controlplane.Job{IdempotencyKey: "three", Unsigned: true}),
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
	want := map[string]string{"first": agent.OutcomeNoop, "again": agent.OutcomeNoop, "expired": agent.OutcomeNoop, "unsigned": agent.OutcomeFailed, "another one": agent.OutcomeSucceeded}
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
	// Another process remembers what ran.
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
