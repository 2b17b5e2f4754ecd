// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"fmt"
	"reflect"
	"strings"
)

// rule classifies a change of one field of the model.
type rule struct {
	level Level
	id    string
	what  string // the subject of the sentence about the change
}

// ruleOf reads the tag change of a field: "LEVEL ID: SUBJECT", or "-" for a field that package diff compares by other means.
func ruleOf(field reflect.StructField) (r rule, ok bool) {
	head, what, ok := strings.Cut(field.Tag.Get("change"), ": ")
	level, id, _ := strings.Cut(head, " ")
	return rule{Level(level), id, what}, ok
}

// fields compares the fields of a struct by their rules.
func (c *comparer) fields(subject string, was, is reflect.Value) {
	for i := range was.NumField() {
		field := was.Type().Field(i)
		if field.Tag.Get("change") == "-" || reflect.DeepEqual(was.Field(i).Interface(), is.Field(i).Interface()) || was.Field(i).IsZero() &&
			is.Field(i).IsZero() {
			continue
		}
		r, ok := ruleOf(field)
		if !ok {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			c.add(Breaking, "unhandled-change", subject, "", "%s changed, and no rule says what that means", name)
			continue
		}
		if a, b := text(was.Field(i)), text(is.Field(i)); r.id == "meaning-changed" &&
			strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ") {
			continue
		}
		c.add(r.level, r.id, subject, "", "%s changed%s", r.what, fromTo(was.Field(i), is.Field(i)))
	}
}

func text(v reflect.Value) string { return fmt.Sprint(v.Interface()) }

// fromTo returns the change of a short value.
func fromTo(was, is reflect.Value) string {
	if was.Kind() != reflect.String && was.Kind() != reflect.Bool {
		return ""
	}
	show := func(v reflect.Value) string {
		if text(v) == "" {
			return "unset"
		}
		return text(v)
	}
	a, b := show(was), show(is)
	if len(a) > 40 || len(b) > 40 {
		return ""
	}
	return " from " + a + " to " + b
}
