// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
)

// declaration writes the kind as a Go value. Fields come from the struct types, so that none can be forgotten.
func (w *goWriter) declaration() {
	d := *w.kind.Kind.Declaration
	w.line("// Kind declares the conditions of %s.", d.Kind)
	w.line("var Kind = &conditions.Kind{")
	w.fields(reflect.ValueOf(d), "Types")
	w.line("Types: []conditions.Type{")
	for _, t := range w.kind.Types {
		w.line("{\nName: Type%s,", t.Ident)
		w.fields(reflect.ValueOf(t.Type), "Name", "Reasons")
		if len(t.Calls) > 0 {
			w.line("Reasons: []conditions.Reason{")
			for _, c := range t.Calls {
				w.reason(c)
			}
			w.line("},")
		}
		w.line("},")
	}
	w.line("},\n}\n")
}

// fields writes the fields that are set, each on its line.
func (w *goWriter) fields(v reflect.Value, except ...string) {
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if v.Field(i).IsZero() || slices.Contains(except, name) {
			continue
		}
		w.line("%s: %s,", name, literal(v.Field(i)))
	}
}

// reason writes a cell on one line, its texts on the next one.
func (w *goWriter) reason(c callView) {
	v := reflect.ValueOf(c.Reason)
	parts := []string{`Name: ""`}
	if c.Const != "" {
		parts[0] = "Name: " + c.Const
	}
	var texts []string
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch {
		case name == "Name", v.Field(i).IsZero():
		case name == "Status":
			parts = append(parts, fmt.Sprintf("Status: conditions.%s", c.Status))
		case name == "Message", name == "Meaning", name == "Remedy":
			texts = append(texts, fmt.Sprintf("%s: %s", name, literal(v.Field(i))))
		default:
			parts = append(parts, name+": "+literal(v.Field(i)))
		}
	}
	w.line("{%s,\n%s},", strings.Join(parts, ", "), strings.Join(texts, ", "))
}

// named are the constants of package conditions for values that have one.
var named = map[reflect.Type]map[string]string{
	reflect.TypeFor[conditions.Polarity](): {"positive": "Positive", "negative": "Negative", "neutral": "Neutral"},
	reflect.TypeFor[conditions.Role]():     {"summary": "RoleSummary", "dependent": "RoleDependent", "informational": "RoleInformational"},
	reflect.TypeFor[conditions.Presence](): {"always": "PresenceAlways", "when-true": "PresenceWhenTrue",
		"when-known": "PresenceWhenKnown", "once-true": "PresenceOnceTrue"},
	reflect.TypeFor[conditions.Unreported](): {"keep": "UnreportedKeep", "unknown": "UnreportedUnknown",
		"fail": "UnreportedFail"},
	reflect.TypeFor[conditions.Since](): {"cell": "SinceCell", "generation": "SinceGeneration", "progress": "SinceProgress"},
	reflect.TypeFor[conditions.Class](): {"ok": "ClassOK", "progress": "ClassProgress", "transient": "ClassTransient",
		"terminal":  "ClassTerminal",
		"suspended": "ClassSuspended"},
	reflect.TypeFor[conditions.Severity](): {"Error": "SeverityError", "Warning": "SeverityWarning", "Info": "SeverityInfo"},
	reflect.TypeFor[conditions.Dialect](): {"core": "DialectCore", "kstatus": "DialectKstatus", "knative": "DialectKnative",
		"capi-v1beta1": "DialectCAPIv1beta1", "capi-v1beta2": "DialectCAPIv1beta2", "openshift": "DialectOpenShift", "gateway": "DialectGateway"},
}

// literal is a value as Go source.
func literal(v reflect.Value) string {
	if name, ok := named[v.Type()][fmt.Sprint(v)]; ok {
		return "conditions." + name
	}
	if v.Type() == reflect.TypeFor[time.Duration]() {
		return duration(time.Duration(v.Int()))
	}
	switch v.Kind() {
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	case reflect.Pointer:
		return "&" + literal(v.Elem())
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = literal(v.Index(i))
		}
		return typeName(v.Type()) + "{" + strings.Join(parts, ", ") + "}"
	case reflect.Struct:
		var parts []string
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				parts = append(parts, v.Type().Field(i).Name+": "+literal(v.Field(i)))
			}
		}
		return typeName(v.Type()) + "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v) // booleans and numbers
}

func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Slice && t.Name() == "" {
		return "[]" + typeName(t.Elem())
	}
	return t.String() // with its package, which is conditions or none
}

// duration is a duration in the largest unit that it is a multiple of.
func duration(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}} {
		if d%unit.size == 0 {
			if d == unit.size {
				return "time." + unit.name
			}
			return fmt.Sprintf("%d * time.%s", d/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d", d)
}
