// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"slices"
	"time"

	"github.com/tristate/tristate/conditions"
)

// Judgement is what somebody says of an object: the verdict and the condition that it rests on.
type Judgement struct {
	Verdict    string // one of the words of DESIGN.md section 5
	Ready      bool
	Type       string // the condition that decides or, below a summary, the one that explains it; empty without one
	Status     conditions.Status
	Reason     string
	Severity   conditions.Severity
	Message    string
	Since      time.Time
	Confidence string
	Rule       string
	Remedy     string
	Evidence   []Evidence
}

// Evidence is a field that a judgement rests on.
type Evidence struct {
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// Fine tells whether nothing has to be explained about the object.
func (j Judgement) Fine() bool { return j.Verdict == "Current" || j.Verdict == "Suspended" }

// severity orders verdicts, worst last.
var severity = []string{"Current", "Suspended", "InProgress", "Terminating", "Unknown", "Degraded", "NotFound", "Failed"}

// Node is an object in a tree.
type Node struct {
	ID
	Object    *Object // nil where a reference leads to nothing
	Edge      string  // why it stands below its parent: the name of a relation, or owner
	Again     bool    // it stands elsewhere in the tree already; its children are shown there
	Judgement Judgement
	Children  []*Node // by kind and name
}

// Missing tells whether the object is referred to and does not exist.
func (n *Node) Missing() bool { return n.Object == nil }

// Build gives the hierarchy below an object: what its catalog's relations lead to, those that are hidden aside, and what it owns. Each
// object is expanded once, where it is reached first from above, so circles end. nil where the root is not in the graph.
func Build(g *Graph, root ID, judge func(*Object) Judgement) *Node {
	o := g.Get(root)
	if o == nil {
		return nil
	}
	n := &Node{ID: root, Object: o, Judgement: judge(o)}
	seen := map[ID]bool{root: true}
	for level := []*Node{n}; len(level) > 0; { // by breadth, so that an object stands as high as it can
		var next []*Node
		for _, parent := range level {
			expand(g, parent, seen, judge)
			for _, child := range parent.Children {
				if !child.Missing() && !child.Again {
					next = append(next, child)
				}
			}
		}
		level = next
	}
	return n
}

func expand(g *Graph, n *Node, seen map[ID]bool, judge func(*Object) Judgement) {
	here := map[ID]bool{}
	add := func(o *Object, edge string) {
		if here[o.ID] {
			return
		}
		here[o.ID] = true
		child := &Node{ID: o.ID, Object: o, Edge: edge, Judgement: judge(o), Again: seen[o.ID]}
		seen[o.ID] = true
		n.Children = append(n.Children, child)
	}
	if k := g.set.Kind(n.GroupKind); k != nil {
		for _, l := range k.Relations {
			if !l.Below {
				continue
			}
			for _, o := range g.Related(n.Object, l.Name) {
				add(o, l.Name)
			}
			for _, id := range g.Unresolved(n.Object, l.Name) {
				if !here[id] {
					here[id] = true
					n.Children = append(n.Children, &Node{ID: id, Edge: l.Name, Judgement: Judgement{Verdict: "NotFound",
						Reason: "NotFound", Message: "is referred to and does not exist", Confidence: "none", Rule: "relation/" + l.Name}})
				}
			}
		}
	}
	for _, o := range g.Owned(n.Object) {
		add(o, "owner")
	}
	slices.SortStableFunc(n.Children, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), Compare(a.ID, b.ID))
	})
}

// Cause is why a root is not fine: the object that explains it, and the way to it.
type Cause struct {
	Node  *Node
	Chain []*Node // from the root to Node
}

// Causes gives the objects that explain why the root is not fine, best first: of those that are not fine and have nothing below them
// that is not fine, the worst, deepest, oldest. Empty where the root is fine.
func Causes(root *Node) []Cause {
	if root == nil || root.Judgement.Fine() {
		return nil
	}
	var out []Cause
	var walk func(n *Node, chain []*Node) bool
	walk = func(n *Node, chain []*Node) bool {
		chain = append(chain, n)
		below := false
		for _, child := range n.Children {
			if walk(child, chain) {
				below = true
			}
		}
		bad := !n.Judgement.Fine()
		if bad && !below && !n.Again {
			out = append(out, Cause{Node: n, Chain: slices.Clone(chain)})
		}
		return bad || below
	}
	walk(root, nil)
	slices.SortStableFunc(out, func(a, b Cause) int {
		x, y := a.Node.Judgement, b.Node.Judgement
		return cmp.Or(
			cmp.Compare(slices.Index(severity, y.Verdict), slices.Index(severity, x.Verdict)),
			cmp.Compare(rankOf(x.Severity), rankOf(y.Severity)),
			cmp.Compare(len(b.Chain), len(a.Chain)),
			x.Since.Compare(y.Since),
			Compare(a.Node.ID, b.Node.ID))
	})
	return out
}

func rankOf(s conditions.Severity) int {
	return slices.Index([]conditions.Severity{conditions.SeverityError, conditions.SeverityWarning, conditions.SeverityInfo, conditions.SeverityNone}, s)
}
