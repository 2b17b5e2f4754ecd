// SPDX-License-Identifier: Apache-2.0

package catalog

import "testing"

func TestSuggest(t *testing.T) {
	statuses := []string{"True", "False", "Unknown"}
	many := []string{"alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india"}
	tests := map[string]struct {
		word       string
		candidates []string
		want       string
	}{
		"letter missing":    {"condtions", []string{"type", "conditions"}, `did you mean "conditions"?`},
		"letters swapped":   {"maening", []string{"meaning", "remedy"}, `did you mean "meaning"?`},
		"case only":         {"true", statuses, `did you mean "True"?`},
		"singular":          {"machine", []string{"machines"}, `did you mean "machines"?`},
		"first of equals":   {"bat", []string{"cat", "hat"}, `did you mean "cat"?`},
		"nearest":           {"reasn", []string{"season", "reason"}, `did you mean "reason"?`},
		"far, few":          {"Maybe", statuses, `use one of "True", "False", "Unknown"`},
		"far, one":          {"x", []string{"ConditionCatalog"}, `the only one is "ConditionCatalog"`},
		"far, many":         {"zulu", many, ""},
		"near among many":   {"charly", many, `did you mean "charlie"?`},
		"no candidates":     {"a", nil, ""},
		"empty":             {"", statuses, `use one of "True", "False", "Unknown"`},
		"short and unlike":  {"a", []string{"b", "c"}, `use one of "b", "c"`},
		"other characters":  {"pörts", []string{"ports"}, `did you mean "ports"?`},
		"quote in the name": {`a"c`, []string{`a"b`}, `did you mean "a\"b"?`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := suggest(test.word, test.candidates); got != test.want {
				t.Errorf("suggest(%q, %q) is %s, want %s", test.word, test.candidates, got, test.want)
			}
		})
	}
}
