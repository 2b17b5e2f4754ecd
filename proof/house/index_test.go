// SPDX-License-Identifier: Apache-2.0

package house

import (
	"os"
	"path/filepath"
	"testing"
)

// TestIndex: docs/README.md links each page of docs, and of each system its page and that of its conditions.
func TestIndex(t *testing.T) {
	root := filepath.Join("..", "..")
	index, err := os.ReadFile(filepath.Join(root, "docs", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for _, m := range hyperlink.FindAllStringSubmatch(string(index), -1) {
		linked[filepath.Join(root, "docs", m[1])] = true
	}
	for _, pattern := range []string{"docs/*.md", "systems/*.md", "systems/*/README.md", "systems/*/conditions.md"} {
		pages, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(pages) == 0 {
			t.Fatalf("no pages %s: %v", pattern, err)
		}
		for _, page := range pages {
			if page != filepath.Join(root, "docs", "README.md") && !linked[page] {
				t.Errorf("docs/README.md does not link %s", page)
			}
		}
	}
}
