// SPDX-License-Identifier: Apache-2.0

package docscheck

import (
	"embed"
	"errors"
	"path"
	"path/filepath"
	"strings"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/check/report"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/docs"
)

//go:embed doc
var archives embed.FS

// All are the checks of the family.
var All = check.Document(archives, []*check.Check{
	{ID: "docs/table-drift", Title: "marked regions of documents, and pages of tristate docs, are what the catalogs say", Level: check.Error,
		Needs: evidence.Catalog | evidence.Docs,
		Why:   "people act on a table that is no longer true", Fix: "run tristate docs on the file", Run: tableDrift},
	{ID: "docs/undocumented", Title: "a table kept by hand has every declared type and reason", Level: check.Error, Needs: evidence.Catalog |
		evidence.Docs,
		Why: "whoever meets the reason finds nothing about it", Fix: "add a row, or a region that tristate docs writes", Run: undocumented},
	{ID: "docs/unknown-mentioned", Title: "a table kept by hand names what is declared", Level: check.Warning, Needs: evidence.Catalog |
		evidence.Docs,
		Why: "people write alerts for a name that never comes", Fix: "correct the name, or declare it", Run: unknownMentioned},
	{ID: "docs/example-invalid", Title: "examples of objects keep the rules for conditions", Level: check.Error, Needs: evidence.Docs,
		Why: "people copy the example", Fix: "correct the example", Run: exampleInvalid},
	{ID: "docs/own-checks", Title: "every check has a page that says what the check does", Level: check.Error, Needs: evidence.Docs,
		Why: "whoever meets a finding looks it up by its id", Fix: "write the page with tristate check --explain ID", Run: ownChecks},
})

func tableDrift(p *check.Pass) {
	for _, d := range p.Docs {
		want, err := docs.Update(d.File, d.Text, p.Catalogs.Kinds)
		if docs.IsPage(d.Text) {
			want, err = docs.Again(d.Text, p.Catalogs.Kinds), nil
		}
		if errors.Is(err, docs.ErrNoRegion) {
			continue
		}
		p.Subject()
		if err != nil {
			for _, err := range all(err) {
				var mistake *docs.Error
				if errors.As(err, &mistake) {
					p.Report(catalog.Position{File: d.File, Line: mistake.Line, Column: 1}, d.File, "%s", mistake.Message).Try("correct the marks of " +
						"the region")
				}
			}
			continue
		}
		if line, has, wants := docs.Difference(d.Text, want); line > 0 {
			p.Report(catalog.Position{File: d.File, Line: line, Column: 1}, d.File, "the %s differs from the catalogs: it has %q, want %q",
				map[bool]string{true: "page", false: "region"}[docs.IsPage(d.Text)], has, wants).
				Try("run tristate docs %s", d.File)
		}
	}
}

// all returns the errors that were joined.
func all(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

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
