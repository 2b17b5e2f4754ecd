// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"

	public "github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/write/probe"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// startController runs Tristate until the test ends; its log is printed where the test fails.
func startController(t *testing.T, config *rest.Config, set *catalog.Set) (live.Controller, *counter) {
	t.Helper()
	writes := &counter{}
	var log synced
	var manage []schema.GroupKind
	for _, k := range set.Kinds() {
		if len(k.Derivations) > 0 {
			manage = append(manage, k.For)
		}
	}
	config = writes.Wrap(config)
	plane.Slow(config)
	c, err := controller.New(controller.Options{Config: config, Catalogs: &public.Set{Compiled: set}, Manage: manage,
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelInfo}))})
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	p := probe.New()
	go func() { ended <- c.Run(p.With(ctx)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the controller ended: %v", err)
		}
		if t.Failed() {
			t.Logf("log of the controller:\n%s", log.tail(8000))
		}
	})
	return p, writes
}

// synced is a buffer for several goroutines.
type synced struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *synced) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *synced) tail(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.b.Bytes()
	return string(all[max(0, len(all)-n):])
}
