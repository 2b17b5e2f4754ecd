// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// metrics are the metrics that /metrics serves. Labels are bounded by the catalogs: kinds, declared types and the three statuses.
type metrics struct {
	registry *prometheus.Registry

	passes, writes, failures, breakers *prometheus.CounterVec
	derive                             prometheus.Histogram
	conditions                         *apply.Metrics

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
		breakers: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tristate_breakers_opened_total",
			Help: "Objects whose writes were stopped because they did not last, by kind."}, []string{"kind"}),
		derive: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "tristate_derive_seconds",
			Help: "Time to derive the conditions of one object.", Buckets: prometheus.ExponentialBuckets(1e-5, 4, 8)}),
	}
	m.registry.MustRegister(m.passes, m.writes, m.failures, m.breakers, m.derive, m.conditions)
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

// observe records the conditions of an object, derived or not.
func (m *metrics) observe(k *conditions.Kind, id relation.ID, list []conditions.Condition) {
	m.conditions.Observe(k, named(id), list)
}

// gone takes an object out of the counts.
func (m *metrics) gone(id relation.ID) {
	m.conditions.Forget(&conditions.Kind{Group: id.Group, Kind: id.Kind}, named(id))
}

func named(id relation.ID) types.NamespacedName {
	return types.NamespacedName{Namespace: id.Namespace, Name: id.Name}
}

// stateCollector reports, at the time of a scrape, the objects that are not written and the kinds that cannot be read.
type stateCollector struct{ c *Controller }

var (
	refusedDesc = prometheus.NewDesc("tristate_refused_objects",
		"Objects that are not written because another manager holds their derived conditions, by kind.", []string{"kind"}, nil)
	openDesc = prometheus.NewDesc("tristate_breakers_open",
		"Objects whose writes are held back because they did not last, by kind.", []string{"kind"}, nil)
	unreadableDesc = prometheus.NewDesc("tristate_unreadable_kinds",
		"1 for each kind that cannot be listed or watched, by kind and whether a permission is missing.", []string{"kind", "forbidden"}, nil)
)

// Describe implements prometheus.Collector.
func (stateCollector) Describe(out chan<- *prometheus.Desc) {
	out <- refusedDesc
	out <- openDesc
	out <- unreadableDesc
}

// Collect implements prometheus.Collector.
func (k stateCollector) Collect(out chan<- prometheus.Metric) {
	for gk, n := range k.c.refused() {
		out <- prometheus.MustNewConstMetric(refusedDesc, prometheus.GaugeValue, float64(n), gk.String())
	}
	for _, l := range k.c.unready() {
		if !l.kind.Empty() {
			out <- prometheus.MustNewConstMetric(unreadableDesc, prometheus.GaugeValue, 1, l.kind.String(), strconv.FormatBool(l.forbidden))
		}
	}
	open := map[schema.GroupKind]int{}
	for id := range k.c.breakers.Open() {
		open[id.GroupKind]++
	}
	for gk, n := range open {
		out <- prometheus.MustNewConstMetric(openDesc, prometheus.GaugeValue, float64(n), gk.String())
	}
}
