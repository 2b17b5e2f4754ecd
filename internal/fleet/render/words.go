// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/util/duration"
)

// look is how a verdict is shown next to its word.
type look struct{ symbol, colour string }

var looks = map[verdict.Status]look{
	verdict.Current:     {"✓", "32"},
	verdict.InProgress:  {"…", "33"},
	verdict.Degraded:    {"!", "33"},
	verdict.Failed:      {"✗", "31"},
	verdict.Suspended:   {"–", "2"},
	verdict.Terminating: {"…", "33"},
	verdict.NotFound:    {"✗", "31"},
	verdict.Unknown:     {"?", "35"},
}

func lookOf(s verdict.Status) look {
	if l, ok := looks[s]; ok {
		return l
	}
	return looks[verdict.Unknown]
}

// verdictCell returns a verdict as a table shows it: symbol and word, coloured, with a mark if it is in doubt. One that is
// overdue has the symbol of what needs a person.
func verdictCell(j relation.Judgement) cell {
	l := lookOf(j.Verdict)
	if j.Overdue {
		return cell{lookOf(verdict.Degraded).symbol + " " + clean(string(j.Verdict)) + ", overdue", l.colour}
	}
	word := clean(string(j.Verdict))
	if j.Confidence() == verdict.Doubt {
		word += ", doubt"
	}
	return cell{l.symbol + " " + word, l.colour}
}

// because joins a reason with its severity and its message: "Reason (Severity): message".
func because(reason string, severity conditions.Severity, message string) string {
	text := strings.TrimSpace(clean(reason))
	if severity != conditions.SeverityNone {
		text = strings.TrimSpace(fmt.Sprintf("%s (%s)", text, severity))
	}
	switch {
	case text == "":
		return message
	case message != "":
		text += ": " + message
	}
	return text
}

// Detail explains an unhealthy object in a few words: Type: Reason (Severity): message. The reason is left out if the message is a
// count of steps, for then it is that of a component; a reason that is the type or the verdict, which is shown next to it, is not repeated.
// A message of several lines is joined to one. For a healthy object Detail returns the first doubt. A doubt about a verdict of progress is
// added at the end.
func Detail(j relation.Judgement) string {
	if j.Verdict == verdict.Current {
		if j.Below != "" {
			return "looks healthy, but " + clean(j.Below)
		}
		if len(j.Contradictions) > 0 {
			return oneLine(j.Contradictions[0])
		}
		return ""
	}
	message := oneLine(withoutType(j.Type, j.Status, j.Message))
	if j.Type == "" && j.Reason != "" && strings.HasSuffix(message, " is "+clean(j.Reason)) { // "phase is Failed" has the reason
		return message
	}
	if j.Type != "" && isProgressCount(message) {
		return clean(j.Type) + ": " + message
	}
	text := message
	if j.Type != "" || j.Reason != string(j.Verdict) || message == "" { // the verdict is shown next to it
		text = because(typed(j), j.Severity, message)
	}
	if i := slices.IndexFunc(j.Contradictions, func(d string) bool { return strings.HasPrefix(d, "reports "+string(j.Verdict)+",") }); i >= 0 {
		text += "; " + oneLine(j.Contradictions[i])
	}
	return strings.TrimSpace(text)
}

// typed returns type and reason of a judgement, "Type: Reason", and a word that is both once.
func typed(j relation.Judgement) string {
	if j.Type == "" || j.Type == j.Reason || j.Derived() { // no object has a condition that is derived at reading
		return j.Reason
	}
	return strings.TrimSuffix(j.Type+": "+j.Reason, ": ")
}

// withoutType returns the message of a condition without a repetition of type and status, which are shown next to it.
func withoutType(conditionType string, status conditions.Status, message string) string {
	if conditionType != "" && strings.HasSuffix(message, "condition "+conditionType+" is "+string(status)) {
		return strings.TrimSuffix(strings.TrimSuffix(message, "condition "+conditionType+" is "+string(status)), ": ")
	}
	return message
}

// isProgressCount reports whether a message is "x of y completed".
func isProgressCount(message string) bool {
	var x, y int
	n, _ := fmt.Sscanf(message, "%d of %d ", &x, &y)
	return n == 2 && message == fmt.Sprintf("%d of %d completed", x, y)
}

// lines returns the lines of a text of an object, without empty ones and without control characters.
func lines(s string) []string {
	var out []string
	for text := range strings.Lines(s) {
		if text = strings.TrimSpace(clean(text)); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// Line returns a text in one line, without control characters.
func Line(s string) string {
	if strings.IndexByte(s, '\n') < 0 {
		return strings.TrimSpace(clean(s))
	}
	var b strings.Builder
	for _, text := range lines(s) {
		switch {
		case b.Len() == 0:
		case strings.ContainsAny(b.String()[b.Len()-1:], ":;,."):
			b.WriteByte(' ')
		default:
			b.WriteString("; ")
		}
		b.WriteString(text)
	}
	return b.String()
}

// oneLine returns a text in one line for a table.
func oneLine(s string) string { return runewidth.Truncate(Line(s), mostMessage, " …") }

// clean replaces control characters, and those that end a line or change the direction of text, by spaces.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if isTerminalControl(r) {
			return ' '
		}
		return r
	}, s)
}

func isTerminalControl(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) || r == utf8.RuneError
}

// Text returns a text of several lines without control characters, except for line ends and tabs.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && isTerminalControl(r) {
			return ' '
		}
		return r
	}, s)
}

// Age returns the time since a moment as kubectl shows it: 45s, 4m, 3h5m, 2d. It is empty for a zero moment or a zero now.
func Age(since, now time.Time) string {
	if since.IsZero() || now.IsZero() {
		return ""
	}
	return duration.HumanDuration(max(now.Sub(since), 0))
}

// Seconds returns a duration without fractions of a second, as 1m30s.
func Seconds(d time.Duration) string { return d.Truncate(time.Second).String() }

// unfold divides a message whose bullets lead to one text, "* Machine a: * NodeHealthy: no disk", into that text and the way to it.
// Another message stays as it is.
func unfold(message string) (text string, way []string) {
	if !strings.HasPrefix(message, "* ") {
		return message, nil
	}
	for _, line := range strings.Split(message, "\n") {
		parts := strings.Split(strings.TrimPrefix(strings.TrimSpace(line), "* "), ": * ")
		last := parts[len(parts)-1]
		way = append(way, parts[:len(parts)-1]...)
		switch name, bare := strings.CutSuffix(last, ":"); {
		case last == "":
		case bare:
			way = append(way, name)
		case text != "":
			return message, nil // there are several
		default:
			text = last
		}
	}
	if text == "" {
		return message, nil
	}
	for m := conditionType.FindString(text); m != ""; m = conditionType.FindString(text) {
		way, text = append(way, strings.TrimSuffix(m, ": ")), strings.TrimPrefix(text, m)
	}
	return text, way
}

// conditionType finds a condition type before a message.
var conditionType = regexp.MustCompile(`^[A-Z][A-Za-z0-9.]*: `)
