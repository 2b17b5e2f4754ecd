// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	ports "github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/transition"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
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
	files      map[string][]byte // of the Secret with the client certificate
	saves      int
}

func (m *memory) Read(_ context.Context, key agent.SecretKey) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case key.Key == "ca":
		return m.ca, nil
	case m.files[key.Key] != nil:
		return m.files[key.Key], nil
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
	address, err := ports.Free() // it goes away and comes back
	if err != nil {
		t.Fatal(err)
	}
	if err := plane.Up(address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Down)
	b.plane, b.memory = plane, &memory{ca: plane.CA(), token: token}
	b.config = agent.Config{ClusterID: "edge", Endpoint: plane.URL(), Token: agent.SecretKey{Name: "bootstrap", Key: "token"},
		CA: agent.SecretKey{Name: "ca", Key: "ca"}}
	b.restart(t)
	return b
}

// restart starts another process of the operator.
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
	for i := -min(1, from-1); i < n; i++ { // the record has the one before, too
		status := metav1.ConditionTrue
		if i%2 != 0 {
			status = metav1.ConditionFalse
		}
		record = append(record, transition.Transition{Sequence: int64(from + i), Type: "Ready", Status: status, Reason: "R", Generation: 1,
			Time: metav1.Time{Time: b.now}})
	}
	b.Take(agent.ResourceRef{APIVersion: "apps.vworkspace.io/v1alpha1", Kind: "ApplicationInstance", Namespace: "team", Name: uid, UID: uid},
		record)
}

func (b *bench) received() (out []string) {
	for _, e := range b.plane.Received() {
		out = append(out, fmt.Sprintf("%s %d", e.ResourceRef.UID, e.Sequence))
	}
	return out
}
