// SPDX-License-Identifier: Apache-2.0

package rollup

import (
	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Input is one condition offered to a merge.
type Input struct {
	Object    conditions.ObjectRef  // whose condition it is; the zero ObjectRef for the object itself
	Type      string                // the type that was asked for
	Condition *conditions.Condition // nil: not reported; causes of the result refer to it, so that it must not be changed afterwards
	Polarity  conditions.Polarity   // of the type; "" is positive
	Stale     bool                  // observed at an older generation than the object's, or too old by a rule of the caller's: as Unknown
	Optional  bool                  // a missing one does not count as Unknown
	Severity  conditions.Severity   // of its reason as declared; counts where the condition itself carries none
	Causes    []conditions.Cause    // its known causes: they stand for it in the causes of the result
}

// InputOf is the input of another object that was read with its generation and its conditions: the condition of a type, stale if it was
// observed at an older generation. Nothing of the list is kept.
func InputOf(of conditions.ObjectRef, generation int64, list []metav1.Condition, conditionType string) Input {
	in := Input{Object: of, Type: conditionType}
	for i := range list {
		if list[i].Type == conditionType {
			one := conditions.Condition{Condition: list[i]}
			in.Condition, in.Stale = &one, one.ObservedGeneration != 0 && one.ObservedGeneration < generation
			break
		}
	}
	return in
}
