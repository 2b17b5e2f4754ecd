// SPDX-License-Identifier: Apache-2.0

package render

import (
	"io"

	"github.com/tristate/tristate/internal/read/relation"
)

// Grid has a line for each object and a column for each cluster.
type Grid struct {
	Contexts []string
	Silent   []bool // contexts that did not answer
	Rows     []GridRow
}

// GridRow is one object, with its node in each context; nil if it does not exist there.
type GridRow struct {
	relation.ID
	Cells []*relation.Node
	Worst relation.Judgement
}

// Write writes the grid. A cell is - if the object does not exist, and ? if the cluster did not answer.
func (g Grid) Write(w io.Writer, o Options) error {
	columns := []column{{"NAMESPACE", 2}, {"OBJECT", 0}}
	for _, name := range g.Contexts {
		columns = append(columns, column{clean(name), 0})
	}
	columns = append(columns, column{"MESSAGE", 1})
	return writeTable(w, columns, func(yield func(line) bool) {
		for _, row := range g.Rows {
			l := line{cells: []cell{{clean(row.Namespace), ""}, {clean(row.Kind + "/" + row.Name), ""}}}
			for i, n := range row.Cells {
				switch {
				case n == nil && g.Silent[i]:
					l.cells = append(l.cells, cell{"?", ""})
				case n == nil:
					l.cells = append(l.cells, cell{"-", ""})
				default:
					l.cells = append(l.cells, verdictCell(n.Judgement))
				}
			}
			l.cells = append(l.cells, cell{Detail(row.Worst), ""})
			if !yield(l) {
				return
			}
		}
	}, o)
}
