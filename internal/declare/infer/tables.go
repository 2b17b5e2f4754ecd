// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"regexp"
	"slices"
	"strings"
)

// table is a pipe table. Documents that were extracted from pages break its rows into a line a cell; both forms are read: a table follows
// its ruler and goes on while lines end in a bar.
type table struct {
	line   int // of the ruler, from 0
	header []string
	rows   [][]string
	at     []int // lines of the rows
	// before are the lines since the end of the table before.
	before []string
	// headed are the lines of headings that a table follows before the next heading.
	headed map[int]bool
}

var ruler = regexp.MustCompile(`^\s*\|?\s*:?-{3,}:?\s*(\|\s*:?-{3,}:?\s*)*\|?\s*$`)

func isRuler(line string) bool { return strings.Contains(line, "|") && ruler.MatchString(line) }

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

func barred(line string) bool { return strings.HasSuffix(strings.TrimSpace(line), "|") }

// tablesOf reads all tables of a text in one pass.
func tablesOf(lines []string) []table {
	var out []table
	end := 0 // of the table before
	for i := 0; i < len(lines) && len(out) < maxTables; i++ {
		if !isRuler(lines[i]) {
			continue
		}
		width := len(cellsOf(lines[i]))
		var header []string
		first := i
		for first > end && barred(lines[first-1]) && len(header) < width {
			first--
			header = append(cellsOf(lines[first]), header...)
		}
		if len(header) < width {
			continue
		}
		t := table{line: i, header: header[len(header)-width:], before: lines[end:first]}
		var cells []string
		var at []int // lines of the cells
		j := i + 1
		for j < len(lines) && barred(lines[j]) && !rulerAhead(lines, j, width) {
			cells = append(cells, cellsOf(lines[j])...)
			for len(at) < len(cells) {
				at = append(at, j)
			}
			j++
		}
		for from := 0; from+width <= len(cells); from += width {
			t.rows, t.at = append(t.rows, cells[from:from+width]), append(t.at, at[from])
		}
		end = j
		i = j - 1
		out = append(out, t)
	}
	headed := map[int]bool{}
	heads := headings(lines)
	for i := range out {
		at := -1
		if h := lastHead(heads, out[i].line); h >= 0 {
			at = heads[h].line
		}
		headed[at] = true
		out[i].headed = headed
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
func (t *table) column(names ...string) int {
	return slices.IndexFunc(t.header, func(h string) bool {
		h = strings.ToLower(strings.Trim(h, "`*_ "))
		return slices.ContainsFunc(names, func(n string) bool {
			return h == n || h == n+"s" || strings.HasPrefix(h, n+" ") || strings.HasPrefix(h, n+"s ")
		})
	})
}

// Table is a table of a document that lists reasons: with a row for each type, or a row for each status and reason of one type.
type Table struct {
	Line int // of the ruler below its header, from 1
	Rows []Row
}

// Row is a row, with the reasons that it lists.
type Row struct {
	Line    int // from 1
	Type    string
	Reasons []string
}

// Tables finds the tables of a document that list reasons, as [Draft.Markdown] does.
func Tables(text string) []Table {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range lines {
		if len(lines[i]) > maxLine {
			lines[i] = ""
		}
	}
	heads := headings(lines)
	var out []Table
	for _, t := range tablesOf(lines) {
		typ, status, reason := t.column("type", "condition"), t.column("status"), t.column("reason")
		if reason < 0 || typ < 0 && status < 0 {
			continue
		}
		headed := ""
		if h := lastHead(heads, t.line); h >= 0 {
			headed = firstName(heads[h].text)
		}
		one := Table{Line: t.line + 1}
		for i, cells := range t.rows {
			row := Row{Line: t.at[i] + 1, Type: headed}
			if typ >= 0 {
				row.Type = strings.Trim(cells[typ], "` ")
			}
			for _, r := range reasonsIn(cells[reason]) {
				row.Reasons = append(row.Reasons, r.name)
			}
			if name.MatchString(row.Type) {
				one.Rows = append(one.Rows, row)
			}
		}
		if len(one.Rows) > 0 {
			out = append(out, one)
		}
	}
	return out
}
