// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"testing"
	"time"

	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
)

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
