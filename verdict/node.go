// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"math"
	"strconv"
)

// kind is the JSON kind of a node.
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
	kindOther              // a Go value that JSON decoding never yields
)

// node is one value of a decoded object. The zero node is an absent value; every method is total: a wrong kind reads as absent.
type node struct {
	v any
}

func decoded(v any) node { return node{v: v} }

func (n node) kind() kind {
	switch v := n.v.(type) {
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
			return kindInt // as a decoder that knows only one kind of number has it
		}
		return kindFloat
	}
	return kindOther
}

// explicitNull stands for a null that is present, which a nil interface could not tell from an absent value.
type explicitNull struct{}

// get reads a field of a map.
func (n node) get(key string) node {
	m, ok := n.v.(map[string]any)
	if !ok {
		return node{}
	}
	v, ok := m[key]
	if !ok {
		return node{}
	}
	if v == nil {
		return node{v: explicitNull{}}
	}
	return node{v: v}
}

// getStr is get(key).str(), without detours: judging is mostly this.
func (n node) getStr(key string) string {
	if m, ok := n.v.(map[string]any); ok {
		s, _ := m[key].(string)
		return s
	}
	return n.get(key).str()
}

// getWord is get(key).word(), in the same way.
func (n node) getWord(key string) string {
	if m, ok := n.v.(map[string]any); ok {
		v := m[key]
		if s, ok := v.(string); ok {
			return s
		}
		return node{v: v}.word()
	}
	return n.get(key).word()
}

// getNum is get(key).num(), in the same way.
func (n node) getNum(key string) (int64, bool) {
	if m, ok := n.v.(map[string]any); ok {
		switch v := m[key].(type) {
		case int64:
			return v, true
		case nil:
			return 0, false
		default:
			return node{v: v}.num()
		}
	}
	return n.get(key).num()
}

func (n node) get2(a, b string) node    { return n.get(a).get(b) }
func (n node) get3(a, b, c string) node { return n.get(a).get(b).get(c) }

// str is the value of a string, or "".
func (n node) str() string {
	s, _ := n.v.(string)
	return s
}

// word is the value of a string, and the words True and False for a boolean: hand-written YAML turns the unquoted
// status of a condition into a boolean.
func (n node) word() string {
	if s, ok := n.v.(string); ok {
		return s
	}
	b, ok := n.boolean()
	switch {
	case !ok:
		return ""
	case b:
		return "True"
	}
	return "False"
}

func (n node) boolean() (value, ok bool) {
	b, ok := n.v.(bool)
	return b, ok
}

func (n node) isTrue() bool {
	b, ok := n.boolean()
	return ok && b
}

// num is the value of a whole number, whatever wrote it: an integer, a float without a fraction, or a string of digits.
func (n node) num() (int64, bool) {
	switch v := n.v.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	case int32:
		return int64(v), true
	case float64:
		return wholeFloat(v)
	case string:
		return parseNum(v)
	}
	return 0, false
}

// numOr is num with a default.
func (n node) numOr(def int64) int64 {
	if v, ok := n.num(); ok {
		return v
	}
	return def
}

func wholeFloat(f float64) (int64, bool) {
	if f != math.Trunc(f) || f < -1<<62 || f > 1<<62 {
		return 0, false
	}
	return int64(f), true
}

func parseNum(s string) (int64, bool) {
	if s == "" || len(s) > 19 || (s[0] != '-' && (s[0] < '0' || s[0] > '9')) {
		return 0, false
	}
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil
}

// size is the number of entries of a map or list, else 0.
func (n node) size() int {
	switch v := n.v.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	}
	return 0
}

// present says that the field exists and is neither null nor empty.
func (n node) present() bool {
	switch n.kind() {
	case kindNone, kindNull:
		return false
	case kindString:
		return n.str() != ""
	case kindMap, kindList:
		return n.size() > 0
	}
	return true
}

// items walks a list. It allocates nothing.
type items struct {
	list []any
	pos  int
}

func (n node) items() items {
	l, _ := n.v.([]any)
	return items{list: l}
}

func (it *items) more(out *node) bool {
	if it.pos >= len(it.list) {
		return false
	}
	v := it.list[it.pos]
	it.pos++
	if v == nil {
		*out = node{v: explicitNull{}}
	} else {
		*out = node{v: v}
	}
	return true
}

// fields calls f for each entry of a map, in no particular order: callers must not depend on it.
func (n node) fields(f func(key string, value node) bool) {
	m, _ := n.v.(map[string]any)
	for k, v := range m {
		if v == nil {
			continue
		}
		if !f(k, node{v: v}) {
			return
		}
	}
}

// value is the Go value.
func (n node) value() any {
	if _, null := n.v.(explicitNull); null {
		return nil
	}
	return n.v
}
