// SPDX-License-Identifier: Apache-2.0

package digest

import (
	"strings"
	"testing"
)

// TestParseProfile: what is no rule that a router knows is refused, as it would allow every tool.
func TestParseProfile(t *testing.T) {
	for text, want := range map[string]string{ // empty: accepted
		"tools:\n  allow: [search]\n":                     "",
		"---\n# a comment\ntools: {deny: [shell]}\n---\n": "",
		"tools: {}":                           "",
		`{"tools": {"allow": ["search"]}}`:    "",
		"tolls: {allow: [search]}":            "has no key tools",
		"tools: {alow: [search]}":             `unknown field "alow"`,
		"tools: {allow: [search]}\nbudget: 1": `unknown field "budget"`,
		"null":                                "is empty",
		"":                                    "is empty",
		"# nothing":                           "is empty",
		"tools:":                              "has a null at tools",
		"tools: {allow: }":                    "has a null at tools.allow",
		"tools: {allow: [search, ~]}":         "has a null at tools.allow[1]",
		"tools: {allow: [a]}\ntools: {deny: [b]}": "has a key twice",
		"tools: {allow: [a], allow: [b]}":         "has a key twice",
		"tools: {allow: [a]}\n---\ntools: {}":     "has more than one YAML document",
		"tools: {allow: a}":                       "is not a list of tools",
		"tools: {allow: [{a: b}]}":                "is not a list of tools",
		"- a list":                                "is not a YAML mapping",
		"tools: [":                                "is not a YAML mapping",
		"tools: [search]":                         "is not a list of tools",
	} {
		p, err := ParseProfile([]byte(text))
		switch {
		case want == "" && (err != nil || p == nil):
			t.Errorf("%q: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
