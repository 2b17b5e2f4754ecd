// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"reflect"
	"strings"
	"time"
)

type reflectType = reflect.Type

// Around has the functions of expressions that look at the objects of a graph: refusals and blocks of a pod, backend of a Service. See the
// documentation of the package.
type Around struct {
	Refusals, Blocks, Backend func(object map[string]any) []any
}

// Context holds the input of the functions of one evaluation besides its variables.
type Context struct {
	Now time.Time
	// Conditions returns the conditions list of an object; nil reads status.conditions.
	Conditions func(object map[string]any) []any
	// Canonical returns the declared name of a type that the object reports under an alias; nil: every name is canonical.
	Canonical func(object map[string]any, conditionType string) string

	// Around answers what is asked of the objects around one; nil: none are known.
	Around *Around

	next  time.Time
	spent uint64 // cost of the evaluations so far
}

// Next returns the earliest instant at which a call of after will change its answer; zero for never.
func (c *Context) Next() time.Time { return c.next }

// reached reports whether t has come, and records t for Next if it has not.
func (c *Context) reached(t time.Time) bool {
	if !c.Now.Before(t) {
		return true
	}
	if c.next.IsZero() || t.Before(c.next) {
		c.next = t
	}
	return false
}

// condition returns a condition of an object. The worst of several of one type counts, so that their order in the list does not matter.
func (c *Context) condition(object map[string]any, conditionType string) conditionValue {
	var list []any
	if c.Conditions != nil {
		list = c.Conditions(object)
	} else if status, ok := object["status"].(map[string]any); ok {
		list, _ = status["conditions"].([]any)
	}
	found := conditionValue{conditionType: conditionType, status: "Unknown"}
	for _, entry := range list {
		m, ok := entry.(map[string]any)
		if !ok {
			continue
		}
		name, _ := m["type"].(string)
		if name != conditionType && (c.Canonical == nil || c.Canonical(object, name) != conditionType) {
			continue
		}
		if one := (conditionValue{conditionType, statusOf(m["status"]), m}); found.m == nil || one.before(&found) {
			found = one
		}
	}
	return found
}

// statusOf reads a status. One that hand-written YAML made a boolean counts as its word.
func statusOf(value any) string {
	switch s := value.(type) {
	case string:
		if s != "" {
			return s
		}
	case bool:
		if s {
			return "True"
		}
		return "False"
	}
	return "Unknown"
}

// before orders conditions of one type that an object reports twice: False, then Unknown, then True, then by their fields.
func (v *conditionValue) before(o *conditionValue) bool {
	rank := func(status string) int { return strings.Index("False Unknown True", status) }
	if x, y := rank(v.status), rank(o.status); x != y {
		return x < y
	}
	for _, name := range [...]string{"status", "reason", "message", "severity", "lastTransitionTime"} {
		x, _ := v.field(name)
		if y, _ := o.field(name); x != y {
			return x < y
		}
	}
	return false
}
