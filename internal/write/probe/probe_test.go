// SPDX-License-Identifier: Apache-2.0

package probe_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/write/probe"
)

// target is idle once it was rechecked.
type target struct {
	rechecks atomic.Int64
	changed  chan struct{}
}

func newTarget() *target { return &target{changed: make(chan struct{})} }

func (t *target) Idle() (bool, int, <-chan struct{}) { return t.rechecks.Load() > 0, 3, t.changed }

func (t *target) Recheck() {
	t.rechecks.Add(1)
	close(t.changed)
}

func (t *target) Stats() probe.Stats { return probe.Stats{Passes: int(t.rechecks.Load())} }

func TestProbe(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	probe.Attach(ctx, newTarget()) // no probe asks

	p := probe.New()
	p.Recheck()
	if diff := cmp.Diff(probe.Stats{}, p.Stats()); diff != "" {
		t.Errorf("before the controller runs: -want +got\n%s", diff)
	}
	idle := make(chan error, 1)
	go func() { idle <- p.Idle(ctx) }()
	first, second := newTarget(), newTarget()
	probe.Attach(p.With(ctx), first)
	probe.Attach(p.With(ctx), second) // a probe looks into one controller
	ended, stop := context.WithCancel(ctx)
	stop()
	if err := p.Idle(ended); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "3 objects to judge") {
		t.Errorf("a controller at work: %v", err)
	}
	p.Recheck()
	if err := <-idle; err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]int{1, 1, 0}, []int{p.Stats().Passes, int(first.rechecks.Load()), int(second.rechecks.Load())}); diff != "" {
		t.Errorf("passes: -want +got\n%s", diff)
	}
}
