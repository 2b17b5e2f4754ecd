// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"strings"

	"github.com/tristate/tristate/verdict/internal/lexicon"
)

// taskEnds are the ends of names of kinds whose objects run and end.
var taskEnds = lexicon.SuffixesOf(lexicon.List("taskEnds"))

// isTask reports whether objects of the kind run and end.
func (ev *evidence) isTask() bool {
	if ev.task == 0 {
		ev.task = -1
		if runsToCompletion(ev.kind) {
			ev.task = 1
		}
	}
	return ev.task > 0
}

// runsToCompletion guesses from its name whether objects of a kind run and end. A TaskSet is a set of tasks.
func runsToCompletion(kind string) bool {
	return taskEnds.End(strings.TrimSuffix(kind, "Set")) && !strings.HasPrefix(kind, "Cron") && !strings.HasPrefix(kind, "Scheduled") &&
		!strings.HasPrefix(kind, "Recurring")
}
