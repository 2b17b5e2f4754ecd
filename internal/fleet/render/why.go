// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/util/duration"
)

// Event is an event about an object.
type Event struct {
	Type, Reason, Message string
	Count                 int64
	First, Last           time.Time
}

// Explanation explains an unhealthy object by its causes, or lists the doubts about a healthy one.
type Explanation struct {
	Root   *relation.Node
	Causes []relation.Cause
	Doubts []relation.Cause
	// Event finds the best of the events about an object that fit; nil without one.
	Event func(id relation.ID, fits func(*Event) bool) *Event
	// Logs returns the last lines of the container that explains a pod; nil without any. It may be nil itself.
	Logs func(*relation.Node) *Logs
	// Changes finds the edits before a cause that can explain it; it may be nil.
	Changes func(relation.Cause) []relation.Change
	// Unread lists what could not be read, in one line; empty if everything could.
	Unread string
	// Unknown reports that the answer depends on what could not be read.
	Unknown bool
}

// Explain takes a root with its causes; of a healthy root they are doubts.
func (s *Explanation) Explain(root *relation.Node, causes []relation.Ranked) {
	s.Root, s.Causes, s.Doubts = root, nil, relation.Contradictions(root)
	if !root.Judgement.Fine() {
		for _, r := range causes {
			s.Causes = append(s.Causes, r.Cause)
		}
	}
}

// mostCauses is how many causes are written in full; the others are counted.
const mostCauses = 5

