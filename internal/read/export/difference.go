// SPDX-License-Identifier: Apache-2.0

package export

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/read/pack"
	"github.com/tristate/tristate/verdict"
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

// Excuses returns the IDs of those differences of a product on which the verdict about an object rests: an answer of the consumer that is
// not ours has to have one of them.
func Excuses(s *Subject, differences []Difference, object map[string]any, v *verdict.Verdict) []string {
	api, _ := object["apiVersion"].(string)
	k := s.Kind(api[strings.IndexByte(api, '/')+1:])
	if k == nil {
		return []string{Conventions}
	}
	own := "catalog/" + k.Source.Metadata.Name
	rests := map[string]bool{
		Conventions: !strings.HasPrefix(v.Rule, own) && v.Rule != "condition/deletion" && v.Rule != "object/generation" &&
			v.Rule != "object/future" &&
			(v.Rule != "object/impossible" || v.Reason != "ImpossibleGeneration" || v.Type != "" && len(k.Declaration.Types) == 0),
		Future:           v.Rule == "object/future",
		Null:             hasNull(object),
		UndeclaredReason: v.Rule == own && undeclared(pack.Semantics(s.Set, k), object),
	}
	var out []string
	for _, d := range differences {
		if d.Subject == s.Name() && (rests[d.ID] || d.ID == Expression && v.Rule == own+"/"+d.Where) && !slices.Contains(out, d.ID) {
			out = append(out, d.ID)
		}
	}
	return out
}

// undeclared reports whether a list of the object has a declared condition with a cell that is not declared.
func undeclared(s *verdict.Semantics, object map[string]any) bool {
	var in func(v any) bool
	in = func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			if name, _ := v["type"].(string); name != "" {
				if t := s.Types[name]; t != nil && t.Role != conditions.RoleInformational {
					status, reason := statusText(v["status"]), ""
					reason, _ = v["reason"].(string)
					declared := t.Cells[verdict.Cell{Status: status, Reason: reason}] != nil || t.Cells[verdict.Cell{Status: status}] != nil
					if !declared && !t.Polarity.Good(conditions.Status(status)) {
						return true
					}
				}
			}
			for _, one := range v {
				if in(one) {
					return true
				}
			}
		case []any:
			return slices.ContainsFunc(v, in)
		}
		return false
	}
	return in(object["status"])
}

// statusText reads a status as package verdict does.
func statusText(v any) string {
	switch v {
	case true, "True", "true", "TRUE":
		return "True"
	case false, "False", "false", "FALSE":
		return "False"
	}
	return "Unknown"
}

func hasNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		for _, one := range v {
			if hasNull(one) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasNull)
	}
	return false
}

// Now is the moment at which states and generated objects are judged.
var Now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
