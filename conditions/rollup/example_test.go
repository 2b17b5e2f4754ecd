// SPDX-License-Identifier: Apache-2.0

package rollup_test

import (
	"fmt"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// A condition of another object, under a name of one's own; its causes go with it.
func ExampleReport() {
	var machine conditions.Condition
	machine.Type, machine.Status, machine.Reason, machine.Message = "Ready", conditions.False, "KeyMissing", "no key ops"
	o := rollup.Options{Target: conditions.Type{Name: "MachineReady", Imported: true}}
	merged, ok := rollup.Mirror(rollup.Input{Object: conditions.ObjectRef{Kind: "Machine", Name: "m-1"}, Type: "Ready", Condition: &machine},
		o)
	if !ok {
		return
	}
	kind := &conditions.Kind{Kind: "Cluster", Types: []conditions.Type{
		{Name: "Ready", Imported: true, Summary: &conditions.Summary{}}, {Name: "MachineReady", Role: conditions.RoleDependent,
			Imported: true}}}
	pass := kind.Begin(1, nil, noon)
	rollup.Report(pass, "MachineReady", merged)
	result := pass.Commit()
	for _, c := range result.Conditions() {
		fmt.Printf("%s=%s %s %q\n", c.Type, c.Status, c.Reason, c.Message)
	}
	fmt.Println(result.Causes("Ready"))
	// Output:
	// Ready=False KeyMissing "MachineReady(KeyMissing): no key ops"
	// MachineReady=False KeyMissing "no key ops"
	// [Machine/m-1 Ready=False KeyMissing: no key ops]
}

// Dwell between passes needs a memory of the object.
func ExampleSetState() {
	kind := &conditions.Kind{Kind: "Probe",
		Types: []conditions.Type{{Name: "Available", RecoverAfter: time.Minute, Reasons: []conditions.Reason{
			{Name: "Down", Status: conditions.False}, {Name: "Up", Status: conditions.True}}}}}
	var memory rollup.State
	var stored []conditions.Condition
	for i, status := range []conditions.Status{conditions.False, conditions.True, conditions.True} {
		pass := kind.Begin(1, stored, noon.Add(time.Duration(i)*time.Minute))
		rollup.SetState(pass, &memory)
		reason := map[conditions.Status]string{conditions.False: "Down", conditions.True: "Up"}[status]
		pass.Report("Available", status, reason, "")
		stored = pass.Commit().Conditions()
		fmt.Println("reported", status, "published", stored[0].Status)
	}
	// Output:
	// reported False published False
	// reported True published False
	// reported True published True
}

func ExampleSummarize() {
	broken := conditions.Condition{Severity: conditions.SeverityError}
	broken.Status, broken.Reason, broken.Message = conditions.False, "NoSpace", "disk is full"
	merged, _ := rollup.Summarize([]rollup.Input{
		{Type: "Stored", Condition: &broken},
		{Type: "Indexed"}, // not reported
	}, rollup.Options{Target: conditions.Type{Name: "Ready", Imported: true}})
	fmt.Println(merged.Condition.Status, merged.Condition.Reason, merged.Condition.Message)
	// Output:
	// False NoSpace Stored(NoSpace): disk is full; Indexed(NotReported): not reported
}

func ExampleAggregate() {
	var in []rollup.Input
	for i := range 6 {
		c := &conditions.Condition{}
		c.Status, c.Reason = conditions.True, "Up"
		if i > 0 {
			c.Status, c.Reason, c.Message = conditions.False, "Booting", "no address yet"
		}
		in = append(in, rollup.Input{Object: conditions.ObjectRef{Kind: "Machine", Name: fmt.Sprintf("m-%d", i)}, Type: "Ready", Condition: c})
	}
	merged, _ := rollup.Aggregate(in, rollup.Options{Target: conditions.Type{Name: "MachinesReady", Imported: true}})
	fmt.Println(merged.Condition.Status, merged.Condition.Reason, merged.Condition.Message)
	merged, _ = rollup.Aggregate(in, rollup.Options{Target: conditions.Type{Name: "MachinesReady", Imported: true},
		Counter: true})
	fmt.Println(merged.Condition.Message)
	// Output:
	// False Booting Ready(Booting): no address yet [m-1, m-2, m-3 and 2 more]
	// 1 of 6 completed: Ready(Booting): no address yet [m-1, m-2, m-3 and 2 more]
}

func ExampleMirror() {
	var down conditions.Condition
	down.Status, down.Reason, down.Message = conditions.True, "NoRoute", "router is gone"
	merged, _ := rollup.Mirror(
		rollup.Input{Type: "Down", Polarity: conditions.Negative, Condition: &down},
		rollup.Options{Target: conditions.Type{Name: "RouterReady", Imported: true}})
	fmt.Println(merged.Condition.Type, merged.Condition.Status, merged.Condition.Reason)
	// Output:
	// RouterReady False NoRoute
}

// A step sees what the steps before it have published, and may ask for a condition that the spec names.
func ExampleDerive() {
	kind := &conditions.Kind{Kind: "Cluster", Types: []conditions.Type{
		{Name: "Ready", Role: conditions.RoleSummary, Imported: true, Summary: &conditions.Summary{Missing: string(rollup.MissingUnknown)}},
		{Name: "NodesReady", Role: conditions.RoleDependent, Imported: true},
		{Name: "Usable", Imported: true},
	}}
	nodes := []metav1.Condition{{Type: "Ready", Status: conditions.True, Reason: "Up", ObservedGeneration: 1}}
	pass := kind.Begin(1, nil, noon)
	rollup.Derive(pass, "NodesReady", func(*rollup.View) (rollup.Merged, bool) {
		in := rollup.InputOf(conditions.ObjectRef{Kind: "Node", Name: "n-1"}, 2, nodes, "Ready") // of an older generation: Unknown
		return rollup.Aggregate([]rollup.Input{in}, rollup.Options{Target: kind.Types[1], Missing: rollup.MissingSkip})
	})
	rollup.Derive(pass, "Ready", func(v *rollup.View) (rollup.Merged, bool) {
		v.Gate("example.org/Approved", conditions.Positive)
		return v.Summarize()
	})
	rollup.Derive(pass, "Usable", func(v *rollup.View) (rollup.Merged, bool) {
		var m rollup.Merged
		m.Condition.Status, m.Condition.Reason = v.Condition("NodesReady").Status, "AsTheNodes"
		return m, true
	})
	for _, c := range pass.Commit().Conditions() {
		fmt.Printf("%s=%s %s\n", c.Type, c.Status, c.Reason)
	}
	fmt.Println(rollup.ReasonNotReported)
	// Output:
	// Ready=Unknown DependentsUnknown
	// NodesReady=Unknown Stale
	// Usable=Unknown AsTheNodes
	// NotReported
}
