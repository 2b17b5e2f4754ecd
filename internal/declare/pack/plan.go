// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// A Plan is how the rules and tables of a catalog are applied, for those who write it in another language.
type Plan struct {
	Rules []RulePlan // in order; one for each of Kind.Verdicts
	// ReadsGeneration: a rule reads status.observedGeneration, or the catalog ignores it.
	ReadsGeneration bool
	// AfterSuccess: a status about an older generation is judged, and counts if it reports a failure.
	AfterSuccess bool
}

// A RulePlan is what a rule reads.
type RulePlan struct {
	// Status: it reads the status, and does not count while that is about an older generation.
	Status bool
	// Conditions that it reads, in their order; it does not count while one of them is about an older generation.
	Conditions []string
	// Bad are the statuses of these conditions in which one is unhealthy, as TYPE/STATUS.
	Bad map[string]bool
}

// PlanOf returns the plan of a catalog.
func PlanOf(k *catalog.Kind) Plan {
	r := newRules(k)
	out := Plan{ReadsGeneration: r.Reads("observedGeneration", ""), AfterSuccess: k.Source.Spec.ObservedGeneration == "success"}
	for i := range r.verdicts {
		one := RulePlan{Status: r.verdicts[i].status, Conditions: r.verdicts[i].conditions, Bad: map[string]bool{}}
		for _, name := range one.Conditions {
			for _, status := range []conditions.Status{conditions.True, conditions.False, conditions.Unknown} {
				if r.complainsOf(name, status) {
					one.Bad[name+"/"+string(status)] = true
				}
			}
		}
		out.Rules = append(out.Rules, one)
	}
	return out
}
