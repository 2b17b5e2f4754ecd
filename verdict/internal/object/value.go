// SPDX-License-Identifier: Apache-2.0

package object

import (
	"iter"
	"math"
	"strconv"

	"github.com/tristate/tristate/conditions"
)

// Value is a value of a decoded object: the object itself, or what a field of it holds. The zero Value is an absent one. Every method may
// be called on any value: one of another type reads as absent.
type Value struct{ v any }

// Of returns a value that is not null.
func Of(v any) Value { return Value{v} }

// Interface returns the Go value; nil for one that is absent or null.
func (o Value) Interface() any {
	if _, null := o.v.(explicitNull); null {
		return nil
	}
	return o.v
}

// Map returns the map that the value is; nil for any other value.
func (o Value) Map() map[string]any {
	m, _ := o.v.(map[string]any)
	return m
}

// Exists reports whether the field exists and is not null.
func (o Value) Exists() bool {
	k := o.Kind()
	return k != None && k != Null
}

// Text returns the value of a string, or "".
func (o Value) Text() string {
	s, _ := o.v.(string)
	return s
}

// Scalar returns a value as the text by which states and words are compared: a string as it is, a boolean as true or false, and a number in
// decimal digits; "" for any other value.
func (o Value) Scalar() string {
	switch v := o.v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	if n, ok := o.Number(); ok {
		return strconv.FormatInt(n, 10)
	}
	return ""
}

// Number returns a whole number: an integer, a float without a fraction, or a string of digits.
func (o Value) Number() (int64, bool) {
	switch v := o.v.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	case int32:
		return int64(v), true
	case float64:
		return wholeFloat(v)
	case string:
		return ParseNumber(v)
	}
	return 0, false
}

// Bool returns a boolean.
func (o Value) Bool() (value, ok bool) {
	value, ok = o.v.(bool)
	return value, ok
}

// Kind is the JSON kind of a value.
type Kind uint8

// The kinds.
const (
	None   Kind = iota // absent
	Null               // null
	Bool               //
	Int                // a whole number that fits into an int64
	Float              // any other number
	String             //
	Map                //
	List               //
	Other              // a Go value that JSON decoding never returns
)

// Kind returns the kind of the value.
func (o Value) Kind() Kind {
	switch v := o.v.(type) {
	case nil:
		return None
	case explicitNull:
		return Null
	case string:
		return String
	case map[string]any:
		return Map
	case []any:
		return List
	case bool:
		return Bool
	case int64, int, int32:
		return Int
	case float64:
		if _, whole := wholeFloat(v); whole {
			return Int // a decoder that has only one type of number
		}
		return Float
	}
	return Other
}

// explicitNull is a null that is present, which a nil interface does not separate from an absent value.
type explicitNull struct{}

// orNull returns a value that is present.
func orNull(v any) Value {
	if v == nil {
		v = explicitNull{}
	}
	return Value{v}
}

// Get returns a field of a map.
func (o Value) Get(key string) Value {
	m, _ := o.v.(map[string]any)
	if v, ok := m[key]; ok {
		return orNull(v)
	}
	return Value{}
}

// TextAt is Get(key).Text(), which most of a judgement is, without the detour.
func (o Value) TextAt(key string) string {
	m, _ := o.v.(map[string]any)
	s, _ := m[key].(string)
	return s
}

// WordAt is Get(key).Word() without the detour.
func (o Value) WordAt(key string) string {
	m, _ := o.v.(map[string]any)
	v := m[key]
	if s, ok := v.(string); ok {
		return s
	}
	return Value{v}.Word()
}

// NumberAt is Get(key).Number() without the detour.
func (o Value) NumberAt(key string) (int64, bool) {
	m, _ := o.v.(map[string]any)
	switch v := m[key].(type) {
	case int64:
		return v, true
	case nil:
		return 0, false
	default:
		return Value{v}.Number()
	}
}

// Get2 returns a field of a field.
func (o Value) Get2(a, b string) Value { return o.Get(a).Get(b) }

// Word returns the value of a string, and True or False for a boolean: YAML that is written by hand turns the unquoted status of a
// condition into a boolean.
func (o Value) Word() string {
	switch v := o.v.(type) {
	case string:
		return v
	case bool:
		if v {
			return string(conditions.True)
		}
		return string(conditions.False)
	}
	return ""
}

// IsTrue reports whether the value is the boolean true.
func (o Value) IsTrue() bool {
	b, _ := o.v.(bool)
	return b
}

// NumberOr is Number with a default.
func (o Value) NumberOr(def int64) int64 {
	if v, ok := o.Number(); ok {
		return v
	}
	return def
}

// wholeFloat returns a number without a fraction. One beyond 1<<62, as decoders make of an integer with too many digits, is cut to that: it
// stays too large for a generation, and sums do not overflow.
func wholeFloat(f float64) (int64, bool) {
	if f != math.Trunc(f) {
		return 0, false
	}
	return int64(min(max(f, -1<<62), 1<<62)), true
}

// ParseNumber reads a whole number in decimal digits.
func ParseNumber(s string) (int64, bool) {
	if s == "" || len(s) > 19 || (s[0] != '-' && (s[0] < '0' || s[0] > '9')) {
		return 0, false
	}
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil
}

// Size returns the number of entries of a map or list, otherwise 0.
func (o Value) Size() int {
	switch v := o.v.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	}
	return 0
}

// Present reports whether the field exists and is neither null nor empty.
func (o Value) Present() bool {
	switch o.Kind() {
	case None, Null:
		return false
	case String:
		return o.Text() != ""
	case Map, List:
		return o.Size() > 0
	}
	return true
}

// Items iterates over the items of a list.
func (o Value) Items() iter.Seq[Value] {
	list, _ := o.v.([]any)
	return func(yield func(Value) bool) {
		for _, item := range list {
			if !yield(orNull(item)) {
				return
			}
		}
	}
}

// Fields iterates over the entries of a map that are not null, in no particular order.
func (o Value) Fields() iter.Seq2[string, Value] {
	m, _ := o.v.(map[string]any)
	return func(yield func(string, Value) bool) {
		for key, value := range m {
			if value != nil && !yield(key, Value{value}) {
				return
			}
		}
	}
}
