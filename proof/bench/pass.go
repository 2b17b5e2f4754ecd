// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 the deprecated functions are the ones to compare with

package bench

import (
	"errors"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	capi2 "sigs.k8s.io/cluster-api/util/conditions"
	capi1 "sigs.k8s.io/cluster-api/util/conditions/deprecated/v1beta1"

	"github.com/tristate/tristate/conditions"
)

const parts = 10

var errChanged = errors.New("a steady pass changed something")

// steadyPass reports ten unchanged conditions and derives the top level.
func steadyPass() Scenario {
	return Scenario{Name: "steady pass, 10 conditions and top level", Runs: append([]Run{
		{"tristate, core", ourPass(conditions.DialectCore)},
		{"tristate, generated code", generatedPass},
		{"tristate, capi-v1beta1", ourPass(conditions.DialectCAPIv1beta1)},
		{"apimachinery, 10 sets, no top", func() func() error {
			var list []metav1.Condition
			return func() error {
				for i := range parts {
					status, reason, message := fact(i, 0, 0)
					meta.SetStatusCondition(&list, metav1.Condition{
						Type: typeNames[i], Status: status, Reason: reason, Message: message, ObservedGeneration: 3,
					})
				}
				return nil
			}
		}},
		{"Cluster API v1beta1", func() func() error {
			o := &object{}
			return func() error {
				for i := range parts {
					capi1.MarkTrue(o, clusterv1.ConditionType(typeNames[i]))
				}
				capi1.SetSummary(o, capi1.WithStepCounter())
				return nil
			}
		}},
		{"Cluster API v1beta2", func() func() error {
			o := &object{ObjectMeta: metav1.ObjectMeta{Generation: 3}}
			return func() error {
				for i := range parts {
					status, reason, message := fact(i, 0, 0)
					capi2.Set(o, metav1.Condition{Type: typeNames[i], Status: status, Reason: reason, Message: message})
				}
				return capi2.SetSummaryCondition(o, o, "Ready", capi2.ForConditionTypes(typeNames[:parts]))
			}
		}},
	}, others(false)...)}
}

// generationBump is the same where each pass reconciles a new generation: every condition changes by its observedGeneration.
func generationBump() Scenario {
	return Scenario{Name: "generation bump, 10 conditions and top level", Runs: append([]Run{
		{"tristate, core", func() func() error {
			k := kind(parts, conditions.DialectCore)
			var list []conditions.Condition
			generation := int64(0)
			return func() error {
				generation++
				p := k.Begin(generation, list, moment)
				for i := range parts {
					status, reason, message := fact(i, 0, 0)
					p.Report(typeNames[i], status, reason, message)
				}
				list = p.Commit().Conditions()
				return nil
			}
		}},
		{"Cluster API v1beta2", func() func() error {
			o := &object{}
			return func() error {
				o.Generation++
				for i := range parts {
					status, reason, message := fact(i, 0, 0)
					capi2.Set(o, metav1.Condition{Type: typeNames[i], Status: status, Reason: reason, Message: message})
				}
				return capi2.SetSummaryCondition(o, o, "Ready", capi2.ForConditionTypes(typeNames[:parts]))
			}
		}},
	}, others(true)...)}
}

// ourPass is not inlined: All would become too large for the compiler to inline Begin, which users' code has inlined.
//
//go:noinline
func ourPass(d conditions.Dialect) func() func() error {
	return func() func() error {
		k := kind(parts, d)
		var list []conditions.Condition
		first := true
		return func() error {
			p := k.Begin(3, list, moment)
			for i := range parts {
				status, reason, message := fact(i, 0, 0)
				p.Report(typeNames[i], status, reason, message)
			}
			r := p.Commit()
			if r.Changed && !first {
				return errChanged
			}
			list, first = r.Conditions(), false
			return nil
		}
	}
}
