// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"maps"
	"slices"
	"time"
)

// rewrite returns the wire form of a condition. A field of the entry, which may be nil, is kept where it says the same or where the dialect does
// not have it. The entry is not changed.
func (d Dialect) rewrite(c Condition, entry map[string]any) map[string]any {
	m := maps.Clone(entry)
	if m == nil {
		m = make(map[string]any, 6)
	}
	rules := d.rules()
	bare := rules.BareReason || rules.Limits != nil // reason and message may be left out
	text := func(name, value string, required bool) {
		old, there := m[name]
		switch old, isText := old.(string); {
		case isText && old == value:
		case value != "" || required:
			m[name] = value
		case there:
			delete(m, name)
		}
	}
	text("type", c.Type, true)
	text("status", string(c.Status), true)
	text("reason", c.Reason, !bare)
	text("message", c.Message, !bare)
	if rules.Severities != nil {
		severity := string(c.Severity)
		if !slices.Contains(rules.Severities, severity) {
			severity = ""
		}
		text("severity", severity, false)
	}
	if old, ok := wholeNumber(m["observedGeneration"]); !rules.NoGenerations && (!ok || old != c.ObservedGeneration) {
		delete(m, "observedGeneration")
		if c.ObservedGeneration != 0 {
			m["observedGeneration"] = c.ObservedGeneration
		}
	}
	writeTime(m, c.LastTransitionTime.Time)
	return m
}

func writeTime(m map[string]any, t time.Time) {
	const name = "lastTransitionTime"
	if t.IsZero() {
		m[name] = nil
		return
	}
	if s, ok := m[name].(string); ok {
		if old, err := time.Parse(time.RFC3339, s); err == nil && old.Equal(t) {
			return
		}
	}
	m[name] = t.UTC().Format(time.RFC3339)
}
