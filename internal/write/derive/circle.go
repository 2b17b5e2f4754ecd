// SPDX-License-Identifier: Apache-2.0

package derive

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// ReasonCircular is the reason of a condition that depends on itself because objects refer to each other in a circle.
const ReasonCircular = "Circular"

// circle returns Unknown for a type that is derived over a relation which leads back to the object: every member of the circle has the same
// answer, whatever the others say, so that none of them is written because of another.
func (d *deriver) circle(v *catalog.Derivation) (rollup.Merged, bool) {
	for _, name := range d.over(v) {
		if path := d.in.Circles[name]; path != nil {
			c := conditions.Condition{}
			c.Type, c.Status, c.Reason = v.Type.Name, conditions.Unknown, ReasonCircular
			c.Message = "relation " + name + " leads back to the object: " + describe(path)
			return rollup.Merged{Condition: c}, true
		}
	}
	return rollup.Merged{}, false
}

// over returns the relations that a derivation reads and that are in a circle, in order.
func (d *deriver) over(v *catalog.Derivation) []string {
	if len(d.in.Circles) == 0 {
		return nil
	}
	var out []string
	if v.Mirror != nil {
		out = append(out, v.Mirror.Of)
	}
	if v.Merge != nil {
		out = append(out, v.Merge.Of)
	}
	for _, p := range v.Programs() {
		for _, name := range p.Names() {
			if name.Of == "related" {
				out = append(out, name.Name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// describe names the members of a circle, of a long one the first and the last.
func describe(path []relation.ID) string {
	const most = 6
	var names []string
	for i, id := range path {
		switch {
		case len(path) <= most || i < most/2 || i >= len(path)-most/2:
			names = append(names, id.Kind+"/"+id.Name)
		case i == most/2:
			names = append(names, "...")
		}
	}
	return strings.Join(names, " -> ")
}
