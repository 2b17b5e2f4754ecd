// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"strings"

	"github.com/tristate/tristate/conditions"
)

// stateKey says whether a field of the status names a state: 2 for the usual names, 1 for others that end so.
func stateKey(key string) int {
	switch key {
	case "phase", "state", "status", "health", "Phase", "State", "Status":
		return 2
	case "robustness", "compliant", "stage":
		return 1
	}
	if endsAsState(key) && !historyKey(key) {
		return 1
	}
	return 0
}

// endsAsState says whether a key ends in a word for a state, as one word of it or not: jobStatus, pool_status, buildstatus.
func endsAsState(key string) bool {
	n := len(key)
	if n < 6 {
		return false
	}
	switch key[n-1] {
	case 'e':
		return strings.HasSuffix(key, "State") || strings.HasSuffix(key, "Phase") || strings.HasSuffix(key, "state") || strings.HasSuffix(key, "phase")
	case 's':
		return strings.HasSuffix(key, "Status") || strings.HasSuffix(key, "status") || strings.HasSuffix(key, "Progress")
	case 'h':
		return strings.HasSuffix(key, "Health") || strings.HasSuffix(key, "_health")
	}
	return false
}

// ofWhole says whether a field that ends like a state names that of the object itself rather than of a part: currentState, and
// dbInstanceStatus of a DBInstance.
func ofWhole(key, kind string) bool {
	for _, start := range [...]string{"current", "actual", "lifecycle", "overall", "operational", "observed"} {
		if strings.HasPrefix(key, start) {
			return true
		}
	}
	for n := len(key) - 4; n >= 3; n-- {
		if len(kind) >= n && strings.EqualFold(kind[len(kind)-n:], key[:n]) {
			return true
		}
	}
	return false
}

// workKey says whether a state is that of work that ends, whatever the kind: buildStatus.
func workKey(key string) bool {
	for _, start := range [...]string{"build", "backup", "restore", "migration", "upgrade", "update", "rollout", "import", "export"} {
		if strings.HasPrefix(key, start) {
			return true
		}
	}
	return false
}

// pluralOfState says whether a field is a map of states by name: phases, componentStates.
func pluralOfState(key string) bool {
	switch key {
	case "states", "phases", "statuses", "healths":
		return true
	}
	return strings.HasSuffix(key, "States") || strings.HasSuffix(key, "Phases") || strings.HasSuffix(key, "Statuses")
}

// countKey says whether a field holds a number of replicas as text.
func countKey(key string) bool {
	return strings.HasSuffix(key, "eplicas") || strings.HasSuffix(key, "eady")
}

// formerKey says whether a field tells of the last run rather than of what is.
func formerKey(key string) bool {
	return strings.HasPrefix(key, "last") && key != "lastOperation" && key != "lastError"
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
		if strings.HasPrefix(key, start) && (start != "initial" || startsWithWord(key, start)) {
			return true
		}
	}
	return false
}

var (
	historyWords  = [...]string{"history", "transitiontime", "phasetransition", "timestamps", "events", "measurements", "results", "attempts"}
	historyStarts = [...]string{"last", "previous", "old", "desired", "target", "requested", "next", "initial", "recent", "deprecated"}
)

// containsFold says whether s contains word, which is in lower case, in whatever letter case.
func containsFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i]|0x20 == word[0] && strings.EqualFold(s[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// errorKey says whether a field of the status holds an error when it is not empty.
func errorKey(key string) bool {
	switch key {
	case "failureMessage", "failureReason", "errorMessage", "errorReason", "errMsg", "lastError", "error", "errors",
		"lastErrorMessage", "lastErrors", "failure", "err", "problems", "issues":
		return true
	}
	return strings.HasSuffix(key, "Error") && !formerKey(key) && !startsWithWord(key, "on") && !startsWithWord(key, "ignore")
}

// holdsError says whether a field that is there for errors names one. Empty texts, words for nothing, and zeros do not.
func holdsError(n Object) bool {
	switch n.kind() {
	case kindString:
		return !noError(n.Text())
	case kindMap:
		if m := n.get("message"); m.kind() == kindString {
			return holdsError(m)
		}
		found := false
		n.fields(func(_ string, v Object) bool {
			found = v.kind() != kindMap && holdsError(v) || v.kind() == kindMap && v.size() > 0
			return !found
		})
		return found
	case kindList:
		return n.size() > 0
	case kindInt, kindFloat:
		v, whole := n.Number()
		return !whole || v != 0
	case kindBool:
		return n.isTrue()
	}
	return n.present()
}

// noError says whether a text is one of the words for nothing.
func noError(s string) bool {
	switch s {
	case "", "None", "none", "NONE", "nil", "<nil>", "null", "N/A", "n/a", "NA", "ok", "OK", "Ok", "-", "[]", "{}",
		"0", "false", "False", "no", "No", "NoError", "no error", "No error", "success", "Success":
		return true
	}
	return false
}

// resultKey says whether a field of the status holds how something ended.
func resultKey(key string) bool {
	switch key {
	case "result", "verdict", "outcome":
		return true
	}
	return strings.HasSuffix(key, "Result") || strings.HasSuffix(key, "Verdict") || strings.HasSuffix(key, "Outcome")
}

// truth reads a boolean, or a string that says True or False.
func truth(n Object) (yes, ok bool) {
	if b, ok := n.Bool(); ok {
		return b, true
	}
	switch n.Text() {
	case "True", "true":
		return true, true
	case "False", "false":
		return false, true
	}
	return false, false
}

// isTruth says whether a node is the status of a condition.
func isTruth(n Object) bool {
	_, ok := truth(n)
	return ok || n.Text() == string(conditions.Unknown)
}
