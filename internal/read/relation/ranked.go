// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"maps"
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
// that way, with what these explain. Pods whose condition only names a missing Service that other objects refer to are no cause of their
// own, and neither is a missing Service where the condition of another object says why it is missing.
func (v *View) Ranked(roots []*Node) []Ranked {
	var out []Ranked
	at := map[ID]int{} // the place of the cause of an object
	explains := map[int]map[ID]bool{}
	for _, root := range roots {
		causes := Causes(root)
		if root.Judgement.Fine() { // it claims to be, and objects below it have failed
			causes = Contradictions(root)
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
	callers := map[ID][]int{} // the causes whose pods call a Service
	for i, r := range out {
		for _, id := range v.Called(r.Node) {
			callers[id] = append(callers[id], i)
		}
	}
	effects := map[int]bool{}
	for i, r := range out { // pods that call a Service which this cause explains
		called := callers[r.Node.ID]
		for id := range explains[i] {
			called = append(called[:len(called):len(called)], callers[id]...)
		}
		for _, j := range called {
			if i == j {
				continue
			}
			maps.Copy(explains[i], explains[j])
			for _, n := range out[j].Nodes {
				explains[i][n.ID] = true
			}
			if other := out[j].Node.Judgement; r.Node.Missing() && other.Derived() && names(other.Message, r.Node.ID) {
				effects[j] = true
			}
		}
	}
	for i, r := range out { // a quota that keeps a missing Service from being made again names it
		effects[i] = effects[i] || r.Node.Missing() && slices.ContainsFunc(out, func(other Ranked) bool {
			j := other.Node.Judgement
			return other.Node.GroupKind != podKind && j.Derived() && names(j.Message, r.Node.ID)
		})
	}
	kept := out[:0]
	for i, r := range out {
		for _, n := range r.Nodes {
			delete(explains[i], n.ID)
		}
		if r.Explains = sorted(explains[i]); !effects[i] {
			kept = append(kept, r)
		}
	}
	out = v.withoutObservers(kept)
	slices.SortStableFunc(out, func(a, b Ranked) int {
		if a.Unexplained != b.Unexplained {
			return map[bool]int{true: 1, false: -1}[a.Unexplained]
		}
		return cmp.Or(cmp.Compare(len(b.Explains), len(a.Explains)), compareCauses(a.Cause, b.Cause))
	})
	return out
}

// Called returns the Services whose addresses the containers of a pod are given, also those that do not exist; none of another object.
func (v *View) Called(n *Node) []ID {
	if n.Object == nil || n.Kind != "Pod" || n.Group != "" {
		return nil
	}
	var out []ID
	for _, k := range v.derivedBy(n.Object) {
		if l := k.Relation("services"); l != nil {
			objects, missing, _ := v.reach(link{Link: l, kind: k, costs: &v.Graph.costs}, n.Object)
			for _, o := range objects {
				out = append(out, o.ID)
			}
			out = append(out, missing...)
		}
	}
	return out
}
