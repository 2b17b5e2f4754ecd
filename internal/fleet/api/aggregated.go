// SPDX-License-Identifier: Apache-2.0

package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// AggregatedGroup and AggregatedVersion name the API of verdicts that a cluster serves as its own.
const (
	AggregatedGroup   = "verdicts.tristate.dev"
	AggregatedVersion = "v1alpha1"
)

// Verdict is a [Row] in the form of an object of Kubernetes. It is in the namespace of the object that it is about, and its name is
// kind.group:name in lower case, without a group pod:web. Its uid is the id of the row.
type Verdict struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Status            Row `json:"status"`
}

// VerdictList is a list of them.
type VerdictList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []Verdict `json:"items"`
}
