// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/relation"
)

// metrics are what /metrics serves. Labels are bounded by the catalogs: kinds, declared types and the three statuses.
type metrics struct {
	registry *prometheus.Registry

	passes, writes, failures, transitions *prometheus.CounterVec
	derive                                prometheus.Histogram
	seconds                               *prometheus.HistogramVec
	count                                 *prometheus.GaugeVec

	passed, unchanged, failed atomic.Int64

	mu   sync.Mutex
	seen map[relation.ID][][2]string // type and status of each condition that is counted
}

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), seen: map[relation.ID][][2]string{},
		passes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tristate_passes_total",
			Help: "Passes over an object, by kind and whether there was something to write."}, []string{"kind", "changed"}),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tristate_writes_total",
			Help: "Changed passes that were written, by kind."}, []string{"kind"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tristate_write_failures_total",
			Help: "Writes that the API server did not take, by kind."}, []string{"kind"}),
		derive: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "tristate_derive_seconds",
			Help: "Time to derive the conditions of one object.", Buckets: prometheus.ExponentialBuckets(1e-5, 4, 8)}),
		transitions: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tristate_status_condition_transitions_total",
			Help: "Changes of a derived condition's status, by kind, type and the new status."}, []string{"kind", "type", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "tristate_status_condition_transition_seconds",
			Help:    "How long a derived condition had its status before it changed, by kind, type and the old status.",
			Buckets: prometheus.ExponentialBuckets(1, 4, 10)}, []string{"kind", "type", "status"}),
		count: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "tristate_status_condition_count",
			Help: "Objects whose condition has a status, by kind, type and status; derived conditions and those stored beside them."},
			[]string{"kind", "type", "status"}),
	}
	m.registry.MustRegister(m.passes, m.writes, m.failures, m.derive, m.transitions, m.seconds, m.count)
	return m
}

func (m *metrics) pass(id relation.ID, changed bool, took time.Duration) {
	m.passed.Add(1)
	label := "true"
	if !changed {
		label = "false"
		m.unchanged.Add(1)
	}
	m.passes.WithLabelValues(id.GroupKind.String(), label).Inc()
	m.derive.Observe(took.Seconds())
}

func (m *metrics) failure(id relation.ID) {
	m.failed.Add(1)
	m.failures.WithLabelValues(id.GroupKind.String()).Inc()
}

func (m *metrics) wrote(id relation.ID, result conditions.Result) {
	kind := id.GroupKind.String()
	m.writes.WithLabelValues(kind).Inc()
	for _, t := range result.Transitions {
		if t.To.Type != "" {
			m.transitions.WithLabelValues(kind, t.Type, string(t.To.Status)).Inc()
		}
		if d := age(t); d > 0 {
			m.seconds.WithLabelValues(kind, t.Type, string(t.From.Status)).Observe(d.Seconds())
		}
	}
}

// conditions counts what an object says now instead of what it said before.
func (m *metrics) conditions(id relation.ID, list []conditions.Condition) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(id)
	kind := id.GroupKind.String()
	now := make([][2]string, len(list))
	for i, c := range list {
		now[i] = [2]string{c.Type, string(c.Status)}
		m.count.WithLabelValues(kind, c.Type, string(c.Status)).Inc()
	}
	m.seen[id] = now
}

// gone takes an object out of the counts.
func (m *metrics) gone(id relation.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(id)
	delete(m.seen, id)
}

func (m *metrics) forget(id relation.ID) {
	for _, was := range m.seen[id] {
		m.count.WithLabelValues(id.GroupKind.String(), was[0], was[1]).Dec()
	}
}
