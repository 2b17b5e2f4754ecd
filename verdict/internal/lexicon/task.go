// SPDX-License-Identifier: Apache-2.0

package lexicon

import "strings"

// taskEnds are the ends of names of kinds whose objects run and end.
var taskEnds = SuffixesOf(List("taskEnds"))

// RunsToCompletion guesses from its name whether objects of a kind run and end. A TaskSet is a set of tasks.
func RunsToCompletion(kind string) bool {
	return taskEnds.End(strings.TrimSuffix(kind, "Set")) && !strings.HasPrefix(kind, "Cron") && !strings.HasPrefix(kind, "Scheduled") &&
		!strings.HasPrefix(kind, "Recurring")
}

// Hopeless reports whether a container that waits for a reason will not start by waiting.
func Hopeless(reason string) bool {
	return strings.HasPrefix(reason, "Err") || strings.HasPrefix(reason, "Invalid") ||
		strings.HasSuffix(reason, "Error") || strings.HasSuffix(reason, "BackOff") || reason == "RegistryUnavailable"
}
