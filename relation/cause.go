// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
)

// Cause is why a root is not fine: the object that explains it, with its equals, and the way to it.
type Cause struct {
	Node  *Node   // of the equals the one that has been so for longest
	Nodes []*Node // all, Node first
	Chain []*Node // from the root to Node
}

// Causes folds a tree to the smallest set of objects that explains why its root is not fine, best first. Empty where the root is fine.
//
//  1. What is not fine echoes what stands below it and is not fine, and is left out; unless its condition is its own.
//  2. What stands below an object that is fine explains nothing, unless there is nothing else.
//  3. What only progresses is left out where something is broken, missing or unknown.
//  4. Objects of one kind with the same verdict, condition, reason and message, their own names aside, are one cause. An object
//     that stands in several places is one.
//  5. The worst comes first, then the deepest, the oldest, the best known.
//
// In a tree that goes up (see [View]) the root explains itself.
func Causes(root *Node) []Cause {
	if root == nil || root.Judgement.Fine() {
		return nil
	}
	if root.up {
		return []Cause{{Node: root, Nodes: []*Node{root}, Chain: []*Node{root}}}
	}
	return fold(root)
}

// Doubts gives, by the same rules, what is broken or missing below a root that is fine.
func Doubts(root *Node) []Cause {
	if root == nil || root.up || !root.Judgement.Fine() {
		return nil
	}
	return slices.DeleteFunc(fold(root), func(c Cause) bool { return !worse(c.Node.Judgement.Verdict, "Unknown") })
}

// folding collects the objects that explain a root.
type folding struct {
	plain, absorbed []Cause // the second: below an object that is fine
	seen            map[ID]bool
	chain           []*Node
}

func fold(root *Node) []Cause {
	f := folding{seen: map[ID]bool{}}
	f.walk(root, false)
	list := f.plain
	if len(list) == 0 {
		list = f.absorbed
	}
	list = slices.DeleteFunc(list, func(c Cause) bool { return c.Node == root && root.Judgement.Fine() })
	if slices.ContainsFunc(list, broken) {
		list = slices.DeleteFunc(list, func(c Cause) bool { return !broken(c) })
	}
	slices.SortStableFunc(list, compareCauses)
	var out []Cause
	at := map[string]int{}
	for _, c := range list {
		key := equal(c.Node)
		if i, known := at[key]; known {
			out[i].Nodes = append(out[i].Nodes, c.Node)
			continue
		}
		at[key] = len(out)
		c.Nodes = []*Node{c.Node}
		out = append(out, c)
	}
	return out
}

// walk collects from a node and tells whether it, or something below it, is not fine.
func (f *folding) walk(n *Node, absorbed bool) bool {
	f.chain = append(f.chain, n)
	bad, below := !n.Judgement.Fine(), false
	for _, child := range n.Children {
		if f.walk(child, absorbed || !bad && len(f.chain) > 1) {
			below = true
		}
	}
	if bad && (!below || n.Judgement.Own) && !n.Again && !f.seen[n.ID] {
		f.seen[n.ID] = true
		c := Cause{Node: n, Chain: slices.Clone(f.chain)}
		if absorbed {
			f.absorbed = append(f.absorbed, c)
		} else {
			f.plain = append(f.plain, c)
		}
	}
	f.chain = f.chain[:len(f.chain)-1]
	return bad || below
}

func broken(c Cause) bool { return !worse("Unknown", c.Node.Judgement.Verdict) }

// confidences orders how well an answer is known, best first.
var confidences = []string{"catalog", "builtin", "condition", "heuristic", "none"}

func compareCauses(a, b Cause) int {
	x, y := a.Node.Judgement, b.Node.Judgement
	return cmp.Or(
		cmp.Compare(slices.Index(severity, y.Verdict), slices.Index(severity, x.Verdict)),
		cmp.Compare(rankOf(x.Severity), rankOf(y.Severity)),
		cmp.Compare(len(b.Chain), len(a.Chain)),
		x.Since.Compare(y.Since),
		cmp.Compare(slices.Index(confidences, x.Confidence), slices.Index(confidences, y.Confidence)),
		Compare(a.Node.ID, b.Node.ID))
}

func rankOf(s conditions.Severity) int {
	return slices.Index([]conditions.Severity{conditions.SeverityError, conditions.SeverityWarning, conditions.SeverityInfo, conditions.SeverityNone}, s)
}

// equal is what equal causes have in common.
func equal(n *Node) string {
	j := n.Judgement
	if n.Missing() {
		return n.ID.String()
	}
	return strings.Join([]string{n.Group, n.Kind, j.Verdict, j.Type, string(j.Status), j.Reason, string(j.Severity), n.Nameless(j.Message)}, "\x00")
}

// Nameless replaces the name of an object in a text about it, where it stands as a word, so that the texts about equals are the same.
func (n *Node) Nameless(text string) string {
	if n.Name == "" {
		return text
	}
	var b strings.Builder
	wordAt := func(s string, i int) bool {
		return i >= 0 && i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || s[i] >= '0' && s[i] <= '9' || s[i] == '-')
	}
	for start := 0; ; {
		i := strings.Index(text[start:], n.Name)
		if i < 0 {
			b.WriteString(text[start:])
			return b.String()
		}
		i += start
		end := i + len(n.Name)
		b.WriteString(text[start:i])
		if wordAt(text, i-1) || wordAt(text, end) {
			b.WriteString(n.Name)
		} else {
			b.WriteString("…")
		}
		start = end
	}
}
