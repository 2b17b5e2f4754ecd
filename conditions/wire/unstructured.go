// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/internal/dialect"
	"github.com/tristate/tristate/conditions/internal/merge"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EntryError is a fault of one entry of a conditions list.
type EntryError struct {
	Kind  string // of the object, where it is known
	List  string // path of the list; "" is "conditions"
	Index int    // position in the list
	Type  string // the entry's condition type, where it has one
	Field string // name of the field; empty for the entry itself
	Text  string
}

func (e *EntryError) Error() string {
	at := fmt.Sprintf("%s[%d]", cmp.Or(e.List, "conditions"), e.Index)
	if e.Kind != "" {
		at = e.Kind + " " + at
	}
	if e.Field != "" {
		at += "." + e.Field
	}
	if e.Type != "" {
		at += " (condition " + e.Type + ")"
	}
	return at + ": " + e.Text
}

// FromUnstructured reads the conditions list of a decoded object, in the shape of metav1 or of Cluster API v1beta1
// (with severity). It never panics and returns the conditions that can be read, and an [*EntryError] for each fault.
// An entry without a type is left out. An invalid status is read as Unknown (GEP-1364); any other field that cannot
// be read has its zero value.
func FromUnstructured(list []any) ([]conditions.Condition, []error) {
	if len(list) == 0 {
		return nil, nil
	}
	var errs []error
	out := make([]conditions.Condition, 0, len(list))
	for i, entry := range list {
		var c conditions.Condition
		before := len(errs)
		used := readEntry(entry, i, &c, &errs)
		for _, err := range errs[before:] {
			err.(*EntryError).Type = c.Type
		}
		if used {
			out = append(out, c)
		}
	}
	return out, errs
}

// ToUnstructured returns the wire form of a condition. It has a severity only in dialects capi-v1beta1 and knative,
// and an observedGeneration if the dialect has it and it is set. In these two dialects an empty reason or message is
// omitted.
func ToUnstructured(c conditions.Condition, d conditions.Dialect) map[string]any {
	rules := dialect.Rules(string(d))
	bare := rules.BareReason || rules.Limits != nil // reason and message may be left out
	m := map[string]any{"type": c.Type, "status": string(c.Status), "lastTransitionTime": nil}
	if c.Reason != "" || !bare {
		m["reason"] = c.Reason
	}
	if c.Message != "" || !bare {
		m["message"] = c.Message
	}
	if severity := string(c.Severity); severity != "" && slices.Contains(rules.Severities, severity) {
		m["severity"] = severity
	}
	if c.ObservedGeneration != 0 && !rules.NoGenerations {
		m["observedGeneration"] = c.ObservedGeneration
	}
	if t := c.LastTransitionTime.Time; !t.IsZero() {
		m["lastTransitionTime"] = t.UTC().Format(time.RFC3339)
	}
	return m
}

// readEntry reads one entry and reports whether it can be used.
func readEntry(entry any, i int, c *conditions.Condition, errs *[]error) bool {
	m, ok := entry.(map[string]any)
	if !ok {
		*errs = append(*errs, &EntryError{Index: i, Text: fmt.Sprintf("is %s, not an object", kindOf(entry))})
		return false
	}
	text := func(field string, required bool) string {
		v, there := m[field]
		if !there || v == nil {
			if required {
				*errs = append(*errs, &EntryError{Index: i, Field: field, Text: "is missing"})
			}
			return ""
		}
		s, ok := v.(string)
		if !ok {
			*errs = append(*errs, &EntryError{Index: i, Field: field, Text: fmt.Sprintf("is %s, not a string", kindOf(v))})
		} else if s == "" && required {
			*errs = append(*errs, &EntryError{Index: i, Field: field, Text: "is empty"})
		}
		return s
	}
	c.Type = text("type", true)
	c.Status = conditions.Status(text("status", true))
	c.Severity = conditions.Severity(text("severity", false))
	c.Reason = text("reason", false)
	c.Message = text("message", false)
	if v, there := m["observedGeneration"]; there && v != nil {
		n, ok := wholeNumber(v)
		if !ok {
			*errs = append(*errs, &EntryError{Index: i, Field: "observedGeneration", Text: fmt.Sprintf("is %s, not a whole number", kindOf(v))})
		}
		c.ObservedGeneration = n
	}
	if s := text("lastTransitionTime", false); s != "" {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			*errs = append(*errs, &EntryError{Index: i, Field: "lastTransitionTime", Text: fmt.Sprintf("%.40q is not a time of RFC 3339", s)})
		} else {
			c.LastTransitionTime = metav1.Time{Time: t}
		}
	}
	if !merge.ValidStatus(c.Status) {
		if c.Status != "" {
			*errs = append(*errs, &EntryError{Index: i, Field: "status", Text: fmt.Sprintf("%.40q is not True, False or Unknown", string(c.Status))})
		}
		c.Status = conditions.Unknown
	}
	return c.Type != ""
}

// wholeNumber reads the number types that decoders give.
func wholeNumber(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case int:
		return int64(n), true
	case int32:
		return int64(n), true
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return int64(n), true
		}
	case json.Number:
		i, err := n.Int64()
		return i, err == nil
	}
	return 0, false
}

// kindOf names the JSON kind of a value.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case int, int32, int64, float64, json.Number:
		return "a number"
	}
	return fmt.Sprintf("a %T", v)
}
