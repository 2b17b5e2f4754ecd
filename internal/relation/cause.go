// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict"
)

// Cause is why a root is not fine: the object that explains it, with its equals, and the way to it.
type Cause struct {
	Node  *Node   // of the equals the one that has been so for longest
	Nodes []*Node // all, Node first
	Chain []*Node // from the root to Node
}

// Causes folds a tree to the smallest set of objects that explains why its root is not fine, best first. Empty where the root is fine.
//
//  1. An object that is not fine and has something below it that explains it only repeats that, and is left out; unless its condition
//     is its own.
//  2. A cause is never healthier than the object it explains: a Pod that is pending does not explain a ReplicaSet that has failed. Unknown
//     explains only Unknown. What reports nothing, or nothing that is known, is left out where something else explains.
//     A missing object explains everything, except where the explained object itself has a remedy.
//  3. A deletion is explained by deletions below it: by the deepest object that a finalizer holds.
//  4. Objects that the explained one writes itself, and templates, explain nothing.
//  5. Objects below a healthy one explain nothing, unless there is nothing else.
//  6. Objects in progress are left out where others are broken or missing.
//  7. Objects of one kind with the same verdict, condition, reason and message, their own names aside, are one cause. An object
//     that stands in several places is one.
//  8. The worst comes first, then the deepest, the oldest, the best known.
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

// Doubts lists, by the same rules, what contradicts a healthy root: broken or missing objects below it and, where the root only
// claims to be healthy in a condition, owned objects that are not ready yet.
func Doubts(root *Node) []Cause {
	if root == nil || root.up || !root.Judgement.Fine() {
		return nil
	}
	claims := root.Judgement.Verdict == "Current" && root.Judgement.Confidence != "builtin"
	return slices.DeleteFunc(fold(root), func(c Cause) bool {
		w := weight(c.Node.Judgement.Verdict)
		return w < broken && !(claims && w == progress && !c.Node.Judgement.Ready && len(c.Chain) == 2 && c.Node.Judgement.Confidence == "builtin" && c.Node.Kind != "Pod")
	})
}

// The weights of verdicts: a cause has at least the weight of the object it explains.
const (
	fine = iota
	unknown
	progress
	broken
	failed
)

func weight(verdict string) int {
	switch verdict {
	case "Current", "Suspended":
		return fine
	case "Unknown":
		return unknown
	case "InProgress", "Terminating":
		return progress
	case "Degraded":
		return broken
	}
	return failed
}

// folding collects the objects that explain a root.
type folding struct {
	first   map[ID]*Node // where an object stands with its children
	known   map[ID][]found
	entered map[ID]bool
}

// found is a cause below a node: the way from the node to it, both included.
type found struct {
	chain    []*Node
	absorbed bool // below an object that is fine
}

func (c found) node() *Node { return c.chain[len(c.chain)-1] }

func fold(root *Node) []Cause {
	f := folding{first: map[ID]*Node{}, known: map[ID][]found{}, entered: map[ID]bool{}}
	f.index(root)
	all := f.causes(root, true)
	list := slices.DeleteFunc(slices.Clone(all), func(c found) bool { return c.absorbed })
	if len(list) == 0 {
		list = all
	}
	if slices.ContainsFunc(list, func(c found) bool { return !silent(c.node()) }) {
		list = slices.DeleteFunc(slices.Clone(list), func(c found) bool { return silent(c.node()) })
	}
	if slices.ContainsFunc(list, func(c found) bool { return weight(c.node().Judgement.Verdict) >= broken }) {
		list = slices.DeleteFunc(slices.Clone(list), func(c found) bool { return weight(c.node().Judgement.Verdict) < broken })
	}
	causes := make([]Cause, 0, len(list))
	seen := map[ID]bool{}
	for _, c := range list {
		if n := c.node(); !seen[n.ID] {
			seen[n.ID] = true
			causes = append(causes, Cause{Node: n, Chain: c.chain})
		}
	}
	slices.SortStableFunc(causes, compareCauses)
	var out []Cause
	at := map[string]int{}
	for _, c := range causes {
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

// silent reports whether nothing is known of an object: it has no status, or none that says anything.
func silent(n *Node) bool {
	return n.Judgement.Verdict == "Unknown" || n.Judgement.Confidence == "none" && !n.Missing()
}

// index finds where each object stands with its children.
func (f *folding) index(n *Node) {
	if !n.Again {
		f.first[n.ID] = n
	}
	for _, child := range n.Children {
		f.index(child)
	}
}

// causes collects what explains a node: what stands below it, or else the node itself where it is not fine.
func (f *folding) causes(n *Node, top bool) []found {
	if first := f.first[n.ID]; n.Again && first != nil {
		n = first
	}
	if out, known := f.known[n.ID]; known || f.entered[n.ID] {
		return out
	}
	f.entered[n.ID] = true
	bad := !n.Judgement.Fine()
	var out []found
	for _, child := range n.Children {
		if child.aside || strings.HasSuffix(child.Kind, "Template") {
			continue
		}
		for _, c := range f.causes(child, false) {
			if bad && !explains(c.node(), n) {
				continue
			}
			out = append(out, found{append([]*Node{n}, c.chain...), c.absorbed || !bad && !top})
		}
	}
	if bad && (len(out) == 0 || n.Judgement.Own) {
		out = append(out, found{chain: []*Node{n}})
	}
	f.known[n.ID] = out
	return out
}

// explains reports whether something below a node can be why the node is not fine.
func explains(cause, n *Node) bool {
	if n.Judgement.Verdict == "Terminating" {
		return cause.Judgement.Verdict == "Terminating"
	}
	if cause.Missing() && n.Judgement.Verdict == "Failed" && n.Judgement.Remedy != "" {
		return false // the object knows that it is missing, and what to do about it
	}
	return weight(cause.Judgement.Verdict) >= weight(n.Judgement.Verdict)
}

// confidences orders how well an answer is known, best first.
var confidences = []string{"catalog", "builtin", "condition", "heuristic", "none"}

func compareCauses(a, b Cause) int {
	x, y := a.Node.Judgement, b.Node.Judgement
	return cmp.Or(
		cmp.Compare(slices.Index(verdict.Statuses, verdict.Status(y.Verdict)), slices.Index(verdict.Statuses, verdict.Status(x.Verdict))),
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
