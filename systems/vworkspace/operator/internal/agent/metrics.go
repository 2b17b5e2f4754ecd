// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics of the connection:
//
//	vworkspace_operator_pull_job_lag_seconds           histogram  from the creation of a job to its acknowledgement
//	vworkspace_operator_applied_jobs_total{outcome}    counter
//	vworkspace_operator_attempts_total{call}           counter    requests to the control plane
//	vworkspace_operator_event_buffer_occupancy         gauge      events that were not delivered yet
//	vworkspace_operator_events_dropped_total           counter
//	vworkspace_operator_connectivity_state             gauge      1 connected, 0 not tried yet, -1 disconnected
//	vworkspace_operator_credential_issued_timestamp_seconds  gauge      its age is time() minus this
type Metrics struct {
	lags     prometheus.Histogram
	jobs     *prometheus.CounterVec
	attempts *prometheus.CounterVec
	buffer   prometheus.Gauge
	drops    prometheus.Counter
	state    prometheus.Gauge
	issued   prometheus.Gauge
}

// NewMetrics registers the metrics.
func NewMetrics(registry prometheus.Registerer) (*Metrics, error) {
	const space = "vworkspace_operator"
	m := &Metrics{
		lags: prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: space, Name: "pull_job_lag_seconds",
			Help: "From the creation of a job to its acknowledgement.", Buckets: prometheus.ExponentialBuckets(0.1, 4, 8)}),
		jobs: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: space, Name: "applied_jobs_total", Help: "Jobs, by outcome."},
			[]string{"outcome"}),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: space, Name: "attempts_total",
			Help: "Requests to the control plane, by call."}, []string{"call"}),
		buffer: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: space, Name: "event_buffer_occupancy",
			Help: "Events that were not delivered yet."}),
		drops: prometheus.NewCounter(prometheus.CounterOpts{Namespace: space, Name: "events_dropped_total",
			Help: "Events that were dropped."}),
		state: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: space, Name: "connectivity_state",
			Help: "1 connected, 0 not tried yet, -1 disconnected."}),
		issued: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: space, Name: "credential_issued_timestamp_seconds",
			Help: "When the credential was issued."}),
	}
	var errs []error
	for _, c := range []prometheus.Collector{m.lags, m.jobs, m.attempts, m.buffer, m.drops, m.state, m.issued} {
		errs = append(errs, registry.Register(c))
	}
	return m, errors.Join(errs...)
}

func (m *Metrics) attempt(call string) {
	if m != nil {
		m.attempts.WithLabelValues(call).Inc()
	}
}

func (m *Metrics) lag(d time.Duration) {
	if m != nil {
		m.lags.Observe(max(d, 0).Seconds())
	}
}

func (m *Metrics) job(outcome string) {
	if m != nil {
		m.jobs.WithLabelValues(outcome).Inc()
	}
}

func (m *Metrics) occupancy(n int) {
	if m != nil {
		m.buffer.Set(float64(n))
	}
}

func (m *Metrics) dropped(n int) {
	if m != nil && n > 0 {
		m.drops.Add(float64(n))
	}
}

func (m *Metrics) credential(issued time.Time) {
	if m != nil {
		m.issued.Set(float64(issued.Unix()))
	}
}

// Connectivity sets the state of the connection: 1 connected, 0 not tried yet, -1 disconnected.
func (m *Metrics) Connectivity(state int) {
	if m != nil {
		m.state.Set(float64(state))
	}
}
