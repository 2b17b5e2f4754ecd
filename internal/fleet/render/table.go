// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// columns of objects: a narrow terminal loses the time first, then the message.
var objectColumns = []column{{"NAMESPACE", 3}, {"OBJECT", 0}, {"VERDICT", 0}, {"FOR", 1}, {"MESSAGE", 2}}

// Table writes a line for each object, under a header, with a column of namespaces if o.Namespaces is set. Terminals and pipes get the same
// table. The objects are iterated twice, as in [Wide].
func Table(w io.Writer, nodes iter.Seq[*relation.Node], o Options) error {
	return writeTable(w, objectColumns, func(yield func(line) bool) {
		for n := range nodes {
			if !yield(objectLine(n, o)) {
				return
			}
		}
	}, o)
}

func objectLine(n *relation.Node, o Options) line {
	namespace := ""
	if o.Namespaces {
		namespace = clean(n.Namespace)
	}
	return line{cells: []cell{{namespace, ""}, {clean(n.Kind + "/" + n.Name), ""}, verdictCell(n.Judgement), {ageOf(n.Judgement, o), ""},
		{Detail(n.Judgement), ""}}}
}

// Wide writes objects like [Table], each followed by its conditions, declared ones first in declared order: type=status, a symbol by
// polarity, reason, severity and message. If the catalog declares several lists, a line with its key is before each. kind returns
// the catalog of an object, nil without one; object returns its content.
func Wide(w io.Writer, nodes iter.Seq[*relation.Node], kind func(*relation.Node) *catalog.Kind,
	object func(*relation.Node) *relation.Object, o Options) error {
	return writeTable(w, objectColumns, func(yield func(line) bool) {
		for n := range nodes {
			if !yield(objectLine(n, o)) {
				return
			}
			for l := range conditionLines(kind(n), object(n), o) {
				if !yield(l) {
					return
				}
			}
		}
	}, o)
}

// conditionLines returns the lines of the conditions of an object.
func conditionLines(k *catalog.Kind, object *relation.Object, o Options) iter.Seq[line] {
	return func(yield func(line) bool) {
		list := func(raw []any, indent string) bool {
			for l := range listLines(k, raw, indent, o) {
				if !yield(l) {
					return false
				}
			}
			return true
		}
		switch {
		case object == nil:
		case k == nil || !k.At.Many():
			list(k.List(object.Content), "  ")
		default:
			for _, place := range k.Lists(object.Content) {
				title := line{cells: []cell{{}, {"  " + clean(cmp.Or(place.Key, place.Path)), ""}}}
				if !yield(title) || !list(place.List, "    ") {
					return
				}
			}
		}
	}
}

// listLines returns the lines of one list of conditions.
func listLines(k *catalog.Kind, raw []any, indent string, o Options) iter.Seq[line] {
	return func(yield func(line) bool) {
		list, _ := wire.FromUnstructured(raw)
		for _, c := range declaredOrder(k, list) {
			l := look{"·", ""}
			if k != nil {
				if t := k.Type(c.Type); t != nil {
					l = symbolOf(t.Polarity, c.Status)
				}
			}
			text := because(c.Reason, c.Severity, oneLine(c.Message))
			if !yield(line{cells: []cell{{}, {indent + clean(c.Type+"="+string(c.Status)), ""}, {l.symbol, l.colour},
				{Age(c.LastTransitionTime.Time, o.Now), ""}, {text, ""}}}) {
				return
			}
		}
	}
}

func declaredOrder(k *catalog.Kind, list []conditions.Condition) []conditions.Condition {
	if k == nil {
		return list
	}
	var out []conditions.Condition
	used := make([]bool, len(list))
	for i := range k.Declaration.Types {
		for j, c := range list {
			if !used[j] && k.Canonical(c.Type) == k.Declaration.Types[i].Name {
				used[j] = true
				out = append(out, c)
			}
		}
	}
	for j, c := range list {
		if !used[j] {
			out = append(out, c)
		}
	}
	return out
}

func symbolOf(p conditions.Polarity, s conditions.Status) look {
	switch {
	case s == conditions.Unknown:
		return looks["Unknown"]
	case p == conditions.Neutral:
		return looks["Suspended"]
	case p.Good(s):
		return looks["Current"]
	}
	return looks["Failed"]
}

