// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
)

// drawing numbers the objects of trees, each once, and their edges, in order.
type drawing struct {
	nodes  []*relation.Node
	number map[relation.ID]int
	edges  [][2]int
	why    []string
}

func drawingOf(roots []*relation.Node) drawing {
	d := drawing{number: map[relation.ID]int{}}
	seen := map[[2]int]bool{}
	var walk func(n *relation.Node, parent int)
	walk = func(n *relation.Node, parent int) {
		i, known := d.number[n.ID]
		if !known {
			i = len(d.nodes)
			d.number[n.ID] = i
			d.nodes = append(d.nodes, n)
		}
		if edge := [2]int{parent, i}; parent >= 0 && !seen[edge] {
			seen[edge] = true
			d.edges = append(d.edges, edge)
			d.why = append(d.why, n.Edge)
		}
		for _, child := range n.Children {
			walk(child, i)
		}
	}
	for _, root := range roots {
		walk(root, -1)
	}
	return d
}

// label returns the text of an object in a drawing, in lines.
func label(n *relation.Node) []string {
	lines := []string{clean(n.Kind + "/" + n.Name), verdictCell(n.Answer()).text}
	if detail := Detail(n.Answer()); detail != "" {
		lines = append(lines, cut(detail, 60))
	}
	return lines
}

// fills are the colours of verdicts in drawings; the label has symbol and word too.
var fills = map[verdict.Status]string{verdict.Current: "#d9f2d9", verdict.InProgress: "#fff2cc", verdict.Terminating: "#fff2cc",
	verdict.Degraded: "#ffe0b3", verdict.Failed: "#f8d0d0", verdict.NotFound: "#f8d0d0", verdict.Suspended: "#e6e6e6", verdict.Unknown: "#e9d9f2"}

// Dot writes trees as one graph in the language of Graphviz. An object that is in several places is drawn once; edges carry the
// name of their relation.
func Dot(w io.Writer, roots []*relation.Node) error {
	d := drawingOf(roots)
	var b strings.Builder
	b.WriteString("digraph tristate {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n")
	for i, n := range d.nodes {
		lines := label(n)
		for k := range lines {
			lines[k] = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(lines[k])
		}
		fmt.Fprintf(&b, "  n%d [label=\"%s\", fillcolor=\"%s\"];\n", i, strings.Join(lines, `\n`), fills[classOf(n)])
	}
	for i, e := range d.edges {
		fmt.Fprintf(&b, "  n%d -> n%d [label=\"%s\"];\n", e[0], e[1], strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(clean(d.why[i])))
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// Mermaid writes trees as a flowchart of Mermaid, by the same rules as Dot.
func Mermaid(w io.Writer, roots []*relation.Node) error {
	d := drawingOf(roots)
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	escape := strings.NewReplacer("&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "#", "#35;").Replace
	used := map[verdict.Status]bool{}
	for i, n := range d.nodes {
		lines := label(n)
		for k := range lines {
			lines[k] = escape(lines[k])
		}
		used[classOf(n)] = true
		fmt.Fprintf(&b, "  n%d[\"%s\"]:::%s\n", i, strings.Join(lines, "<br>"), classOf(n))
	}
	for i, e := range d.edges {
		fmt.Fprintf(&b, "  n%d -- \"%s\" --> n%d\n", e[0], escape(clean(d.why[i])), e[1])
	}
	for _, status := range verdict.Statuses {
		if used[status] {
			fmt.Fprintf(&b, "  classDef %s fill:%s\n", status, fills[status])
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// classOf returns the verdict of a node, or Unknown for a word that is no verdict.
func classOf(n *relation.Node) verdict.Status {
	if _, ok := fills[n.Answer().Verdict]; ok {
		return n.Answer().Verdict
	}
	return verdict.Unknown
}
