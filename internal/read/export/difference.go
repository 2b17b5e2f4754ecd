// SPDX-License-Identifier: Apache-2.0

package export

import (
	"cmp"
	"slices"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
)

// The differences that several consumers have.
const (
	// Conventions: a condition, a field or a word that the catalog does not declare is judged by conventions, which no consumer has.
	Conventions = "conventions"
	// UndeclaredReason: a declared condition has a reason that is not declared, whose words decide.
	UndeclaredReason = "undeclared-reason"
	// Future: the condition that decides has a time in the future.
	Future = "time-in-future"
	// Null: a field is null, which a consumer cannot distinguish from one that is absent.
	Null = "null"
	// Expression: a rule needs a function that the consumer lacks.
	Expression = "expression"
	// Message: the message of a rule needs one.
	Message = "message"
)

// Common lists the differences that every consumer without conventions has for a catalog.
func Common(s *Subject, k *catalog.Kind) []Difference {
	out := []Difference{
		{s.Name(), Conventions, "", "conditions, fields and words that the catalog does not declare are not read; " +
			"where no rule applies, the conditions that kstatus reads decide"},
		{s.Name(), Future, "", "a transition that lies in the future is not noticed"},
	}
	if len(k.Verdicts) > 0 {
		out = append(out, Difference{s.Name(), Null, "", "a field that is null is read as absent"})
	}
	if len(k.Declaration.Types) > 0 {
		out = append(out, Difference{s.Name(), UndeclaredReason, "",
			"a reason that the catalog does not declare is a failure whatever its words are, unless its severity is Info"})
	}
	return out
}

// SortDifferences sorts differences by subject, ID and place, and drops repeated ones.
func SortDifferences(list []Difference) []Difference {
	slices.SortFunc(list, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Where, b.Where), cmp.Compare(a.Why, b.Why))
	})
	return slices.Compact(list)
}

// Now is the moment at which states and generated objects are judged.
var Now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
