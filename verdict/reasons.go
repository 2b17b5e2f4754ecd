// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// Words of reasons and messages that change the claim of a rule, and condition types of tasks.
var (
	waitReasons  = setOf(list("waitReasons"))
	stepWords    = setOf(list("stepWords"))
	missingWords = setOf(list("missingWords"))
	waitWords    = setOf(list("waitWords"))
	silentWords  = setOf(list("silentWords"))
	lastingTypes = setOf(list("lastingTypes"))
	endingTypes  = setOf(list("endingTypes"))
	failTypes    = setOf(list("failTypes"))
	startTypes   = setOf(list("startTypes"))
	// of failures that do not pass
	lastingWords = setOf(list("lastingWords"))
	endingEnds   = suffixesOf(list("endingEnds"))
)

// nothing reports whether a reason or a message means none.
func nothing(reason string) bool {
	switch reason {
	case "", "na", "NA", "N/A", "n/a", "None", "none", "NotApplicable", "Not Applicable", "Not applicable", "NoReasonGiven":
		return true
	}
	return false
}

// finishes reports whether a type that is True reports the end of a task.
func finishes(typ string) bool { return endingTypes[typ] || lastingTypes[typ] || endingEnds.end(typ) }

// ongoing reports whether a reason begins or ends with an activity: WaitingForNodes, StillReconciling.
func (l *lexicon) ongoing(reason string) bool {
	if l.meaningOf(reason) != meaningUnderWay {
		return false
	}
	t := tokenizer{text: reason}
	first := t
	if l.meaningOfWord(first.next()) == meaningUnderWay {
		return true
	}
	last := meaningNone
	for w := t.next(); w != nil; w = t.next() {
		last = l.meaningOfWord(w)
	}
	return last == meaningUnderWay
}

// step reports whether a reason names a step rather than the end: NewReplicaSetCreated.
func step(reason string) bool { return stepWords.in(reason) }

// unavailable reports whether a reason only repeats that something is not available, which is no failure while it is being created.
func unavailable(reason string) bool { return strings.HasSuffix(reason, "Unavailable") }

// missing reports whether a reason is that something does not exist, which is no failure while it is being created.
func missing(reason string) bool { return missingWords.in(reason) }

// notApplicable reports whether a reason is that something is not used here: UnsupportedPlatform, NotConfigured.
func notApplicable(reason string) bool {
	return strings.HasPrefix(reason, "Unsupported") || strings.HasPrefix(reason, "NotSupported") ||
		strings.HasPrefix(reason, "NotConfigured") || strings.HasPrefix(reason, "NotApplicable")
}

// partly reports whether a reason is that only a part is as it should be.
func partly(reason string) bool { return strings.HasPrefix(reason, "Partially") }

// awaits reports whether a message is about a wait, or about something that is not there yet.
func awaits(message string) bool {
	t := tokenizer{text: cut(message, maxMessage)}
	for w := t.prose(); w != nil; w = t.prose() {
		if waitWords.has(w) {
			return true
		}
	}
	return false
}

// fallsSilent reports whether a reason or a message is about an author that has stopped to report.
func fallsSilent(text string) bool { return silentWords.in(cut(text, maxWords)) }

// complains reports whether a message begins with an error, or quotes one, whatever was under way then.
func (l *lexicon) complains(message string) bool {
	t := tokenizer{text: message}
	return l.classifyWord(&t, t.next()) == meaningBroken || containsFold(message, "error:") || strings.Contains(message, "syntax error")
}
