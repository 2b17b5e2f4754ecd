// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rollout is a declaration with one of each policy. A type says only what differs from the default.
var rollout = &conditions.Kind{
	Kind: "Rollout", Dialect: conditions.DialectKstatus, StatusWaits: true, Retired: []string{"Deployed"},
	Types: []conditions.Type{
		{Name: "Ready", Role: conditions.RoleSummary, Polarity: conditions.Positive, Presence: conditions.PresenceAlways, Imported: true,
			Unreported: conditions.UnreportedUnknown, Summary: &conditions.Summary{}},
		{Name: "Progressing", Role: conditions.RoleInformational, Polarity: conditions.Neutral, Unreported: conditions.UnreportedKeep,
			Reasons: []conditions.Reason{
				{Name: "Stuck", Status: conditions.False, Class: conditions.ClassTerminal, Severity: conditions.SeverityError},
				{Name: "Rolling", Status: conditions.True, Class: conditions.ClassProgress, Message: "rolling out: %s",
					Deadline: &conditions.Deadline{After: 10 * time.Minute, Since: conditions.SinceProgress, Then: "Stuck"}},
				{Name: "Done", Status: conditions.False, Class: conditions.ClassOK, Severity: conditions.SeverityNone},
			}},
		{Name: "Available", Aliases: []string{"Availible"}, Role: conditions.RoleDependent, Presence: conditions.PresenceWhenKnown,
			Reasons: []conditions.Reason{
				{Name: "Broken", Status: conditions.False, Class: conditions.ClassTerminal},
				{Name: "Crashing", Status: conditions.False, Class: conditions.ClassTransient, Severity: conditions.SeverityWarning,
					Retry: time.Minute},
				{Name: "Paused", Status: conditions.Unknown, Class: conditions.ClassSuspended,
					Deadline: &conditions.Deadline{After: time.Hour, Since: conditions.SinceCell}},
				{Name: "Serving", Status: conditions.True, Class: conditions.ClassOK},
			}},
		{Name: "Drained", Role: conditions.RoleInformational, Polarity: conditions.Negative, Presence: conditions.PresenceWhenTrue,
			Unreported: conditions.UnreportedFail,
			Reasons: []conditions.Reason{{Name: "NoNode", Status: conditions.True, Severity: conditions.SeverityInfo,
				Deadline: &conditions.Deadline{After: time.Hour, Since: conditions.SinceGeneration}}}},
		{Name: "Published", Role: conditions.RoleInformational, Presence: conditions.PresenceOnceTrue, Lifecycle: conditions.LifecycleMonotonic},
		{Name: "Deleted", Role: conditions.RoleInformational, Lifecycle: conditions.LifecycleTerminal},
		{Name: "Succeeded", Role: conditions.RoleInformational, Lifecycle: conditions.LifecycleCompletion},
		{Name: conditions.TypeReconciling, Polarity: conditions.Negative, Imported: true},
		{Name: conditions.TypeStalled, Polarity: conditions.Negative, Imported: true},
	},
}

// A declaration that a program writes is checked by a test of the program. A catalog is checked when it is loaded.
func ExampleKind() {
	fmt.Println(rollout.Validate())
	wrong := *rollout
	wrong.Types = []conditions.Type{{Name: "Ready", Reasons: []conditions.Reason{{Name: "Up", Status: "Yes"}}}}
	fmt.Println(wrong.Validate())
	fmt.Printf("%q %q\n", rollout.OwnedType("Availible"), rollout.OwnedType("OfAnotherWriter"))
	// Output:
	// []
	// [Rollout: condition Ready: reason Up: status "Yes" is not True, False or Unknown]
	// "Available" ""
}

// A deadline passes, and the reason that the declaration has for that follows. The beginning is stored with the object.
func ExampleDeadline() {
	var stored []conditions.Condition
	var waits []conditions.Wait
	for _, step := range []struct {
		minutes int
		token   string
	}{{0, "1 of 3"}, {8, "2 of 3"}, {12, "2 of 3"}, {18, "2 of 3"}} {
		pass := rollout.Begin(1, stored, noon.Add(time.Duration(step.minutes)*time.Minute))
		pass.SetWaits(waits)
		pass.ReportCell("Progressing", "True/Rolling", step.token)
		pass.Progress("Progressing", step.token)
		result := pass.Commit()
		stored, waits = result.Conditions(), result.Waits
		c := result.Condition("Progressing")
		fmt.Printf("%d min: %s %q since %s\n", step.minutes, c.Reason, c.Message, waits[0].Since.Format(time.TimeOnly))
	}
	var copied conditions.Wait // what a generated DeepCopy of a status calls
	waits[0].DeepCopyInto(&copied)
	fmt.Println(copied.Reason)
	// Output:
	// 0 min: Rolling "rolling out: 1 of 3" since 12:00:00
	// 8 min: Rolling "rolling out: 2 of 3" since 12:08:00
	// 12 min: Rolling "rolling out: 2 of 3" since 12:08:00
	// 18 min: Stuck "Rolling for longer than 10m: rolling out: 2 of 3" since 12:08:00
	// Rolling
}

