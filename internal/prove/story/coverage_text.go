// SPDX-License-Identifier: Apache-2.0

package story

import (
	"cmp"
	"fmt"
	"strings"
)

// Text returns the report for people: counts first, then every cell that was not reached, then per kind those that were.
func (r CoverageReport) Text() string {
	var b strings.Builder
	count := func(what string, reach Reach) {
		fmt.Fprintf(&b, "%-9s %4d declared  %4d reached  %4d not reached\n", what, reach.Declared(), len(reach.Reached), len(reach.NotReached))
	}
	count("statuses", r.Statuses)
	count("cells", r.Cells)
	section := func(title string, cells []Cell) {
		if len(cells) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n%s\n", title)
		kind := ""
		for _, c := range cells {
			if c.Kind != kind {
				kind = c.Kind
				fmt.Fprintf(&b, "  %s\n", kind)
			}
			fmt.Fprintf(&b, "    %s=%s %s\n", c.Type, c.Status, cmp.Or(c.Reason, "-"))
		}
	}
	section("undeclared cells, which should not exist", r.Undeclared)
	section("statuses not reached", r.Statuses.NotReached)
	section("cells not reached", r.Cells.NotReached)
	section("cells reached", r.Cells.Reached)
	section("cells reached with a reason from below", r.Imported)
	return b.String()
}
