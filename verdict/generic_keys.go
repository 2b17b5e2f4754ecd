// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// stateKey says whether a field of the status names a state: 2 for the usual names, 1 for others that end so.
func stateKey(key string) int {
	switch key {
	case "phase", "state", "status", "health", "Phase", "State", "Status":
		return 2
	case "robustness", "compliant", "stage":
		return 1
	}
	if len(key) < 6 {
		return 0
	}
	if strings.HasSuffix(key, "Phase") || strings.HasSuffix(key, "State") || strings.HasSuffix(key, "Status") || strings.HasSuffix(key, "Health") || strings.HasSuffix(key, "Progress") ||
		strings.HasSuffix(key, "_state") || strings.HasSuffix(key, "_status") || strings.HasSuffix(key, "_phase") {
		if historyKey(key) {
			return 0
		}
		return 1
	}
	return 0
}

// generationKey says whether a field names a generation that was looked at, beside observedGeneration.
func generationKey(key string) bool {
	switch key {
	case "lastEvaluatedGeneration", "lastObservedGeneration", "lastGeneration", "reconciledGeneration":
		return true
	}
	return strings.HasSuffix(key, "ObservedGeneration")
}

// countKey says whether a field holds a number of replicas as text.
func countKey(key string) bool {
	return strings.HasSuffix(key, "eplicas") || strings.HasSuffix(key, "eady")
}

// errorKey says whether a field of the status holds an error when it is not empty.
func errorKey(key string) bool {
	switch key {
	case "failureMessage", "failureReason", "errorMessage", "errorReason", "errMsg", "lastError", "error", "errors",
		"lastErrorMessage", "lastErrors", "failure", "err", "reconcileError", "syncError":
		return true
	}
	return false
}

// historyKey says whether a field lists what was, which says nothing about what is.
func historyKey(key string) bool {
	switch key {
	case "lastOperation", "lastObservedState":
		return false // what is under way, and what is
	}
	for _, word := range historyWords {
		if containsFold(key, word) {
			return true
		}
	}
	for _, start := range historyStarts {
		if strings.HasPrefix(key, start) {
			return true
		}
	}
	return false
}

var (
	historyWords  = [...]string{"history", "transitiontime", "phasetransition", "timestamps", "events", "measurements", "results", "attempts"}
	historyStarts = [...]string{"last", "previous", "old", "desired", "target", "requested", "next", "initial"}
)

// containsFold says whether s contains word, which is in lower case, in whatever letter case.
func containsFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(word)], word) {
			return true
		}
	}
	return false
}
