// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Scenario is one thing to do, with the libraries that can do it.
type Scenario struct {
	Name string
	Runs []Run
}

// Run is one library's way. Ours is the first one of a scenario.
type Run struct {
	Library string
	// Prepare makes the input of the measured function, which runs once and returns an error.
	Prepare func() func() error
}

// CPU is the metric of a benchmark that counts the processor's time, and not that of others who use the machine.
const CPU = "cpu-ns/op"

// Bench measures a run.
func (r Run) Bench(b *testing.B) {
	do := r.Prepare()
	if err := do(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	n, start := 0, used()
	for b.Loop() {
		if err := do(); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(used()-start)/float64(n), CPU)
}

// used is the time that the process has had the processor, collection of garbage included.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// All are the scenarios.
var All = []Scenario{
	steadyPass(),
	generationBump(),
	summary("summary of 10, all good", 0, 0),
	summary("summary of 10, 1 issue", 1, 0),
	summary("summary of 10, 5 issues and 5 unknown", 5, 5),
	aggregate("aggregate of 100, 10 % broken", 100, 1, 10, false),
	aggregate("aggregate of 1000, all good", 1000, 1, 0, false),
	aggregate("aggregate of 1000, 10 % broken", 1000, 1, 10, false),
	aggregate("aggregate of 1000, all broken, all distinct", 1000, 1, 1, true),
	aggregate("aggregate of 1000 x 15 conditions, 10 % broken", 1000, 15, 10, false),
	writtenPass(),
	validation(),
}

var moment = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

var typeNames = func() []string {
	var out []string
	for i := range 15 {
		out = append(out, fmt.Sprintf("Part%02dReady", i))
	}
	return out
}()

// fact is the state of the condition at position i of which some are broken and some unknown.
func fact(i, broken, unknown int) (status metav1.ConditionStatus, reason, message string) {
	switch {
	case i < broken:
		return metav1.ConditionFalse, "Broken", fmt.Sprintf("part %d is broken", i)
	case i < broken+unknown:
		return metav1.ConditionUnknown, "Waiting", fmt.Sprintf("part %d was not seen", i)
	}
	return metav1.ConditionTrue, "Working", ""
}

// kind declares n parts and a top level.
func kind(n int, d conditions.Dialect) *conditions.Kind {
	k := &conditions.Kind{Kind: "Thing", Dialect: d}
	for i := range n {
		k.Types = append(k.Types, conditions.Type{Name: typeNames[i], Role: conditions.RoleDependent, Reasons: []conditions.Reason{
			{Name: "Broken", Status: conditions.False, Severity: conditions.SeverityError},
			{Name: "Waiting", Status: conditions.Unknown},
			{Name: "Working", Status: conditions.True},
		}})
	}
	k.Types = append(k.Types, conditions.Type{
		Name: "Ready", Role: conditions.RoleSummary, Imported: true,
		Summary: &conditions.Summary{Counter: d == conditions.DialectCAPIv1beta1},
	})
	return k
}
