// SPDX-License-Identifier: Apache-2.0

package render

import (
	"time"

	"github.com/tristate/tristate/internal/read/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// EventAbout reads an event of either API; nil where it is about another object.
func EventAbout(o *relation.Object, id relation.ID) *Event {
	if about, e := EventOf(o); about == id {
		return e
	}
	return nil
}

// EventOf reads an event of either API, and names the object that it is about.
func EventOf(o *relation.Object) (relation.ID, *Event) {
	about, ok := o.Content["involvedObject"].(map[string]any)
	if !ok {
		about, _ = o.Content["regarding"].(map[string]any)
	}
	str := func(m map[string]any, key string) string { s, _ := m[key].(string); return s }
	id := relation.ID{GroupKind: schema.FromAPIVersionAndKind(str(about, "apiVersion"), str(about, "kind")).GroupKind(),
		Namespace: str(about, "namespace"), Name: str(about, "name")}
	e := &Event{Type: str(o.Content, "type"), Reason: str(o.Content, "reason"), Message: str(o.Content, "message"), Count: 1}
	if e.Message == "" {
		e.Message = str(o.Content, "note")
	}
	series, _ := o.Content["series"].(map[string]any)
	for _, count := range []any{o.Content["count"], o.Content["deprecatedCount"], series["count"]} {
		if n, ok := count.(int64); ok && n > e.Count {
			e.Count = n
		}
	}
	metadata, _ := o.Content["metadata"].(map[string]any)
	for _, when := range []string{str(o.Content, "lastTimestamp"), str(o.Content, "deprecatedLastTimestamp"), str(series, "lastObservedTime"),
		str(o.Content, "eventTime"), str(metadata, "creationTimestamp")} {
		if t, err := time.Parse(time.RFC3339, when); err == nil && t.After(e.Last) {
			e.Last = t
		}
	}
	e.First = e.Last
	for _, when := range []string{str(o.Content, "firstTimestamp"), str(o.Content, "deprecatedFirstTimestamp"), str(o.Content, "eventTime"),
		str(metadata, "creationTimestamp")} {
		if t, err := time.Parse(time.RFC3339, when); err == nil && t.Before(e.First) {
			e.First = t
		}
	}
	return id, e
}
