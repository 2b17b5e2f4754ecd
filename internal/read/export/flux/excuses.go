// SPDX-License-Identifier: Apache-2.0

package flux

import (
	"slices"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/verdict"
)

// Excuses returns the IDs of the differences of Flux on which its answer about an object rests. err is the error of its evaluation.
func Excuses(s *export.Subject, object map[string]any, _ *verdict.Verdict, err error) []string {
	var out []string
	metadata, _ := object["metadata"].(map[string]any)
	status, _ := object["status"].(map[string]any)
	if err != nil {
		if object["spec"] == nil || object["status"] == nil {
			out = append(out, AbsentField)
		} else {
			out = append(out, TypeError)
		}
	}
	generation, ok := metadata["generation"].(int64)
	if seen, also := status["observedGeneration"].(int64); ok && also && seen != generation {
		out = append(out, GenerationFirst)
	}
	if odd(object["status"]) || summaries(s, object["status"]) > 1 {
		out = append(out, OddConditions)
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
