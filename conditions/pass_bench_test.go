// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"fmt"
	"testing"
	"time"
)

func steadyKind(d Dialect) *Kind {
	k := &Kind{Kind: "Thing", Dialect: d}
	for i := range 10 {
		k.Types = append(k.Types, Type{
			Name: fmt.Sprintf("Condition%dReady", i), Polarity: Positive, Role: RoleDependent, Presence: Always,
			Reasons: []Reason{
				{Name: "Broken", Status: False, Severity: SeverityError},
				{Name: "Waiting", Status: Unknown},
				{Name: "Working", Status: True},
			},
		})
	}
	k.Types = append(k.Types, Type{Name: "Ready", Polarity: Positive, Role: RoleSummary, Presence: Always, Imported: true, Summary: &SummaryRule{}})
	return k
}

func steadyPass(k *Kind, stored []Condition, now time.Time, broken int) Result {
	p := k.Begin(3, stored, now)
	for i := range 10 {
		if i < broken {
			p.Report(k.Types[i].Name, False, "Broken", "it is broken")
		} else {
			p.Report(k.Types[i].Name, True, "Working", "")
		}
	}
	return p.Commit()
}

func BenchmarkSteadyPass(b *testing.B) {
	for _, d := range []Dialect{Core, CAPIv1beta1} {
		for _, broken := range []int{0, 1, 5} {
			b.Run(fmt.Sprintf("%s/%d broken", d, broken), func(b *testing.B) {
				k := steadyKind(d)
				now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
				stored := steadyPass(k, nil, now, broken).Conditions
				b.ReportAllocs()
				for b.Loop() {
					if steadyPass(k, stored, now, broken).Changed {
						b.Fatal("changed")
					}
				}
			})
		}
	}
}
