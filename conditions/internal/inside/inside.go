// SPDX-License-Identifier: Apache-2.0

// Package inside is what package conditions shares with rollup and wire, and no author should see: the rules of each dialect by its name,
// and what rollup does with the private state of a pass. Package conditions sets the functions; a pass is a *conditions.Pass and a declared
// type a *conditions.Type, which this package cannot name, as it is below both.
package inside

import "github.com/tristate/tristate/conditions/internal/merge"

var (
	// Target returns the declared type as the target of a merge.
	Target func(declared any) merge.Target
	// Derive registers the step of a type, see rollup.Derive.
	Derive func(pass any, conditionType string, step func(View) (merge.Outcome, []merge.Cause, bool))
	// SetState sets the state of the object, see rollup.SetState.
	SetState func(pass any, state *State)
)

// View is the view of a step on the pass that is being committed.
type View interface {
	Condition(conditionType string) any // *conditions.Condition, or nil
	Gate(conditionType, polarity string)
	Summarize() (merge.Outcome, bool)
}
