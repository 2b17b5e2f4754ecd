// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/relation"
)

// look is how a verdict is shown.
type look struct{ symbol, word, colour string }

var looks = map[string]look{
	"Current":     {"✓", "Ready", "32"},
	"InProgress":  {"…", "Progressing", "33"},
	"Degraded":    {"!", "Degraded", "33"},
	"Failed":      {"✗", "Not ready", "31"},
	"Suspended":   {"–", "Paused", "2"},
	"Terminating": {"…", "Deleting", "33"},
	"NotFound":    {"✗", "Not found", "31"},
	"Unknown":     {"?", "Unknown", "35"},
}

func lookOf(verdict string) look {
	if l, ok := looks[verdict]; ok {
		return l
	}
	return looks["Unknown"]
}

// Detail says in a few words why an object is not fine: Type: Reason (Severity) message. The reason is left out where the message is a
// count of steps, for then it is that of a part below.
func Detail(j relation.Judgement) string {
	if j.Verdict == "Current" {
		return ""
	}
	message := firstLine(j.Message)
	var b strings.Builder
	if j.Type != "" {
		b.WriteString(clean(j.Type) + ": ")
	}
	if j.Type != "" && counted(message) {
		b.WriteString(message)
		return b.String()
	}
	if j.Reason != "" {
		b.WriteString(clean(j.Reason))
	}
	if j.Severity != conditions.SeverityNone {
		fmt.Fprintf(&b, " (%s)", j.Severity)
	}
	if message != "" {
		b.WriteString(" " + message)
	}
	return strings.TrimSpace(b.String())
}

// counted recognises "x of y completed".
func counted(message string) bool {
	var x, y int
	n, _ := fmt.Sscanf(message, "%d of %d ", &x, &y)
	return n == 2 && message == fmt.Sprintf("%d of %d completed", x, y)
}

// firstLine is the first line of a text that an object carries, with nothing in it that a terminal would obey.
func firstLine(s string) string {
	line, _, more := strings.Cut(strings.TrimSpace(s), "\n")
	if more {
		line += " …"
	}
	return clean(line)
}

// clean replaces control characters by spaces.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
}

// Age is a duration as kubectl shows it: 45s, 4m, 3h, 2d. Empty for no time.
func Age(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	d := max(now.Sub(since), 0)
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
