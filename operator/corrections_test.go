// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestCorrected: a field of the status that another writer changed or removed is noticed by the managed fields alone; a write of the
// operator is not, nor what others write besides.
func TestCorrected(t *testing.T) {
	entry := func(manager string, operation metav1.ManagedFieldsOperationType, second int64, fields string) metav1.ManagedFieldsEntry {
		at := metav1.NewTime(time.Unix(second, 0))
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, Subresource: "status", Time: &at,
			FieldsV1: metav1.NewFieldsV1(fields)}
	}
	own := func(second int64, fields string) metav1.ManagedFieldsEntry {
		return entry("gadget-operator", metav1.ManagedFieldsOperationApply, second, fields)
	}
	other := func(second int64, fields string) metav1.ManagedFieldsEntry {
		return entry("kubectl-edit", metav1.ManagedFieldsOperationUpdate, second, fields)
	}
	const all, less, part = `{"f:status":{"f:a":{},"f:b":{}}}`, `{"f:status":{"f:a":{}}}`, `{"f:status":{"f:b":{}}}`
	type list = []metav1.ManagedFieldsEntry
	for name, tt := range map[string]struct {
		before, after list
		want          bool
	}{
		"the first status":               {nil, list{own(1, all)}, false},
		"another status":                 {list{own(1, all)}, list{own(2, less)}, false},
		"nothing":                        {list{own(1, all)}, list{own(1, all)}, false},
		"a value by another":             {list{own(1, all)}, list{own(1, less), other(2, part)}, true},
		"a field of its own by another":  {list{own(1, all)}, list{own(1, all), other(2, `{"f:status":{"f:c":{}}}`)}, false},
		"a field is removed":             {list{own(1, all)}, list{own(1, less)}, true},
		"everything is removed":          {list{own(1, all)}, nil, true},
		"it is taken back":               {list{own(1, less), other(2, part)}, list{own(3, all)}, false},
		"a part of it is taken back":     {list{own(1, less), other(2, all)}, list{own(3, all), other(2, part)}, false},
		"a spec, which is another entry": {list{own(1, all)}, list{own(1, all), {Manager: "kubectl", Operation: "Update"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			object := func(l list) *metav1.ObjectMeta { return &metav1.ObjectMeta{ManagedFields: l} }
			if got := Corrected(object(tt.before), object(tt.after), "gadget-operator"); got != tt.want {
				t.Errorf("Corrected is %v, want %v", got, tt.want)
			}
		})
	}
}
