// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// Ranked writes the causes of several hierarchies, that which explains most first: how many there are and of how many objects, and each as
// [Why] writes it, with what it explains. Those of which nothing is known come last, as such.
func Ranked(w io.Writer, causes []relation.Ranked, s Explanation, o Options) error {
	var b strings.Builder
	b.WriteString(wrap(Headline(causes, s), o.Width) + "\n")
	for i, c := range causes {
		if i == mostCauses && !o.All {
			fmt.Fprintf(&b, "\nand %s: --no-group shows the rest\n", english.Count(len(causes)-i, "more cause"))
			break
		}
		b.WriteString("\n")
		writeCause(&b, c.Cause, s, o)
		if s.Logs != nil {
			writeLogs(&b, s.Logs(c.Node), o)
		}
		if len(c.Explains) > 0 {
			b.WriteString(wrap("explains "+explained(c), o.Width) + "\n")
		}
		if c.Unexplained {
			b.WriteString("unexplained: no rule knows why\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Brief writes the same in a few lines for each cause, without ages and layout, for readers with little room: 300 tokens hold one fault.
func Brief(w io.Writer, causes []relation.Ranked, s Explanation, o Options) error {
	var b strings.Builder
	b.WriteString(Headline(causes, s) + "\n")
	for i, c := range causes {
		if i == mostCauses && !o.All {
			fmt.Fprintf(&b, "and %s\n", english.Count(len(causes)-i, "more cause"))
			break
		}
		b.WriteString(BriefCause(i+1, c, s, o))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// BriefCause returns the lines of one cause with its number.
func BriefCause(number int, c relation.Ranked, s Explanation, o Options) string {
	j := c.Node.Judgement
	where := name(c.Node)
	if c.Node.Namespace != "" {
		where = clean(c.Node.Namespace) + "/" + where
	}
	text := fmt.Sprintf("%d. ", number)
	if c.Waiting {
		text = "- "
	}
	text += where + ": " + strings.TrimPrefix(j.Type+" "+j.Reason, " ")
	if more := len(c.Nodes) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d like it)", more)
	}
	text = shorten(text, 200) + "\n"
	change := ""
	if s.Changes != nil {
		if list := s.Changes(c.Cause); len(list) > 0 {
			change = changed(list[0], c.Node, o.Now)
		}
	}
	for _, line := range []struct{ label, text string }{
		{"says", oneLine(j.Message)}, {"shared", sharedOf(c.Cause)}, {"field", Field(j)}, {"event", s.event(c.Cause, o)},
		{"changed", change}, {"try", Advice(c.Node)}, {"explains", explained(c)}} {
		if line.text != "" {
			text += "   " + line.label + ": " + shorten(clean(line.text), 240) + "\n"
		}
	}
	return text
}

// sharedOf returns what the failing pods of a cause share, unless the message has it.
func sharedOf(c relation.Cause) string {
	if c.Shared == c.Node.Judgement.Message {
		return ""
	}
	return c.Shared
}

// Headline returns how many causes there are, of how many objects, and what could not be read.
func Headline(causes []relation.Ranked, s Explanation) string {
	objects, silent, count := map[relation.ID]bool{}, map[relation.ID]bool{}, 0
	for _, c := range causes {
		if c.Unexplained && c.Node.Judgement.Silent() && len(c.Explains) == 0 {
			for _, n := range c.Nodes {
				silent[n.ID] = true
			}
			continue
		}
		count++
		for _, n := range c.Nodes {
			objects[n.ID] = true
		}
		for _, id := range c.Explains {
			objects[id] = true
		}
	}
	text := english.Count(count, "cause") + ", " + english.Count(len(objects), "unhealthy object")
	switch {
	case count == 0 && s.Unknown:
		return "whether anything is wrong is not known: these could not be read: " + s.Unread + "."
	case count == 0 && s.Unread != "":
		return "no object that could be read is unhealthy; these could not be read: " + s.Unread + "."
	case count == 0:
		text = "nothing wrong here"
	case causes[0].Waiting && s.Unread != "":
		text = "in progress, within the usual time: " + english.Count(len(objects), "object")
	case causes[0].Waiting:
		text = "nothing wrong here; in progress, within the usual time: " + english.Count(len(objects), "object")
	}
	if len(silent) > 0 {
		text += "; " + english.Count(len(silent), "object") + " without a status"
	}
	if s.Unread != "" {
		text += "; not everything could be read: " + s.Unread
	}
	return text + "."
}

// explained names the objects that a cause explains; empty without any.
func explained(c relation.Ranked) string {
	if len(c.Explains) == 0 {
		return ""
	}
	var names []string
	for _, id := range c.Explains[:min(len(c.Explains), 4)] {
		names = append(names, clean(id.Kind+"/"+id.Name))
	}
	text := english.Count(len(c.Explains), "object") + ": " + strings.Join(names, ", ")
	if more := len(c.Explains) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// shorten cuts the middle out of a text that has more than a number of characters: an error ends with what was wrong.
func shorten(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most/2]) + "…" + string(r[len(r)-(most-1)/2:])
	}
	return text
}
