// SPDX-License-Identifier: Apache-2.0

package object

import (
	"cmp"
	"fmt"
)

// Message is a sentence in parts, which is composed when it is asked for. Without a format it is S1.
type Message struct {
	Format Format
	S1, S2 string
	N1, N2 int64
}

// Format is a sentence with the places of S1, S2, N1 and N2 of a message.
type Format string

// The sentences.
const (
	FieldIs      Format = "%[1]s is %[2]s"
	Listed       Format = "%[1]s: %[2]s"
	ConditionIs  Format = "condition %[1]s is %[2]s"
	Waits        Format = "container %[1]s: %[2]s"
	IsTrueField  Format = "%[1]s.%[2]s is true"
	CountIs      Format = "%[1]s is %[3]d"
	ListedIn     Format = "%[3]d in %[1]s"
	Extra        Format = "%[3]d %[1]s too many"
	Counted      Format = "%[3]d of %[4]d %[1]s" // how many there are, of how many
	Generations  Format = "generation is %[3]d, observed generation is %[4]d"
	ConditionOld Format = "condition %[1]s was observed at generation %[3]d, generation is %[4]d"
	doneBy       Format = "%[1]s by %[2]s"
	finalizer    Format = "deletion is requested, finalizer %[1]s is left"
	finalizers   Format = "deletion is requested, %[3]d finalizers are left, among them %[1]s"
	exited       Format = "container %[1]s exited with code %[3]d"
	exitedFor    Format = "container %[1]s exited with code %[3]d (%[2]s)"
	restarted    Format = "container %[1]s has been restarted %[3]d times, and exited with code %[4]d before (%[2]s)"
)

// Of returns the sentence about two texts.
func (f Format) Of(s1, s2 string) Message { return Message{Format: f, S1: s1, S2: s2} }

// Count returns the sentence about a text and two numbers.
func (f Format) Count(s string, n1, n2 int64) Message {
	return Message{Format: f, S1: s, N1: n1, N2: n2}
}

// Text returns a sentence as it is.
func Text(s string) Message { return Message{S1: s} }

func (m Message) String() string {
	if m.Format == "" {
		return m.S1
	}
	return fmt.Sprintf(string(m.Format), m.S1, m.S2, m.N1, m.N2)
}

// In puts the name of an element of a list before a sentence about it; the empty name changes nothing.
func (m Message) In(name string) Message {
	if name == "" {
		return m
	}
	return Listed.Of(name, m.String())
}

// DoneBy adds who does it to a sentence; the empty name changes nothing.
func (m Message) DoneBy(name string) Message {
	if name == "" {
		return m
	}
	return doneBy.Of(m.S1, name)
}

// FinalizersLeft is about an object that is being deleted, with one of its finalizers.
func FinalizersLeft(one string, all int) Message {
	if all > 1 {
		return finalizers.Count(one, int64(all), 0)
	}
	return finalizer.Count(one, int64(all), 0)
}

// Exited is about the end of a container; reason may be empty.
func Exited(container, reason string, code int64) Message {
	if reason == "" {
		return exited.Count(container, code, 0)
	}
	return Message{Format: exitedFor, S1: container, S2: reason, N1: code}
}

// Restarted is about a container that is started again and again.
func Restarted(container, reason string, times, code int64) Message {
	return Message{Format: restarted, S1: container, S2: cmp.Or(reason, "Error"), N1: times, N2: code}
}
