// SPDX-License-Identifier: Apache-2.0

package object

import (
	"cmp"
	"fmt"
)

// Message is a sentence in parts, which is composed when it is asked for. Without a format it is S1.
type Message struct {
	Format string // with the places of S1, S2, N1 and N2
	S1, S2 string
	N1, N2 int64
}

func (m Message) String() string {
	if m.Format == "" {
		return m.S1
	}
	return fmt.Sprintf(m.Format, m.S1, m.S2, m.N1, m.N2)
}

// Text returns a sentence as it is.
func Text(s string) Message { return Message{S1: s} }

// Generations compares the generation of an object with the observed one.
func Generations(generation, observed int64) Message {
	return Message{Format: "generation is %[3]d, observed generation is %[4]d", N1: generation, N2: observed}
}

// ConditionOld is about a condition of another generation.
func ConditionOld(conditionType string, seen, generation int64) Message {
	return Message{Format: "condition %[1]s was observed at generation %[3]d, generation is %[4]d", S1: conditionType, N1: seen, N2: generation}
}

// FinalizersLeft is about an object that is being deleted, with one of its finalizers.
func FinalizersLeft(finalizer string, all int) Message {
	m := Message{Format: "deletion is requested, finalizer %[1]s is left", S1: finalizer, N1: int64(all)}
	if all > 1 {
		m.Format = "deletion is requested, %[3]d finalizers are left, among them %[1]s"
	}
	return m
}

// Counted compares an existing number with a wanted one.
func Counted(what string, have, want int64) Message {
	return Message{Format: "%[3]d of %[4]d %[1]s", S1: what, N1: have, N2: want}
}

// ConditionIs names the status of a condition.
func ConditionIs(conditionType, status string) Message {
	return Message{Format: "condition %[1]s is %[2]s", S1: conditionType, S2: status}
}

// FieldIs names the value of a field.
func FieldIs(field, value string) Message {
	return Message{Format: "%[1]s is %[2]s", S1: field, S2: value}
}

// Listed puts a name before a sentence.
func Listed(name, sentence string) Message {
	return Message{Format: "%[1]s: %[2]s", S1: name, S2: sentence}
}

// Of puts the name of an element of a list before a sentence about it; the empty name changes nothing.
func (m Message) Of(name string) Message {
	if name == "" {
		return m
	}
	return Listed(name, m.String())
}

// Exited is about the end of a container; reason may be empty.
func Exited(container, reason string, code int64) Message {
	m := Message{Format: "container %[1]s exited with code %[3]d (%[2]s)", S1: container, S2: reason, N1: code}
	if reason == "" {
		m.Format = "container %[1]s exited with code %[3]d"
	}
	return m
}

// Restarted is about a container that is started again and again.
func Restarted(container, reason string, times, code int64) Message {
	return Message{Format: "container %[1]s has been restarted %[3]d times, and exited with code %[4]d before (%[2]s)",
		S1: container, S2: cmp.Or(reason, "Error"), N1: times, N2: code}
}

// Waits is about a container that waits.
func Waits(container, why string) Message {
	return Message{Format: "container %[1]s: %[2]s", S1: container, S2: why}
}

// IsTrueField is about a flag of a section.
func IsTrueField(section, field string) Message {
	return Message{Format: "%[1]s.%[2]s is true", S1: section, S2: field}
}

// Extra is about more things than are wanted.
func Extra(what string, n int64) Message {
	return Message{Format: "%[3]d %[1]s too many", S1: what, N1: n}
}

// CountIs names a number.
func CountIs(field string, n int64) Message {
	return Message{Format: "%[1]s is %[3]d", S1: field, N1: n}
}

// ListedIn is about the size of a list.
func ListedIn(field string, n int64) Message {
	return Message{Format: "%[3]d in %[1]s", S1: field, N1: n}
}

// DoneBy adds who does it to a sentence; the empty name changes nothing.
func (m Message) DoneBy(name string) Message {
	if name == "" {
		return m
	}
	return Message{Format: "%[1]s by %[2]s", S1: m.S1, S2: name}
}
