// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/english"
)

// Meanings that words of a name suggest. They are only ever a guess, and each use leaves a comment.
var (
	badWords = []string{"abnormal", "absent", "bad", "blocked", "broken", "cancelled", "ceiling", "closed", "conflict", "conflicted",
		"conflicting", "crash",
		"degraded", "denied", "differs", "disconnected", "drift", "drifted", "error", "exceeded", "exceeds", "expired", "fail", "failed",
		"failing", "failure",
		"forbidden", "full", "invalid", "malformed", "mismatch", "misconfigured", "missing", "no", "not", "overflow", "pressure", "refused",
		"rejected",
		"stale", "stalled", "stuck", "timeout", "timed", "unauthorized", "unavailable", "unhealthy", "unknown", "unreachable", "unsigned",
		"unsupported",
		"violation", "warning", "denying"}
	goodWords = []string{"accepted", "active", "all", "available", "cleared", "completed", "confirmed", "connected", "drained", "enforcing",
		"healthy",
		"ok", "passed", "ready", "reachable", "recovered", "resolved", "stable", "succeeded", "synced", "unblocked", "valid", "verified",
		"reconciled"}
	moveWords = []string{"awaiting", "begun", "created", "pending", "progressing", "queued", "scheduled", "started", "triggered", "waiting",
		"yet"}
	offWords = []string{"overlay", "paused", "suspended", "disabled", "maintenance", "superseded", "cancelled"}
)

func has(name string, list []string) bool {
	return slices.ContainsFunc(english.Words(name), func(w string) bool { return slices.Contains(list, w) })
}

// moving reports whether a name is of something that goes on.
func moving(name string) bool {
	if has(name, moveWords) {
		return true
	}
	return slices.ContainsFunc(english.Words(name), func(w string) bool {
		return len(w) > 5 && strings.HasSuffix(w, "ing") && !slices.Contains(goodWords, w) && !slices.Contains(badWords, w)
	})
}

var neutralTypes = regexp.MustCompile(`^(Progressing|Running|Suspended|Paused|Reconciling)$`)

// polarityOf guesses whether True is good.
func polarityOf(conditionType, dialect string) string {
	switch {
	case dialect == "kstatus" && (conditionType == "Reconciling" || conditionType == "Stalled"):
		return "negative"
	case neutralTypes.MatchString(conditionType):
		return "neutral"
	case moving(conditionType) && !has(conditionType, goodWords):
		return "negative"
	case has(conditionType, badWords) && !has(conditionType, []string{"no", "not"}):
		return "negative"
	}
	return "positive"
}

// mood returns the meaning that a reason suggests: bad, off, move or good.
func mood(reason string) string {
	switch {
	case has(reason, []string{"reconciled"}):
		return "good"
	case has(reason, offWords) && !has(reason, []string{"cancelled"}):
		return "off"
	case has(reason, badWords):
		return "bad"
	case has(reason, goodWords):
		return "good"
	case moving(reason):
		return "move"
	}
	return "good"
}

// statusOf guesses the status that a reason goes with.
func statusOf(conditionType, polarity, reason string) string {
	m := mood(reason)
	good, bad := "True", "False"
	if polarity == "negative" {
		good, bad = "False", "True"
	}
	if polarity == "neutral" {
		switch {
		case m == "off":
			return "True" // Suspended
		case has(conditionType, offWords):
			return "False"
		case m == "move":
			return "True"
		}
		return "False"
	}
	switch {
	case has(conditionType, english.Words(reason)) && m == "bad" && polarity == "negative", sameStem(conditionType, reason):
		return "True" // the reason repeats the type
	case m == "good":
		return good
	}
	return bad
}

// sameStem reports whether a reason begins with the name of its type, as DriftDetected of Drift.
func sameStem(conditionType, reason string) bool {
	t, r := english.Words(conditionType), english.Words(reason)
	return len(t) > 0 && len(r) > 0 && len(t) < len(r) && slices.Equal(t, r[:len(t)])
}

// classOf guesses the class of a cell from its health and the name of its reason.
func classOf(polarity, status, reason string) string {
	healthy := polarity == "positive" && status == "True" || polarity == "negative" && status == "False"
	switch m := mood(reason); {
	case healthy:
		return "ok"
	case m == "off":
		return "suspended"
	case status == "Unknown", m == "move":
		return "progress"
	case polarity == "neutral" && m == "good":
		return "ok"
	}
	return "" // the dialect decides
}

// roleOf guesses the role of a type.
func roleOf(k *kind, c *condition) string {
	has := func(name string) bool {
		return slices.ContainsFunc(k.types, func(o *condition) bool { return o.name == name })
	}
	if c.name == "Ready" || !has("Ready") && (c.name == "Succeeded" || c.name == "Available" && !has("Succeeded")) {
		return "summary"
	}
	return ""
}

// nearSuffix returns the well-known ending that a name misspells; empty for a correct one.
func nearSuffix(name string) string {
	parts := english.Words(name)
	if len(parts) == 0 {
		return ""
	}
	last := parts[len(parts)-1]
	for _, right := range []string{"succeeded", "completed", "available"} {
		if last != right && near(last, right) {
			return strings.ToUpper(right[:1]) + right[1:]
		}
	}
	return ""
}

// near reports whether at most two letters of two words differ.
func near(a, b string) bool {
	if a[0] != b[0] || len(a) < 6 || max(len(a), len(b))-min(len(a), len(b)) > 2 {
		return false
	}
	count := map[rune]int{}
	for _, r := range a {
		count[r]++
	}
	for _, r := range b {
		count[r]--
	}
	off := 0
	for _, n := range count {
		off += max(n, -n)
	}
	return off <= 2
}

// sentence returns the first sentence of a text, without marks, with a capital and a full stop.
func sentence(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "")), " ")
	text = strings.TrimSpace(strings.Trim(text, "—–- "))
	for i := 0; i+1 < len(text); i++ {
		ends := text[i] == '.' && text[i+1] == ' ' && i > 3
		if ends && !strings.HasSuffix(text[:i], "e.g") && !strings.HasSuffix(text[:i], "i.e") {
			text = text[:i+1]
			break
		}
	}
	if text == "" {
		return ""
	}
	r := []rune(text)
	if len(r) > 400 {
		r = append(r[:397], '.', '.', '.')
	}
	text = strings.ToUpper(string(r[:1])) + string(r[1:])
	if !strings.ContainsRune(".!?)", rune(text[len(text)-1])) {
		text += "."
	}
	return text
}
