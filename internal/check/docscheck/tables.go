// SPDX-License-Identifier: Apache-2.0

package docscheck

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/docs"
	"github.com/tristate/tristate/internal/declare/english"
)

var (
	identifier = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]*`)
	code       = regexp.MustCompile("`([^`]+)`")
	cellName   = regexp.MustCompile(`^([A-Za-z0-9]+)=(?:True|False|Unknown)$`)
)

// handmade is the part of a document that people keep about one kind.
type handmade struct {
	kind   *catalog.Kind
	at     catalog.Position // of its first table
	tables []evidence.Table
	spans  []evidence.Span
	rows   []reasonRow // of tables that no heading assigns to the kind
	// named are the words of headings and cells.
	named map[string]bool
}

// find returns the parts of documents that have a table of reasons of a kind.
func find(p *check.Pass) []*handmade {
	var out []*handmade
	for _, d := range p.Docs {
		if docs.IsPage(d.Text) {
			continue // tristate docs --check is about it
		}
		marked := docs.Marked(d.Text)
		claimed := map[int]bool{} // the rulers of tables that a heading assigns to a kind
		about := map[string][]*evidence.Section{}
		for _, s := range d.Sections {
			words := map[string]bool{}
			for _, t := range s.Trail {
				for _, word := range identifier.FindAllString(t, -1) {
					words[word] = true
				}
			}
			for word := range words {
				about[word] = append(about[word], s)
			}
		}
		for _, k := range p.Catalogs.Kinds {
			h := &handmade{kind: k, named: map[string]bool{}}
			for _, s := range about[k.For.Kind] {
				h.name(s.Heading)
				for _, t := range s.Tables {
					if !marked[t.Line] && column(t.Header, "reason") >= 0 {
						h.tables = append(h.tables, t)
						claimed[t.Line+1] = true
						for _, r := range t.Rows {
							h.name(r.Cells...)
						}
					}
				}
				h.spans = append(h.spans, slices.DeleteFunc(slices.Clone(s.Spans), func(s evidence.Span) bool { return marked[s.Line] })...)
			}
			if len(h.tables) > 0 {
				h.at = catalog.Position{File: d.File, Line: h.tables[0].Line, Column: 1}
				// If a kind has several catalogs, one a version, the document is about the one that has most in common
				// with it.
				switch i := slices.IndexFunc(out, func(o *handmade) bool { return o.at.File == d.File && o.kind.For == k.For }); {
				case i < 0:
					out = append(out, h)
				case h.share() > out[i].share():
					out[i] = h
				}
			}
		}
		for _, s := range d.Sections {
			for _, f := range s.Fences {
				for i := range strings.Count(f.Text, "\n") {
					claimed[f.Line+i] = true
				}
			}
		}
		out = append(out, alike(p, d, func(line int) bool { return claimed[line] || marked[line] })...)
	}
	return out
}

// share returns the part of the declared names that the document has.
func (h *handmade) share() float64 {
	total, hits := 0, 0
	for i := range h.kind.Source.Spec.Conditions {
		for _, r := range h.kind.Source.Spec.Conditions[i].Reasons {
			if r.Reason != "" {
				total++
				if h.named[r.Reason] {
					hits++
				}
			}
		}
	}
	return float64(hits) / float64(max(total, 1))
}

// alike assigns tables below no heading of a kind to the kind that declares most of their names, and at least half of them. Such tables
// are the kind's if they list at least half of its reasons; tables with less are an excerpt.
func alike(p *check.Pass, d *evidence.Document, claimed func(line int) bool) []*handmade {
	var out []*handmade
	for _, t := range reasonTables(d.Text) {
		if claimed(t.line) {
			continue
		}
		var best *catalog.Kind
		var of *handmade
		most := 0.0
		for _, k := range p.Catalogs.Kinds {
			share, fits := fit(k, t.rows)
			at := slices.IndexFunc(out, func(h *handmade) bool { return h.kind == k })
			again := at >= 0 && overlaps(out[at].rows, t.rows) // the same types once more: a table of another kind
			if fits && share > most && !again {
				best, most, of = k, share, nil
				if at >= 0 {
					of = out[at]
				}
			}
		}
		if best == nil {
			continue
		}
		if of == nil {
			of = &handmade{kind: best, at: catalog.Position{File: d.File, Line: t.line, Column: 1}, named: map[string]bool{}}
			out = append(out, of)
		}
		of.rows = append(of.rows, t.rows...)
		for _, row := range t.rows {
			of.named[row.conditionType] = true
			for _, reason := range row.reasons {
				of.named[reason] = true
			}
		}
	}
	return slices.DeleteFunc(out, func(h *handmade) bool { return h.share() < 0.5 })
}

// fit returns how much the rows of a table and the declarations of their types have in common, and whether at least half of the rows are
// declared.
func fit(k *catalog.Kind, rows []reasonRow) (share float64, fits bool) {
	listed, common, declared := 0, 0, 0
	seen := map[string]bool{}
	for _, row := range rows {
		listed += len(row.reasons)
		c := k.Condition(row.conditionType)
		if c == nil {
			continue
		}
		names := map[string]bool{}
		for _, r := range c.Reasons {
			names[r.Reason] = true
		}
		if !seen[c.Type] {
			declared += len(names)
		}
		seen[c.Type] = true
		for _, reason := range row.reasons {
			if names[reason] {
				common++
			}
		}
	}
	return float64(common) / float64(max(listed+declared-common, 1)), 2*common >= listed
}

func overlaps(a, b []reasonRow) bool {
	return slices.ContainsFunc(a, func(x reasonRow) bool {
		return slices.ContainsFunc(b, func(y reasonRow) bool { return x.conditionType == y.conditionType })
	})
}

func (h *handmade) name(texts ...string) {
	for _, t := range texts {
		for _, word := range identifier.FindAllString(t, -1) {
			h.named[word] = true
		}
	}
}

// column returns the first column whose heading begins with a word; -1 without one.
func column(header []string, word string) int {
	return slices.IndexFunc(header, func(h string) bool {
		first := identifier.FindString(h)
		return strings.EqualFold(first, word) || strings.EqualFold(first, word+"s")
	})
}

func undocumented(p *check.Pass) {
	for _, h := range find(p) {
		kind := h.kind.For.String()
		for i := range h.kind.Source.Spec.Conditions {
			t := &h.kind.Source.Spec.Conditions[i]
			p.Subject()
			if t.Deprecated == nil && !h.named[t.Type] {
				p.Report(h.at, kind+"/"+t.Type, "the tables of %s do not have the condition type %s", h.kind.For.Kind, t.Type)
			}
			seen := map[string]bool{"": true}
			for _, r := range t.Reasons {
				if !seen[r.Reason] && r.Deprecated == nil && !h.named[r.Reason] {
					p.Report(h.at, kind+"/"+t.Type+"/"+r.Reason, "the tables of %s do not have the reason %s of %s", h.kind.For.Kind, r.Reason, t.Type)
				}
				seen[r.Reason] = true
			}
		}
	}
}

func unknownMentioned(p *check.Pass) {
	for _, h := range find(p) {
		declared := vocabulary(h.kind)
		report := func(name string, line, at int) {
			p.Subject()
			if english.IsPascal(name) && !declared[name] {
				p.Report(catalog.Position{File: h.at.File, Line: line, Column: at}, h.kind.For.String()+" "+name, "%s declares no %s", h.kind.For.Kind,
					name)
			}
		}
		for _, t := range h.tables {
			for _, word := range []string{"type", "condition", "reason"} {
				c := column(t.Header, word)
				for _, r := range t.Rows {
					if c < 0 || c >= len(r.Cells) {
						continue
					}
					for _, m := range code.FindAllStringSubmatch(r.Cells[c], -1) {
						report(m[1], r.Line, 1)
					}
				}
			}
		}
		for _, row := range h.rows {
			report(row.conditionType, row.line, 1)
			for _, reason := range row.reasons {
				report(reason, row.line, 1)
			}
		}
		for _, s := range h.spans {
			if m := cellName.FindStringSubmatch(s.Text); m != nil {
				report(m[1], s.Line, s.Column)
			}
		}
	}
}

// vocabulary returns every name that a document may use of a kind.
func vocabulary(k *catalog.Kind) map[string]bool {
	out := map[string]bool{"True": true, "False": true, "Unknown": true}
	add := func(names ...string) {
		for _, n := range names {
			out[n] = true
		}
	}
	spec := &k.Source.Spec
	add(spec.Retired...)
	for i := range spec.Conditions {
		t := &spec.Conditions[i]
		add(t.Type)
		add(t.Aliases...)
		add(t.Retired...)
		for _, r := range t.Reasons {
			add(r.Reason)
			add(r.Aliases...)
		}
	}
	return out
}