// Stalled and Reconciling of dialect kstatus follow from the classes of the other cells.
func ExampleClass() {
	for _, cell := range []string{"False/Broken", "False/Crashing", "Unknown/Paused", "True/Serving"} {
		pass := rollout.Begin(1, nil, noon)
		pass.ReportCell("Available", cell, "")
		result := pass.Commit()
		fmt.Println(cell, result.Condition(conditions.TypeReconciling).Status, result.Condition(conditions.TypeStalled).Status)
	}
	// Output:
	// False/Broken Unknown True
	// False/Crashing True False
	// Unknown/Paused False False
	// True/Serving False False
}

func ExamplePolarity_Good() {
	for _, p := range []conditions.Polarity{conditions.Positive, conditions.Negative, conditions.Neutral} {
		fmt.Println(p, p.Good(conditions.True), p.Bad(conditions.False), p.Bad(conditions.Unknown))
	}
	// Output:
	// positive true true false
	// negative false false false
	// neutral false false false
}

// Which dialects have an observedGeneration in each condition, and which derive conditions from others.
func ExampleDialect() {
	for _, d := range []conditions.Dialect{conditions.DialectCore, conditions.DialectKstatus, conditions.DialectOpenShift,
		conditions.DialectGateway,
		conditions.DialectKnative, conditions.DialectCAPIv1beta1, conditions.DialectCAPIv1beta2} {
		fmt.Println(d, d.Generations(), d.Derives())
	}
	// Output:
	// core true true
	// kstatus true true
	// openshift true true
	// gateway true true
	// knative false false
	// capi-v1beta1 false true
	// capi-v1beta2 true false
}

func ExampleReason_Text() {
	r := conditions.Reason{Name: "Rolling", Status: conditions.True, Message: "rolling out: %s"}
	fmt.Println(r.Text("1 of 3"))
	fmt.Println(conditions.Text("%d of %d", 1, 3))
	// Output:
	// rolling out: 1 of 3
	// 1 of 3
}

// The conditions of a typed object are read without a copy, and an unchanged pass returns them.
func ExampleKind_BeginMeta() {
	object := struct {
		Generation int64
		Conditions []metav1.Condition
	}{Generation: 1}
	for range 2 {
		pass := policy.BeginMeta(object.Generation, object.Conditions, noon)
		pass.Report("Compiled", conditions.True, "UpToDate", "")
		result := pass.Commit()
		fmt.Println(result.Changed, result.Condition("Ready").Status, len(result.Owned()))
		object.Conditions = nil
		for _, c := range result.Conditions() {
			object.Conditions = append(object.Conditions, c.Condition)
		}
	}
	// Output:
	// true True 2
	// false True 2
}

// Generated code keeps a pass in a variable, which costs no allocation.
func ExampleMemory() {
	var memory conditions.Memory
	pass := memory.BeginMeta(policy, 1, nil, noon)
	pass.Report("Compiled", conditions.True, "UpToDate", "")
	fmt.Println(pass.Commit().Condition("Ready").Status)
	// Output: True
}

// waiting is an object of a kind with StatusWaits.
type waiting struct{ metav1.ObjectMeta }

func (*waiting) GetConditions() []metav1.Condition { return nil }
func (*waiting) GetWaits() []conditions.Wait {
	return []conditions.Wait{{Type: "Compiled", Reason: "SourceMissing", Since: metav1.Time{Time: noon}}}
}

// A pass is begun with the waits of its object, as generated code does it.
func ExampleObjectWithWaits() {
	begin := func(object conditions.ObjectWithWaits) *conditions.Pass {
		pass := policy.BeginMeta(object.GetGeneration(), object.GetConditions(), noon)
		pass.SetWaits(object.GetWaits())
		return pass
	}
	pass := begin(&waiting{metav1.ObjectMeta{Generation: 3}})
	pass.Report("Compiled", conditions.True, "UpToDate", "")
	fmt.Println(pass.Commit().Condition("Compiled").ObservedGeneration)
	// Output: 3
}

