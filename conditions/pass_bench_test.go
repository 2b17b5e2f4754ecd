// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"fmt"
	"testing"
	"time"

	. "github.com/tristate/tristate/conditions"
	. "github.com/tristate/tristate/conditions/wire"
)

func steadyKind(d Dialect) *Kind {
	k := &Kind{Kind: "Thing", Dialect: d}
	for i := range 10 {
		k.Types = append(k.Types, Type{
			Name: fmt.Sprintf("Condition%dReady", i), Polarity: Positive, Role: RoleDependent, Presence: PresenceAlways,
			Reasons: []Reason{
				{Name: "Broken", Status: False, Severity: SeverityError},
				{Name: "Waiting", Status: Unknown},
				{Name: "Working", Status: True},
			},
		})
	}
	k.Types = append(k.Types, Type{Name: "Ready", Polarity: Positive, Role: RoleSummary, Presence: PresenceAlways, Imported: true,
		Summary: &Summary{}})
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

// A steady pass, and the validation of a condition, cost no memory. The race detector makes pools forget.
func TestSteadyPassAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Skip("not with the race detector")
	}
	for _, d := range []Dialect{DialectCore, DialectKstatus, DialectCAPIv1beta1} {
		for _, broken := range []int{0, 5} {
			k := steadyKind(d)
			stored := steadyPass(k, nil, t1, broken).Conditions()
			if n := testing.AllocsPerRun(100, func() { steadyPass(k, stored, t2, broken) }); n > 0 {
				t.Errorf("%s, %d broken: %v allocations", d, broken, n)
			}
		}
	}
	c := cond("Ready", True, "Working", "text", 1, t1)
	if n := testing.AllocsPerRun(100, func() { Validate(&c, DialectCore) }); n > 0 {
		t.Errorf("validation: %v allocations", n)
	}
}

func BenchmarkValidate(b *testing.B) {
	c := cond("example.com/Ready", True, "WorkingAsExpected", "some text", 1, t1)
	b.ReportAllocs()
	for b.Loop() {
		if len(Validate(&c, DialectCore)) > 0 {
			b.Fatal("refused")
		}
	}
}

func BenchmarkSteadyPass(b *testing.B) {
	for _, d := range []Dialect{DialectCore, DialectCAPIv1beta1} {
		for _, broken := range []int{0, 1, 5} {
			b.Run(fmt.Sprintf("%s/%d broken", d, broken), func(b *testing.B) {
				k := steadyKind(d)
				now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
				stored := steadyPass(k, nil, now, broken).Conditions()
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
