// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"fmt"
	"strings"

	"github.com/tristate/tristate/verdict/internal/answer"
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

// Confidence is the kind of knowledge that a verdict rests on.
type Confidence = answer.Confidence

// The confidences, best first.
const (
	FromCatalog   Confidence = answer.FromCatalog   // declared for this kind by a catalog or pack
	FromBuiltin   Confidence = answer.FromBuiltin   // a rule written for this kind of the API server
	FromCondition Confidence = answer.FromCondition // conventions: conditions, generations, deletion
	FromHeuristic Confidence = answer.FromHeuristic // the words of phases, states and error fields
	FromNothing   Confidence = answer.FromNothing   // no evidence
)