// A type that another version of the operator must not see is left out.
func ExampleResult_Without() {
	pass := policy.Begin(1, nil, noon)
	pass.Report("Compiled", conditions.True, "UpToDate", "")
	result := pass.Commit().Without(func(c conditions.Condition) bool { return c.Type == "Compiled" })
	fmt.Println(len(result.Conditions()), result.Unreported())
	// Output:
	// 1 [Degraded]
}

// What made a condition unhealthy, for programs.
func ExampleResult_Causes() {
	pass := policy.Begin(1, nil, noon)
	cause := conditions.Condition{Condition: metav1.Condition{Type: "Ready", Status: conditions.False, Reason: "Evicted", Message: "no disk"}}
	pass.ReportCondition(conditions.Condition{Condition: metav1.Condition{Type: "Compiled", Status: conditions.False, Reason: "SourceMissing"}},
		conditions.Cause{Object: conditions.ObjectRef{Kind: "Pod", Namespace: "default", Name: "p"}, Condition: &cause.Condition})
	for _, c := range pass.Commit().Causes("Ready") {
		fmt.Println(c.String(), "of", c.Object.String())
	}
	// Output:
	// Pod/default/p Ready=False Evicted: no disk of Pod/default/p
}

// The change of one condition, with the declared class of the cell that it came to.
func ExampleType_Transition() {
	from := conditions.Condition{Condition: metav1.Condition{Type: "Compiled", Status: conditions.True, Reason: "UpToDate"}}
	to := conditions.Condition{Condition: metav1.Condition{Type: "Compiled", Status: conditions.False, Reason: "SpecInvalid"}}
	var change conditions.Transition
	change, changed := policy.Types[1].Transition(&from, &to)
	fmt.Println(changed, change.Type, change.Class, change.Severity, change.Severity.Rank() < conditions.SeverityWarning.Rank())
	// Output:
	// true Compiled terminal Error true
}

// What a queue is to do after a reconcile.
func ExampleAdvice() {
	pass := policy.Begin(1, nil, noon)
	pass.Report("Compiled", conditions.False, "SpecInvalid", "mode is unknown")
	var advice conditions.Advice = pass.Commit().Advice(nil)
	fmt.Println(advice.Class, advice.Err, advice.Wait(noon))
	fault := &conditions.Fault{Class: conditions.ClassTransient, Err: errors.New("registry is busy")}
	fmt.Println(fault.Error(), errors.Is(fault, fault.Unwrap()))
	// Output:
	// terminal <nil> 0s
	// registry is busy true
}

func ExampleFind() {
	pass := policy.Begin(1, nil, noon)
	pass.Report("Compiled", conditions.True, "UpToDate", "")
	list := pass.Commit().Conditions()
	fmt.Println(conditions.Find(list, "Compiled"), conditions.Find(list, "Stored"))
	// Output:
	// 1 -1
}

// observed is an object with a stored wait.
type observed struct{ waits []conditions.Wait }

func (observed) GetGeneration() int64          { return 1 }
func (o observed) GetWaits() []conditions.Wait { return o.waits }

// A controller asks about stored waits before it has facts, and reports work that is over once more.
func ExampleKind_Overdue() {
	kind := &conditions.Kind{Kind: "Job", StatusWaits: true, Phases: []conditions.Phase{{Name: "Running"}},
		Types: []conditions.Type{{Name: "Done", Reasons: []conditions.Reason{
			{Name: "Running", Status: conditions.False, Deadline: &conditions.Deadline{After: time.Hour}},
			{Name: "Late", Status: conditions.False}}}}}
	wait := conditions.Wait{Type: "Done", Reason: "Running", Since: metav1.Time{Time: noon}}
	o := observed{[]conditions.Wait{wait}}
	fmt.Println(kind.Overdue(o, "Done", time.Minute, noon.Add(time.Hour)), kind.Due(o.waits, noon).Sub(noon), wait.Equal(o.waits[0]))
	pass := kind.Begin(1, nil, noon)
	pass.Repeat()
	pass.WaitFor("Done", 2*time.Hour)
	pass.WaitSince("Done", noon.Add(-time.Hour))
	pass.Report("Done", conditions.False, "Running", "")
	result := pass.Commit()
	fmt.Println(kind.Phase(result.Conditions()), len(kind.Types[0].WaitErrors(0, true)))
	// Output:
	// true 1h0m0s true
	// Running 0
}

// A pass that does not report a type writes a cell of its own, so that readers and policies have to know it too.
func ExampleType_StockCells() {
	compiled := &conditions.Type{Name: "Compiled", Reasons: []conditions.Reason{{Name: "UpToDate", Status: conditions.True}}}
	for _, c := range compiled.StockCells() {
		fmt.Println(c.Status, c.Name)
	}
	// Output:
	// Unknown NotReported
}
