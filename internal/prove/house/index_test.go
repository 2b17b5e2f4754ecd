// SPDX-License-Identifier: Apache-2.0

package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)

// TestIndex requires that docs/README.md links each page of docs, and that its links and those of the README lead to files.
func TestIndex(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	linked := map[string]bool{}
	for _, page := range []string{"README.md", "docs/README.md"} {
		data, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target := filepath.Join(root, filepath.Dir(page), m[1])
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links %s, which does not exist", page, m[1])
			}
			if page == "docs/README.md" {
				linked[target] = true
			}
		}
	}
	for _, folder := range []string{"docs", "docs/systems", "docs/conditions"} {
		pages, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		if err != nil || len(pages) == 0 {
			t.Fatalf("no pages in %s: %v", folder, err)
		}
		for _, page := range pages {
			if filepath.Base(page) != "README.md" && !linked[page] {
				t.Errorf("docs/README.md does not link %s", page)
			}
		}
	}
}
