// SPDX-License-Identifier: Apache-2.0

package docscheck

import (
	"embed"
	"errors"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
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
