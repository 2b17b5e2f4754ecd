// SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostColumns is the width of a line of Go, the text of its strings aside, which may be data.
const mostColumns = 140

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// apart are folders that are not looked at: pages quote the files of examples and count those of bench/compared; comments of api become
// descriptions of definitions, with their lines.
var apart = []string{"examples", "proof/bench/compared",
	"systems/kars/operator/api", "systems/kro/operator/api", "systems/vworkspace/operator/api"}

// TestLines: no line of a Go file is longer than that, but directives. Generated files and test data are not looked at.
func TestLines(t *testing.T) {
	wanted := func(name string) bool {
		return isCode(name) && !slices.ContainsFunc(apart, func(folder string) bool { return strings.HasPrefix(name, folder+"/") })
	}
	walk(t, wanted, func(name string, data []byte) {
		if generated.Match(data) {
			return
		}
		n := 0
		for line := range strings.Lines(withoutStrings(data)) {
			n++
			if text := strings.TrimSpace(line); strings.HasPrefix(text, "//go:") || strings.HasPrefix(text, "// +") {
				continue
			}
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > mostColumns {
				t.Errorf("%s:%d is longer than %d columns", name, n, mostColumns)
			}
		}
	})
}

// withoutStrings returns a Go file in which the text of each string is empty; its lines are the same.
func withoutStrings(data []byte) string {
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(data))
	s.Init(file, data, nil, 0)
	var out strings.Builder
	at := 0
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			out.Write(data[at:])
			return out.String()
		}
		if from := file.Offset(pos); kind == token.STRING {
			out.Write(data[at:from])
			out.WriteString(`""` + strings.Repeat("\n", strings.Count(text, "\n")))
			at = from + len(text)
		}
	}
}
