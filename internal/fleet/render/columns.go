// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bufio"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// column is a column of a table.
type column struct {
	title string
	drop  int // the place in the order in which a narrow terminal loses columns, from 1; 0: it is never lost
}

// cell is one field of a table; colour is the parameter of an escape sequence, empty for none.
type cell struct{ text, colour string }

// line is one row of a table. below starts the lines on which a long last cell continues: the vertical bars of a tree.
type line struct {
	cells []cell
	below string
}

const (
	gap = "  "
	// leastMessage is the width below which the last column is of no use.
	leastMessage = 20
	// goodMessage is its width if names are shortened for its sake.
	goodMessage = 36
	// mostMessage is how much of a message a table shows: the API server accepts 32 kB.
	mostMessage = 1000
	// readableName is the width down to which names are shortened before a terminal loses the message: it is worth more than the middle of a
	// name.
	readableName = 28
	// shortName is the same where the rest of the line leaves less room.
	shortName = 22
	// leastName is the width below which names are not shortened.
	leastName = 12
)

// writeTable aligns columns. Columns that are empty in every line are left out. If o.Width is exceeded, columns are dropped in their
// order; the rest of the width belongs to the last column, which is broken between words. lines is iterated twice, so that a
// table of very many objects is never held in memory.
func writeTable(w io.Writer, columns []column, lines iter.Seq[line], o Options) error {
	widths := make([]int, len(columns))
	for l := range lines {
		for i, c := range l.cells {
			widths[i] = max(widths[i], runewidth.StringWidth(c.text))
		}
	}
	if !o.NoHeaders {
		for i, c := range columns {
			if widths[i] > 0 {
				widths[i] = max(widths[i], runewidth.StringWidth(c.title))
			}
		}
	}
	shown := fit(columns, widths, o.Width)
	out := bufio.NewWriterSize(w, 1<<16)
	if !o.NoHeaders && len(shown) > 0 {
		titles := line{cells: make([]cell, len(columns))}
		for i, c := range columns {
			titles.cells[i].text = c.title
		}
		writeLine(out, titles, shown, widths, o)
	}
	for l := range lines {
		writeLine(out, l, shown, widths, o)
	}
	return out.Flush()
}

// fit returns the columns that fit into a width, and shortens names if the remaining columns do not fit, or to keep the last one. A
// width of 0 fits all.
func fit(columns []column, widths []int, width int) []int {
	var shown []int
	for i := range columns {
		if widths[i] > 0 {
			shown = append(shown, i)
		}
	}
	if width <= 0 {
		return shown
	}
	last := len(columns) - 1
	least := func() int {
		sum := 0
		for _, i := range shown {
			if i == last && columns[i].drop > 0 {
				sum += min(widths[i], leastMessage)
			} else {
				sum += widths[i]
			}
			sum += len(gap)
		}
		return sum - len(gap)
	}
	for order := 1; order <= len(columns); order++ {
		over := least() - width
		if over <= 0 {
			break
		}
		if columns[last].drop == order && slices.Contains(shown, last) {
			widest := slices.MaxFunc(shown[:len(shown)-1], func(a, b int) int { return widths[a] - widths[b] })
			if widths[widest]-over >= readableName {
				widths[widest] = max(widths[widest]-over-(goodMessage-leastMessage), readableName)
				break
			}
			if widths[widest]-over >= shortName {
				widths[widest] -= over
				break
			}
		}
		shown = slices.DeleteFunc(shown, func(i int) bool { return columns[i].drop == order })
	}
	if len(shown) == 0 {
		return nil
	}
	end := shown[len(shown)-1]
	if over := least() - width; over > 0 { // the names are shortened
		widest := slices.MaxFunc(shown, func(a, b int) int { return widths[a] - widths[b] })
		widths[widest] = max(widths[widest]-over, min(widths[widest], leastName))
	}
	if end == last && columns[end].drop > 0 {
		rest := width
		for _, i := range shown[:len(shown)-1] {
			rest -= widths[i] + len(gap)
		}
		widths[end] = min(widths[end], max(rest, leastMessage))
	}
	return shown
}

// writeLine writes one line, and those on which its last cell continues. Errors are those of out.Flush.
func writeLine(out *bufio.Writer, l line, shown, widths []int, o Options) {
	var b strings.Builder
	var rest []string
	for n, i := range shown {
		if i >= len(l.cells) {
			break
		}
		c := l.cells[i]
		text := c.text
		switch {
		case o.Width > 0 && n == len(shown)-1 && n > 0 && !o.OneLine:
			parts := broken(text, widths[i])
			text, rest = parts[0], parts[1:]
		case o.Width > 0 && n > 0:
			text = cut(text, widths[i])
		case o.Width > 0:
			text = middle(text, widths[i])
		}
		if n < len(shown)-1 {
			text = pad(text, widths[i]) + gap
		}
		if c.colour != "" && o.Colour {
			trimmed := strings.TrimRight(text, " ")
			text = "\x1b[" + c.colour + "m" + trimmed + "\x1b[0m" + text[len(trimmed):]
		}
		b.WriteString(text)
	}
	_, _ = out.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	if len(rest) == 0 {
		return
	}
	indent := 0
	for _, i := range shown[:len(shown)-1] {
		indent += widths[i] + len(gap)
	}
	for _, part := range rest {
		_, _ = out.WriteString(pad(cut(l.below, indent), indent) + part + "\n")
	}
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-runewidth.StringWidth(s), 0))
}

// cut shortens text to a width in columns; 0 leaves it.
func cut(s string, width int) string {
	if width <= 0 || runewidth.StringWidth(s) <= width {
		return s
	}
	return runewidth.Truncate(s, width, "…")
}

// middle shortens a name to a width in columns: its start names the kind, its end distinguishes siblings.
func middle(s string, width int) string {
	if width < 3 || runewidth.StringWidth(s) <= width {
		return cut(s, width)
	}
	end := width / 3
	tail := s
	for runewidth.StringWidth(tail) > end {
		_, size := utf8.DecodeRuneInString(tail)
		tail = tail[size:]
	}
	return runewidth.Truncate(s, width-runewidth.StringWidth(tail), "…") + tail
}

// broken breaks text between words into lines of a width in columns; a longer word is broken too. It returns at least one line.
func broken(s string, width int) []string {
	var lines []string
	for width > 0 && runewidth.StringWidth(s) > width {
		at, fits := -1, 0 // the last space that fits, and the bytes that do
		for i, used := 0, 0; i < len(s); {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == ' ' && i > 0 {
				at = i
			}
			if used += runewidth.RuneWidth(r); used > width {
				break
			}
			i += size
			fits = i
		}
		if at <= 0 {
			at = max(fits, 1)
		}
		lines = append(lines, strings.TrimRight(s[:at], " "))
		s = strings.TrimLeft(s[at:], " ")
	}
	return append(lines, s)
}

// Wrap breaks a line between words where it is longer than o.Width.
func Wrap(s string, o Options) string { return wrap(s, o.Width) }

// wrap breaks text between words to a width in columns, the lines after the first set in; 0 leaves it.
func wrap(s string, width int) string {
	const indent = "        "
	if width <= len(indent)+leastName || runewidth.StringWidth(s) <= width {
		return s
	}
	first := broken(s, width)[0]
	rest := broken(strings.TrimLeft(s[len(first):], " "), width-len(indent))
	return first + "\n" + indent + strings.Join(rest, "\n"+indent)
}
