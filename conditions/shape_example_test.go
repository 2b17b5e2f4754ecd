// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"encoding/json"
	"fmt"

	"github.com/tristate/tristate/conditions"
)

// A route has a list of conditions for each of its parents. Each is read in one shape, changed, and written back: what nobody
// here knows stays.
func ExampleListPath() {
	var route map[string]any
	_ = json.Unmarshal([]byte(`{"status": {"parents": [
		{"parentRef": {"name": "gw"}, "conditions": [{"type": "Accepted", "status": "Unknown", "example.org/seen": true}]}
	]}}`), &route)

	path, err := conditions.ParseListPath("status.parents[*].conditions")
	if err != nil {
		fmt.Println(err)
	}
	places, _ := path.Lists(route)
	for _, place := range places {
		list, errs := conditions.ShapeMeta.Read(place.List, place.Path)
		fmt.Println(place.Key, errs[0])
		next := list.Conditions
		next[0].Status, next[0].Reason = conditions.True, "Accepted"
		if err := place.Write(route, list.WriteAs(next, conditions.ShapeOpenShift)); err != nil {
			fmt.Println(err)
		}
	}
	out, _ := json.Marshal(route)
	fmt.Println(string(out))
	// Output:
	// parentRef.name=gw status.parents[0].conditions[0].reason (condition Accepted): is missing
	// {"status":{"parents":[{"conditions":[{"example.org/seen":true,"lastTransitionTime":null,"reason":"Accepted","status":"True","type":"Accepted"}],"parentRef":{"name":"gw"}}]}}
}

// What a controller did to the list that it read is repeated on the list as it is stored by now.
func ExamplePatch() {
	read := []conditions.Condition{*cond("Ready", conditions.True, "Fine", "", 1), *cond("Paused", conditions.False, "No", "", 1)}
	wrote := []conditions.Condition{*cond("Ready", conditions.False, "Broken", "", 2), *cond("Paused", conditions.True, "Asked", "", 2)}
	stored := []conditions.Condition{*cond("Ready", conditions.True, "Fine", "", 1), *cond("Paused", conditions.Unknown, "Maybe", "", 2)}

	list, err := conditions.Diff(read, wrote).Apply(stored, conditions.PatchOptions{})
	for _, c := range list {
		fmt.Println(c.Type, c.Status, c.Reason)
	}
	fmt.Println(err)
	// Output:
	// Ready False Broken
	// Paused Unknown Maybe
	// condition "Paused": cannot set it: somebody else wrote Unknown with reason "Maybe"
}
