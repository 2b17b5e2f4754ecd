// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// Names of fields of a status, by what they hold.
var (
	usualStates = lexicon.SetOf(lexicon.List("usualStates"))
	otherStates = lexicon.SetOf(lexicon.List("otherStates"))
	// stateEnds need not be words of their own: jobStatus, pool_status, buildstatus.
	stateEnds    = lexicon.SuffixesOf(lexicon.List("stateEnds"))
	stateMaps    = lexicon.SuffixesOf(lexicon.List("stateMaps"))
	messageLists = lexicon.SuffixesOf(lexicon.List("messageLists"))
	countEnds    = lexicon.SuffixesOf(lexicon.List("countEnds"))
	resultEnds   = lexicon.SuffixesOf(lexicon.List("resultEnds"))
	errorFields  = lexicon.SetOf(lexicon.List("errorFields"))
	wholeStarts  = strings.Fields("current actual lifecycle overall operational observed")
	workStarts   = strings.Fields("build backup restore migration upgrade update rollout import export")
	historyParts = strings.Fields("history transitiontime phasetransition timestamps events measurements results attempts findings " +
		"violations vulnerabilities")
	// historyStarts also begin the names of fields about the future and about what was asked for.
	historyStarts = strings.Fields("last previous old desired target requested next recent deprecated")
	// noErrors are the texts by which a field for errors is empty.
	noErrors = map[string]bool{"": true, "None": true, "none": true, "NONE": true, "nil": true, "<nil>": true, "null": true, "N/A": true,
		"n/a": true, "NA": true,
		"ok": true, "OK": true, "Ok": true, "-": true, "[]": true, "{}": true, "0": true, "false": true, "False": true, "no": true, "No": true,
		"NoError":  true,
		"no error": true, "No error": true, "success": true, "Success": true}
)

// stateKey rates a field of the status as the name of a state: 2 for the usual names, 1 for others that end so, 0 for any other.
func stateKey(key string) int {
	switch {
	case usualStates[key]:
		return 2
	case otherStates[key], endsAsState(key) && !historyKey(key):
		return 1
	}
	return 0
}

// IsState reports whether a field of the status is the name of a state.
func IsState(key string) bool { return stateKey(key) > 0 }

// endsAsState reports whether a key ends in a word for a state.
func endsAsState(key string) bool { return len(key) >= 6 && stateEnds.End(key) }

// ofWhole reports whether a field that ends like a state names that of the object itself rather than of a component: currentState, and
// dbInstanceStatus of a DBInstance.
func ofWhole(key, kind string) bool {
	if begins(key, wholeStarts) {
		return true
	}
	for n := len(key) - 4; n >= 3; n-- {
		if len(kind) >= n && strings.EqualFold(kind[len(kind)-n:], key[:n]) {
			return true
		}
	}
	return false
}

// begins reports whether a text has one of several prefixes.
func begins(s string, starts []string) bool {
	return slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(s, start) })
}

// formerKey reports whether a field is about the last run rather than the current state.
func formerKey(key string) bool {
	return strings.HasPrefix(key, "last") && key != "lastOperation" && key != "lastError"
}

// historyKey reports whether a field is about the past, about what was asked for, or about what was found out about other objects, from
// which the current state does not follow.
func historyKey(key string) bool {
	if key == "lastOperation" || key == "lastObservedState" {
		return false // they hold the operation that is under way and the current state
	}
	return slices.ContainsFunc(historyParts, func(word string) bool { return lexicon.ContainsFold(key, word) }) ||
		begins(key, historyStarts) || startsWithWord(key, "initial")
}

// startsWithWord reports whether a key starts with a word, which another one may follow.
func startsWithWord(key, word string) bool {
	return strings.HasPrefix(key, word) && (len(key) == len(word) || lexicon.IsUpper(key[len(word)]))
}

// errorKey reports whether a field of the status holds an error if it is not empty.
func errorKey(key string) bool {
	return errorFields[key] || strings.HasSuffix(key, "Error") && !formerKey(key) && !startsWithWord(key, "on") &&
		!startsWithWord(key, "ignore")
}

// holdsError reports whether a field for errors has one: texts like None and zeros are none.
func holdsError(n object.Value) bool {
	switch n.Kind() {
	case object.String:
		return !noErrors[n.Text()]
	case object.Map:
		if m := n.Get("message"); m.Kind() == object.String {
			return holdsError(m)
		}
		for _, v := range n.Fields() {
			if v.Kind() != object.Map && holdsError(v) || v.Kind() == object.Map && v.Size() > 0 {
				return true
			}
		}
		return false
	case object.Int, object.Float:
		v, whole := n.Number()
		return !whole || v != 0
	case object.Bool:
		return n.IsTrue()
	}
	return n.Present()
}

// resultKey reports whether a field of the status holds the result of a run.
func resultKey(key string) bool {
	return key == "result" || key == "verdict" || key == "outcome" || resultEnds.End(key)
}

// truth reads a boolean, or a string that is True or False.
func truth(n object.Value) (yes, ok bool) {
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

// isTruth reports whether a value is the status of a condition.
func isTruth(n object.Value) bool {
	_, ok := truth(n)
	return ok || n.Text() == string(conditions.Unknown)
}

// flagMeaning is the meaning of a flag that is false.
type flagMeaning uint8

const (
	flagOther  flagMeaning = iota
	flagWaits              // not reached yet
	flagFails              // refused
	flagResult             // not reached yet, or failed if the object has finished
	flagLight              // not reached yet, maybe only by a component; a summary outweighs it
	flagWork               // none: it is true while something is under way
)

// flagKeys are the names of booleans that are true on a healthy object, and of some that are true while something is under way.
var flagKeys = func() map[string]flagMeaning {
	out := map[string]flagMeaning{}
	for name, flag := range map[string]flagMeaning{"flags": flagWaits, "lightFlags": flagLight, "resultFlags": flagResult,
		"failFlags": flagFails, "workFlags": flagWork} {
		for key := range lexicon.SetOf(lexicon.List(name)) {
			out[key] = flag
		}
	}
	return out
}()

// lightFlagEnds are the ends of names of booleans that are true if a component is healthy.
var lightFlagEnds = lexicon.SuffixesOf(lexicon.List("lightFlagEnds"))

// flagKind returns the meaning of a flag by its name.
func (ev *evidence) flagKind(key string) flagMeaning {
	m, ok := flagKeys[key]
	switch {
	case ok:
		return m
	case workFlag(ev, key):
		return flagWork
	case lightFlagEnds.End(key) && ev.Types.About(key).Aspect == lexicon.AspectPositive:
		return flagLight
	}
	return flagOther
}
