// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Operator is an operator that runs in the process of the test.
type Operator interface {
	Start(context.Context) error // runs it until the context ends
	Wake(context.Context) error  // reconciles every object again
}

// Manager returns options of a manager for [Operate]: it takes part in an election and serves no metrics. It gives up
// its lease only after minutes without an answer, because nothing starts it again and the machine may be busy. When it
// stops it releases the lease at once.
func Manager() manager.Options {
	return manager.Options{Metrics: server.Options{BindAddress: "0"}, Controller: config.Controller{SkipNameValidation: ptr.To(true)},
		LeaderElection: true, LeaseDuration: ptr.To(5 * time.Minute), RenewDeadline: ptr.To(4 * time.Minute)}
}

// Operate makes and runs an operator that has the permissions of the account and metrics of its own. It ends with [World.Stop], or with the
// test that started the world.
func Operate[O Operator](t *testing.T, w *World, construct func(*rest.Config, *prometheus.Registry) (O, error)) O {
	t.Helper()
	w.Metrics = prometheus.NewPedanticRegistry()
	o, err := construct(w.Account(), w.Metrics)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- o.Start(ctx) }()
	w.operator, w.stop = o, func() error { cancel(); return <-ended }
	w.test.Cleanup(func() {
		if err := w.Stop(); err != nil {
			w.test.Error(err)
		}
	})
	return o
}

// Stop ends the operator and returns its error. It does nothing where none runs.
func (w *World) Stop() error {
	stop := w.stop
	if stop == nil {
		return nil
	}
	w.operator, w.stop = nil, nil
	return stop()
}

// Wake reconciles every object again. The queues of the operator use the machine's time, and not the operator's clock:
// everything that would come in a minute, or at the end of a wait, comes now. It does nothing if no operator runs.
func (w *World) Wake(t *testing.T) {
	t.Helper()
	if w.operator == nil {
		return
	}
	if err := w.operator.Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Later moves the clock of the operator, and wakes it.
func (w *World) Later(t *testing.T, d time.Duration) {
	t.Helper()
	w.Advance(d)
	w.Wake(t)
}
