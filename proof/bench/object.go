// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 the deprecated functions are the ones to compare with

package bench

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// object has conditions as both packages of Cluster API want them.
type object struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	v1 clusterv1.Conditions
	v2 []metav1.Condition
}

func (o *object) GetV1Beta1Conditions() clusterv1.Conditions  { return o.v1 }
func (o *object) SetV1Beta1Conditions(c clusterv1.Conditions) { o.v1 = c }
func (o *object) GetConditions() []metav1.Condition           { return o.v2 }
func (o *object) SetConditions(c []metav1.Condition)          { o.v2 = c }
func (o *object) DeepCopyObject() runtime.Object              { c := *o; return &c }