// Why writes why an object is unhealthy: the chain from it to the cause in one sentence; then, for each cause, its condition, its equals,
// the field, the event that adds to it, and the remedy.
func Why(w io.Writer, s Explanation, o Options) error {
	var b strings.Builder
	b.WriteString(wrap(Sentence(s, o), o.Width) + "\n")
	causes := s.Causes
	if len(causes) == 0 {
		causes = s.Doubts
	}
	for i, c := range causes {
		if i == mostCauses && !o.All {
			fmt.Fprintf(&b, "\nand %s: --no-group shows the rest\n", english.Count(len(causes)-i, "more cause"))
			break
		}
		b.WriteString("\n")
		writeCause(&b, c, s, o)
		if s.Logs != nil {
			writeLogs(&b, s.Logs(c.Node), o)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Sentence describes the way from the root to its best cause.
func Sentence(s Explanation, o Options) string {
	root := s.Root
	text := name(root) + " is " + string(root.Judgement.Verdict)
	if age := ageOf(root.Judgement, o); age != "" && !root.Judgement.Fine() {
		text += " for " + age
	}
	if root.Judgement.Overdue {
		text += ", overdue after " + duration.HumanDuration(root.Judgement.Budget)
	}
	if len(s.Causes) == 0 {
		if detail := Detail(root.Judgement); detail != "" {
			text += ": " + detail
		}
		if len(s.Doubts) == 0 && s.Unknown {
			return strings.TrimSuffix(text, ".") + ". Whether anything below it contradicts that is not known: these could not be read: " + s.Unread + "."
		}
		if len(s.Doubts) == 0 {
			return text + "."
		}
		if root.Kind == "Namespace" && root.Group == "" {
			return fmt.Sprintf("%s, but %s in it %s not healthy.", text, english.Count(howMany(s.Doubts), "object"),
				map[bool]string{true: "is", false: "are"}[howMany(s.Doubts) == 1])
		}
		if root.Judgement.Reason == "Static" { // it claims nothing
			return text + ", but " + Contradiction(s.Doubts) + "."
		}
		return name(root) + " looks healthy, but " + Contradiction(s.Doubts) + "."
	}
	c := s.Causes[0]
	if c.Node == root {
		if root.Judgement.Budget > 0 && root.Judgement.Due.IsZero() {
			text += ", since when is not known"
		}
		if s.Unknown {
			return text + ". No cause was found below it, but these could not be read: " + s.Unread + "."
		}
		if root.Judgement.Verdict == verdict.Terminating { // objects below it that are not ready do not hold the deletion
			if detail := Detail(root.Judgement); detail != "" {
				text += ": " + strings.TrimSuffix(detail, ".")
			}
			return text + "."
		}
		if n := troubledBelow(root); n != nil {
			return text + ". The cause is in the object itself; less severe: " + name(n) + " is " +
				strings.TrimSuffix(string(n.Judgement.Verdict)+": "+Detail(n.Judgement), ": ") + "."
		}
		return text + ". The cause is in the object itself."
	}
	text += " because of " + name(c.Node)
	if more := len(c.Nodes) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more like it", more)
	}
	if through := c.Chain[1 : len(c.Chain)-1]; len(through) > 0 {
		parts := make([]string, len(through))
		for i, n := range through {
			parts[i] = name(n) + " (" + n.Edge + ")"
		}
		text += ", by way of " + listed(parts)
	}
	if s.Unknown {
		text += ". Not everything could be read: " + s.Unread
	}
	return text + "."
}

// troubledBelow returns the worst of the unhealthy objects below a root without unhealthy objects below them, and the first of equals; nil
// if all are healthy.
func troubledBelow(root *relation.Node) *relation.Node {
	var worst *relation.Node
	var visit func(n *relation.Node) (troubled bool)
	visit = func(n *relation.Node) (troubled bool) {
		for _, child := range n.Children {
			if !child.Again && visit(child) {
				troubled = true
			}
		}
		if troubled || n == root || n.Judgement.Fine() {
			return troubled
		}
		if worst == nil || n.Judgement.Verdict.Worse(worst.Judgement.Verdict) {
			worst = n
		}
		return true
	}
	visit(root)
	return worst
}

// Contradiction returns the first doubt about a healthy object in a few words, and how many more there are.
func Contradiction(doubts []relation.Cause) string {
	n := doubts[0].Node
	text := name(n) + " is " + string(n.Judgement.Verdict)
	if n.Missing() {
		text = name(n) + " does not exist"
	} else if detail := Detail(n.Judgement); detail != "" {
		text += ": " + strings.TrimSuffix(detail, ".")
	}
	more := howMany(doubts) - 1
	switch {
	case more == 1:
		text += ", and 1 more object below it is unhealthy"
	case more > 1:
		text += fmt.Sprintf(", and %d more objects below it are unhealthy", more)
	}
	return text
}

// howMany counts the objects of causes.
func howMany(causes []relation.Cause) int {
	n := 0
	for _, c := range causes {
		n += len(c.Nodes)
	}
	return n
}

// listed joins words: a, b and c.
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func name(n *relation.Node) string { return clean(n.Kind + "/" + n.Name) }

func writeCause(b *strings.Builder, c relation.Cause, s Explanation, o Options) {
	n := c.Node
	j := n.Judgement
	l := lookOf(j.Verdict)
	what := typed(j)
	if j.Severity != "" {
		what += " (" + string(j.Severity) + ")"
	}
	line := strings.TrimSpace(fmt.Sprintf("%s %s  %s", l.symbol, name(n), what))
	deepest, within := unfold(j.Message)
	message := lines(withoutType(j.Type, j.Status, deepest))
	if len(message) == 1 {
		line += ": " + message[0]
	}
	if age := ageOf(j, o); age != "" {
		line += "   (" + age + ")"
	}
	b.WriteString(wrap(clean(line), o.Width) + "\n")
	if len(message) > 1 {
		for _, text := range message {
			b.WriteString(wrap("        "+text, o.Width) + "\n")
		}
	}
	add := func(label, text string) {
		if text != "" {
			b.WriteString(wrap(fmt.Sprintf("%-7s %s", label, clean(text)), o.Width) + "\n")
		}
	}
	if n.Edge != "" {
		var way []string
		for _, above := range c.Chain[:len(c.Chain)-1] {
			way = append(way, name(above))
		}
		add("path", fmt.Sprintf("%s → this %s (%s)", strings.Join(way, " → "), clean(n.Kind), n.Edge))
	}
	add("within", strings.Join(within, " → "))
	add("like it", equals(c, o))
	add("shared", sharedOf(c))
	add("field", Field(j))
	add("event", s.event(c, o))
	if !j.NextLook.IsZero() && j.NextLook.After(o.Now) {
		add("until", fmt.Sprintf("%s (in %s): then time alone changes the answer", j.NextLook.UTC().Format(time.RFC3339),
			duration.HumanDuration(j.NextLook.Sub(o.Now))))
	}
	add("try", Advice(n))
	for i, other := range j.Others {
		if i == mostOthers && !o.All {
			add("also", english.Count(len(j.Others)-i, "more condition"))
			break
		}
		text := other.Reason
		if other.Type != "" {
			text = fmt.Sprintf("%s = %s  %s", other.Type, other.Status, other.Reason)
		}
		if message := withoutType(other.Type, other.Status, other.Message); message != "" && message != j.Message {
			text += ": " + oneLine(message)
		}
		add("also", text)
		if other.Remedy != Advice(n) {
			add("try", other.Remedy)
		}
	}
	if s.Changes != nil {
		for i, change := range s.Changes(c) {
			if i == mostChanges && !o.All {
				break
			}
			add("changed", changed(change, n, o.Now))
		}
	}
}

// event returns the text of the event that adds to a cause; empty without one. That of a missing object is about the one that refers to it.
func (s Explanation) event(c relation.Cause, o Options) string {
	if s.Event == nil {
		return ""
	}
	n, about := c.Node, c.Node
	if n.Missing() && len(c.Chain) > 1 {
		about = c.Chain[len(c.Chain)-2]
	}
	e := s.Event(about.ID, func(e *Event) bool { return pertains(e, n) })
	if e == nil {
		return ""
	}
	text := e.Reason + ": " + oneLine(e.Message)
	if e.Count > 1 {
		text += fmt.Sprintf(" (%d times)", e.Count)
	}
	if age := Age(e.Last, o.Now); age != "" {
		text += "   (" + age + ")"
	}
	return text
}

// mostOthers are the further bad conditions of an object that are shown.
const mostOthers = 5

// pertains reports whether an event adds to a cause: it names the missing object, has the reason of the cause, or is a warning with a word
// of its message that is not older than the failure.
func pertains(e *Event, n *relation.Node) bool {
	j := n.Judgement
	switch {
	case n.Missing():
		return e.Type == "Warning" && (n.Nameless(e.Message) != e.Message || n.Edge == "volume" && strings.HasPrefix(e.Reason, "Failed"))
	case outdated(e, n):
		return false
	case e.Message != "" && strings.Contains(j.Message, e.Message):
		return false // the message is written already
	case e.Reason == j.Reason:
		return true
	case e.Type != "Warning" || !j.Since.IsZero() && !e.Last.IsZero() && e.Last.Before(j.Since.Add(-time.Minute)):
		return false
	}
	// Warnings of the scheduler and the kubelet explain why a pod does not run, and any explains a message that only repeats a field.
	repeats := j.Message == "" || strings.HasSuffix(j.Message, " is "+cmp.Or(string(j.Status), j.Reason))
	return n.Kind == "Pod" && n.Group == "" || repeats || alike(e.Reason+" "+e.Message, j.Type+" "+j.Reason+" "+j.Message, n)
}

// outdated reports whether an event about a pod is over: it could not be scheduled and has a node, its volumes, network or image were not
// there and a container has run since.
func outdated(e *Event, n *relation.Node) bool {
	if n.Object == nil || n.Kind != "Pod" || n.Group != "" {
		return false
	}
	spec := nested.Map(n.Object.Content, "spec")
	list := nested.List(n.Object.Content, "status", "containerStatuses")
	ran := slices.ContainsFunc(list, func(item any) bool {
		s, _ := item.(map[string]any)
		now := nested.Map(s, "state")
		return now["running"] != nil || now["terminated"] != nil || nested.At(s, "lastState", "terminated") != nil
	})
	switch e.Reason {
	case "FailedScheduling":
		return spec["nodeName"] != nil
	case "FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox":
		return ran
	}
	return false
}

// alike reports whether two texts about an object share a significant word.
func alike(a, b string, n *relation.Node) bool {
	known := map[string]bool{}
	for _, word := range significantWords(b, n) {
		known[word] = true
	}
	return slices.ContainsFunc(significantWords(a, n), func(word string) bool { return known[word] })
}

// significantWords returns the words of a text, with CamelCase divided, in lower case, without those that are in most texts about failures
// and without the name and the kind of the object.
func significantWords(text string, n *relation.Node) []string {
	return slices.DeleteFunc(english.Words(n.Nameless(text)), func(word string) bool {
		return len(word) < 4 || strings.EqualFold(word, n.Kind) || slices.Contains(wordsOfTrouble, word)
	})
}

var wordsOfTrouble = strings.Fields("error errors failed failure fail fails failing cannot could condition conditions status ready " +
	"available object objects resource resources reconcile reconciler " +
	"reconciling reconciliation controller operator update updating updated unable with from that this because does have been when while " +
	"after into true false unknown reason message " +
	"create creating created delete deleting apply applying sync syncing synced")

// Field returns the evidence of a judgement: the condition that explains it, or the deciding field.
func Field(j relation.Judgement) string {
	if j.Type != "" && !(j.Derived() && len(j.Evidence) > 0) { // the object does not have a condition that is derived
		return fmt.Sprintf("condition %s = %s", j.Type, j.Status)
	}
	if len(j.Evidence) == 0 {
		return ""
	}
	value, err := json.Marshal(j.Evidence[0].Value)
	if err != nil {
		return ""
	}
	return j.Evidence[0].Path + " = " + oneLine(string(value))
}

// equals returns the names of some equals of a cause, with the range of their ages.
func equals(c relation.Cause, o Options) string {
	if len(c.Nodes) < 2 {
		return ""
	}
	names := make([]string, 0, 3)
	for _, n := range c.Nodes[1:min(len(c.Nodes), 4)] {
		names = append(names, n.Name)
	}
	text := strings.Join(names, ", ")
	if more := len(c.Nodes) - 1 - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if age := ages(c.Nodes[1:], o); age != "" {
		text += "   (" + age + ")"
	}
	return text
}
