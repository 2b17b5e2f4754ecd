// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"slices"
)

// Ranked is a cause of several hierarchies, with the unhealthy objects that it explains.
type Ranked struct {
	Cause
	Explains []ID // in order, without the objects of the cause
	// Unexplained: nothing is known of why its object is not healthy.
	Unexplained bool
}

// Ranked returns the causes of some hierarchies, each once: those that explain most objects first, then in the order of [Causes], the
// unexplained ones last. A cause explains the unhealthy objects on the way to it, and the pods that are given the address of a Service on
// that way, with what these explain.
func (v *View) Ranked(roots []*Node) []Ranked {
	var out []Ranked
	at := map[ID]int{} // the place of the cause of an object
	explains := map[int]map[ID]bool{}
	for _, root := range roots {
		causes := Causes(root)
		if root.Judgement.Fine() { // it claims to be, and objects below it have failed
			causes = Doubts(root)
		}
		for _, c := range causes {
			i, known := at[c.Node.ID]
			if !known {
				i = len(out)
				out = append(out, Ranked{Cause: c, Unexplained: Silent(c.Node)})
				explains[i] = map[ID]bool{}
			}
			for _, n := range c.Nodes {
				if _, other := at[n.ID]; !other {
					at[n.ID] = i
				}
			}
			for _, n := range c.Chain {
				if !n.Judgement.Fine() && n != c.Node {
					explains[i][n.ID] = true
				}
			}
		}
	}
	for i, r := range out { // pods that call a Service which this cause explains
		for j, other := range out {
			if i != j && slices.ContainsFunc(v.Called(other.Node), func(id ID) bool { return explains[i][id] || r.Node.ID == id }) {
				for id := range explains[j] {
					explains[i][id] = true
				}
				for _, n := range other.Nodes {
					explains[i][n.ID] = true
				}
			}
		}
	}
	for i := range out {
		for _, n := range out[i].Nodes {
			delete(explains[i], n.ID)
		}
		out[i].Explains = sorted(explains[i])
	}
	out = v.withoutObservers(out)
	slices.SortStableFunc(out, func(a, b Ranked) int {
		if a.Unexplained != b.Unexplained {
			return map[bool]int{true: 1, false: -1}[a.Unexplained]
		}
		return cmp.Or(cmp.Compare(len(b.Explains), len(a.Explains)), compareCauses(a.Cause, b.Cause))
	})
	return out
}

// Called returns the Services whose addresses the containers of a pod are given; none of another object.
func (v *View) Called(n *Node) []ID {
	if n.Object == nil || n.Kind != "Pod" || n.Group != "" {
		return nil
	}
	var out []ID
	for _, k := range v.derivedBy(n.Object) {
		if l := k.Relation("services"); l != nil {
			objects, _, _ := v.reach(link{Link: l, kind: k, costs: &v.Graph.costs}, n.Object)
			for _, o := range objects {
				out = append(out, o.ID)
			}
		}
	}
	return out
}
