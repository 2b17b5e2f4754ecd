// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"github.com/tristate/tristate/relation"
)

// Options say how to render. The zero value is plain text of any width, grouped.
type Options struct {
	Colour bool
	Width  int       // of the terminal, in columns; 0: lines are not cut
	Now    time.Time // zero: no ages
	All    bool      // do not group equal siblings
}

// row is one line: the tree column, the state, the detail and the age.
type row struct{ name, state, colour, detail, age string }

// Tree writes a hierarchy, and below it why its root is not fine and what to do.
func Tree(w io.Writer, root *relation.Node, o Options) error {
	var rows []row
	rows = appendNode(rows, root, "", "", o)
	if err := writeRows(w, rows, o); err != nil {
		return err
	}
	return Because(w, root, o)
}

// Plain gives a hierarchy without ages and causes.
func Plain(root *relation.Node) string {
	var b strings.Builder
	if writeRows(&b, appendNode(nil, root, "", "", Options{}), Options{}) != nil {
		return ""
	}
	return b.String()
}

// Because writes the best cause of a root that is not fine, and what to do; of a root that is fine, what speaks against it.
func Because(w io.Writer, root *relation.Node, o Options) error {
	word, causes := "because", relation.Causes(root)
	if len(causes) == 0 {
		word, causes = "although", relation.Doubts(root)
	}
	if len(causes) == 0 {
		return nil
	}
	n := causes[0].Node
	j := n.Judgement
	what := j.Verdict
	if j.Type != "" {
		what = clean(fmt.Sprintf("%s=%s", j.Type, j.Status))
	}
	line := strings.TrimSpace(fmt.Sprintf("%s %s/%s %s %s", word, clean(n.Kind), clean(n.Name), what, clean(j.Reason)))
	if message := firstLine(j.Message); message != "" {
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

func ageOf(j relation.Judgement, o Options) string {
	if o.Now.IsZero() {
		return ""
	}
	return Age(j.Since, o.Now)
}

// appendNode adds the line of a node and those below it. first starts its line, next those of its children.
func appendNode(rows []row, n *relation.Node, first, next string, o Options) []row {
	l := lookOf(n.Judgement.Verdict)
	r := row{name: first + clean(n.Kind+"/"+n.Name), state: l.symbol + " " + l.word, colour: l.colour, detail: Detail(n.Judgement), age: ageOf(n.Judgement, o)}
	if n.Missing() {
		r.detail = n.Judgement.Message
	}
	rows = append(rows, r)
	if n.Again {
		rows[len(rows)-1].detail = strings.TrimSpace("see above " + rows[len(rows)-1].detail)
		return rows
	}
	groups := group(n.Children, o.All)
	for i, g := range groups {
		branch, below := "├─ ", "│  "
		if i == len(groups)-1 {
			branch, below = "└─ ", "   "
		}
		if len(g) == 1 {
			rows = appendNode(rows, g[0], next+branch, next+below, o)
			continue
		}
		rows = append(rows, groupRow(g, next+branch, o))
	}
	return rows
}

// group joins equal siblings: of one kind, with the same verdict, explanation and nothing below that needs a word of its own.
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

// trouble puts what is not fine before what is.
func trouble(n *relation.Node) int {
	if n.Judgement.Fine() {
		return 0
	}
	return 1
}

// groupKey is what equal siblings have in common; empty for a node that stands alone.
func groupKey(n *relation.Node) string {
	if !n.Judgement.Fine() && len(n.Children) > 0 || n.Judgement.Fine() && !fineBelow(n) {
		return ""
	}
	j := n.Judgement
	return strings.Join([]string{n.Group, n.Kind, j.Verdict, anonymous(n)}, "\x00")
}

// anonymous is the detail of a node without its own name.
func anonymous(n *relation.Node) string { return n.Nameless(Detail(n.Judgement)) }

func fineBelow(n *relation.Node) bool {
	for _, child := range n.Children {
		if !child.Judgement.Fine() || !fineBelow(child) {
			return false
		}
	}
	return true
}

// groupRow is one line for several siblings: "2 Machines ready  ✓ a, b".
func groupRow(g []*relation.Node, first string, o Options) row {
	l := lookOf(g[0].Judgement.Verdict)
	names := make([]string, 0, 3)
	for _, n := range g[:min(len(g), 3)] {
		names = append(names, clean(n.Name))
	}
	list := strings.Join(names, ", ")
	if len(g) > len(names) {
		list += ", …"
	}
	oldest, newest := "", ""
	if !o.Now.IsZero() {
		low, high := g[0].Judgement.Since, g[0].Judgement.Since
		for _, n := range g {
			if s := n.Judgement.Since; s.Before(low) {
				low = s
			} else if s.After(high) {
				high = s
			}
		}
		oldest, newest = Age(low, o.Now), Age(high, o.Now)
	}
	age := newest
	if oldest != newest && oldest != "" && newest != "" {
		age += "–" + oldest
	}
	detail := list
	if d := anonymous(g[0]); d != "" {
		detail = d + " – " + list
	}
	return row{name: fmt.Sprintf("%s%d %s", first, len(g), plural(g[0].Kind)), state: l.symbol + " " + l.word, colour: l.colour, detail: detail, age: age}
}

// plural is the English plural of a kind.
func plural(kind string) string {
	switch {
	case strings.HasSuffix(kind, "s"), strings.HasSuffix(kind, "x"), strings.HasSuffix(kind, "ch"):
		return kind + "es"
	case strings.HasSuffix(kind, "y") && len(kind) > 1 && !strings.ContainsRune("aeiou", rune(kind[len(kind)-2])):
		return kind[:len(kind)-1] + "ies"
	}
	return kind + "s"
}

// writeRows aligns the columns.
func writeRows(w io.Writer, rows []row, o Options) error {
	name, state, age, detail := 0, 0, 0, 0
	for _, r := range rows {
		name, state = max(name, runewidth.StringWidth(r.name)), max(state, runewidth.StringWidth(r.state))
		age, detail = max(age, runewidth.StringWidth(r.age)), max(detail, runewidth.StringWidth(r.detail))
	}
	if o.Width > 0 {
		if rest := o.Width - state - age - 6; name > rest*2/3 && rest > 30 {
			name = rest * 2 / 3
		}
		detail = min(detail, max(o.Width-name-state-age-6, 8))
	}
	var b strings.Builder
	for _, r := range rows {
		paint := func(s string) string {
			if !o.Colour {
				return s
			}
			return "\x1b[" + r.colour + "m" + s + "\x1b[0m"
		}
		cell := r.detail
		if o.Width > 0 {
			cell = cut(cell, detail)
		}
		line := pad(cut(r.name, name), name) + "  " + paint(pad(r.state, state))
		if r.age != "" {
			line += "  " + pad(cell, detail) + "  " + r.age
		} else if cell != "" {
			line += "  " + cell
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-runewidth.StringWidth(s), 0))
}

// cut shortens text to a width in columns; 0 leaves it.
func cut(s string, width int) string {
	if width <= 0 || runewidth.StringWidth(s) <= width {
		return s
	}
	return runewidth.Truncate(s, width, "…")
}

// wrap breaks a line between words to a width in columns, with what follows set in; 0 leaves it.
func wrap(s string, width int) string {
	const indent = "        "
	if width <= len(indent)+12 {
		return s
	}
	var out strings.Builder
	for runewidth.StringWidth(s) > width {
		at := -1 // the last space that fits
		for i, column := 0, 0; i < len(s) && column <= width; {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == ' ' && i > len(indent) {
				at = i
			}
			column += runewidth.RuneWidth(r)
			i += size
		}
		if at < 0 {
			return out.String() + cut(s, width)
		}
		out.WriteString(strings.TrimRight(s[:at], " ") + "\n")
		s = indent + strings.TrimLeft(s[at:], " ")
	}
	return out.String() + s
}
