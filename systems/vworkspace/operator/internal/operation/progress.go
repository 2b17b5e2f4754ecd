// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"slices"

	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// progressed is the state of an operation that has started; the states of those that have ended follow, in the order of ends.
const progressed = 1

// ends are the reasons that an operation ends with. The journal has their positions: a reason is added at the end.
var ends = []string{ReasonEngineCompleted, ReasonEngineFailed, ReasonTimeout, ReasonPreconditionFailed, ReasonUserCancelled,
	ReasonSupersededByOperation}

// Progress returns how far an operation is by its status, as a number that only grows: an operation runs once, also where its status is
// removed.
func Progress(o *api.Operation) uint8 {
	switch {
	case o.Status.StartedAt == nil && o.Status.FinishedAt == nil:
		return 0
	case o.Status.FinishedAt == nil:
		return progressed
	}
	for _, c := range o.Status.Conditions {
		if at := slices.Index(ends, c.Reason); at >= 0 && c.Status == metav1.ConditionTrue {
			return uint8(progressed + 1 + at)
		}
	}
	return progressed
}

// endOf returns the reason of a state; empty: the operation has not ended.
func endOf(state uint8) string {
	if at := int(state) - progressed - 1; at >= 0 && at < len(ends) {
		return ends[at]
	}
	return ""
}
