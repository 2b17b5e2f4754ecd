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

// A condition that was observed at an older generation than its object has counts as Unknown.
func ExampleInputOf() {
	nodes := []metav1.Condition{{Type: "Ready", Status: conditions.True, Reason: "Up", ObservedGeneration: 1}}
	in := rollup.InputOf(conditions.ObjectRef{Kind: "Node", Name: "n-1"}, 2, nodes, "Ready")
	missing := rollup.InputOf(conditions.ObjectRef{Kind: "Node", Name: "n-2"}, 2, nil, "Ready")
	o := rollup.Options{Target: conditions.Type{Name: "NodesReady", Imported: true}, Missing: rollup.MissingSkip}
	var merged rollup.Merged
	merged, _ = rollup.Aggregate([]rollup.Input{in, missing}, o)
	fmt.Println(merged.Condition.Status, merged.Condition.Reason)
	o.Missing = rollup.MissingUnknown
	merged, _ = rollup.Aggregate([]rollup.Input{missing}, o)
	fmt.Println(merged.Condition.Status, merged.Condition.Reason == rollup.ReasonNotReported)
	// Output:
	// Unknown Stale
	// Unknown true
}
