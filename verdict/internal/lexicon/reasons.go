// SPDX-License-Identifier: Apache-2.0

package lexicon

import "strings"

// Words of reasons and messages that change the claim of a rule, and condition types of tasks.
var (
	WaitReasons  = SetOf(List("waitReasons"))
	stepWords    = SetOf(List("stepWords"))
	missingWords = SetOf(List("missingWords"))
	waitWords    = SetOf(List("waitWords"))
	silentWords  = SetOf(List("silentWords"))
	lookWords    = SetOf(List("lookWords"))
	retryWords   = SetOf(List("retryWords"))
	givenUpWords = SetOf(List("givenUpWords"))
	LastingTypes = SetOf(List("lastingTypes"))
	EndingTypes  = SetOf(List("endingTypes"))
	FailTypes    = SetOf(List("failTypes"))
	StartTypes   = SetOf(List("startTypes"))
	// of failures that do not pass
	LastingWords = SetOf(List("lastingWords"))
	endingEnds   = SuffixesOf(List("endingEnds"))
)

// Nothing reports whether a reason or a message means none.
func Nothing(reason string) bool {
	switch reason {
	case "", "na", "NA", "N/A", "n/a", "None", "none", "NotApplicable", "Not Applicable", "Not applicable", "NoReasonGiven":
		return true
	}
	return false
}

// Finishes reports whether a type that is True reports the end of a task.
func Finishes(typ string) bool { return EndingTypes[typ] || LastingTypes[typ] || endingEnds.End(typ) }

// Ongoing reports whether a reason begins or ends with an activity: WaitingForNodes, StillReconciling.
func (l *Lexicon) Ongoing(reason string) bool {
	if l.MeaningOf(reason) != UnderWay {
		return false
	}
	t := Tokenizer{Text: reason}
	first := t
	if l.MeaningOfWord(first.Next()) == UnderWay {
		return true
	}
	last := None
	for w := t.Next(); w != nil; w = t.Next() {
		last = l.MeaningOfWord(w)
	}
	return last == UnderWay
}

// Step reports whether a reason names a step rather than the end: NewReplicaSetCreated.
func Step(reason string) bool { return stepWords.In(reason) }

// Unavailable reports whether a reason only repeats that something is not available, which is no failure while it is being created.
func Unavailable(reason string) bool { return strings.HasSuffix(reason, "Unavailable") }

// Missing reports whether a reason is that something does not exist, which is no failure while it is being created.
func Missing(reason string) bool { return missingWords.In(reason) }

// NotApplicable reports whether a reason is that something is not used here: UnsupportedPlatform, NotConfigured.
func NotApplicable(reason string) bool {
	return strings.HasPrefix(reason, "Unsupported") || strings.HasPrefix(reason, "NotSupported") ||
		strings.HasPrefix(reason, "NotConfigured") || strings.HasPrefix(reason, "NotApplicable")
}

// Partly reports whether a reason is that only a part is as it should be.
func Partly(reason string) bool { return strings.HasPrefix(reason, "Partially") }

// Awaits reports whether a message is about a wait, or about something that is not there yet.
func Awaits(message string) bool {
	t := Tokenizer{Text: Cut(message, maxMessage)}
	for w := t.prose(); w != nil; w = t.prose() {
		if waitWords.Has(w) {
			return true
		}
	}
	return false
}

// Look reports whether a reason of failure is about a look at the object, which did not end, and not about the object.
func Look(reason string) bool { return lookWords.In(reason) }

// FallsSilent reports whether a reason or a message is about an author that has stopped to report.
func FallsSilent(text string) bool { return silentWords.In(Cut(text, MaxWords)) }

// Retried reports whether a text is about a failure that is tried again, or about something that is not available yet, and not that its
// author has given up.
func Retried(text string) bool {
	retried := strings.Contains(text, "minimum availability") || strings.Contains(text, "not available") || strings.Contains(text, "not ready")
	t := Tokenizer{Text: Cut(text, maxMessage)}
	for w := t.prose(); w != nil; w = t.prose() {
		if givenUpWords.Has(w) {
			return false
		}
		retried = retried || retryWords.Has(w)
	}
	return retried
}

// Complains reports whether a message begins with an error, or quotes one, whatever was under way then.
func (l *Lexicon) Complains(message string) bool {
	t := Tokenizer{Text: message}
	return l.classifyWord(&t, t.Next()) == Broken || ContainsFold(message, "error:") || strings.Contains(message, "syntax error")
}

// taskEnds are the ends of names of kinds whose objects run and end.
var taskEnds = SuffixesOf(List("taskEnds"))

// RunsToCompletion guesses from its name whether objects of a kind run and end. A TaskSet is a set of tasks.
func RunsToCompletion(kind string) bool {
	return taskEnds.End(strings.TrimSuffix(kind, "Set")) && !strings.HasPrefix(kind, "Cron") && !strings.HasPrefix(kind, "Scheduled") &&
		!strings.HasPrefix(kind, "Recurring")
}

// Hopeless reports whether a container that waits for a reason will not start by waiting.
func Hopeless(reason string) bool {
	return strings.HasPrefix(reason, "Err") || strings.HasPrefix(reason, "Invalid") ||
		strings.HasSuffix(reason, "Error") || strings.HasSuffix(reason, "BackOff") || reason == "RegistryUnavailable"
}
