// SPDX-License-Identifier: Apache-2.0

package catalog

import "strings"

// removed has the keys that the format had before its first release, by the struct of the model and the key, and what to write instead.
var removed = map[string]string{
	"Aggregate.atLeast":     "count in an expression: rules with related.NAME.filter(...).size()",
	"Aggregate.atMost":      "use tolerate, or count in an expression",
	"Aggregate.reasons":     "declare the reasons as the related objects have them",
	"Children.of":           "say by where which children count",
	"Mirror.reasons":        "declare the reasons as the related object has them",
	"Relation.owner":        "use ref with an expression over self.metadata.ownerReferences",
	"Relation.selectedBy":   "use where, which compares self and item",
	"Rule.status":           "give each status a reason of its own",
	"Spec.settled":          "leave it out: conditions and the observed generation say it",
	"Summary.counterOnly":   "use counter",
	"Summary.gates":         "declare the types, each optional",
	"Condition.composite":   "report one reason, and name the others in the message",
	"Condition.deadline":    "write the deadline of each reason, or of the kind",
	"Condition.message":     "write the message of each reason",
	"Condition.since":       "nothing replaces it: the history of the file has it",
	"Condition.stability":   "leave out a type that is not written yet, and say in meaning what may change",
	"Condition.backdated":   "leave it out: the checks of times take the time of a change",
	"Condition.transition":  "leave it out: the dialect says what moves the time",
	"Condition.while":       "use presence",
	"Fact.runbook":          "write the address in remedy",
	"Import.sanitizer":      "write the function in from",
	"Message.text":          "write the text itself: message: TEXT",
	"Message.maxBytes":      "leave it out: `tristate check` reports messages that the API server refuses",
	"Message.maxCharacters": "leave it out: `tristate check` reports messages that the API server refuses",
	"Message.prefix":        "write the text that a call formats: message: PREFIX%s",
	"Message.stable":        "leave it out",
	"Message.template":      "write the text that a call formats: message: TEXT with %s",
	"Reason.origin":         "nothing replaces it: `tristate check --source` finds the names in code",
	"Reason.runbook":        "write the address in remedy",
	"Reason.since":          "nothing replaces it: the history of the file has it",
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
