// SPDX-License-Identifier: Apache-2.0

package catalog

import "strings"

// removed has the keys that the format had before its first release, by the struct of the model and the key, and what to write instead.
var removed = map[string]string{
	"Condition.composite":   "report one reason, and name the others in the message",
	"Condition.message":     "write the message of each reason",
	"Condition.since":       "nothing replaces it: the history of the file has it",
	"Condition.stability":   "leave out a type that is not written yet, and say in meaning what may change",
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
