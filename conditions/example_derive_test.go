// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"fmt"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Dwell between passes needs a memory of the object.
func ExamplePass_SetState() {
	kind := &conditions.Kind{Kind: "Probe",
		Types: []conditions.Type{{Name: "Available", RecoverAfter: time.Minute, Reasons: []conditions.Reason{
			{Name: "Down", Status: conditions.False}, {Name: "Up", Status: conditions.True}}}}}
	var memory conditions.State
	var stored []conditions.Condition
	for i, status := range []conditions.Status{conditions.False, conditions.True, conditions.True} {
		pass := kind.Begin(1, stored, noon.Add(time.Duration(i)*time.Minute))
		pass.SetState(&memory)
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

// A step sees the results of the steps before it as they are published.
func ExamplePass_Derive() {
	kind := &conditions.Kind{Kind: "Cluster", Types: []conditions.Type{
		{Name: "Ready", Role: conditions.RoleSummary, Imported: true, Summary: &conditions.Summary{Missing: string(rollup.MissingUnknown)}},
		{Name: "NodesReady", Role: conditions.RoleDependent, Imported: true},
		{Name: "Usable", Imported: true},
	}}
	nodes := []metav1.Condition{{Type: "Ready", Status: conditions.True, Reason: "Up", ObservedGeneration: 1}}
	pass := kind.Begin(1, nil, noon)
	pass.Derive("NodesReady", func(*conditions.View) (conditions.Condition, []conditions.Cause, bool) {
		in := rollup.InputOf(conditions.ObjectRef{Kind: "Node", Name: "n-1"}, 2, nodes, "Ready") // of an older generation: Unknown
		m, ok := rollup.Aggregate([]rollup.Input{in}, rollup.Options{Target: kind.Types[1], Missing: rollup.MissingSkip})
		return m.Condition, m.Causes, ok
	})
	pass.Derive("Ready", func(v *conditions.View) (conditions.Condition, []conditions.Cause, bool) {
		c, ok := v.Summarize()
		return c, nil, ok
	})
	pass.Derive("Usable", func(v *conditions.View) (c conditions.Condition, causes []conditions.Cause, ok bool) {
		c.Status, c.Reason = v.Condition("NodesReady").Status, "AsTheNodes"
		return c, nil, true
	})
	for _, c := range pass.Commit().Conditions() {
		fmt.Printf("%s=%s %s\n", c.Type, c.Status, c.Reason)
	}
	// Output:
	// Ready=Unknown Stale
	// NodesReady=Unknown Stale
	// Usable=Unknown AsTheNodes
}
