// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// policy is a declaration as a program writes it that has no catalog. List order of the reasons is their precedence.
var policy = &conditions.Kind{
	Group: "example.com", Kind: "Policy",
	Types: []conditions.Type{
		{Name: "Ready", Role: conditions.RoleSummary, Imported: true, Summary: &conditions.Summary{}},
		{Name: "Compiled", Role: conditions.RoleDependent, Reasons: []conditions.Reason{
			{Name: "SpecInvalid", Status: conditions.False, Class: conditions.ClassTerminal, Severity: conditions.SeverityError},
			{Name: "SourceMissing", Status: conditions.False, Class: conditions.ClassTransient, Severity: conditions.SeverityWarning},
			{Name: "Compiling", Status: conditions.Unknown, Class: conditions.ClassProgress},
			{Name: "UpToDate", Status: conditions.True, Class: conditions.ClassOK},
		}},
		{Name: "Degraded", Role: conditions.RoleDependent, Polarity: conditions.Negative, Presence: conditions.PresenceWhenTrue,
			Reasons: []conditions.Reason{
				{Name: "SlowRouter", Status: conditions.True, Class: conditions.ClassTransient},
				{Name: "AsExpected", Status: conditions.False, Class: conditions.ClassOK},
			}},
	},
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func show(list []conditions.Condition) {
	for _, c := range list {
		fmt.Printf("%s=%s %s %q generation %d since %s\n", c.Type, c.Status, c.Reason, c.Message, c.ObservedGeneration,
			c.LastTransitionTime.Format(time.TimeOnly))
	}
}

// A pass: facts in any order, one commit.
func Example() {
	pass := policy.Begin(1, nil, noon)
	pass.Report("Compiled", conditions.True, "UpToDate", "revision 7")
	first := pass.Commit()
	show(first.Conditions())

	pass = policy.Begin(1, first.Conditions(), noon.Add(time.Minute))
	pass.Report("Compiled", conditions.True, "UpToDate", "revision 7")
	fmt.Println("changed by the same facts:", pass.Commit().Changed)
	// Output:
	// Ready=True Healthy "" generation 1 since 12:00:00
	// Compiled=True UpToDate "revision 7" generation 1 since 12:00:00
	// changed by the same facts: false
}

// Several causes of one condition: the reason that is declared first wins, the message names them all.
func ExamplePass_Report() {
	pass := policy.Begin(1, nil, noon)
	pass.Report("Compiled", conditions.False, "SourceMissing", "no config map rules")
	pass.Report("Compiled", conditions.False, "SpecInvalid", "mode is unknown")
	pass.Report("Compiled", conditions.False, "Odd", "it is not declared")
	result := pass.Commit()
	c := result.Condition("Compiled")
	fmt.Println(c.Status, c.Reason)
	fmt.Println(c.Message)
	fmt.Println(result.Errors)
	// Output:
	// False SpecInvalid
	// SpecInvalid: mode is unknown; SourceMissing: it is not declared; SourceMissing: no config map rules
	// [Policy: condition Compiled does not declare False with reason "Odd"]
}

// A fact that is older than the pass: dwell counts from its time.
func ExamplePass_ReportCondition() {
	damped := *policy
	damped.Types = []conditions.Type{{Name: "Available", GoBadAfter: 2 * time.Minute, Reasons: []conditions.Reason{
		{Name: "Down", Status: conditions.False}, {Name: "Up", Status: conditions.True}}}}
	pass := damped.Begin(1, nil, noon)
	pass.Report("Available", conditions.True, "Up", "")
	stored := pass.Commit().Conditions()
	for _, after := range []time.Duration{time.Minute, 2 * time.Minute} {
		pass = damped.Begin(1, stored, noon.Add(after))
		pass.ReportCondition(conditions.Condition{Condition: metav1.Condition{Type: "Available", Status: conditions.False, Reason: "Down",
			Message: "no answer", LastTransitionTime: metav1.Time{Time: noon}}})
		result := pass.Commit()
		fmt.Printf("after %s: %s, look again: %t\n", after, result.Conditions()[0].Status, !result.RequeueAt.IsZero())
	}
	// Output:
	// after 1m0s: True, look again: true
	// after 2m0s: False, look again: false
}

// An error of the reconcile becomes a condition, and what the queue is to do comes back out.
func ExamplePass_ReportError() {
	err := errors.Join(
		fmt.Errorf("compile: %w", &conditions.Fault{Class: conditions.ClassTerminal, Reason: "SpecInvalid", Err: errors.New("mode is unknown")}),
		&conditions.Fault{After: time.Minute, Err: errors.New("registry is busy")},
	)
	pass := policy.Begin(1, nil, noon)
	pass.ReportError("Compiled", err)
	result := pass.Commit()
	show(result.Conditions()[1:])
	advice := result.Advice(err)
	fmt.Println(advice.Class, advice.Err, advice.Wait(noon))
	// Output:
	// Compiled=False SpecInvalid "SpecInvalid: compile: mode is unknown; SourceMissing: registry is busy" generation 1 since 12:00:00
	// transient <nil> 1m0s
}

// Conditions that the spec asks for count, whoever writes them.
func ExamplePass_Gate() {
	pass := policy.Begin(1, nil, noon)
	pass.Report("Compiled", conditions.True, "UpToDate", "")
	pass.Gate("example.org/Approved", conditions.Positive)
	show(pass.Commit().Conditions()[:1])
	// Output:
	// Ready=Unknown NotReported "example.org/Approved(NotReported): not reported" generation 1 since 12:00:00
}

// A derived condition without a result leaves the list.
func ExamplePass_Remove() {
	pass := policy.Begin(1, nil, noon)
	pass.Report("Compiled", conditions.True, "UpToDate", "")
	pass.Report("Degraded", conditions.True, "SlowRouter", "9 s")
	stored := pass.Commit().Conditions()
	pass = policy.Begin(1, stored, noon)
	pass.Report("Compiled", conditions.True, "UpToDate", "")
	pass.Remove("Degraded")
	for _, t := range pass.Commit().Transitions {
		fmt.Printf("%s: %s -> %q\n", t.Type, t.From.Status, t.To.Status)
	}
	// Output:
	// Ready: False -> "True"
	// Degraded: True -> ""
}

// A newer observer's word stands.
func ExampleResult() {
	pass := policy.Begin(5, nil, noon)
	pass.Report("Compiled", conditions.True, "UpToDate", "")
	stored := pass.Commit().Conditions()
	stale := policy.Begin(4, stored, noon) // read from a cache that lags
	stale.Report("Compiled", conditions.False, "SpecInvalid", "as it was")
	result := stale.Commit()
	fmt.Println("changed:", result.Changed, "superseded:", result.Superseded)
	// Output:
	// changed: false superseded: [Ready Compiled]
}
