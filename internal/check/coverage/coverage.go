// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/source"
)

// Kind is the coverage of one kind. A count is nil where there is no evidence.
type Kind struct {
	Kind       string `json:"kind"` // Kind.group
	Cells      int    `json:"cells"`
	Code       *int   `json:"code,omitempty"`
	Seen       *int   `json:"seen,omitempty"`
	Documented *int   `json:"documented,omitempty"`
	// Nowhere are the cells that no column has, as Type=Status/Reason.
	Nowhere []string `json:"nowhere,omitempty"`
}

// cell is a declared cell with the names that it is read under.
type cell struct {
	kind           *catalog.Kind
	types, reasons []string
	status         string
}

// Of returns the coverage of the kinds that are checked, in their order; nil without any evidence but the catalogs.
func Of(e *evidence.Evidence) []Kind {
	if e.Catalogs == nil || len(e.Source)+len(e.Objects)+len(e.History)+len(e.Docs) == 0 {
		return nil
	}
	listed := documented(e.Docs)
	var out []Kind
	for _, k := range e.Catalogs.Kinds {
		one := Kind{Kind: k.For.String()}
		code, seen, inDocs := 0, 0, 0
		for i := range k.Source.Spec.Conditions {
			t := &k.Source.Spec.Conditions[i]
			for _, r := range t.Reasons {
				c := cell{k, k.Names(t.Type), append([]string{r.Reason}, r.Aliases...), r.Status}
				one.Cells++
				inCode, isSeen, isListed := c.inCode(e.Source), c.seen(e), listed[k.For.Kind][r.Reason]
				code, seen, inDocs = code+number(inCode), seen+number(isSeen), inDocs+number(isListed)
				if !inCode && !isSeen && !isListed {
					one.Nowhere = append(one.Nowhere, strings.TrimSuffix(t.Type+"="+r.Status+"/"+r.Reason, "/"))
				}
			}
		}
		for _, column := range []struct {
			there bool
			to    **int
			n     int
		}{{len(e.Source) > 0, &one.Code, code}, {len(e.Objects)+len(e.History) > 0, &one.Seen, seen},
			{len(e.Docs) > 0, &one.Documented, inDocs}} {
			if column.there {
				*column.to = &column.n
			}
		}
		if one.Cells > 0 {
			out = append(out, one)
		}
	}
	return out
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// inCode reports whether a site can write the cell.
func (c *cell) inCode(scans []*source.Scan) bool {
	can := func(values []source.Value, names []string) bool {
		known := false
		for _, v := range values {
			if v.Known() {
				if known = true; slices.Contains(names, v.Text) {
					return true
				}
			}
		}
		return !known
	}
	for _, scan := range scans {
		for _, s := range scan.Sites {
			gives := slices.ContainsFunc(s.Reason, func(v source.Value) bool { return v.Known() && slices.Contains(c.reasons, v.Text) })
			if gives && can(s.Types, c.types) && can(s.Statuses, []string{c.status}) {
				return true
			}
		}
	}
	return false
}

// seen reports whether an object has the cell, or had it.
func (c *cell) seen(e *evidence.Evidence) bool {
	has := func(o *evidence.ObjectView) bool {
		return o.GroupKind == c.kind.For && slices.ContainsFunc(o.Entries, func(e evidence.Entry) bool {
			return e.Status == c.status && slices.Contains(c.reasons, e.Reason) && slices.Contains(c.types, e.Type)
		})
	}
	return slices.ContainsFunc(e.Objects, has) ||
		slices.ContainsFunc(e.History, func(t *evidence.Timeline) bool { return slices.ContainsFunc(t.Observations, has) })
}

var word = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]*`)

// documented returns the words in tables below headings, by the words of the headings.
func documented(docs []*evidence.Document) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, d := range docs {
		for _, s := range d.Sections {
			for _, heading := range s.Trail {
				for _, kind := range word.FindAllString(heading, -1) {
					for _, t := range s.Tables {
						for _, r := range t.Rows {
							for _, name := range word.FindAllString(strings.Join(r.Cells, " "), -1) {
								if out[kind] == nil {
									out[kind] = map[string]bool{}
								}
								out[kind][name] = true
							}
						}
					}
				}
			}
		}
	}
	return out
}

// Text returns a table with a line for each kind; empty without kinds.
func Text(kinds []Kind) string {
	if len(kinds) == 0 {
		return ""
	}
	rows := [][]string{{"KIND", "CELLS", "CODE", "SEEN", "DOCUMENTED"}}
	for _, k := range kinds {
		row := []string{k.Kind, fmt.Sprint(k.Cells)}
		for _, n := range []*int{k.Code, k.Seen, k.Documented} {
			if n == nil {
				row = append(row, "-")
			} else {
				row = append(row, fmt.Sprint(*n))
			}
		}
		rows = append(rows, row)
	}
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, text := range row {
			width[i] = max(width[i], len(text))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "%-*s", width[0], row[0])
		for i, text := range row[1:] {
			fmt.Fprintf(&b, "  %*s", width[i+1], text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
