// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"math"
	"strconv"

	"github.com/tristate/tristate/conditions"
)

// Object is a value of a decoded object: the object itself, or what a field of it holds. The zero Object is an absent value. Every method
// may be called on any value: one of another type reads as absent. A [Pack] may use it during the call only.
type Object struct{ v any }

// Get returns the value at a path of fields.
func (o Object) Get(path ...string) Object {
	for _, field := range path {
		o = o.get(field)
	}
	return o
}

// Exists reports whether the field exists and is not null.
func (o Object) Exists() bool {
	k := o.kind()
	return k != kindNone && k != kindNull
}

// Text returns the value of a string, or "".
func (o Object) Text() string {
	s, _ := o.v.(string)
	return s
}

// Number returns a whole number: an integer, a float without a fraction, or a string of digits.
func (o Object) Number() (int64, bool) {
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
		return parseNumber(v)
	}
	return 0, false
}

// Bool returns a boolean.
func (o Object) Bool() (value, ok bool) {
	value, ok = o.v.(bool)
	return value, ok
}

// Value returns the Go value; nil for one that is absent or null.
func (o Object) Value() any {
	if _, null := o.v.(explicitNull); null {
		return nil
	}
	return o.v
}

// Each calls f for each item of a list until it returns false.
func (o Object) Each(f func(Object) bool) {
	it := o.items()
	for item := (Object{}); it.more(&item); {
		if !f(item) {
			return
		}
	}
}

// Condition returns the condition of a type in a list. Of several with the same type the worst one counts (False, then Unknown, then True).
func (o Object) Condition(conditionType string) (c Condition, ok bool) {
	ok = findIn(o, conditionType, &c)
	return c, ok
}

// kind is the JSON kind of a value.
type kind uint8

const (
	kindNone   kind = iota // absent
	kindNull               // null
	kindBool               //
	kindInt                // a whole number that fits into an int64
	kindFloat              // any other number
	kindString             //
	kindMap                //
	kindList               //
	kindOther              // a Go value that JSON decoding never returns
)

func (o Object) kind() kind {
	switch v := o.v.(type) {
	case nil:
		return kindNone
	case explicitNull:
		return kindNull
	case string:
		return kindString
	case map[string]any:
		return kindMap
	case []any:
		return kindList
	case bool:
		return kindBool
	case int64, int, int32:
		return kindInt
	case float64:
		if _, whole := wholeFloat(v); whole {
			return kindInt // a decoder that has only one type of number
		}
		return kindFloat
	}
	return kindOther
}

// explicitNull is a null that is present, which a nil interface does not separate from an absent value.
type explicitNull struct{}

// orNull returns a value that is present.
func orNull(v any) Object {
	if v == nil {
		v = explicitNull{}
	}
	return Object{v}
}

// get returns a field of a map.
func (o Object) get(key string) Object {
	m, _ := o.v.(map[string]any)
	if v, ok := m[key]; ok {
		return orNull(v)
	}
	return Object{}
}

// getStr is get(key).Text(), which most of a judgement is, without the detour.
func (o Object) getStr(key string) string {
	m, _ := o.v.(map[string]any)
	s, _ := m[key].(string)
	return s
}

// getWord is get(key).word() without the detour.
func (o Object) getWord(key string) string {
	m, _ := o.v.(map[string]any)
	v := m[key]
	if s, ok := v.(string); ok {
		return s
	}
	return Object{v}.word()
}

// getNum is get(key).Number() without the detour.
func (o Object) getNum(key string) (int64, bool) {
	m, _ := o.v.(map[string]any)
	switch v := m[key].(type) {
	case int64:
		return v, true
	case nil:
		return 0, false
	default:
		return Object{v}.Number()
	}
}

func (o Object) get2(a, b string) Object    { return o.get(a).get(b) }
func (o Object) get3(a, b, c string) Object { return o.get(a).get(b).get(c) }

// word returns the value of a string, and True or False for a boolean: YAML that is written by hand turns the unquoted status of a
// condition into a boolean.
func (o Object) word() string {
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

func (o Object) isTrue() bool {
	b, _ := o.v.(bool)
	return b
}

// numOr is Number with a default.
func (o Object) numOr(def int64) int64 {
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

func parseNumber(s string) (int64, bool) {
	if s == "" || len(s) > 19 || (s[0] != '-' && (s[0] < '0' || s[0] > '9')) {
		return 0, false
	}
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil
}

// size returns the number of entries of a map or list, otherwise 0.
func (o Object) size() int {
	switch v := o.v.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	}
	return 0
}

// present reports whether the field exists and is neither null nor empty.
func (o Object) present() bool {
	switch o.kind() {
	case kindNone, kindNull:
		return false
	case kindString:
		return o.Text() != ""
	case kindMap, kindList:
		return o.size() > 0
	}
	return true
}

// items iterates over a list without allocating.
type items struct {
	list []any
	pos  int
}

func (o Object) items() items {
	l, _ := o.v.([]any)
	return items{list: l}
}

func (it *items) more(out *Object) bool {
	if it.pos >= len(it.list) {
		return false
	}
	*out = orNull(it.list[it.pos])
	it.pos++
	return true
}

// fields calls f for each entry of a map that is not null, in no particular order, until it returns false.
func (o Object) fields(f func(key string, value Object) bool) {
	m, _ := o.v.(map[string]any)
	for k, v := range m {
		if v != nil && !f(k, Object{v}) {
			return
		}
	}
}
