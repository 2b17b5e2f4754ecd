// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/conditions"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Metrics count the passes of an operator's reconcilers, under a namespace of the operator:
//
//	conditions_transitions_total{condition_type,new_status}
//	reconcile_total{outcome}                 ok, waiting, error
//	reconcile_errors_total{crd_kind,error_class}
//	retries_total{crd_kind}
//	duration_seconds{crd_kind}
//	skip_cache_hits_total                    passes that had nothing to write
//	status_taken_total{crd_kind}             updates in which another writer changed or removed fields of a status
type Metrics struct {
	transitions, outcomes, errors, retries, taken *prometheus.CounterVec
	duration                                      *prometheus.HistogramVec
	skipped                                       prometheus.Counter
}

// newMetrics registers the metrics of a namespace, for example kars_controller.
func newMetrics(namespace string, registry prometheus.Registerer) (*Metrics, error) {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	}
	m := &Metrics{
		transitions: counter("conditions_transitions_total", "Changes of a condition's status.", "condition_type", "new_status"),
		outcomes:    counter("reconcile_total", "Reconciles, by outcome.", "outcome"),
		errors:      counter("reconcile_errors_total", "Reconciles that failed, by kind and class of the error.", "crd_kind", "error_class"),
		retries:     counter("retries_total", "Reconciles that are repeated after a failure.", "crd_kind"),
		taken:       counter("status_taken_total", "Updates in which another writer changed or removed fields of a status.", "crd_kind"),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: "duration_seconds",
			Help: "Time of a reconcile."}, []string{"crd_kind"}),
		skipped: prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "skip_cache_hits_total",
			Help: "Passes that had nothing to write."}),
	}
	var errs []error
	for _, c := range []prometheus.Collector{m.transitions, m.outcomes, m.errors, m.retries, m.taken, m.duration, m.skipped} {
		errs = append(errs, registry.Register(c))
	}
	return m, errors.Join(errs...)
}

func (m *Metrics) reconciled(kind string, took time.Duration, result ctrl.Result, err error) {
	if m == nil {
		return
	}
	m.duration.WithLabelValues(kind).Observe(took.Seconds())
	switch {
	case err != nil:
		m.outcomes.WithLabelValues("error").Inc()
		m.errors.WithLabelValues(kind, errorClass(err)).Inc()
		m.retries.WithLabelValues(kind).Inc()
	case result.RequeueAfter > 0:
		m.outcomes.WithLabelValues("waiting").Inc()
	default:
		m.outcomes.WithLabelValues("ok").Inc()
	}
}

// written counts a pass that was applied.
func (m *Metrics) written(result conditions.Result) {
	if m == nil {
		return
	}
	if !result.Changed {
		m.skipped.Inc()
	}
	for _, t := range result.Transitions {
		if t.To.Type != "" {
			m.transitions.WithLabelValues(t.Type, string(t.To.Status)).Inc()
		}
	}
}

// errorClass bounds the label to the reasons of the API server.
func errorClass(err error) string {
	if reason := apierrors.ReasonForError(err); reason != "" {
		return string(reason)
	}
	return "other"
}
