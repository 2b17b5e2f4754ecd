// SPDX-License-Identifier: Apache-2.0

package story

import (
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Reported returns a conditions list with a condition set as a controller of that kind does: in place, with a new time where the
// status changes, and with the observed generation unless the dialect has none. kind may be nil.
func Reported(kind *catalog.Kind, list []any, c conditions.Condition, generation int64, now time.Time) []any {
	dialect := conditions.DialectCore
	if kind != nil {
		dialect = kind.Dialect
	}
	if dialect.Generations() {
		c.ObservedGeneration = generation
	}
	c.LastTransitionTime = metav1.Time{Time: now.UTC().Truncate(time.Second)}
	out := make([]any, 0, len(list)+1)
	found := false
	for _, entry := range list {
		if found || nested.Text(entry, "type") != c.Type {
			out = append(out, entry)
			continue
		}
		found = true
		if old, _ := wire.FromUnstructured([]any{entry}); len(old) == 1 && old[0].Status == c.Status &&
			!old[0].LastTransitionTime.IsZero() {
			c.LastTransitionTime = old[0].LastTransitionTime
		}
		out = append(out, wire.ToUnstructured(c, dialect))
	}
	if !found {
		out = append(out, wire.ToUnstructured(c, dialect))
	}
	return out
}

func listPath(kind *catalog.Kind) []string {
	if kind == nil {
		return []string{"status", "conditions"}
	}
	return kind.Path
}

// setAt sets the list at a path, or removes an empty one.
func setAt(content map[string]any, path []string, list []any) error {
	if len(list) == 0 {
		unstructured.RemoveNestedField(content, path...)
		return nil
	}
	return unstructured.SetNestedSlice(content, list, path...)
}
