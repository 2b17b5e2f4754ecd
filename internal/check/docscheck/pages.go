// SPDX-License-Identifier: Apache-2.0

package docscheck

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/report"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/docs"
)

// ownChecks compares the pages of checks with the checks. A page is a file FAMILY/SLUG.md whose first line is the id. The page of this
// check is left out: its example is a page.
func ownChecks(p *check.Pass) {
	pages := map[string]string{} // text by id
	var root, files = "", map[string]string{}
	for _, d := range p.Docs {
		slug := strings.TrimSuffix(filepath.Base(d.File), ".md")
		id := path.Join(filepath.Base(filepath.Dir(d.File)), slug)
		if strings.HasPrefix(d.Text, "# "+id+"\n") {
			pages[id], files[id] = d.Text, d.File
			root = filepath.Dir(filepath.Dir(d.File))
		}
	}
	if len(pages) == 0 {
		return
	}
	for _, c := range p.Checks {
		if c == p.Check {
			continue
		}
		p.Subject()
		text, there := pages[c.ID]
		if !there {
			p.Report(catalog.Position{File: root}, c.ID, "check %s has no page", c.ID)
			continue
		}
		if line, has, wants := docs.Difference(text, string(report.Page(c))); line > 0 {
			p.Report(catalog.Position{File: files[c.ID], Line: line, Column: 1}, c.ID, "the page of %s differs from the check: it has %q, want %q",
				c.ID, has, wants)
		}
	}
}
