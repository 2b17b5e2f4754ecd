// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EntryError says what is wrong with one entry of a conditions list.
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

// FromUnstructured reads a conditions list as it stands in a decoded object, in the shape of metav1 or of Cluster API v1beta1
// (with severity). It never panics and returns the conditions that can be read, and an [*EntryError] for each fault. An entry without a
// type is left out; a status that is none reads as Unknown (GEP-1364), any other field that cannot be read has its zero
// value. A list that will be written again is read with [ReadList], which loses nothing.
func FromUnstructured(list []any) ([]Condition, []error) {
	l, errs := readList(list)
	return l.Conditions, errs
}

// List is a conditions list as it was read, with what is needed to write it back without losing anything.
type List struct {
	Conditions []Condition // the entries that can be read
	read       []Condition // the same, as they were
	raw        []any
	index      []int // position in raw of each condition
}

// ReadList is FromUnstructured with the entries remembered as they were.
func ReadList(list []any) (List, []error) {
	l, errs := readList(list)
	l.read = slices.Clone(l.Conditions)
	return l, errs
}

func readList(list []any) (List, []error) {
	l := List{raw: list}
	if len(list) == 0 {
		return l, nil
	}
	var errs []error
	l.Conditions = make([]Condition, 0, len(list))
	l.index = make([]int, 0, len(list))
	for i, entry := range list {
		var c Condition
		before := len(errs)
		used := readEntry(entry, i, &c, &errs)
		for _, err := range errs[before:] {
			err.(*EntryError).Type = c.Type
		}
		if used {
			l.Conditions = append(l.Conditions, c)
			l.index = append(l.index, i)
		}
	}
	return l, errs
}

// Write returns the list to store for the conditions of a result: an entry that says the same stands as it was read; one that
// differs keeps its unknown fields; entries that could not be read stay behind the entry they
// stood behind. It takes time in proportion to the entries.
func (l List) Write(next []Condition, d Dialect) []any {
	out := make([]any, 0, len(l.raw)+len(next))
	read := newPlaces(l.read)
	done := 0 // entries of raw before this one are written or gone
	conditions := 0
	unread := func(end int) { // entries that could not be read
		for ; done < end; done++ {
			for conditions < len(l.index) && l.index[conditions] < done {
				conditions++
			}
			if conditions == len(l.index) || l.index[conditions] != done {
				out = append(out, l.raw[done])
			}
		}
	}
	for i := range next {
		j := read.take(next[i].Type)
		if j < 0 {
			out = append(out, d.rewrite(next[i], nil))
			continue
		}
		unread(l.index[j])
		if l.read[j] == next[i] {
			out = append(out, l.raw[l.index[j]])
		} else {
			entry, _ := l.raw[l.index[j]].(map[string]any)
			out = append(out, d.rewrite(next[i], entry))
		}
	}
	unread(len(l.raw))
	return out
}

// places hands out the positions of a list by type, those of a repeated type one after another. Mostly the next one that is asked for is
// the next one of the list; a map is made once it is not.
type places struct {
	list   []Condition
	next   int              // entries before this one were handed out in order
	byType map[string][]int // those that were not, once another was asked for
}

func newPlaces(list []Condition) *places { return &places{list: list} }

// take returns the first position of the type that was not handed out yet, or -1.
func (p *places) take(conditionType string) int {
	if p.byType == nil {
		if p.next < len(p.list) && p.list[p.next].Type == conditionType {
			p.next++
			return p.next - 1
		}
		p.byType = make(map[string][]int, len(p.list)-p.next)
		for i := p.next; i < len(p.list); i++ {
			p.byType[p.list[i].Type] = append(p.byType[p.list[i].Type], i)
		}
	}
	at := p.byType[conditionType]
	if len(at) == 0 {
		return -1
	}
	p.byType[conditionType] = at[1:]
	return at[0]
}

// ToUnstructured returns the wire form of a condition: severity only in dialects capi-v1beta1 and knative, observedGeneration where the dialect
// has it and it is set; reason and message may be missing in these two dialects where they are empty.
func ToUnstructured(c Condition, d Dialect) map[string]any {
	return d.rewrite(c, nil)
}

// readEntry reads one entry and reports whether it can be used.
func readEntry(entry any, i int, c *Condition, errs *[]error) bool {
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
	c.Status = Status(text("status", true))
	c.Severity = Severity(text("severity", false))
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
	if !ValidStatus(c.Status) {
		if c.Status != "" {
			*errs = append(*errs, &EntryError{Index: i, Field: "status", Text: fmt.Sprintf("%.40q is not True, False or Unknown", string(c.Status))})
		}
		c.Status = Unknown
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
