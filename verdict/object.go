// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// Object is a value of a decoded object: the object itself, or what a field of it holds. The zero Object is an absent value. Every method
// may be called on any value: one of another type reads as absent. A [Pack] may use it during the call only.
type Object struct{ v object.Value }

// Get returns the value at a path of fields.
func (o Object) Get(path ...string) Object {
	for _, field := range path {
		o.v = o.v.Get(field)
	}
	return o
}

// Exists reports whether the field exists and is not null.
func (o Object) Exists() bool { return o.v.Exists() }

// Text returns the value of a string, true or false for a boolean, and the decimal digits of a number; "" for any other value.
func (o Object) Text() string { return o.v.Scalar() }

// Number returns a whole number: an integer, a float without a fraction, or a string of digits.
func (o Object) Number() (int64, bool) { return o.v.Number() }

// Bool returns a boolean.
func (o Object) Bool() (value, ok bool) { return o.v.Bool() }

// Value returns the Go value; nil for one that is absent or null.
func (o Object) Value() any { return o.v.Interface() }

// Each calls f for each item of a list until it returns false.
func (o Object) Each(f func(Object) bool) {
	for item := range o.v.Items() {
		if !f(Object{item}) {
			return
		}
	}
}

// Condition returns the condition of a type in a list. Of several with the same type the newest one counts; of those
// without times the worst one (False, then Unknown, then True).
func (o Object) Condition(conditionType string) (c Condition, ok bool) {
	var found object.Condition
	ok = object.Find(o.v, conditionType, &found)
	return conditionOf(found), ok
}

// Condition is an entry of a list of conditions, read without a copy. A boolean status reads as its word, and so does a word in another
// letter case.
type Condition struct {
	Type   string
	Status conditions.Status // True, False or Unknown
	n      object.Value
}

func conditionOf(c object.Condition) Condition { return Condition{c.Type, c.Status, c.N} }

func (c *Condition) read() *object.Condition {
	return &object.Condition{Type: c.Type, Status: c.Status, N: c.n}
}

// Reason returns the reason as it is written.
func (c *Condition) Reason() string { return c.read().Reason() }

// Message returns the message as it is written.
func (c *Condition) Message() string { return c.read().Message() }

// Severity returns the severity, by which authors rate a failure (Cluster API v1beta1, Knative); empty without one.
func (c *Condition) Severity() conditions.Severity { return c.read().Severity() }

// ObservedGeneration returns the generation at which the condition was observed.
func (c *Condition) ObservedGeneration() (generation int64, ok bool) {
	return c.read().ObservedGeneration()
}

// FailsNow reports whether a condition decides although the status is about an older generation: it was itself observed at the current
// generation, and by it the object is Failed or Degraded. A controller that fails to apply a change reports that in a condition, and often
// records the generation in the status only after the change was applied.
func (c *Condition) FailsNow(generation int64, by Status) bool {
	return answer.FailsNow(c.read(), generation, by)
}

// LooksGood reports whether a status of a condition type is the healthy one, as far as its words show: True of a positive type, False of a
// negative one. A type about an activity has none.
func LooksGood(conditionType string, status conditions.Status) bool {
	switch lexicon.Default.AboutType(conditionType).Aspect {
	case lexicon.AspectPositive:
		return conditions.Positive.Good(status)
	case lexicon.AspectNegative:
		return conditions.Negative.Good(status)
	}
	return false
}
