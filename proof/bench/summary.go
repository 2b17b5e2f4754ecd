// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 the deprecated functions are the ones to compare with

package bench

import (
	flux "github.com/fluxcd/pkg/runtime/conditions"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	capi2 "sigs.k8s.io/cluster-api/util/conditions"
	capi1 "sigs.k8s.io/cluster-api/util/conditions/deprecated/v1beta1"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
)

// summary computes the top level of ten stored conditions and sets it.
func summary(name string, broken, unknown int) Scenario {
	return Scenario{Name: name, Runs: []Run{
		{"tristate, core", ourSummary(conditions.DialectCore, broken, unknown)},
		{"tristate, capi-v1beta1", ourSummary(conditions.DialectCAPIv1beta1, broken, unknown)},
		{"Cluster API v1beta1", func() func() error {
			o := &object{v1: listV1(parts, broken, unknown)}
			return func() error {
				capi1.SetSummary(o, capi1.WithStepCounter())
				return nil
			}
		}},
		{"Cluster API v1beta2", func() func() error {
			o := &object{v2: listV2(parts, broken, unknown), ObjectMeta: metav1.ObjectMeta{Generation: 3}}
			return func() error {
				return capi2.SetSummaryCondition(o, o, "Ready", capi2.ForConditionTypes(typeNames[:parts]))
			}
		}},
		{"Flux", func() func() error {
			o := &object{v2: listV2(parts, broken, unknown), ObjectMeta: metav1.ObjectMeta{Generation: 3}}
			return func() error {
				flux.SetSummary(o, "Ready", flux.WithConditions(typeNames[:parts]...))
				return nil
			}
		}},
	}}
}

// ourSummary is a pass that reports nothing: the ten are foreign. It is not inlined for the reason that ourPass has.
//
//go:noinline
func ourSummary(d conditions.Dialect, broken, unknown int) func() func() error {
	return func() func() error {
		k := kind(parts, d)
		for i := range parts {
			k.Types[i].Foreign = true
		}
		list := wire.FromMeta(listV2(parts, broken, unknown))
		return func() error {
			list = k.Begin(3, list, moment).Commit().Conditions()
			return nil
		}
	}
}

func listV1(n, broken, unknown int) clusterv1.Conditions {
	var list clusterv1.Conditions
	for i := range n {
		status, reason, message := fact(i, broken, unknown)
		c := clusterv1.Condition{
			Type: clusterv1.ConditionType(typeNames[i]), Status: corev1.ConditionStatus(status), Reason: reason, Message: message,
			LastTransitionTime: metav1.Time{Time: moment},
		}
		if status == metav1.ConditionFalse {
			c.Severity = clusterv1.ConditionSeverityError
		}
		list = append(list, c)
	}
	return list
}

func listV2(n, broken, unknown int) []metav1.Condition {
	var list []metav1.Condition
	for i := range n {
		status, reason, message := fact(i, broken, unknown)
		list = append(list, metav1.Condition{
			Type: typeNames[i], Status: status, Reason: reason, Message: message, ObservedGeneration: 3,
			LastTransitionTime: metav1.Time{Time: moment},
		})
	}
	return list
}
