// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
)

// inFlight starts a long poll, and returns once the control plane has it. answer ends it with a job and waits for its end; it returns the
// id of the job.
func (b *bench) inFlight(t *testing.T, r *runner) (answer func() string) {
	t.Helper()
	b.Runner = r
	b.config.LongPoll = 5 * time.Minute // only a job ends it
	b.Configure(b.config, false)
	b.until(t, b.now.Add(time.Minute))
	before := b.plane.Requests(controlplane.Jobs)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.Poll(t.Context())
	}()
	world.Eventually(t, func() error {
		if b.plane.Requests(controlplane.Jobs) == before {
			return errors.New("the poll has not arrived")
		}
		return nil
	})
	return func() string {
		t.Helper()
		id := b.plane.Hand("edge", controlplane.Job{Kind: agent.JobApply, Payload: json.RawMessage(`{}`), IdempotencyKey: "late"})
		<-ended
		return id
	}
}

// TestLate: the answer to a poll that began before the state of the connection changed changes nothing: neither the state nor, by its jobs,
// the cluster.
func TestLate(t *testing.T) {
	tests := map[string]struct {
		change func(*bench)
		auth   agent.Auth
		err    string
		ran    bool
	}{
		"nothing changes": {func(*bench) {}, agent.AuthAccepted, "", true},
		"the credential is rejected": {func(b *bench) {
			b.plane.Fail(controlplane.Events, controlplane.Fault{Status: 401})
			b.Beat(t.Context())
		}, agent.AuthRejected, "", false},
		"the control plane is lost": {func(b *bench) {
			b.plane.Fail(controlplane.Events, controlplane.Fault{Drop: true})
			b.Beat(t.Context())
		}, agent.AuthAccepted, "the connection was closed", false},
		"another configuration": {func(b *bench) {
			b.config.Rotate = "again"
			b.Configure(b.config, false)
		}, agent.AuthAccepted, "", false},
		"new intent is paused": {func(b *bench) { b.Configure(b.config, true) }, agent.AuthAccepted, "", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b, r := newBench(t), &runner{}
			answer := b.inFlight(t, r)
			b.now = b.now.Add(2 * time.Minute) // the next heartbeat is due
			test.change(b)
			before := b.View().Link
			id := answer()
			l := b.View().Link
			if l.Auth != test.auth || test.err != "" && l.Error == "" || test.err == "" && l.Error != "" || !test.ran &&
				l.LastSuccess.After(before.LastSuccess) && name != "new intent is paused" {
				t.Errorf("link %+v, before the answer %+v", l, before)
			}
			if ran := len(r.ran) > 0; ran != test.ran || ran != (b.plane.ResultOf(id) != nil) {
				t.Errorf("the job ran: %v, want %v", ran, test.ran)
			}
		})
	}
}

// TestLate_rejection: a poll with a credential that has been replaced meanwhile is rejected, and the new credential is not.
func TestLate_rejection(t *testing.T) {
	b, r := newBench(t), &runner{}
	answer := b.inFlight(t, r)
	b.config.Rotate = "again"
	b.Configure(b.config, false)
	b.Beat(t.Context()) // it registers again
	if l := b.View().Link; !l.OK() {
		t.Fatalf("link %+v", l)
	}
	answer()
	if l := b.View().Link; !l.OK() || len(r.ran) > 0 {
		t.Errorf("link %+v, ran %v", l, r.ran)
	}
	requests := b.plane.Requests(controlplane.Events)
	b.until(t, b.now.Add(time.Minute))
	if b.plane.Requests(controlplane.Events) == requests {
		t.Error("nothing is sent any more")
	}
}
