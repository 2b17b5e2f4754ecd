// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"time"

	"github.com/kubernetes-sigs/kro/pkg/features"
	"github.com/kubernetes-sigs/kro/pkg/metrics"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/systems/kro/operator/internal/definition"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// measure counts a pass in kro's metrics.
func (r *Reconciler) measure(took time.Duration, fine bool) {
	gvr := r.GVR.String()
	metrics.InstanceReconcileTotal.WithLabelValues(gvr).Inc()
	metrics.InstanceReconcileDurationSeconds.WithLabelValues(gvr).Observe(took.Seconds())
	if !fine {
		metrics.InstanceReconcileErrorsTotal.WithLabelValues(gvr).Inc()
	}
}

// resolution counts whether a pass has a graph, with the reasons of kro.
func (r *Reconciler) resolution(s *definition.Served) {
	gvr := r.GVR.String()
	switch {
	case s.Graph != nil:
		metrics.InstanceGraphResolutionSuccessTotal.WithLabelValues(gvr).Inc()
	case s.Missing:
		metrics.InstanceGraphResolutionFailuresTotal.WithLabelValues(gvr, "not_available").Inc()
	case s.Final:
		metrics.InstanceGraphResolutionFailuresTotal.WithLabelValues(gvr, "failed").Inc()
	default:
		metrics.InstanceGraphResolutionPendingTotal.WithLabelValues(gvr).Inc()
	}
}

// transition counts a change of status.state, whose label gvr kro fills with the kind, and with the feature gate InstanceConditionMetrics
// notes since when each condition is as it is.
func (p *pass) transition(before, after []conditions.Condition, state string) {
	if old, _, _ := unstructured.NestedString(p.instance.Object, "status", "state"); old != state {
		metrics.InstanceStateTransitionsTotal.WithLabelValues(p.instance.GroupVersionKind().String(), old, state).Inc()
	}
	if features.FeatureGate.Enabled(features.InstanceConditionMetrics) {
		metrics.EmitConditionMetrics(p.Log, p.GVR, p.instance, kros(before), kros(after))
	}
}
