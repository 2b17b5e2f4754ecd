// SPDX-License-Identifier: Apache-2.0

package catalog

// removed has the keys that the format had before its first release, by the struct of the model and the key, and what to write instead.
var removed = map[string]string{
	"Condition.since":     "nothing replaces it: the history of the file has it",
	"Condition.stability": "leave out a type that is not written yet, and say in meaning what may change",
	"Fact.runbook":        "write the address in remedy",
	"Import.sanitizer":    "write the function in from",
	"Reason.origin":       "nothing replaces it: `tristate check --source` finds the names in code",
	"Reason.runbook":      "write the address in remedy",
	"Reason.since":        "nothing replaces it: the history of the file has it",
}
