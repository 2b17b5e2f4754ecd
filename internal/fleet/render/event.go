// SPDX-License-Identifier: Apache-2.0

package render

import (
	"time"

	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/fleet/relation"
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
	text := func(path ...string) string { return nested.Text(o.Content, path...) }
	about := nested.Map(o.Content, "involvedObject")
	if about == nil {
		about = nested.Map(o.Content, "regarding")
	}
	id := relation.ID{GroupKind: schema.FromAPIVersionAndKind(nested.Text(about, "apiVersion"), nested.Text(about, "kind")).GroupKind(),
		Namespace: nested.Text(about, "namespace"), Name: nested.Text(about, "name")}
	e := &Event{Type: text("type"), Reason: text("reason"), Message: text("message"), Count: 1}
	if e.Message == "" {
		e.Message = text("note")
	}
	for _, count := range []any{o.Content["count"], o.Content["deprecatedCount"], nested.At(o.Content, "series", "count")} {
		if n, ok := count.(int64); ok && n > e.Count {
			e.Count = n
		}
	}
	created := text("metadata", "creationTimestamp")
	for _, when := range []string{text("lastTimestamp"), text("deprecatedLastTimestamp"), text("series", "lastObservedTime"), text("eventTime"),
		created} {
		if t, err := time.Parse(time.RFC3339, when); err == nil && t.After(e.Last) {
			e.Last = t
		}
	}
	e.First = e.Last
	for _, when := range []string{text("firstTimestamp"), text("deprecatedFirstTimestamp"), text("eventTime"), created} {
		if t, err := time.Parse(time.RFC3339, when); err == nil && t.Before(e.First) {
			e.First = t
		}
	}
	return id, e
}
