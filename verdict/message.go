// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"fmt"
	"strconv"
)

// wording selects the sentence of a message; sentences are composed when they are asked for.
type wording uint8

const (
	plain        wording = iota // s1
	generations                 // generation n1, observed n2
	conditionOld                // condition s1 observed generation n1, the object is at n2
	deleting                    // s1: first finalizer, n1: number of finalizers
	counted                     // n1 of n2 s1
	conditionIs                 // s1 is s2
	fieldIs                     // s1 is s2
	listed                      // s1: s2
	exited                      // container s1 exited with code n1 (s2)
	waits                       // container s1: s2
	childIs                     // s1: s2, or s1
	isTrueField                 // s1.s2 is true
	extra                       // n1 s1 too many
	countIs                     // s1 is n1
	listedIn                    // n1 in s1
)

// message is a sentence in parts.
type message struct {
	wording wording
	s1, s2  string
	n1, n2  int64
}

func text(s string) message { return message{s1: s} }

func (m message) String() string {
	switch m.wording {
	case generations:
		return fmt.Sprintf("generation is %d, observed generation is %d", m.n1, m.n2)
	case conditionOld:
		return fmt.Sprintf("condition %s was observed at generation %d, generation is %d", m.s1, m.n1, m.n2)
	case deleting:
		switch m.n1 {
		case 0:
			return "deletion is requested"
		case 1:
			return "deletion is requested, finalizer " + m.s1 + " is left"
		}
		return fmt.Sprintf("deletion is requested, %d finalizers are left, among them %s", m.n1, m.s1)
	case counted:
		return strconv.FormatInt(m.n1, 10) + " of " + strconv.FormatInt(m.n2, 10) + " " + m.s1
	case listedIn:
		return strconv.FormatInt(m.n1, 10) + " in " + m.s1
	case countIs:
		return m.s1 + " is " + strconv.FormatInt(m.n1, 10)
	case conditionIs:
		return "condition " + m.s1 + " is " + m.s2
	case fieldIs:
		return m.s1 + " is " + m.s2
	case listed:
		return m.s1 + ": " + m.s2
	case exited:
		if m.s2 == "" {
			return fmt.Sprintf("container %s exited with code %d", m.s1, m.n1)
		}
		return fmt.Sprintf("container %s exited with code %d (%s)", m.s1, m.n1, m.s2)
	case waits:
		return "container " + m.s1 + ": " + m.s2
	case childIs:
		if m.s2 == "" {
			return m.s1
		}
		return m.s1 + ": " + m.s2
	case isTrueField:
		return m.s1 + "." + m.s2 + " is true"
	case extra:
		return strconv.FormatInt(m.n1, 10) + " " + m.s1 + " too many"
	}
	return m.s1
}
