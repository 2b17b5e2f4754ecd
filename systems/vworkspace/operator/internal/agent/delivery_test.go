// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/transition"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
	"k8s.io/utils/ptr"
)

// TestHour: a control plane that is away for an hour costs a bounded number of attempts, which are spread, and bounded memory, also across
// a restart. Afterwards everything in the buffer arrives, in order.
func TestHour(t *testing.T) {
	b := newBench(t)
	start := b.now
	b.until(t, start.Add(time.Second))
	if v := b.View(); !v.Link.OK() || !v.Link.Beat {
		t.Fatalf("the agent is not connected: %+v", v.Link)
	}
	b.plane.Down()
	registry := prometheus.NewRegistry()
	counter, err := agent.NewMetrics(registry)
	if err != nil {
		t.Fatal(err)
	}
	b.Counter = counter
	var want []string
	gaps := map[time.Duration]bool{}
	full := uint64(0)
	for i := range 60 {
		for j := range 100 { // 6000 in all: more than the buffer has room for
			b.transitions("a", i*100+j+1, 1)
			want = append(want, fmt.Sprintf("a %d", i*100+j+1))
		}
		end := start.Add(time.Duration(i+1) * time.Minute)
		for b.now.Before(end) {
			next := b.Beat(t.Context())
			b.Flush(t.Context())
			if !next.After(b.now) {
				t.Fatalf("the next attempt is not later: %s", next.Sub(b.now))
			}
			if i >= 5 {
				gaps[next.Sub(b.now)] = true
			}
			b.now = next
		}
		switch i {
		case 15:
			full = heap()
		case 30:
			b.Flush(t.Context())
			b.restart(t)
			b.Counter = counter
		}
	}
	attempts := 0.0
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "vworkspace_operator_attempts_total" {
			for _, m := range family.GetMetric() {
				attempts += m.GetCounter().GetValue()
			}
		}
	}
	if attempts > 130 || attempts < 45 {
		t.Errorf("%v attempts in an hour", attempts)
	}
	interval := agent.HeartbeatInterval * 5 / 4
	for gap := range gaps {
		if gap > interval*12/10 {
			t.Errorf("an attempt comes %s after another", gap)
		}
	}
	if len(gaps) < 20 {
		t.Errorf("attempts are %d times apart: they are not spread", len(gaps))
	}
	if grown := int64(heap()) - int64(full); grown > 1<<20 {
		t.Errorf("the heap has grown by %d bytes since the buffer is full", grown)
	}
	if n := b.Buffer.Len(); n != agent.Capacity {
		t.Errorf("the buffer has %d events", n)
	}
	if v := b.View(); v.Link.Error == "" {
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

// heap returns how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestJournalFits: the journal of a buffer that is full of the largest events is stored in a ConfigMap, which takes a mebibyte. The events
// that did not fit into the buffer are counted.
func TestJournalFits(t *testing.T) {
	var b agent.Buffer
	j := agent.Journal{Taken: map[string]agent.Mark{}}
	for i := range agent.Capacity {
		ref := &agent.ResourceRef{APIVersion: "apps.vworkspace.io/v1alpha1", Kind: "ApplicationInstance", Namespace: strings.Repeat("n", 63),
			Name: strings.Repeat("a", 253), UID: fmt.Sprintf("%036d", i)}
		b.Add(agent.Event{EventKey: "condition/" + ref.Namespace + ref.Name + ref.UID, Kind: agent.ConditionTransition, Sequence: int64(i),
			ResourceRef: ref, Timestamp: time.Unix(int64(i), 0),
			Conditions: []agent.Condition{{Type: "Ready", Status: "True", Reason: "HelmReleaseReadyWithWarnings",
				Message: strings.Repeat("<", 256)}}}) // six bytes each
		j.Done = append(j.Done, agent.DoneJob{Key: ref.UID, Outcome: agent.OutcomeSucceeded})
	}
	for i := range 8000 {
		j.Taken[fmt.Sprintf("%036d", i)] = agent.Mark{Sequence: 1, State: 2}
	}
	j.Buffer = b.State()
	data, err := json.Marshal(j)
	if err != nil || len(data) > 1<<20 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if kept := len(j.Buffer.Events); kept < 100 || j.Buffer.Dropped != int64(agent.Capacity-kept) {
		t.Errorf("%d of %d events are kept, %d were counted as dropped", kept, agent.Capacity, j.Buffer.Dropped)
	}
	// Events of the usual size are limited by their number.
	var usual agent.Buffer
	for i := range agent.Capacity {
		ref := &agent.ResourceRef{APIVersion: "apps.vworkspace.io/v1alpha1", Kind: "ApplicationInstance", Namespace: "team-red", Name: "shop",
			UID: fmt.Sprintf("%036d", i)}
		if usual.Add(agent.Event{EventKey: "condition/apps.vworkspace.io/v1alpha1/ApplicationInstance/team-red/shop/" + ref.UID + "/Ready/True@1",
			Kind: agent.ConditionTransition, Sequence: int64(i), ResourceRef: ref, Timestamp: time.Unix(int64(i), 0),
			Conditions: []agent.Condition{{Type: "Ready", Status: "True", Reason: "HelmReleaseReady", Message: "the release is ready"}}}) > 0 {
			t.Fatalf("event %d did not fit", i)
		}
	}
}

// TestStoredWithoutControlPlane: the journal is stored while events are refused for long, because objects that are deleted wait for it.
func TestStoredWithoutControlPlane(t *testing.T) {
	b := newBench(t)
	b.until(t, b.now.Add(time.Second))
	b.plane.Fail(controlplane.Events, controlplane.Fault{Status: 429, RetryAfter: "3000", Heartbeats: ptr.To(false)})
	b.transitions("a", 1, 1)
	b.until(t, b.now.Add(5*time.Second))
	b.transitions("b", 1, 1)
	last := []transition.Transition{{Sequence: 1}}
	if b.Stored("b", last) {
		t.Error("it counts as stored at once")
	}
	b.until(t, b.now.Add(3*time.Second))
	if !b.Stored("b", last) {
		t.Error("the journal waits for Retry-After")
	}
}

// TestAcknowledged: events count as delivered only where the answer is the one of the protocol.
func TestAcknowledged(t *testing.T) {
	b := newBench(t)
	b.until(t, b.now.Add(time.Second))
	b.plane.Fail(controlplane.Events, controlplane.Fault{Malformed: true, Heartbeats: ptr.To(false)})
	b.transitions("a", 1, 1)
	b.until(t, b.now.Add(10*time.Second))
	if b.Buffer.Len() != 1 {
		t.Error("200 with something else was taken for 204")
	}
	b.plane.Fail(controlplane.Events, controlplane.Fault{})
	b.until(t, b.now.Add(2*time.Minute))
	if diff := cmp.Diff([]string{"a 1"}, b.received()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestStaysConnected: while a control plane answers, whatever it answers, less time passes between two attempts than the two heartbeats for
// which Connected holds: it does not flap.
func TestStaysConnected(t *testing.T) {
	tests := map[string]struct {
		endpoint string
		fault    controlplane.Fault
	}{
		"a registration with garbage":   {controlplane.Register, controlplane.Fault{Malformed: true}},
		"a registration that fails":     {controlplane.Register, controlplane.Fault{Status: 500}},
		"heartbeats with garbage":       {controlplane.Events, controlplane.Fault{Malformed: true}},
		"heartbeats that fail":          {controlplane.Events, controlplane.Fault{Status: 503}},
		"heartbeats that are too many":  {controlplane.Events, controlplane.Fault{Status: 429}},
		"heartbeats that are bad input": {controlplane.Events, controlplane.Fault{Status: 400}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.plane.Fail(test.endpoint, test.fault)
			for range 40 {
				next := b.Beat(t.Context())
				if gap := next.Sub(b.now); gap <= 0 || gap >= 2*agent.HeartbeatInterval {
					t.Fatalf("%s between two attempts", gap)
				}
				b.now = next
			}
		})
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
	b.transitions("a", 6, transition.Length)
	if s := b.Buffer.State(); s.Dropped != 3 || len(s.Events) != 2+transition.Length { // the record has the one before 6, too
		t.Errorf("%d dropped, %d events", s.Dropped, len(s.Events))
	}
}

// TestRetryAfter: heartbeat and events honour Retry-After.
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
