// SPDX-License-Identifier: Apache-2.0

package verdict

// Object is what a Pack reads: an object, decoded or raw, through the same accessors. It is valid during the call only.
type Object struct{ n node }

// Decoded wraps a decoded object, for packs that are tested by themselves.
func Decoded(object map[string]any) Object { return Object{node{v: object}} }

// Get follows fields; an absent value on the way gives the absent Object.
func (o Object) Get(path ...string) Object {
	n := o.n
	for _, f := range path {
		n = n.get(f)
	}
	return Object{n}
}

// Exists says that the field is there and not null.
func (o Object) Exists() bool {
	k := o.n.kind()
	return k != kindNone && k != kindNull
}

// Text is the value of a string, or "".
func (o Object) Text() string { return o.n.str() }

// Number is the value of a whole number, also of one written as a string of digits.
func (o Object) Number() (int64, bool) { return o.n.num() }

// Bool is the value of a boolean.
func (o Object) Bool() (value, ok bool) { return o.n.boolean() }

// Value decodes the value.
func (o Object) Value() any { return o.n.value() }

// Each calls f for each item of a list until it returns false.
func (o Object) Each(f func(Object) bool) {
	it := o.n.items()
	for x := (node{}); it.more(&x); {
		if !f(Object{x}) {
			return
		}
	}
}

// A Condition is what a pack reads of a condition.
type Condition struct {
	Type, Status, Reason, Severity, Message, LastTransitionTime string
	// ObservedGeneration is -1 where the condition does not say it.
	ObservedGeneration int64

	raw any // the status as it stands
}

// Condition finds a condition by its type in the list that o is. Of several of the type the worst counts (False, then
// Unknown, then True); the status is one of these three words.
func (o Object) Condition(conditionType string) (Condition, bool) {
	var c cond
	if !findIn(o.n, conditionType, &c) {
		return Condition{}, false
	}
	out := Condition{c.typ, c.status, c.reason(), c.severity(), c.message(), c.n.getStr("lastTransitionTime"), -1, c.n.get("status").value()}
	if seen, ok := c.observed(); ok {
		out.ObservedGeneration = seen
	}
	return out, true
}
