// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Shape is the form that a condition has on the wire. A field that a shape does not have is none of ours: it is not read, and
// stands as it was when an entry is written.
type Shape string

// The shapes. All have type, status and lastTransitionTime.
const (
	ShapeMeta        Shape = ""             // metav1.Condition: reason and message required; observedGeneration
	ShapeCAPIv1beta1 Shape = "capi-v1beta1" // reason and message optional; severity Error, Warning or Info
	ShapeKnative     Shape = "knative"      // reason and message optional; severity Warning or Info, none is Error
	ShapeOpenShift   Shape = "openshift"    // reason and message optional
	ShapeCrossplane  Shape = "crossplane"   // reason required, message optional; observedGeneration
)

// need says whether a shape has a field.
type need uint8

const (
	hasNot   need = iota
	mayHave       // optional
	mustHave      // required
)

// fields are those that differ between the shapes.
type fields struct {
	reason, message, generation need
	severities                  string // those on the wire
}

func (s Shape) fields() fields {
	switch s {
	case ShapeCAPIv1beta1:
		return fields{mayHave, mayHave, hasNot, "Error Warning Info"}
	case ShapeKnative:
		return fields{mayHave, mayHave, hasNot, "Warning Info"}
	case ShapeOpenShift:
		return fields{mayHave, mayHave, hasNot, ""}
	case ShapeCrossplane:
		return fields{mustHave, mayHave, mayHave, ""}
	}
	return fields{mustHave, mustHave, mayHave, ""}
}

// Read reads a list of the shape that stands at the path of an object. It never panics, and gives the conditions that can be
// read with an [*EntryError] for each fault, in order: what [ReadList] finds, a required field that is missing, and a severity that the
// shape does not know, which reads as none.
func (s Shape) Read(list []any, path string) (List, []error) {
	l, faults := readList(list)
	has := s.fields()
	for k, i := range l.index {
		c := &l.Conditions[k]
		m, _ := list[i].(map[string]any)
		missing := func(name string, f need, empty bool) {
			if v, there := m[name]; f == mustHave && (!there || v == nil || empty && v == "") {
				faults = append(faults, &EntryError{Index: i, Type: c.Type, Field: name, Text: "is missing"})
			}
		}
		missing("reason", has.reason, true)
		missing("message", has.message, false)
		missing("lastTransitionTime", mustHave, true)
		if has.generation == hasNot {
			c.ObservedGeneration = 0
			faults = without(faults, i, "observedGeneration")
		}
		switch {
		case has.severities == "":
			c.Severity = SeverityNone
			faults = without(faults, i, "severity")
		case c.Severity != SeverityNone && !slices.Contains(strings.Fields(has.severities), string(c.Severity)):
			faults = append(faults, &EntryError{Index: i, Type: c.Type, Field: "severity",
				Text: fmt.Sprintf("%.40q is not one of %s", string(c.Severity), strings.Join(strings.Fields(has.severities), ", "))})
			c.Severity = SeverityNone
		}
	}
	slices.SortStableFunc(faults, func(a, b error) int { return a.(*EntryError).Index - b.(*EntryError).Index })
	for _, fault := range faults {
		fault.(*EntryError).List = path
	}
	l.read = slices.Clone(l.Conditions)
	return l, faults
}

// without leaves out what is said about a field that a shape does not have.
func without(faults []error, index int, field string) []error {
	return slices.DeleteFunc(faults, func(err error) bool {
		e := err.(*EntryError)
		return e.Index == index && e.Field == field
	})
}

// Write returns the wire form of a condition. A field of the entry, which may be nil, stands as it was where it says what the condition
// says, or where the shape does not have it. What the shape does not have is not written: a converter loses it. The entry
// is not changed.
func (s Shape) Write(c Condition, entry map[string]any) map[string]any {
	m := maps.Clone(entry)
	if m == nil {
		m = make(map[string]any, 6)
	}
	has := s.fields()
	text := func(name, value string, f need) {
		old, there := m[name]
		switch old, isText := old.(string); {
		case f == hasNot || isText && old == value:
		case value != "" || f == mustHave:
			m[name] = value
		case there:
			delete(m, name)
		}
	}
	text("type", c.Type, mustHave)
	text("status", string(c.Status), mustHave)
	text("reason", c.Reason, has.reason)
	text("message", c.Message, has.message)
	if has.severities != "" {
		severity := string(c.Severity)
		if !slices.Contains(strings.Fields(has.severities), severity) {
			severity = ""
		}
		text("severity", severity, mayHave)
	}
	if old, ok := wholeNumber(m["observedGeneration"]); has.generation != hasNot && (!ok || old != c.ObservedGeneration) {
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

// shapeOf is the shape that a pass writes in.
func shapeOf(d Dialect) Shape {
	switch d {
	case CAPIv1beta1:
		return ShapeCAPIv1beta1
	case Knative:
		return ShapeKnative
	}
	return ShapeMeta
}
