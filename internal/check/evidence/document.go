// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"regexp"
	"slices"
	"strings"
)

// Document is a Markdown file: sections, tables, code spans and fenced blocks with their places. Anything else of Markdown is text.
type Document struct {
	File     string
	Text     string
	Sections []*Section
}

// Section is the text below a heading, up to the next one. The first section has no heading.
type Section struct {
	Heading string
	Level   int
	// Trail are the headings above and this one.
	Trail  []string
	Tables []Table
	Fences []Fence
	Spans  []Span // outside of tables
}

// Table is a pipe table.
type Table struct {
	Line   int
	Header []string
	Rows   []Row
}

// Row is a line of a table.
type Row struct {
	Line  int
	Cells []string
}

// Fence is a fenced block; Line is the number of its first line of content. Invalid reports that the word follows the
// language: the block shows how not to do it.
type Fence struct {
	Language, Text string
	Invalid        bool
	Line           int
}

// Span is `code`.
type Span struct {
	Text         string
	Line, Column int
}

var (
	heading = regexp.MustCompile(`^(#{1,6})\s+(.*?)\s*#*\s*$`)
	ruler   = regexp.MustCompile(`^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$`)
	span    = regexp.MustCompile("`([^`\n]+)`")
)

// Limits of a document: further headings are text, and so are longer lines.
const (
	maxSections = 10_000
	maxLine     = 64 << 10 // bytes
)

// ParseDocument reads Markdown. It takes one pass and accepts any text.
func ParseDocument(file, text string) *Document {
	d := &Document{File: file, Text: text}
	s := &Section{}
	d.Sections = append(d.Sections, s)
	var trail []*Section
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\r")
		if len(line) > maxLine {
			continue
		}
		if mark, info, ok := fenceStart(line); ok {
			language, rest, _ := strings.Cut(info, " ")
			from := i + 1
			for i++; i < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[i]), mark); i++ {
				continue
			}
			s.Fences = append(s.Fences, Fence{Language: language, Invalid: slices.Contains(strings.Fields(rest), "invalid"),
				Text: strings.Join(lines[min(from, len(lines)):min(i, len(lines))], "\n") + "\n", Line: from + 1})
			continue
		}
		if m := heading.FindStringSubmatch(line); m != nil && len(d.Sections) < maxSections {
			for len(trail) > 0 && trail[len(trail)-1].Level >= len(m[1]) {
				trail = trail[:len(trail)-1]
			}
			s = &Section{Heading: m[2], Level: len(m[1])}
			trail = append(trail, s)
			for _, t := range trail {
				s.Trail = append(s.Trail, t.Heading)
			}
			d.Sections = append(d.Sections, s)
			continue
		}
		if strings.Contains(line, "|") && i+1 < len(lines) && len(lines[i+1]) <= maxLine && ruler.MatchString(lines[i+1]) &&
			strings.Contains(lines[i+1], "-") {
			t := Table{Line: i + 1, Header: cells(line)}
			for i += 2; i < len(lines) && strings.Contains(lines[i], "|") && len(lines[i]) <= maxLine; i++ {
				t.Rows = append(t.Rows, Row{Line: i + 1, Cells: cells(lines[i])})
			}
			i--
			s.Tables = append(s.Tables, t)
			continue
		}
		for _, m := range span.FindAllStringSubmatchIndex(line, 100) {
			s.Spans = append(s.Spans, Span{line[m[2]:m[3]], i + 1, m[2] + 1})
		}
	}
	return d
}

func fenceStart(line string) (mark, info string, ok bool) {
	t := strings.TrimSpace(line)
	for _, mark := range []string{"```", "~~~"} {
		if rest, ok := strings.CutPrefix(t, mark); ok && !strings.Contains(rest, "`") {
			return mark, strings.TrimSpace(rest), true
		}
	}
	return "", "", false
}

// cells splits a row at its pipes, leaving out escaped ones and those in code.
func cells(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	var out []string
	var cell strings.Builder
	code := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line) && line[i+1] == '|':
			cell.WriteByte('|')
			i++
		case c == '|' && !code:
			out = append(out, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			if c == '`' {
				code = !code
			}
			cell.WriteByte(c)
		}
	}
	return append(out, strings.TrimSpace(cell.String()))
}
