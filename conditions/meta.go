// SPDX-License-Identifier: Apache-2.0

package conditions

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// FromMeta copies a list of metav1 conditions. Severity is empty: metav1 has none.
func FromMeta(list []metav1.Condition) []Condition {
	if list == nil {
		return nil
	}
	return appendMeta(make([]Condition, 0, len(list)), list)
}

func appendMeta(out []Condition, list []metav1.Condition) []Condition {
	for i := range list {
		out = append(out, Condition{Condition: list[i]})
	}
	return out
}

// ToMeta copies a list to metav1 conditions, without severity.
func ToMeta(list []Condition) []metav1.Condition {
	if list == nil {
		return nil
	}
	out := make([]metav1.Condition, len(list))
	for i := range list {
		out[i] = list[i].Condition
	}
	return out
}
