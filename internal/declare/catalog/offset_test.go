// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// place is the line and column of the first § in s.
func place(s string) (line, column int) {
	before, _, _ := strings.Cut(s, "§")
	last := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(last) + 1
}

func TestAtOffset(t *testing.T) {
	tests := map[string]string{
		"plain":                     `self.a + §`,
		"plain, tagged, anchored":   `&x !!str   self.a + §`,
		"plain over lines":          "self.ä +\n       self.b\n\n     + §",
		"single quotes":             `'has(self.a) && "b" == §'`,
		"single quotes, escaped":    `'self[''a''] == ''ü'' + §'`,
		"single quotes over lines":  "'self.a ==\n\n      ''x'' + §'",
		"double quotes":             `"self.a == §"`,
		"double quotes, escaped":    `"self.a == \"\u00fc\x41\" + '\\' \t \n + '\U0001F600\_' + §"`,
		"double quotes over lines":  "\"self.a == \\\"b\\\"\n      + 'c\\\n      d' \\  \\\n   + §\"",
		"literal":                   "|\n      self.a\n        + §\n",
		"literal, later line":       "|-\n      self.a ==\n      'b'\n\n      + self.c + §",
		"literal, indentation, cut": "|2-  # comment\n          self.a\n      + §",
		"literal, blank start":      "|\n\n\n      self.a + §",
		"folded":                    ">-\n      self.a &&\n      self.b &&\n        (§)\n\n      || true",
		"wide characters":           `self['🚀🚀'] + §`,
	}
	for name, test := range tests {
		for _, newline := range []string{"\n", "\r\n"} {
			t.Run(name, func(t *testing.T) {
				in := replaced(t, "  conditions:", "  variables:\n    a: A\n    v: "+test+"\n  conditions:")
				in = strings.ReplaceAll(in, "\n", newline)
				docs, err := Parse("f.yaml", []byte(in))
				if err != nil {
					t.Fatal(err)
				}
				value := docs[0].Spec.Variables["v"]
				line, column := place(value)
				var want Position
				want.File = "f.yaml"
				want.Line, want.Column = place(in)
				if got := docs[0].atOffset("spec.variables.v", line, column); got != want {
					t.Errorf("character %d:%d of %q is at %s, want %s", line, column, value, got, want)
				}
			})
		}
	}
}

func TestAtOffsetElsewhere(t *testing.T) {
	docs, err := Parse("f.yaml", []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	want := "f.yaml:8:14"
	for _, place := range [][2]int{{1, 1}, {1, 3}, {2, 1}, {0, 0}, {-1, -5}} {
		if got := docs[0].atOffset("spec.conditions[0].meaning", place[0], place[1]).String(); got != want {
			t.Errorf("AtOffset%v in a field that is no expression is %s, want its start, %s", place, got, want)
		}
	}
}
