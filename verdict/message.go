// SPDX-License-Identifier: Apache-2.0

package verdict

import "fmt"

// The sentences of messages, with the places of s1, s2, n1 and n2.
const (
	generations     = "generation is %[3]d, observed generation is %[4]d"
	conditionOld    = "condition %[1]s was observed at generation %[3]d, generation is %[4]d"
	deletingOne     = "deletion is requested, finalizer %[1]s is left"
	deletingSeveral = "deletion is requested, %[3]d finalizers are left, among them %[1]s"
	counted         = "%[3]d of %[4]d %[1]s"
	conditionIs     = "condition %[1]s is %[2]s"
	fieldIs         = "%[1]s is %[2]s"
	listed          = "%[1]s: %[2]s"
	exited          = "container %[1]s exited with code %[3]d"
	exitedBecause   = "container %[1]s exited with code %[3]d (%[2]s)"
	restarted       = "container %[1]s has been restarted %[3]d times, and exited with code %[4]d before (%[2]s)"
	waits           = "container %[1]s: %[2]s"
	isTrueField     = "%[1]s.%[2]s is true"
	extra           = "%[3]d %[1]s too many"
	countIs         = "%[1]s is %[3]d"
	listedIn        = "%[3]d in %[1]s"
	doneBy          = "%[1]s by %[2]s"
)

// message is a sentence in parts, which is composed when it is asked for. Without a format it is s1.
type message struct {
	format string
	s1, s2 string
	n1, n2 int64
}

func text(s string) message { return message{s1: s} }

func (m message) String() string {
	if m.format == "" {
		return m.s1
	}
	return fmt.Sprintf(m.format, m.s1, m.s2, m.n1, m.n2)
}
