// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"fmt"
	"strings"

	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/convention"
)

// Status is the verdict on an object, in one word.
type Status = answer.Status

// The statuses.
const (
	// Current: the object is as its spec asks, or nothing is to be done for it.
	Current Status = answer.Current
	// InProgress: a controller works on it, or has not looked at it yet.
	InProgress Status = answer.InProgress
	// Degraded: it serves, but impaired.
	Degraded Status = answer.Degraded
	// Failed: it needs help.
	Failed Status = answer.Failed
	// Suspended: it is off on purpose.
	Suspended Status = answer.Suspended
	// Terminating: it has a deletion timestamp.
	Terminating Status = answer.Terminating
	// NotFound: it does not exist. Judge returns it only if the object reports that the thing which it represents does not exist.
	NotFound Status = answer.NotFound
	// Unknown: there is no evidence, or it cannot be read.
	Unknown Status = answer.Unknown
)

// Statuses lists all statuses, the best first. It is the only order of severity: a parent takes over the status of its children, causes are
// ranked and lists are sorted by it. Unknown explains less than Degraded, and NotFound more.
var Statuses = answer.Statuses

// ParseStatus reads a status word, in upper or lower case.
func ParseStatus(word string) (Status, error) {
	for _, s := range Statuses {
		if strings.EqualFold(string(s), word) {
			return s, nil
		}
	}
	words := make([]string, len(Statuses))
	for i, s := range Statuses {
		words[i] = string(s)
	}
	return "", fmt.Errorf("%q is no verdict: use %s", word, strings.Join(words, ", "))
}

// Confidence says whether a verdict can be relied on. The knowledge that it rests on is the first part of its Rule.
type Confidence string

// The confidences.
const (
	Sure  Confidence = "sure"
	Doubt Confidence = "doubt" // there is no evidence, or some against it: see Contradictions of [Verdict]
)

// The first part of the Rule of a verdict by what is written for its kind. Any other is of the conventions, which know only words.
const (
	byCatalog = "catalog/" // a catalog or a pack
	byDerived = "derived/" // a condition of a catalog that is derived when the object is read
	byBuiltin = "builtin/" // a kind of the API server
)

// Declared reports whether a rule is of a catalog or a pack.
func Declared(rule string) bool {
	return strings.HasPrefix(rule, byCatalog) || strings.HasPrefix(rule, byDerived)
}

// Builtin reports whether a rule is of a kind of the API server.
func Builtin(rule string) bool { return strings.HasPrefix(rule, byBuiltin) }

// Guessed reports whether a rule of the conventions answers although nothing in the object says so.
func Guessed(rule string) bool { return convention.Guesses[rule] }
