// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"cmp"
	"slices"

	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/render"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Way is the direction of a change.
type Way string

// The ways, in the order in which changes are listed.
const (
	Worse    Way = "worse"
	Gone     Way = "gone"
	Better   Way = "better"
	Appeared Way = "new"
	Changed  Way = "changed" // neither worse nor better: from progress to deletion, say
)

var ways = []Way{Worse, Gone, Changed, Better, Appeared}

// Change is an object whose verdict differs. Before is empty for one that appeared, After for one that is gone.
type Change struct {
	Object        render.ObjectRef `json:"object"`
	Way           Way              `json:"change"`
	Before, After string           `json:"-"`
	From          *render.Item     `json:"before,omitempty"`
	To            *render.Item     `json:"after,omitempty"`
}

// Bad reports whether a gate should stop at the change: something got worse, or something new is broken.
func (c Change) Bad() bool {
	return c.Way == Worse || c.Way == Appeared && verdict.Status(c.After).Broken()
}

// idOf returns the name of an object without its version.
func idOf(o render.ObjectRef) relation.ID {
	gv, _ := schema.ParseGroupVersion(o.APIVersion) // one that is none names no group
	return relation.ID{GroupKind: schema.GroupKind{Group: gv.Group, Kind: o.Kind}, Namespace: o.Namespace, Name: o.Name}
}

// Lists compares two lists of verdicts. O(n log n).
func Lists(before, after []render.Item) []Change {
	old := map[relation.ID]*render.Item{}
	for i := range before {
		old[idOf(before[i].Object)] = &before[i]
	}
	var out []Change
	for i := range after {
		to := &after[i]
		k := idOf(to.Object)
		from := old[k]
		delete(old, k)
		switch {
		case from == nil:
			out = append(out, Change{Object: to.Object, Way: Appeared, After: to.Verdict, To: to})
		case from.Verdict != to.Verdict:
			out = append(out, Change{Object: to.Object, Way: way(from.Verdict, to.Verdict), Before: from.Verdict, After: to.Verdict, From: from, To: to})
		}
	}
	for _, from := range old {
		out = append(out, Change{Object: from.Object, Way: Gone, Before: from.Verdict, From: from})
	}
	slices.SortFunc(out, func(a, b Change) int {
		return cmp.Or(slices.Index(ways, a.Way)-slices.Index(ways, b.Way), cmp.Compare(a.Object.Namespace, b.Object.Namespace), cmp.Compare(a.Object.Kind, b.Object.Kind),
			cmp.Compare(a.Object.Name, b.Object.Name), cmp.Compare(a.Object.APIVersion, b.Object.APIVersion))
	})
	return out
}

// way compares two verdicts by the order in which a parent takes them over.
func way(before, after string) Way {
	x, y := verdict.Status(before), verdict.Status(after)
	switch {
	case x == verdict.Terminating || y == verdict.Terminating:
		return Changed
	case y.Worse(x):
		return Worse
	}
	return Better
}
