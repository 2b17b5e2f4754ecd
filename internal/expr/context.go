// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"reflect"
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

	next time.Time
}

// Next is the earliest instant at which a call of after will change its answer; zero for never.
func (c *Context) Next() time.Time { return c.next }

// reached tells whether t has come, and remembers t if it has not.
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
	found := map[string]string{"type": conditionType, "status": "Unknown", "reason": "", "message": "", "severity": "",
		"lastTransitionTime": ""}
	for _, entry := range list {
		m, ok := entry.(map[string]any)
		if !ok {
			continue
		}
		name, _ := m["type"].(string)
		if name != conditionType && (c.Canonical == nil || c.Canonical(object, name) != conditionType) {
			continue
		}
		for key := range found {
			if value, ok := m[key].(string); ok && key != "type" && (key != "status" || value != "") {
				found[key] = value
			}
		}
		return found
	}
	return found
}
