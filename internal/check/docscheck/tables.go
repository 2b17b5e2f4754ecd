// SPDX-License-Identifier: Apache-2.0

package docscheck

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/check/words"
	"github.com/tristate/tristate/internal/docs"
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
	// named are the words of headings and cells.
	named map[string]bool
}

// find gives the parts of documents that have a table of reasons of a kind.
func find(p *check.Pass) []*handmade {
	var out []*handmade
	for _, d := range p.Docs {
		marked := docs.Marked(d.Text)
		for _, k := range p.Catalogs.Kinds {
			h := &handmade{kind: k, named: map[string]bool{}}
			for _, s := range d.Sections {
				if !slices.ContainsFunc(s.Trail, func(t string) bool { return slices.Contains(identifier.FindAllString(t, -1), k.For.Kind) }) {
					continue
				}
				h.name(s.Heading)
				for _, t := range s.Tables {
					if !marked[t.Line] && column(t.Header, "reason") >= 0 {
						h.tables = append(h.tables, t)
						for _, r := range t.Rows {
							h.name(r.Cells...)
						}
					}
				}
				h.spans = append(h.spans, slices.DeleteFunc(slices.Clone(s.Spans), func(s evidence.Span) bool { return marked[s.Line] })...)
			}
			if len(h.tables) > 0 {
				h.at = catalog.Position{File: d.File, Line: h.tables[0].Line, Column: 1}
				out = append(out, h)
			}
		}
	}
	return out
}

func (h *handmade) name(texts ...string) {
	for _, t := range texts {
		for _, word := range identifier.FindAllString(t, -1) {
			h.named[word] = true
		}
	}
}

// column is the first column whose heading begins with a word; -1 without one.
func column(header []string, word string) int {
	return slices.IndexFunc(header, func(h string) bool {
		first := identifier.FindString(h)
		return strings.EqualFold(first, word) || strings.EqualFold(first, word+"s")
	})
}

func undocumented(p *check.Pass) {
	for _, h := range find(p) {
		kind := evidence.KindName(h.kind.For)
		for i := range h.kind.Source.Spec.Conditions {
			t := &h.kind.Source.Spec.Conditions[i]
			p.Subject()
			if t.Deprecated == nil && !h.named[t.Type] {
				p.Report(h.at, kind+"/"+t.Type, "the tables of %s do not have the condition type %s", h.kind.For.Kind, t.Type)
			}
			seen := map[string]bool{"": true}
			for _, r := range t.Reasons {
				if !seen[r.Reason] && r.Deprecated == nil && r.Addition == "" && !h.named[r.Reason] {
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
			if words.IsPascal(name) && !declared[name] {
				p.Report(catalog.Position{File: h.at.File, Line: line, Column: at}, evidence.KindName(h.kind.For)+" "+name, "%s declares no %s", h.kind.For.Kind, name)
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
		for _, s := range h.spans {
			if m := cellName.FindStringSubmatch(s.Text); m != nil {
				report(m[1], s.Line, s.Column)
			}
		}
	}
}

// vocabulary has every name that a document may use of a kind.
func vocabulary(k *catalog.Kind) map[string]bool {
	out := map[string]bool{"True": true, "False": true, "Unknown": true}
	add := func(names ...string) {
		for _, n := range names {
			out[n] = true
		}
	}
	spec := &k.Source.Spec
	add(spec.Retired...)
	for _, s := range spec.Shared {
		add(s.Reason)
	}
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
