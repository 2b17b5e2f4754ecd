// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"
)

// text is a file, or the part of one that holds a document, and finds places in it.
type text struct {
	file  string
	all   []byte // the whole file
	lines []int  // offsets in all at which lines start, as people and editors count them
	count []int  // characters before each block of all
	from  int    // offset in all of data
	data  []byte
	rows  []int // offsets in data at which rows start, as YAML counts lines (it also breaks them at other characters)
}

// block is how many bytes are looked at to find a character, so that a place in a long line is found as fast as in a short one.
const block = 256

func newText(file string, all []byte) *text {
	t := &text{file: file, all: all, lines: []int{0}}
	characters := 0
	for i, c := range all {
		if i%block == 0 {
			t.count = append(t.count, characters)
		}
		if c == '\n' {
			t.lines = append(t.lines, i+1)
		}
		if utf8.RuneStart(c) {
			characters++
		}
	}
	t.count = append(t.count, characters)
	return t.part(0, len(all))
}

// part is the text of the same file between two offsets.
func (t *text) part(from, to int) *text {
	p := &text{file: t.file, all: t.all, lines: t.lines, count: t.count, from: from, data: t.all[from:to], rows: []int{0}}
	for i := 0; i < len(p.data); {
		n := breakAt(p.data[i:])
		if n == 0 {
			i++
			continue
		}
		i += n
		p.rows = append(p.rows, i)
	}
	return p
}

// documents cuts the text at the lines that start a document, so that a syntax error stays within its own. Comments and
// directives before the first document belong to it.
func (t *text) documents() []*text {
	var out []*text
	start, content := 0, false
	for i, at := range t.lines {
		end := len(t.all)
		if i+1 < len(t.lines) {
			end = t.lines[i+1]
		}
		line := t.all[at:end]
		marker := bytes.HasPrefix(line, []byte("---")) && (len(line) == 3 || bytes.IndexByte([]byte(" \t\r\n"), line[3]) >= 0)
		if marker && content {
			out = append(out, t.part(start, at))
			start, content = at, false
		}
		trimmed := bytes.TrimSpace(line)
		content = content || marker || len(trimmed) > 0 && trimmed[0] != '#' && line[0] != '%'
	}
	return append(out, t.part(start, len(t.all)))
}

// breakAt returns the length of the line break at the start of b, 0 without one (YAML 1.1, section 4.2).
func breakAt(b []byte) int {
	switch {
	case len(b) == 0:
	case b[0] == '\r' && len(b) > 1 && b[1] == '\n':
		return 2
	case b[0] == '\r', b[0] == '\n':
		return 1
	case b[0] == 0xC2 && len(b) > 1 && b[1] == 0x85:
		return 2
	case b[0] == 0xE2 && len(b) > 2 && b[1] == 0x80 && (b[2] == 0xA8 || b[2] == 0xA9):
		return 3
	}
	return 0
}

// characters returns the number of characters of the file before an offset.
func (t *text) characters(at int) int {
	n := t.count[at/block]
	for _, c := range t.all[at-at%block : at] {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

// character is the offset in the file of its nth character, from 0.
func (t *text) character(n int) int {
	after := sort.SearchInts(t.count, n+1) // the first block that begins after it
	at := max(after-1, 0) * block
	for n -= t.count[max(after-1, 0)]; at < len(t.all); at++ {
		if utf8.RuneStart(t.all[at]) {
			if n == 0 {
				break
			}
			n--
		}
	}
	return at
}

// offset returns the position in data of the character at a row and column (from 1), or of the nearest there is.
func (t *text) offset(row, column int) int {
	row = min(max(row, 1), len(t.rows))
	start, end := t.rows[row-1], len(t.data)
	if row < len(t.rows) {
		end = t.rows[row]
		for n := 1; n <= 3 && end-n >= start; n++ {
			if breakAt(t.data[end-n:]) == n {
				end -= n
				break
			}
		}
	}
	at := t.character(t.characters(t.from+start)+max(column, 1)-1) - t.from
	return min(at, end)
}

// position is the line and column, in characters, of an offset in data.
func (t *text) position(offset int) Position {
	at := t.from + min(max(offset, 0), len(t.data))
	line, found := slices.BinarySearch(t.lines, at)
	if !found {
		line--
	}
	return Position{File: t.file, Line: line + 1, Column: t.characters(at) - t.characters(t.lines[line]) + 1}
}

// unprintable finds the first character that YAML does not allow, -1 without one.
func (t *text) unprintable() int {
	for i := 0; i < len(t.data); {
		r, n := utf8.DecodeRune(t.data[i:])
		switch {
		case r == utf8.RuneError && n == 1,
			r < 0x20 && r != '\t' && r != '\n' && r != '\r',
			r >= 0x7F && r < 0xA0 && r != 0x85,
			r == 0xFEFF, r == 0xFFFE, r == 0xFFFF:
			return i
		}
		i += n
	}
	return -1
}

// unreadableRow looks for the row that makes the text unreadable: the one after the longest beginning that can be read.
// It returns 0 when no beginning can, as in JSON. A fixed number of bytes is spent on the search.
func (t *text) unreadableRow(readable func([]byte) bool) int {
	budget := 8 << 20
	good := func(rows int) bool {
		budget -= t.rows[rows]
		return budget > 0 && readable(t.data[:t.rows[rows]])
	}
	const ahead = 40 // rows that a quoted string or a flow collection may span and still be seen as one
	low, last := 0, len(t.rows)-1
	for again := true; again; {
		low += sort.Search(last-low, func(i int) bool { return !good(low + i + 1) })
		again = false
		for rows := low + 2; rows <= min(low+ahead, last); rows++ {
			if good(rows) {
				low, again = rows, true
				break
			}
		}
	}
	if low == 0 || budget <= 0 {
		return 0
	}
	return low + 1
}
