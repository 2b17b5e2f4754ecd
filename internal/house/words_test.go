// SPDX-License-Identifier: Apache-2.0

package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// words are those that the pages for users do not have: each hides who does something, or has a plainer word.
var words = regexp.MustCompile(`(?i)\b(stands|of itself|nobody|somebody|beside|taken|told|is said|is well)\b`)

// TestWords: the README and the pages that people read from top to bottom do not have these words. Generated pages, the systems' pages, which quote
// documents, and the page on the architecture are left out.
func TestWords(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{"architecture.md": true, "builtin-rules.md": true, "catalog-format.md": true, "commands.md": true, "verdict-rules.md": true}
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md") {
		if left[filepath.Base(page)] {
			continue
		}
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(data)) {
			n++
			if word := words.FindString(line); word != "" {
				t.Errorf("%s:%d: %q; name who does it, or use a plainer word: %s", page, n, word, strings.TrimSpace(line))
			}
		}
	}
}
