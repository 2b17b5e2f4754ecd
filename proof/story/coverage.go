// SPDX-License-Identifier: Apache-2.0

package story

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// Cell is one (type, status, reason) of a kind.
type Cell struct {
	Kind   string            `json:"kind"` // Kind.group
	Type   string            `json:"type"`
	Status conditions.Status `json:"status"`
	Reason string            `json:"reason"` // empty in a cell of a whole status
}

func (c Cell) compare(d Cell) int {
	return cmp.Or(cmp.Compare(c.Kind, d.Kind), cmp.Compare(c.Type, d.Type), cmp.Compare(c.Status, d.Status), cmp.Compare(c.Reason, d.Reason))
}

// Coverage collects which cells stories reach. The zero value is ready for use, by several goroutines too.
type Coverage struct {
	mu    sync.Mutex
	cells map[Cell]bool
}

// Add records the cells of objects. An alias counts as its type or reason; kinds without a catalog and types that no catalog
// declares do not count.
func (c *Coverage) Add(set *catalog.Set, objects []map[string]any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cells == nil {
		c.cells = map[Cell]bool{}
	}
	for _, object := range objects {
		kind := set.Kind(relation.FromContent(object).GroupKind)
		if kind == nil {
			continue
		}
		list, _ := wire.FromUnstructured(kind.List(object))
		for _, condition := range list {
			t := kind.Type(condition.Type)
			if t == nil {
				continue
			}
			reason := condition.Reason
			if r := kind.Reason(t.Name, reason, condition.Status); r != nil {
				reason = r.Name
			}
			c.cells[Cell{kind.For.String(), t.Name, condition.Status, reason}] = true
		}
	}
}

// CoverageReport compares reached with declared cells. Every list is in the order of the declaration, kinds by group and name.
type CoverageReport struct {
	Statuses Reach `json:"statuses"` // (kind, type, status)
	Cells    Reach `json:"cells"`    // (kind, type, status, reason)
	// Imported are reached cells of derived types with the reason of a condition that they are derived from.
	Imported []Cell `json:"imported,omitempty"`
	// Undeclared are reached cells that the catalog does not allow: a defect.
	Undeclared []Cell `json:"undeclared,omitempty"`
}

// Reach splits declared cells into reached and missed ones.
type Reach struct {
	Reached    []Cell `json:"reached"`
	NotReached []Cell `json:"notReached,omitempty"`
}

// Declared counts both.
func (r Reach) Declared() int { return len(r.Reached) + len(r.NotReached) }

func (r *Reach) add(c Cell, reached bool) {
	if reached {
		r.Reached = append(r.Reached, c)
	} else {
		r.NotReached = append(r.NotReached, c)
	}
}

// Report compares the reached cells with the cells of catalogs.
//
// The statuses that a type can have are those the catalog lists for it. If it lists none, they are the statuses of its
// reasons, and for a summary, a mirror and an aggregate all three. Only the systems that the stories are about count: a catalog file
// of which no kind was reached is left out.
func (c *Coverage) Report(set *catalog.Set) CoverageReport {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := CoverageReport{}
	statuses := map[Cell]bool{}
	for cell := range c.cells {
		cell.Reason = ""
		statuses[cell] = true
	}
	declared := map[Cell]bool{}
	imported := map[Cell]bool{} // without reason
	about := map[string]bool{}  // files
	for _, kind := range set.Kinds() {
		for cell := range c.cells {
			if cell.Kind == kind.For.String() {
				about[kind.Source.At("").File] = true
				break
			}
		}
	}
	for _, kind := range set.Kinds() {
		if len(about) > 0 && !about[kind.Source.At("").File] {
			continue
		}
		for i := range kind.Declaration.Types {
			t := &kind.Declaration.Types[i]
			for _, status := range Statuses(kind, t.Name) {
				cell := Cell{Kind: kind.For.String(), Type: t.Name, Status: status}
				out.Statuses.add(cell, statuses[cell])
				imported[cell] = t.Imported
			}
			for _, r := range t.Reasons {
				cell := Cell{kind.For.String(), t.Name, r.Status, r.Name}
				if !declared[cell] {
					declared[cell] = true
					out.Cells.add(cell, c.cells[cell])
				}
			}
		}
	}
	for cell := range c.cells {
		whole := cell
		whole.Reason = ""
		switch {
		case declared[cell]:
		case imported[whole]:
			out.Imported = append(out.Imported, cell)
		default:
			out.Undeclared = append(out.Undeclared, cell)
		}
	}
	slices.SortFunc(out.Imported, Cell.compare)
	slices.SortFunc(out.Undeclared, Cell.compare)
	return out
}

// Statuses returns the statuses that a type can have, in the order True, False, Unknown.
func Statuses(kind *catalog.Kind, conditionType string) []conditions.Status {
	t := kind.Type(conditionType)
	if t == nil {
		return nil
	}
	can := map[conditions.Status]bool{}
	if d := kind.Condition(t.Name); d != nil {
		for _, s := range d.Statuses {
			can[conditions.Status(s)] = true
		}
	}
	if len(can) == 0 {
		for _, r := range t.Reasons {
			can[r.Status] = true
		}
		if t.Imported {
			can[conditions.True], can[conditions.False], can[conditions.Unknown] = true, true, true
		}
	}
	var out []conditions.Status
	for _, s := range []conditions.Status{conditions.True, conditions.False, conditions.Unknown} {
		if can[s] {
			out = append(out, s)
		}
	}
	return out
}

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
