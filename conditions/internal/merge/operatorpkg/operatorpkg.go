// SPDX-License-Identifier: Apache-2.0

// Package operatorpkg has the rules of the condition sets of github.com/awslabs/operatorpkg/status, which Karpenter uses: the root names
// the dependents that are not healthy, the newest first, with their status.
//
// A True root has its own type as reason. A stale dependent is Unknown, whatever it says.
package operatorpkg

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// Rules are those of the library. It has no mirror.
var Rules = merge.Rules{Merge: summarize, AlwaysMerge: true}

const (
	reasonUnhealthy   = "UnhealthyDependents"
	reasonReconciling = "ReconcilingDependents"
)

func summarize(m *merge.Merge) (merge.Result, bool) {
	if len(m.Items)+m.Counted == 0 {
		return merge.Result{}, false
	}
	m.NewestFirst()
	out := merge.Result{Weight: m.Worst(), Reason: reasonReconciling}
	switch out.Weight {
	case merge.Healthy:
		out.Reason = m.Target
		return out, true
	case merge.Unhealthy:
		out.Reason = reasonUnhealthy
	}
	b := m.Buffer[:0]
	for _, i := range m.Items {
		if i.Weight == merge.Healthy {
			continue
		}
		status := metav1.ConditionUnknown
		if !i.Missing() {
			status = i.Condition.Status
		}
		if len(b) > 0 {
			b = append(b, ", "...)
		}
		b = append(append(append(b, i.Type...), '='), status...)
	}
	if m.Buffer = b; m.Exact || len(b) <= merge.MaxMessage {
		out.Message = m.Text()
	} else {
		out.Message = merge.Cut(string(b), merge.MaxMessage)
	}
	return out, true
}
