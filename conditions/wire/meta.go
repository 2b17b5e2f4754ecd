// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FromMeta copies a list of metav1 conditions. Severity is empty: metav1 has none.
func FromMeta(list []metav1.Condition) []conditions.Condition {
	if list == nil {
		return nil
	}
	out := make([]conditions.Condition, len(list))
	for i := range list {
		out[i].Condition = list[i]
	}
	return out
}

// ToMeta copies a list to metav1 conditions, without severity.
func ToMeta(list []conditions.Condition) []metav1.Condition {
	if list == nil {
		return nil
	}
	out := make([]metav1.Condition, len(list))
	for i := range list {
		out[i] = list[i].Condition
	}
	return out
}
