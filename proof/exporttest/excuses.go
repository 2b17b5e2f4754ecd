// SPDX-License-Identifier: Apache-2.0

package exporttest

import (
	"reflect"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/internal/export/flux"
	"github.com/tristate/tristate/verdict"
)

// excuses returns the IDs of those differences of a product on which the verdict about an object rests: an answer of the consumer that is
// not ours has to have one of them.
func excuses(s *export.Subject, differences []export.Difference, object map[string]any, v *verdict.Verdict) []string {
	api, _ := object["apiVersion"].(string)
	k := s.Kind(api[strings.IndexByte(api, '/')+1:])
	if k == nil {
		return []string{export.Conventions}
	}
	own := "catalog/" + k.Source.Metadata.Name
	rests := map[string]bool{
		export.Conventions: !strings.HasPrefix(v.Rule, own) && v.Rule != "condition/deletion" && v.Rule != "object/generation" &&
			v.Rule != "object/future" &&
			(v.Rule != "object/impossible" || v.Reason != "ImpossibleGeneration" || v.Type != "" && len(k.Declaration.Types) == 0),
		export.Future:           v.Rule == "object/future",
		export.Repeated:         repeats(object["status"]),
		export.Null:             hasNull(object),
		export.UndeclaredReason: v.Rule == own && undeclared(pack.Semantics(s.Set, k), object),
	}
	var out []string
	for _, d := range differences {
		if d.Subject == s.Name() && (rests[d.ID] || d.ID == export.Expression && v.Rule == own+"/"+d.Where) && !slices.Contains(out, d.ID) {
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

// OfFlux returns the IDs of the differences of Flux on which its answer about an object rests. err is the error of its evaluation.
func OfFlux(s *export.Subject, object map[string]any, _ *verdict.Verdict, err error) []string {
	var out []string
	metadata, _ := object["metadata"].(map[string]any)
	status, _ := object["status"].(map[string]any)
	if err != nil {
		if object["spec"] == nil || object["status"] == nil {
			out = append(out, flux.AbsentField)
		} else {
			out = append(out, flux.TypeError)
		}
	}
	generation, ok := metadata["generation"].(int64)
	if seen, also := status["observedGeneration"].(int64); ok && also && seen != generation {
		out = append(out, flux.GenerationFirst)
	}
	if odd(object["status"]) || summaries(s, object["status"]) > 1 {
		out = append(out, flux.OddConditions)
	}
	return out
}

// summaries counts the conditions that the catalogs of a kind declare as summaries.
func summaries(s *export.Subject, v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		name, _ := v["type"].(string)
		for _, k := range s.Kinds {
			if t := k.Type(name); t != nil && t.Role == conditions.RoleSummary {
				n++
				break
			}
		}
		for _, one := range v {
			n += summaries(s, one)
		}
	case []any:
		for _, one := range v {
			n += summaries(s, one)
		}
	}
	return n
}

// odd reports whether a list has two entries of one type, or an entry whose status is none of the three words.
func odd(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, one := range v {
			if odd(one) {
				return true
			}
		}
	case []any:
		seen := map[string]bool{}
		for _, one := range v {
			m, _ := one.(map[string]any)
			name, _ := m["type"].(string)
			status, _ := m["status"].(string)
			if name != "" && (seen[name] || !slices.Contains([]string{"True", "False", "Unknown"}, status)) {
				return true
			}
			seen[name] = true
			if odd(one) {
				return true
			}
		}
	}
	return false
}

// repeats reports whether a list has two conditions of one type with different times.
func repeats(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, one := range v {
			if repeats(one) {
				return true
			}
		}
	case []any:
		times := map[string][2]any{}
		for _, one := range v {
			if m, _ := one.(map[string]any); m["type"] != nil {
				name, _ := m["type"].(string)
				at := [2]any{m["lastTransitionTime"], m["lastUpdateTime"]}
				if before, again := times[name]; again && !reflect.DeepEqual(before, at) {
					return true
				}
				times[name] = at
			}
			if repeats(one) {
				return true
			}
		}
	}
	return false
}