// Totals counts objects by their verdict, the most frequent first: "200 objects: 160 Current, 20 Degraded, 20 InProgress; 2 overdue".
func Totals(nodes iter.Seq[*relation.Node]) string {
	all, overdue, doubts, counts := 0, 0, 0, map[string]int{}
	var words []string
	for n := range nodes {
		all++
		word := string(n.Judgement.Verdict)
		if n.Judgement.Overdue {
			overdue++
		}
		if n.Judgement.Confidence() == verdict.Doubt {
			doubts++
		}
		if counts[word]++; counts[word] == 1 {
			words = append(words, word)
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	for i, word := range words {
		words[i] = fmt.Sprintf("%d %s", counts[word], word)
	}
	text := english.Count(all, "object")
	if len(words) > 0 {
		text += ": " + strings.Join(words, ", ")
	}
	if overdue > 0 {
		text += fmt.Sprintf("; %d overdue", overdue)
	}
	if doubts > 0 {
		text += fmt.Sprintf("; %d in doubt", doubts)
	}
	return text
}

// Kinds writes a line for each kind: how many objects there are, and how many of each verdict. A kind that several groups have is written
// with its group.
func Kinds(w io.Writer, nodes []*relation.Node, o Options) error {
	byKind := map[schema.GroupKind][]*relation.Node{}
	groups := map[string][]string{}
	for _, n := range nodes {
		if byKind[n.GroupKind] == nil {
			groups[n.Kind] = append(groups[n.Kind], n.Group)
		}
		byKind[n.GroupKind] = append(byKind[n.GroupKind], n)
	}
	var kinds []schema.GroupKind
	for gk := range byKind {
		kinds = append(kinds, gk)
	}
	slices.SortFunc(kinds, func(a, b schema.GroupKind) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Group, b.Group))
	})
	return writeTable(w, []column{{"KIND", 0}, {"OBJECTS", 0}, {"VERDICTS", 1}}, func(yield func(line) bool) {
		for _, gk := range kinds {
			name := gk.Kind
			if len(groups[gk.Kind]) > 1 {
				name = gk.String()
			}
			_, verdicts, _ := strings.Cut(Totals(slices.Values(byKind[gk])), ": ")
			worst := slices.MaxFunc(byKind[gk], func(a, b *relation.Node) int { return trouble(a) - trouble(b) })
			l := lookOf(worst.Judgement.Verdict)
			if !yield(line{cells: []cell{{clean(name), ""}, {strconv.Itoa(len(byKind[gk])), ""}, {verdicts, l.colour}}}) {
				return
			}
		}
	}, o)
}

// Grid has a line for each object and a column for each cluster.
type Grid struct {
	Contexts []string
	Silent   []bool // contexts that did not answer
	Rows     []GridRow
}

// GridRow is one object, with its node in each context; nil if it does not exist there.
type GridRow struct {
	relation.ID
	Cells []*relation.Node
	Worst relation.Judgement
}

// Write writes the grid. A cell is - if the object does not exist, and ? if the cluster did not answer.
func (g Grid) Write(w io.Writer, o Options) error {
	columns := []column{{"NAMESPACE", 2}, {"OBJECT", 0}}
	for _, name := range g.Contexts {
		columns = append(columns, column{clean(name), 0})
	}
	columns = append(columns, column{"MESSAGE", 1})
	return writeTable(w, columns, func(yield func(line) bool) {
		for _, row := range g.Rows {
			l := line{cells: []cell{{clean(row.Namespace), ""}, {clean(row.Kind + "/" + row.Name), ""}}}
			for i, n := range row.Cells {
				switch {
				case n == nil && g.Silent[i]:
					l.cells = append(l.cells, cell{"?", ""})
				case n == nil:
					l.cells = append(l.cells, cell{"-", ""})
				default:
					l.cells = append(l.cells, verdictCell(n.Judgement))
				}
			}
			l.cells = append(l.cells, cell{Detail(row.Worst), ""})
			if !yield(l) {
				return
			}
		}
	}, o)
}
