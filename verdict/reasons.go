// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// nothing says whether a reason or a message stands for none.
func nothing(reason string) bool {
	switch reason {
	case "", "na", "NA", "N/A", "n/a", "None", "none", "NotApplicable", "Not Applicable", "Not applicable", "NoReasonGiven":
		return true
	}
	return false
}

// finishes says whether a type tells that a task is over.
func finishes(typ string) bool {
	switch typ {
	case "Succeeded", "Succeed", "Successful", "Complete", "Completed", "Finished", "Done", "Accomplished":
		return true
	}
	if lasts(typ) {
		return true
	}
	return strings.HasSuffix(typ, "Succeeded") || strings.HasSuffix(typ, "Completed") || strings.HasSuffix(typ, "Finished")
}

// lasts says whether a type tells that something is ready, which may be before or after the work of a task.
func lasts(typ string) bool {
	switch typ {
	case "Ready", "Available", "Healthy":
		return true
	}
	return false
}

// ongoing says whether a reason begins or ends with an activity: WaitingForNodes, StillReconciling.
func (x *lexicon) ongoing(reason string) bool {
	if x.meaningOf(reason) != meaningUnderWay {
		return false
	}
	w := words{text: reason}
	first := w
	if x.meaningOfWord(first.next()) == meaningUnderWay {
		return true
	}
	last := meaningNone
	for b := w.next(); b != nil; b = w.next() {
		last = x.meaningOfWord(b)
	}
	return last == meaningUnderWay
}

// waitsOnly says whether a reason is a wait and nothing else; its message says what for.
func waitsOnly(reason string) bool {
	switch reason {
	case "Pending", "Waiting", "Queued":
		return true
	}
	return false
}

// step says whether a reason tells of a step that was taken rather than of the end: NewReplicaSetCreated.
func step(reason string) bool {
	w := words{text: reason}
	for b := w.next(); b != nil; b = w.next() {
		switch string(b) {
		case "created", "updated", "started", "scheduled", "added", "launched":
			return true
		}
	}
	return false
}

// unavailable says whether a reason only repeats that something is not available, which is no failure while it is being made.
func unavailable(reason string) bool { return strings.HasSuffix(reason, "Unavailable") }

// missing says whether a reason is that something does not exist, which is no failure while it is being made.
func missing(reason string) bool {
	w := words{text: reason}
	for b := w.next(); b != nil; b = w.next() {
		switch string(b) {
		case "exist", "exists", "found", "missing":
			return true
		}
	}
	return false
}

// awaits reports whether a message says that something is waited for, or is not there yet.
func awaits(message string) bool {
	if len(message) > maxMessage {
		message = message[:maxMessage]
	}
	w := words{text: message}
	for b := w.prose(); b != nil; b = w.prose() {
		switch string(b) {
		case "wait", "waits", "waiting", "awaiting", "yet":
			return true
		}
	}
	return false
}

// fallsSilent says whether it is told of an author that he has stopped to report.
func fallsSilent(text string) bool {
	if len(text) > maxWords {
		text = text[:maxWords]
	}
	w := words{text: text}
	for b := w.next(); b != nil; b = w.next() {
		if string(b) == "stopped" {
			return true
		}
	}
	return false
}

// complains says whether a message begins with an error, or quotes one, whatever was under way when it came up.
func (x *lexicon) complains(message string) bool {
	w := words{text: message}
	return x.classifyWord(&w, w.next()) == meaningBroken || containsFold(message, "error:") || strings.Contains(message, "syntax error")
}
