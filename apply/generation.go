// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"maps"
	"slices"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// The fields of a status that a write adds to the given ones.
const (
	generationField = "observedGeneration" // the generation that was reconciled last
	waitsField      = "waits"              // when the waits began that have a deadline or a hold
)

// states returns true if a write adds the observed generation to the given fields.
func (t Target) states(fields Fields) bool {
	_, given := fields[generationField]
	return !given && t.Own != nil && t.Own.StatusGeneration
}

// behind returns true if the stored status is about an older generation than that of the object, and a write has to say the newer one.
func (t Target) behind(object metav1.Object, fields Fields) bool {
	if !t.states(fields) {
		return false
	}
	stated, readable := statedIn(object)
	return readable && stated < object.GetGeneration()
}

// completed returns the given fields with the ones that a write adds: the generation of the object, or a newer one
// that is stored, and the waits of the result. Without waits that field is absent.
func (t Target) completed(object metav1.Object, newer *unstructured.Unstructured, result conditions.Result, given Fields) Fields {
	states, waits := t.states(given), t.Own != nil && t.Own.StatusWaits
	if !states && !waits {
		return given
	}
	fields := maps.Clone(given)
	if fields == nil {
		fields = Fields{}
	}
	if states {
		stated, _ := statedIn(object)
		generation := max(object.GetGeneration(), stated)
		if newer != nil {
			stated, _ = statedIn(newer)
			generation = max(generation, stated)
		}
		fields[generationField] = generation
	}
	if waits {
		fields[waitsField] = nil
		if waits := slices.Clone(result.Waits); len(waits) > 0 {
			begun(waits, newer)
			fields[waitsField] = waits
		}
	}
	return fields
}

// begun sets waits to their beginnings in a newer state of the object than the one that the pass read: what had begun by then goes on.
func begun(waits []conditions.Wait, newer *unstructured.Unstructured) {
	if newer == nil {
		return
	}
	stored, _ := wire.Waits(newer.Object)
	for i := range waits {
		w := &waits[i]
		for _, one := range stored {
			since, until := one.Since, one.Until
			if one.Since, one.Until = w.Since, w.Until; one.Equal(*w) && since.Before(&w.Since) {
				if w.Since = since; w.Until != nil {
					w.Until = until
				}
			}
		}
	}
}

// statedIn returns status.observedGeneration of a decoded or a typed object; 0 without one. An object whose type has no such field cannot
// be read.
func statedIn(object metav1.Object) (generation int64, readable bool) {
	if u, ok := object.(runtime.Unstructured); ok {
		generation, _, _ = unstructured.NestedInt64(u.UnstructuredContent(), "status", generationField)
		return generation, true
	}
	stated := fieldOf(statusOf(object), generationField)
	if !stated.CanInt() {
		return 0, false
	}
	return stated.Int(), true
}
