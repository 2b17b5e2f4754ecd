// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"maps"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// generationField is the status field that has the generation that was reconciled last.
const generationField = "observedGeneration"

// states returns true if a write adds the observed generation to the given fields.
func (t Target) states(fields Fields) bool {
	_, given := fields[generationField]
	return !given && t.Own != nil && t.Own.StatusGeneration
}

// behind returns true if the stored status is about an older generation than that of the object, and a write has to say the newer one.
func (t Target) behind(object metav1.Object, fields Fields) bool {
	stated, readable := statedIn(object)
	return readable && t.states(fields) && stated < object.GetGeneration()
}

// stated returns fields with the generation of the object, or with a newer one that is stored.
func (t Target) stated(object metav1.Object, newer *unstructured.Unstructured, fields Fields) Fields {
	if !t.states(fields) {
		return fields
	}
	stated, _ := statedIn(object)
	generation := max(object.GetGeneration(), stated)
	if newer != nil {
		stated, _ = statedIn(newer)
		generation = max(generation, stated)
	}
	if fields = maps.Clone(fields); fields == nil {
		fields = Fields{}
	}
	fields[generationField] = generation
	return fields
}

// statedIn returns status.observedGeneration of a decoded or a typed object; 0 without one. An object whose type has no such field cannot be read.
func statedIn(object metav1.Object) (generation int64, readable bool) {
	if u, ok := object.(*unstructured.Unstructured); ok {
		generation, _, _ = unstructured.NestedInt64(u.Object, "status", generationField)
		return generation, true
	}
	v := reflect.Indirect(reflect.ValueOf(object))
	for _, name := range []string{"Status", "ObservedGeneration"} {
		if v.Kind() != reflect.Struct {
			return 0, false
		}
		v = v.FieldByName(name)
	}
	if !v.CanInt() {
		return 0, false
	}
	return v.Int(), true
}
