// SPDX-License-Identifier: Apache-2.0

package catalog

import "strings"

// removed has the keys that the format had before its first release, by the struct of the model and the key, and what to write instead.
var removed = map[string]string{
	"Reason.additions":      "say it in a comment",
	"Reason.addition":       "say it in a comment",
	"Aggregate.atLeast":     "count in an expression: rules with related.NAME.filter(...).size()",
	"Aggregate.atMost":      "use tolerate, or count in an expression",
	"Aggregate.reasons":     "declare the reasons as the related objects have them",
	"Children.of":           "say by where which children count",
	"Condition.backdated":   "leave it out: the checks of times take the time of a change",
	"Condition.composite":   "report one reason, and name the others in the message",
	"Condition.deadline":    "write the deadline of each reason, or of the kind",
	"Condition.dwell":       "hold a reported reason (hold), or delay in the rules that derive the type",
	"Condition.imports":     "use open, with a sentence on where the reasons are from",
	"Condition.initial":     "report the type: one that is neither stored nor reported is Unknown",
	"Condition.message":     "write the message of each reason",
	"Condition.mirrorOf":    "say it in meaning; two types of which one is True at a time are exclusive",
	"Condition.since":       "nothing replaces it: the history of the file has it",
	"Condition.stability":   "leave out a type that is not written yet, and say in meaning what may change",
	"Condition.transition":  "leave it out: the dialect says what moves the time",
	"Condition.while":       "use presence",
	"Derive.otherwise":      "append the rules to derive.rules: with summary, mirror or aggregate these apply otherwise",
	"Message.maxBytes":      "leave it out: `tristate check` reports messages that the API server refuses",
	"Message.maxCharacters": "leave it out: `tristate check` reports messages that the API server refuses",
	"Message.prefix":        "write the text that a call formats: message: PREFIX%s",
	"Message.stable":        "leave it out",
	"Message.template":      "write the text that a call formats: message: TEXT with %s",
	"Message.text":          "write the text itself: message: TEXT",
	"Reason.origin":         "nothing replaces it: `tristate check --source` finds the names in code",
	"Reason.runbook":        "write the address in remedy",
	"Reason.since":          "nothing replaces it: the history of the file has it",
	"Relation.owner":        "use ref with an expression over self.metadata.ownerReferences",
	"Relation.selectedBy":   "use where, which compares self and item",
	"Rule.status":           "give each status a reason of its own",
	"Spec.settled":          "leave it out: conditions and the observed generation say it",
	"Spec.shared":           "write the reasons of each kind",
	"Spec.writer":           "leave it out: the managed fields of an object name the writer",
	"Spec.writes":           "leave it out: the catalog of the other kind lists the writers of its types",
	"Summary.counterOnly":   "use counter",
	"Summary.gates":         "declare the types, each optional",
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
