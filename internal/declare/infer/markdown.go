// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
)

// name is a name of the vocabulary; identifiers in prose have at least two capitals.
var (
	name      = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	heading   = regexp.MustCompile(`^(#{1,6})\s+(.*?)\s*#*\s*$`)
	patched   = regexp.MustCompile("target `?([A-Z]\\w+)`? is also patched `?(\\w+)=(True|False|Unknown)`?\\s*/\\s*`?([A-Z]\\w+)`?")
	statusRun = regexp.MustCompile(`\b(True|False|Unknown)\b`)
	outranks  = regexp.MustCompile("`?([A-Z]\\w+)`? outranks `?([A-Z]\\w+)`?")
)

// Markdown reads the tables, examples and definitions of a document. A file that is too large is an error.
func (d *Draft) Markdown(file string, data []byte) error {
	if len(data) > MaxBytes {
		return fmt.Errorf("%s: %d bytes, more than %d", file, len(data), MaxBytes)
	}
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	for i, line := range lines {
		if len(line) > maxLine {
			d.skip("%s:%d: a line of %d bytes", file, i+1, len(line))
			lines[i] = ""
		}
	}
	tables := tablesOf(lines)
	if len(tables) == maxTables {
		d.skip("%s: tables after the first %d", file, maxTables)
	}
	kinds, used := len(d.kinds), 0
	heads := headings(lines)
	for i := range tables {
		if d.table(file, &tables[i], heads) {
			used++
		}
	}
	if used == 0 || len(d.kinds) == kinds {
		d.prose(file, lines)
	}
	return nil
}

// head is a heading: of Markdown, or a line that a page marks with a pilcrow.
type head struct {
	line, level int
	text        string
}

func headings(lines []string) []head {
	var out []head
	for i, line := range lines {
		if len(out) == maxHeads {
			break
		}
		if m := heading.FindStringSubmatch(line); m != nil {
			out = append(out, head{i, len(m[1]), strings.Trim(m[2], "`")})
		} else if text, ok := strings.CutSuffix(strings.TrimSpace(line), "¶"); ok && len(text) < 100 {
			out = append(out, head{i, 0, text})
		}
	}
	return out
}

// lastHead returns the index of the last heading before a line; -1 without one.
func lastHead(heads []head, line int) int {
	at, _ := slices.BinarySearchFunc(heads, line, func(h head, line int) int { return h.line - line })
	return at - 1
}

// firstName returns the first word of a heading if it is a name.
func firstName(text string) string {
	first, _, _ := strings.Cut(strings.Trim(text, "`* "), " ")
	if first = strings.Trim(first, "`*"); name.MatchString(first) {
		return first
	}
	return ""
}

// table reads one table of vocabulary; it reports whether it was one.
func (d *Draft) table(file string, t *table, heads []head) bool {
	typ, status, reason, meaning := t.column("type", "condition"), t.column("status"), t.column("reason"), t.column("meaning", "description")
	switch {
	case typ >= 0 && reason >= 0:
		d.byType(t, d.kindOf(t, heads), typ, reason)
	case status >= 0 && reason >= 0:
		d.byStatus(t, heads, status, reason, meaning)
	case typ >= 0 && meaning >= 0:
		for _, row := range t.rows {
			if n := strings.Trim(row[typ], "` "); name.MatchString(n) {
				d.sharedTypes[n] = sentence(row[meaning])
			}
		}
	case reason >= 0 && meaning >= 0:
		used := t.column("used on", "used", "kind")
		for _, row := range t.rows {
			for _, n := range strings.Split(row[reason], "/") {
				if n = strings.Trim(n, "` "); name.MatchString(n) {
					s := catalog.SharedReason{Reason: n, Meaning: sentence(row[meaning])}
					if used >= 0 {
						s.UsedOn = strings.Trim(row[used], "`")
					}
					d.shared = append(d.shared, s)
				}
			}
		}
	default:
		d.skip("%s:%d: a table of %s", file, t.line+1, strings.Join(t.header, ", "))
		return false
	}
	return true
}

// kindOf returns the kind of a table: the innermost heading above it that is a name, else the next one of the options.
func (d *Draft) kindOf(t *table, heads []head) *kind {
	level := 100
	for i := len(heads) - 1; i >= 0; i-- {
		h := heads[i]
		if h.line >= t.line || h.level >= level && h.level > 0 {
			continue
		}
		level = h.level
		if n := firstName(h.text); n != "" && n != "Conditions" && n != "Status" && n != "Reasons" {
			return d.kind("", n)
		}
	}
	return d.nextKind()
}

// byType reads a table with a row for each type of one kind.
func (d *Draft) byType(t *table, k *kind, typ, reason int) {
	for _, row := range t.rows {
		n := strings.Trim(row[typ], "` ")
		if !name.MatchString(n) {
			continue
		}
		c := k.condition(d, n)
		if c == nil {
			continue
		}
		c.meaning = d.sharedTypes[n]
		for _, r := range reasonsIn(row[reason]) {
			one := c.cell(d, r.name, "")
			if one != nil && r.meaning != "" {
				one.meaning = r.meaning
			}
		}
		for _, m := range outranks.FindAllStringSubmatch(row[reason], -1) {
			c.rank(m[1], m[2])
		}
		d.foreign(k, row[reason])
	}
}

