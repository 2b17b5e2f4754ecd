// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"time"

	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Waits reads status.waits of a decoded object. An entry that cannot be read is left out, with an error that names it.
func Waits(object map[string]any) ([]conditions.Wait, []error) {
	raw, err := listAt(object, "status.waits")
	if err != nil {
		return nil, []error{err}
	}
	var out []conditions.Wait
	var errs []error
	for i, entry := range raw {
		fail := func(field, text string) {
			errs = append(errs, &EntryError{List: "status.waits", Index: i, Field: field, Text: text})
		}
		m, ok := entry.(map[string]any)
		if !ok {
			fail("", "is "+kindOf(entry)+", not an object")
			continue
		}
		text := func(field string) string { s, _ := m[field].(string); return s }
		w := conditions.Wait{Type: text("type"), Reason: text("reason"), Progress: text("progress")}
		w.ObservedGeneration, _ = wholeNumber(m["observedGeneration"])
		if until, err := time.Parse(time.RFC3339, text("until")); err == nil {
			w.Until = &metav1.Time{Time: until}
		}
		since, err := time.Parse(time.RFC3339, text("since"))
		switch {
		case w.Type == "":
			fail("type", "is missing")
		case err != nil:
			fail("since", "is not a time of RFC 3339")
		default:
			w.Since = metav1.Time{Time: since}
			out = append(out, w)
		}
	}
	return out, errs
}
