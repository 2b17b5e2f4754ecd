// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/relation"
	"k8s.io/apimachinery/pkg/types"
)

// metrics are what /metrics serves. Labels are bounded by the catalogs: kinds, declared types and the three statuses.
type metrics struct {
	registry *prometheus.Registry

	passes, writes, failures *prometheus.CounterVec
	derive                   prometheus.Histogram
	conditions               *apply.Metrics

	passed, unchanged, failed atomic.Int64
}

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), conditions: apply.NewMetrics("tristate"),
		passes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tristate_passes_total",
			Help: "Passes over an object, by kind and whether there was something to write."}, []string{"kind", "changed"}),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tristate_writes_total",
			Help: "Changed passes that were written, by kind."}, []string{"kind"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tristate_write_failures_total",
			Help: "Writes that the API server did not take, by kind."}, []string{"kind"}),
		derive: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "tristate_derive_seconds",
			Help: "Time to derive the conditions of one object.", Buckets: prometheus.ExponentialBuckets(1e-5, 4, 8)}),
	}
	m.registry.MustRegister(m.passes, m.writes, m.failures, m.derive, m.conditions)
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

// says takes in what an object says now, derived or not.
func (m *metrics) says(k *conditions.Kind, id relation.ID, list []conditions.Condition) {
	m.conditions.Observe(k, named(id), list)
}

// wrote takes in a changed pass that was written.
func (m *metrics) wrote(k *conditions.Kind, id relation.ID, transitions []conditions.Transition) {
	m.writes.WithLabelValues(id.GroupKind.String()).Inc()
	m.conditions.Transitions(k, transitions)
}

// gone takes an object out of the counts.
func (m *metrics) gone(id relation.ID) {
	m.conditions.Forget(&conditions.Kind{Group: id.Group, Kind: id.Kind}, named(id))
}

func named(id relation.ID) types.NamespacedName {
	return types.NamespacedName{Namespace: id.Namespace, Name: id.Name}
}
