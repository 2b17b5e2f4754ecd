// SPDX-License-Identifier: Apache-2.0

package docscheck

import (
	"regexp"
	"slices"
	"strings"
)

// Limits of a document: longer lines, and further tables and headings, are left out.
const (
	maxLine   = 64 << 10 // bytes
	maxTables = 2_000
	maxHeads  = 10_000
)

var (
	ruler   = regexp.MustCompile(`^\s*\|?\s*:?-{3,}:?\s*(\|\s*:?-{3,}:?\s*)*\|?\s*$`)
	heading = regexp.MustCompile(`^(#{1,6})\s+(.*?)\s*#*\s*$`)
	name    = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
)

// reasonTable is a table of a document that lists reasons: with a row for each type, or a row for each status and
// reason of one type, whose name is the heading above it.
type reasonTable struct {
	line int // of the ruler below its header, from 1
	rows []reasonRow
}

// reasonRow is a row, with the reasons that it lists.
type reasonRow struct {
	line          int // from 1
	conditionType string
	reasons       []string
}

// reasonTables finds the tables of a document that list reasons. Documents that were extracted from pages break a
// row into a line for each cell; both forms are read: a table follows its ruler and goes on while lines end in a
// bar.
func reasonTables(text string) []reasonTable {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range lines {
		if len(lines[i]) > maxLine {
			lines[i] = ""
		}
	}
	heads := headings(lines)
	var out []reasonTable
	for _, t := range cellTables(lines) {
		types, statuses, reasons := t.column("type", "condition"), t.column("status"), t.column("reason")
		if reasons < 0 || types < 0 && statuses < 0 {
			continue
		}
		one := reasonTable{line: t.line + 1}
		for i, cells := range t.rows {
			row := reasonRow{line: t.at[i] + 1, conditionType: nameAbove(heads, t.line), reasons: reasonsIn(cells[reasons])}
			if types >= 0 {
				row.conditionType = strings.Trim(cells[types], "` ")
			}
			if name.MatchString(row.conditionType) {
				one.rows = append(one.rows, row)
			}
		}
		if len(one.rows) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// head is a heading: of Markdown, or a line that a page marks with a pilcrow.
type head struct {
	line int
	text string
}

func headings(lines []string) []head {
	var out []head
	for i, line := range lines {
		if len(out) == maxHeads {
			break
		}
		if m := heading.FindStringSubmatch(line); m != nil {
			out = append(out, head{i, m[2]})
		} else if text, ok := strings.CutSuffix(strings.TrimSpace(line), "¶"); ok && len(text) < 100 {
			out = append(out, head{i, text})
		}
	}
	return out
}

// nameAbove returns the first word of the last heading before a line; empty if it is no name.
func nameAbove(heads []head, line int) string {
	at, _ := slices.BinarySearchFunc(heads, line, func(h head, line int) int { return h.line - line })
	if at == 0 {
		return ""
	}
	first, _, _ := strings.Cut(strings.Trim(heads[at-1].text, "`* "), " ")
	if first = strings.Trim(first, "`*"); name.MatchString(first) {
		return first
	}
	return ""
}

// cellTable is a pipe table.
type cellTable struct {
	line   int // of the ruler, from 0
	header []string
	rows   [][]string
	at     []int // lines of the rows
}

// cellTables reads all tables of a text in one pass.
func cellTables(lines []string) []cellTable {
	var out []cellTable
	end := 0 // of the table before
	for i := 0; i < len(lines) && len(out) < maxTables; i++ {
		if !isRuler(lines[i]) {
			continue
		}
		width := len(cellsOf(lines[i]))
		var header []string
		for first := i; first > end && barred(lines[first-1]) && len(header) < width; {
			first--
			header = append(cellsOf(lines[first]), header...)
		}
		if len(header) < width {
			continue
		}
		t := cellTable{line: i, header: header[len(header)-width:]}
		var cells []string
		var at []int // lines of the cells
		for end = i + 1; end < len(lines) && barred(lines[end]) && !rulerAhead(lines, end, width); end++ {
			cells = append(cells, cellsOf(lines[end])...)
			for len(at) < len(cells) {
				at = append(at, end)
			}
		}
		for from := 0; from+width <= len(cells); from += width {
			t.rows, t.at = append(t.rows, cells[from:from+width]), append(t.at, at[from])
		}
		i = end - 1
		out = append(out, t)
	}
	return out
}

func isRuler(line string) bool { return strings.Contains(line, "|") && ruler.MatchString(line) }

func barred(line string) bool { return strings.HasSuffix(strings.TrimSpace(line), "|") }

// cellsOf splits a line at its bars, leaving out escaped ones. A bar at either end is an edge.
func cellsOf(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(strings.TrimSuffix(line, "|"), "|")
	line = strings.ReplaceAll(line, `\|`, "\x00")
	var out []string
	for _, c := range strings.Split(line, "|") {
		out = append(out, strings.TrimSpace(strings.ReplaceAll(c, "\x00", "|")))
	}
	return out
}

// rulerAhead reports whether the line is in the header of the next table.
func rulerAhead(lines []string, at, width int) bool {
	cells := 0
	for j := at; j < len(lines) && j <= at+width && cells <= width; j++ {
		if isRuler(lines[j]) {
			return true
		}
		if !barred(lines[j]) {
			return false
		}
		cells += len(cellsOf(lines[j]))
		if cells >= width && (j+1 >= len(lines) || !isRuler(lines[j+1])) {
			return false
		}
	}
	return false
}

// column finds the column whose heading begins with one of the words, without case and marks; -1 without one.
func (t *cellTable) column(names ...string) int {
	return slices.IndexFunc(t.header, func(h string) bool {
		h = strings.ToLower(strings.Trim(h, "`*_ "))
		return slices.ContainsFunc(names, func(n string) bool {
			return h == n || h == n+"s" || strings.HasPrefix(h, n+" ") || strings.HasPrefix(h, n+"s ")
		})
	})
}

// reasonsIn returns the names of a cell: between commas, each with an optional explanation in brackets or behind a
// dash.
func reasonsIn(text string) []string {
	var out []string
	for _, part := range splitReasons(strings.ReplaceAll(text, "`", "")) {
		first, rest, _ := strings.Cut(strings.TrimSpace(part), " ")
		first, rest = strings.TrimRight(first, "."), strings.TrimSpace(rest)
		explained := rest == "" || slices.ContainsFunc([]string{"(", "— ", "– ", "- ", ": "}, func(mark string) bool {
			return strings.HasPrefix(rest, mark)
		})
		if name.MatchString(first) && explained { // otherwise a sentence that begins with a capital
			out = append(out, first)
		}
	}
	return out
}

// splitReasons cuts a cell at commas and semicolons outside of brackets, and at the ends of sentences.
func splitReasons(text string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth > 0:
		case c == ',' || c == ';' || c == '.' && i+1 < len(text) && text[i+1] == ' ':
			out = append(out, text[from:i])
			from = i + 1
		}
	}
	return append(out, text[from:])
}
