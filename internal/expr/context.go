// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"reflect"
	"strings"
	"time"
)

type reflectType = reflect.Type

// Context is what the functions of one evaluation need besides its variables.
type Context struct {
	Now time.Time
	// Conditions gives the conditions list of an object; nil reads status.conditions.
	Conditions func(object map[string]any) []any
	// Canonical gives the right name of a type that the object reports under an alias; nil takes names as they are.
	Canonical func(object map[string]any, conditionType string) string

	next  time.Time
	spent uint64 // cost of the evaluations so far
}

// Next is the earliest instant at which a call of after will change its answer; zero for never.
func (c *Context) Next() time.Time { return c.next }

// reached reports whether t has come, and remembers t if it has not.
func (c *Context) reached(t time.Time) bool {
	if !c.Now.Before(t) {
		return true
	}
	if c.next.IsZero() || t.Before(c.next) {
		c.next = t
	}
	return false
}

func (c *Context) condition(object map[string]any, conditionType string) map[string]string {
	var list []any
	if c.Conditions != nil {
		list = c.Conditions(object)
	} else if status, ok := object["status"].(map[string]any); ok {
		list, _ = status["conditions"].([]any)
	}
	var found map[string]string
	for _, entry := range list {
		m, ok := entry.(map[string]any)
		if !ok {
			continue
		}
		name, _ := m["type"].(string)
		if name != conditionType && (c.Canonical == nil || c.Canonical(object, name) != conditionType) {
			continue
		}
		if one := read(conditionType, m); found == nil || before(one, found) {
			found = one
		}
	}
	if found == nil {
		return read(conditionType, nil)
	}
	return found
}

// read returns the fields of a condition. A status that hand-written YAML made a boolean counts as its word.
func read(conditionType string, m map[string]any) map[string]string {
	out := map[string]string{"type": conditionType, "status": "Unknown", "reason": "", "message": "", "severity": "", "lastTransitionTime": ""}
	for key := range out {
		if value, ok := m[key].(string); ok && key != "type" && (key != "status" || value != "") {
			out[key] = value
		}
	}
	if b, ok := m["status"].(bool); ok {
		out["status"] = map[bool]string{true: "True", false: "False"}[b]
	}
	return out
}

// before orders conditions of one type that an object reports twice, so that their order in the list does not matter: False, then
// Unknown, then True, then by what they say.
func before(a, b map[string]string) bool {
	rank := func(m map[string]string) int { return strings.Index("False Unknown True", m["status"]) }
	if x, y := rank(a), rank(b); x != y {
		return x < y
	}
	for _, key := range []string{"status", "reason", "message", "severity", "lastTransitionTime"} {
		if a[key] != b[key] {
			return a[key] < b[key]
		}
	}
	return false
}
