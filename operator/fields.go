// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"reflect"
	"strings"
	"time"

	"github.com/tristate/tristate/apply"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Fields returns the status fields that an operator owns, besides the conditions, from a pointer to the status of a kind: a field is absent exactly
// where the type omits it, so that an unchanged pass finds no difference to the stored object. others names fields of the type that other writers own.
func Fields(status any, others ...string) apply.Fields {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(status)
	if err != nil {
		panic("operator: a status that has no JSON: " + err.Error()) // a mistake in the type
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(status).Elem()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if _, present := content[name]; !present && name != "" {
			content[name] = nil
		}
	}
	for _, name := range append(others, "conditions") {
		delete(content, name)
	}
	return content
}

// Time returns a time of a status; nil for the zero time.
func Time(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t}
}

// Stamp returns the time of a status that belongs to a version: the stored one while the version is empty or the stored one, else now.
func Stamp(version, storedVersion string, stored *metav1.Time, now time.Time) *metav1.Time {
	if version == "" || version == storedVersion && stored != nil {
		return stored
	}
	return Time(now)
}
