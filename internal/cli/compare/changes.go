// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"cmp"
	"slices"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
)

// way is the direction of a change.
type way string

// The ways, in the order in which changes are listed.
const (
	worse    way = "worse"
	gone     way = "gone"
	better   way = "better"
	appeared way = "new"
	changed  way = "changed" // neither worse nor better: from progress to deletion, say
)

var ways = []way{worse, gone, changed, better, appeared}

// change is an object whose verdict differs. Before is empty for one that appeared, After for one that is gone.
type change struct {
	Object        render.ObjectRef `json:"object"`
	Way           way              `json:"change"`
	Before, After verdict.Status   `json:"-"`
	From          *render.Item     `json:"before,omitempty"`
	To            *render.Item     `json:"after,omitempty"`
}

// bad reports whether a gate should stop at the change: something got worse, or something new is broken.
func (c change) bad() bool {
	return c.Way == worse || c.Way == appeared && c.After.Broken()
}

// idOf returns the name of an object without its version.
func idOf(o render.ObjectRef) relation.ID {
	return relation.ID{GroupKind: o.GroupKind(), Namespace: o.Namespace, Name: o.Name}
}

// changesOf compares two lists of verdicts: an object is the same in both if its group, kind, namespace and name are. Worse comes first,
// and objects with the same verdict are left out, whatever their message. O(n log n).
func changesOf(before, after []render.Item) []change {
	old := map[relation.ID]*render.Item{}
	for i := range before {
		old[idOf(before[i].Object)] = &before[i]
	}
	var out []change
	for i := range after {
		to := &after[i]
		k := idOf(to.Object)
		from := old[k]
		delete(old, k)
		switch {
		case from == nil:
			out = append(out, change{Object: to.Object, Way: appeared, After: to.Verdict, To: to})
		case from.Verdict != to.Verdict:
			out = append(out, change{Object: to.Object, Way: direction(from.Verdict, to.Verdict), Before: from.Verdict, After: to.Verdict,
				From: from, To: to})
		}
	}
	for _, from := range old {
		out = append(out, change{Object: from.Object, Way: gone, Before: from.Verdict, From: from})
	}
	slices.SortFunc(out, func(a, b change) int {
		return cmp.Or(slices.Index(ways, a.Way)-slices.Index(ways, b.Way), cmp.Compare(a.Object.Namespace, b.Object.Namespace),
			cmp.Compare(a.Object.Kind, b.Object.Kind),
			cmp.Compare(a.Object.Name, b.Object.Name), cmp.Compare(a.Object.APIVersion, b.Object.APIVersion))
	})
	return out
}

// direction compares two verdicts by the order in which a parent takes them over.
func direction(x, y verdict.Status) way {
	switch {
	case x == verdict.Terminating || y == verdict.Terminating:
		return changed
	case y.Worse(x):
		return worse
	}
	return better
}
