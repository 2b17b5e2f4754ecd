// SPDX-License-Identifier: Apache-2.0

package render

import (
	"io"
	"strings"
	"time"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/relation"
)

// Table writes a line an object. Without a terminal lines are tab-separated, with the verdict in place of symbol and word and the
// time in place of the age.
func Table(w io.Writer, nodes []*relation.Node, o Options, terminal bool) error {
	if !terminal {
		var b strings.Builder
		for _, n := range nodes {
			since := ""
			if s := n.Judgement.Since; !s.IsZero() {
				since = s.UTC().Format(time.RFC3339)
			}
			b.WriteString(strings.Join([]string{clean(n.Namespace), clean(n.Kind + "/" + n.Name), n.Judgement.Verdict, Detail(n.Judgement), since}, "\t") + "\n")
		}
		_, err := io.WriteString(w, b.String())
		return err
	}
	rows := make([]row, len(nodes))
	for i, n := range nodes {
		l := lookOf(n.Judgement.Verdict)
		name := clean(n.Kind + "/" + n.Name)
		if n.Namespace != "" {
			name = clean(n.Namespace) + "  " + name
		}
		rows[i] = row{name, l.symbol + " " + l.word, l.colour, Detail(n.Judgement), ageOf(n.Judgement, o)}
	}
	return writeRows(w, rows, o)
}

// Conditions writes the conditions of an object, declared ones first in declared order: a symbol by polarity, type=status, reason,
// severity and message. Where the catalog says that there are many lists, each has a line with its key before it.
func Conditions(w io.Writer, k *catalog.Kind, object *relation.Object, o Options) error {
	var rows []row
	switch {
	case k == nil:
		status, _ := object.Content["status"].(map[string]any)
		raw, _ := status["conditions"].([]any)
		rows = conditionRows(nil, raw, o)
	case !k.At.Many():
		rows = conditionRows(k, k.List(object.Content), o)
	default:
		for _, place := range k.Lists(object.Content) {
			title := place.Path
			if place.Key != "" {
				title = place.Key
			}
			rows = append(rows, row{name: "  " + clean(title), colour: "0"})
			for _, r := range conditionRows(k, place.List, o) {
				r.name = "  " + r.name
				rows = append(rows, r)
			}
		}
	}
	return writeRows(w, rows, o)
}

// conditionRows are the rows of one list.
func conditionRows(k *catalog.Kind, raw []any, o Options) []row {
	list, _ := conditions.FromUnstructured(raw)
	var rows []row
	for _, c := range declaredOrder(k, list) {
		l := look{"·", "", "0"}
		if k != nil {
			if t := k.Type(c.Type); t != nil {
				l = symbolOf(t.Polarity, c.Status)
			}
		}
		state := clean(c.Reason)
		if c.Severity != "" {
			state += " (" + string(c.Severity) + ")"
		}
		age := ""
		if !o.Now.IsZero() {
			age = Age(c.LastTransitionTime.Time, o.Now)
		}
		rows = append(rows, row{"  " + l.symbol + " " + clean(c.Type+"="+string(c.Status)), state, l.colour, firstLine(c.Message), age})
	}
	return rows
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
	case p == conditions.Negative && s == conditions.False, p == conditions.Positive && s == conditions.True:
		return looks["Current"]
	}
	return looks["Failed"]
}
