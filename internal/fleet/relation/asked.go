// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Troubled returns the trees below some objects, without those in which nothing has to be explained.
func (v *View) Troubled(ids []ID) []*Node {
	var out []*Node
	for _, id := range ids {
		if n := v.Build(id); n != nil && (!n.Judgement.Fine() || len(Contradictions(n))+len(Asked(n)) > 0) {
			out = append(out, n)
		}
	}
	return out
}

// Everything returns the causes of all that the graph holds, as [View.Ranked] does.
func (v *View) Everything() []Ranked {
	return v.Ranked(v.Troubled(v.Tops(v.Graph.IDs(schema.GroupKind{}))))
}

// Of returns which of the causes of everything explain a root, each with the way from the root to it. Where another cause explains one of
// the [Causes] of the root, it comes in its place. The root has its own causes for what none of them is about.
func Of(root *Node, everything []Ranked) (out []Ranked) {
	add := func(r Ranked, chain []*Node) {
		if slices.ContainsFunc(out, func(known Ranked) bool { return known.is(r.Node.ID) }) {
			return
		}
		last := chain[len(chain)-1]
		if r.is(last.ID) {
			others := slices.DeleteFunc(slices.Clone(r.Nodes), func(n *Node) bool { return n.ID == last.ID })
			r.Node, r.Nodes = last, append([]*Node{last}, others...)
		} else {
			n := *r.Node
			n.Edge = cmp.Or(n.Edge, byWords)
			r.Node, chain = &n, append(slices.Clone(chain), &n)
		}
		r.Chain = chain
		out = append(out, r)
	}
	var rest []Cause
	for _, c := range Causes(root) {
		known := len(out)
		for _, r := range everything {
			if r.is(c.Node.ID) || slices.Contains(r.Explains, c.Node.ID) {
				add(r, c.Chain)
			}
		}
		if len(out) == known {
			rest = append(rest, c)
		}
	}
	for _, r := range everything {
		if r.is(root.ID) || slices.Contains(r.Explains, root.ID) {
			add(r, []*Node{root})
		}
	}
	for _, c := range rest {
		if len(out) == 0 || weigh(c.Node.Judgement) >= broken {
			add(Ranked{Cause: c}, c.Chain)
		}
	}
	return out
}

// is reports whether an object is among the equals of a cause.
func (r Ranked) is(id ID) bool {
	return slices.ContainsFunc(r.Nodes, func(n *Node) bool { return n.ID == id })
}
