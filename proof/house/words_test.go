// SPDX-License-Identifier: Apache-2.0

package house

import (
	"bytes"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// words do not occur in what people read: each hides who does something, or has a plainer word.
var words = regexp.MustCompile(`(?i)\b(stands|of itself|nobody|somebody|beside|taken|told|is said|is well)\b`)

// texts are the files of which each line is read: pages, catalogs and packs, stories, the pages of checks and the projects that init
// writes. Generated pages follow their sources; the pages of systems quote documents; vocabularies and cases quote the words of
// controllers.
var texts = regexp.MustCompile(
	`^(README\.md|CONTRIBUTING\.md|docs/[^/]+\.md|docs/checks/.+\.md|systems/[^/]+/(conditions\.md|(catalog|crds)[^/]*\.yaml|stories/.+)` +
		`|catalogs/((packs|kubernetes)/)?[^/]+\.yaml|internal/(fleet/wiring|cli/scaffold/files)/.+|examples/.+\.(yaml|txtar))$`)

// exceptions are lines that quote: a file, and a part of the line.
var exceptions = map[string][]string{
	"docs/verdict-rules.md":                                 {"nobody asked", "Where a word counts"},
	"verdict/internal/convention/rules_state.go":            {"nobody asked"},
	"systems/vworkspace/operator/internal/agent/journal.go": {`json:"taken,`}, // the key of journals that are stored
}

// TestWords: comments and string literals of Go files but tests, pages, catalogs and other texts do not have these words.
func TestWords(t *testing.T) {
	isSource := func(name string) bool { return strings.HasSuffix(name, ".go") && !isTest(name) }
	wanted := func(name string) bool { return isSource(name) || texts.MatchString(name) }
	walk(t, wanted, func(name string, data []byte) {
		if isSource(name) {
			data = prose(data)
		}
		n := 0
		for line := range strings.Lines(string(data)) {
			n++
			word := words.FindString(line)
			if word == "" || slices.ContainsFunc(exceptions[name], func(part string) bool { return strings.Contains(line, part) }) {
				continue
			}
			t.Errorf("%s:%d: %q; name who does it, or use a plainer word: %s", name, n, word, strings.TrimSpace(line))
		}
	})
}

// prose returns the comments and string literals of a Go file, each on its line, and nothing of the code.
func prose(data []byte) []byte {
	if !words.Match(data) {
		return nil
	}
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(data))
	s.Init(file, data, nil, scanner.ScanComments)
	var out bytes.Buffer
	at := 1
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			return out.Bytes()
		}
		if kind != token.COMMENT && kind != token.STRING {
			continue
		}
		for line := file.Line(pos); at < line; at++ {
			out.WriteByte('\n')
		}
		out.WriteString(text)
		at += strings.Count(text, "\n")
	}
}
