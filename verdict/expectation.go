// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"slices"

	"github.com/tristate/tristate/verdict/internal/convention"
)

// An Expectation has the promises of a definition about the objects of its kind. The zero value is a kind whose definition was not seen.
type Expectation struct {
	// Known reports whether the definition was seen.
	Known bool
	// Status: objects have a status, because the kind has the status subresource or its status schema has properties.
	Status bool
	// Conditions: the status schema has a list of conditions.
	Conditions bool
	// Phase: the status schema has a phase or state.
	Phase bool
	// ObservedGeneration: the status schema has an observedGeneration.
	ObservedGeneration bool
}

// ExpectationOf returns what a definition promises that has or lacks the status subresource, and whose status schema has some properties;
// the zero Expectation where nothing is known.
func ExpectationOf(known, subresource bool, properties []string) Expectation {
	if !known {
		return Expectation{}
	}
	return Expectation{Known: true, Status: subresource || len(properties) > 0, Conditions: slices.Contains(properties, "conditions"),
		Phase:              slices.ContainsFunc(properties, convention.IsState),
		ObservedGeneration: slices.Contains(properties, "observedGeneration")}
}