// rank puts the one reason before the other.
func (c *condition) rank(first, second string) {
	find := func(n string) int { return slices.IndexFunc(c.cells, func(o *cell) bool { return o.reason == n }) }
	if a, b := find(first), find(second); a > b && b >= 0 {
		moved := c.cells[a]
		c.cells = slices.Insert(slices.Delete(c.cells, a, a+1), b, moved)
	}
}

// foreign reads that the controller of a kind writes a condition of another one.
func (d *Draft) foreign(k *kind, text string) {
	for _, m := range patched.FindAllStringSubmatch(text, -1) {
		if target := d.kind(k.group, m[1]); target != nil {
			k.writes = append(k.writes, catalog.Write{Kind: target.name + "." + target.group, Type: m[2], Reasons: []string{m[4]}})
		}
	}
}

// found is a reason of a cell with its description.
type found struct{ name, meaning string }

// reasonsIn reads the reasons of a cell: names between commas, each with an optional explanation in brackets or behind a dash.
func reasonsIn(text string) []found {
	text = strings.ReplaceAll(text, "`", "")
	var out []found
	for _, part := range splitReasons(text) {
		part = strings.TrimSpace(part)
		first, rest, _ := strings.Cut(part, " ")
		first = strings.TrimRight(first, ".")
		if !name.MatchString(first) {
			continue
		}
		rest = strings.TrimSpace(rest)
		explained, dash := "", false
		for _, mark := range []string{"— ", "– ", "- ", ": "} {
			if e, ok := strings.CutPrefix(rest, mark); ok {
				explained, dash = e, true
			}
		}
		if strings.HasPrefix(rest, "(") {
			explained, _, _ = strings.Cut(rest[1:], ")")
		} else if rest != "" && !dash {
			continue // a sentence that begins with a capital
		}
		out = append(out, found{first, sentence(explained)})
	}
	// An explanation that follows several names holds for each of them.
	for i := len(out) - 2; i >= 0 && len(out) <= 100; i-- {
		if out[i].meaning == "" && strings.Contains(text, out[i].name+", "+out[i+1].name) && strings.Contains(text, out[i+1].name+" —") {
			out[i].meaning = out[i+1].meaning
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

// byStatus reads a table with a row for each status and reason of one type, whose name and kind are headings.
func (d *Draft) byStatus(t *table, heads []head, status, reason, meaning int) {
	at := lastHead(heads, t.line)
	if at < 0 || firstName(heads[at].text) == "" {
		d.skip("line %d: a table of reasons below no heading that is a condition type", t.line+1)
		return
	}
	n := firstName(heads[at].text)
	var k *kind
	for i := at - 1; i >= 0 && k == nil; i-- {
		h := heads[i]
		if h.level > 0 && h.level >= heads[at].level || h.level == 0 && t.headed[h.line] {
			continue
		}
		if of := firstName(h.text); of != "" && of != "Conditions" {
			k = d.kind("", of)
		}
	}
	if k == nil {
		k = d.theKind()
	}
	c := k.condition(d, n)
	if c == nil {
		return
	}
	if c.meaning == "" {
		c.meaning = meaningOf(n, t.before)
	}
	for _, row := range t.rows {
		s := strings.Trim(row[status], "` ")
		if !statusRun.MatchString(s) {
			continue
		}
		for _, r := range reasonsIn(row[reason]) {
			if one := c.cell(d, r.name, s); one != nil && meaning >= 0 {
				one.meaning = sentence(row[meaning])
			}
		}
	}
}

// meaningOf returns the first sentence about the meaning of True.
func meaningOf(n string, before []string) string {
	for i := len(before) - 1; i >= 0; i-- {
		line := strings.ReplaceAll(before[i], "`", "")
		if rest, ok := strings.CutPrefix(line, n+"=True means "); ok {
			return sentence(rest)
		}
		if strings.HasPrefix(line, n+"=True ") {
			return sentence(line)
		}
	}
	return ""
}

// sentence returns the first sentence of a text, without marks, with a capital and a full stop.
func sentence(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "")), " ")
	text = strings.TrimSpace(strings.Trim(text, "—–- "))
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '.' && text[i+1] == ' ' && i > 3 && !strings.HasSuffix(text[:i], "e.g") && !strings.HasSuffix(text[:i], "i.e") {
			text = text[:i+1]
			break
		}
	}
	if text == "" {
		return ""
	}
	r := []rune(text)
	if len(r) > 400 {
		r = append(r[:397], '.', '.', '.')
	}
	text = strings.ToUpper(string(r[:1])) + string(r[1:])
	if !strings.ContainsRune(".!?)", rune(text[len(text)-1])) {
		text += "."
	}
	return text
}
