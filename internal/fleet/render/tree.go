// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// Options are those of rendering. The zero value is plain text of any width, grouped, with headers.
type Options struct {
	Colour     bool
	Width      int       // of the terminal, in columns; 0: any
	Now        time.Time // zero: no ages
	All        bool      // do not group equal siblings
	NoHeaders  bool
	Namespaces bool // a column of namespaces
	OneLine    bool // long messages are cut and not continued on more lines
}

// columns of a tree: a narrow terminal loses the time first, then the message.
var treeColumns = []column{{"OBJECT", 0}, {"VERDICT", 0}, {"FOR", 1}, {"MESSAGE", 2}}

// Tree writes a hierarchy, and below it the cause of an unhealthy root, with a remedy.
func Tree(w io.Writer, root *relation.Node, o Options) error {
	if err := writeTable(w, treeColumns, slices.Values(appendNode(nil, root, "", "", o)), o); err != nil {
		return err
	}
	return Because(w, root, o)
}

// Plain returns a hierarchy without header, ages and causes.
func Plain(root *relation.Node) string {
	var b strings.Builder
	if writeTable(&b, treeColumns, slices.Values(appendNode(nil, root, "", "", Options{})), Options{NoHeaders: true}) != nil {
		return ""
	}
	return b.String()
}

// Because writes the first cause of an unhealthy root, with a remedy, or the first doubt about a healthy one.
func Because(w io.Writer, root *relation.Node, o Options) error {
	word, causes := "because", relation.Causes(root)
	if len(causes) == 0 {
		word, causes = "although", relation.Contradictions(root)
	}
	if len(causes) == 0 {
		return nil
	}
	n := causes[0].Node
	j := n.Judgement
	state := stateOf(j)
	if n.Blamed() { // its own verdict is another one
		state = clean(j.Reason)
	}
	line := fmt.Sprintf("%s %s %s", word, name(n), state)
	if message := oneLine(withoutType(j.Type, j.Status, j.Message)); message != "" {
		line += ": " + message
	}
	if age := ageOf(j, o); age != "" {
		line += "   (" + age + ")"
	}
	if more := len(causes) - 1; more > 0 {
		line += fmt.Sprintf("   and %d more", more)
	}
	out := "\n" + wrap(line, o.Width) + "\n"
	if advice := Advice(n); advice != "" {
		out += wrap("try     "+clean(advice), o.Width) + "\n"
	}
	_, err := io.WriteString(w, out)
	return err
}

// stateOf returns the condition that explains a judgement, or its verdict, with the reason.
func stateOf(j relation.Judgement) string {
	state := string(j.Verdict)
	if j.Type != "" && !j.Derived() {
		state = fmt.Sprintf("%s=%s", j.Type, j.Status)
	}
	if j.Reason != state && j.Reason != j.Type {
		state += " " + j.Reason
	}
	return strings.TrimSpace(clean(state))
}

func ageOf(j relation.Judgement, o Options) string { return Age(j.Since, o.Now) }

// appendNode adds the line of a node and those below it. first starts its line, next those of its children.
func appendNode(lines []line, n *relation.Node, first, next string, o Options) []line {
	answer := n.Answer()
	detail := Detail(answer)
	if n.Missing() {
		detail = oneLine(n.Judgement.Message)
	}
	var groups [][]*relation.Node
	if n.Again {
		detail = "see above"
	} else {
		groups = group(n.Children, o.All)
	}
	below := next
	if len(groups) > 0 {
		below += "│"
	}
	lines = append(lines, line{[]cell{{first + clean(n.Kind+"/"+n.Name), ""}, verdictCell(answer), {ageOf(answer, o), ""}, {detail, ""}},
		below})
	for i, g := range groups {
		branch, below := "├─ ", "│  "
		if i == len(groups)-1 {
			branch, below = "└─ ", "   "
		}
		if len(g) == 1 {
			lines = appendNode(lines, g[0], next+branch, next+below, o)
			continue
		}
		lines = append(lines, groupLine(g, next+branch, next+below, o))
	}
	return lines
}

// group joins equal siblings: of one kind, with the same verdict and explanation, and alike and healthy objects below them.
func group(children []*relation.Node, all bool) [][]*relation.Node {
	var out [][]*relation.Node
	at := map[string]int{}
	for _, n := range children {
		key := ""
		if !all && !n.Missing() && !n.Again {
			key = groupKey(n)
		}
		if i, ok := at[key]; ok && key != "" {
			out[i] = append(out[i], n)
			continue
		}
		at[key] = len(out)
		out = append(out, []*relation.Node{n})
	}
	slices.SortStableFunc(out, func(a, b []*relation.Node) int {
		return cmp.Or(cmp.Compare(a[0].Kind, b[0].Kind), cmp.Compare(trouble(b[0]), trouble(a[0])))
	})
	return out
}

// trouble sorts unhealthy objects before healthy ones, and those that are overdue first.
func trouble(n *relation.Node) int {
	switch {
	case n.Judgement.Fine():
		return 0
	case n.Judgement.Overdue:
		return 2
	}
	return 1
}

// groupKey returns a key that equal siblings share; empty for a node that needs a line of its own.
func groupKey(n *relation.Node) string {
	if !n.Judgement.Fine() && len(n.Children) > 0 || n.Judgement.Fine() && !fineBelow(n) {
		return ""
	}
	j := n.Judgement
	return strings.Join([]string{n.Group, n.Kind, verdictCell(j).text, anonymous(n), shape(n)}, "\x00")
}

// shape returns the kinds and verdicts below a node, which are the same of siblings that are alike.
func shape(n *relation.Node) string {
	parts := make([]string, len(n.Children))
	for i, child := range n.Children {
		parts[i] = child.Kind + " " + string(child.Judgement.Verdict) + "(" + shape(child) + ")"
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// anonymous returns the detail of a node without its own name.
func anonymous(n *relation.Node) string { return n.Alike(Detail(n.Answer())) }

func fineBelow(n *relation.Node) bool {
	for _, child := range n.Children {
		if !child.Judgement.Fine() || !fineBelow(child) {
			return false
		}
	}
	return true
}

// groupLine returns the line of several siblings: "2 Machines  ✓ Current  a, b".
func groupLine(g []*relation.Node, first, below string, o Options) line {
	names := make([]string, 0, 3)
	for _, n := range g[:min(len(g), 3)] {
		names = append(names, clean(n.Name))
	}
	list := strings.Join(names, ", ")
	if len(g) > len(names) {
		list += ", …"
	}
	if d := anonymous(g[0]); d != "" {
		list = d + " – " + list
	}
	return line{[]cell{{first + english.Count(len(g), clean(g[0].Kind)), ""}, verdictCell(g[0].Answer()), {ages(g, o), ""}, {list, ""}},
		below}
}

// ages returns the range of the ages of several objects: 5m, or 5m–9m.
func ages(nodes []*relation.Node, o Options) string {
	low, high := nodes[0].Judgement.Since, nodes[0].Judgement.Since
	for _, n := range nodes {
		if s := n.Judgement.Since; s.Before(low) {
			low = s
		} else if s.After(high) {
			high = s
		}
	}
	oldest, newest := Age(low, o.Now), Age(high, o.Now)
	if oldest != newest && oldest != "" && newest != "" {
		return newest + "–" + oldest
	}
	return newest
}
