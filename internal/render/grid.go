// SPDX-License-Identifier: Apache-2.0

package render

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/tristate/tristate/relation"
)

// Grid is a line an object and a column a cluster.
type Grid struct {
	Contexts []string
	Silent   []bool // contexts that did not answer
	Rows     []GridRow
}

// GridRow is one object; Cells has one for each context, nil where it is not there.
type GridRow struct {
	relation.ID
	Cells []*relation.Node
	Worst relation.Judgement
}

// Write writes the grid. Without a terminal lines are tab-separated, with verdicts in place of symbols and words. A cell is - where the
// object is not there, and ? where the cluster did not answer.
func (g Grid) Write(w io.Writer, o Options, terminal bool) error {
	lines := [][]string{append([]string{"NAMESPACE", "OBJECT"}, g.Contexts...)}
	colours := [][]string{make([]string, len(g.Contexts))}
	for _, row := range g.Rows {
		line, colour := []string{clean(row.Namespace), clean(row.Kind + "/" + row.Name)}, make([]string, len(row.Cells))
		for i, n := range row.Cells {
			switch {
			case n == nil && g.Silent[i]:
				line = append(line, "?")
			case n == nil:
				line = append(line, "-")
			case terminal:
				l := lookOf(n.Judgement.Verdict)
				line, colour[i] = append(line, l.symbol+" "+l.word), l.colour
			default:
				line = append(line, n.Judgement.Verdict)
			}
		}
		lines, colours = append(lines, append(line, Detail(row.Worst))), append(colours, colour)
	}
	if !terminal {
		var b strings.Builder
		for _, line := range lines {
			b.WriteString(strings.Join(line, "\t") + "\n")
		}
		_, err := io.WriteString(w, b.String())
		return err
	}
	return writeGrid(w, lines, colours, o)
}

// writeGrid aligns columns; the last one, which the first line does not have, is cut to the width.
func writeGrid(w io.Writer, lines, colours [][]string, o Options) error {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i := range widths {
			widths[i] = max(widths[i], runewidth.StringWidth(line[i]))
		}
	}
	var b strings.Builder
	for n, line := range lines {
		used := 0
		var text strings.Builder
		for i, cell := range line {
			switch {
			case i == len(widths):
				if o.Width > 0 {
					cell = cut(cell, max(o.Width-used, 8))
				}
				text.WriteString(cell)
				continue
			case i >= 2 && colours[n][i-2] != "" && o.Colour:
				text.WriteString("\x1b[" + colours[n][i-2] + "m" + pad(cell, widths[i]) + "\x1b[0m  ")
			default:
				text.WriteString(pad(cell, widths[i]) + "  ")
			}
			used += widths[i] + 2
		}
		b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
