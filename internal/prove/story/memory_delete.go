// SPDX-License-Identifier: Apache-2.0

package story

import (
	"context"

	"github.com/tristate/tristate/internal/read/relation"
)

// Delete implements [World].
func (w *MemoryWorld) Delete(_ context.Context, id relation.ID) error {
	old, err := w.get(id)
	if err != nil {
		return err
	}
	w.delete(old)
	return nil
}

func (w *MemoryWorld) delete(old *relation.Object) {
	if len(finalizers(old.Content)) == 0 {
		w.remove(old.ID)
		return
	}
	if old.Deleting {
		return
	}
	content := copyOf(old.Content)
	m := metadata(content)
	m["deletionTimestamp"], m["deletionGracePeriodSeconds"] = w.timestamp(), int64(0)
	m["generation"] = old.Generation + 1
	w.store(content)
}

// remove deletes an object and the objects that it owned.
func (w *MemoryWorld) remove(id relation.ID) {
	gone := w.graph.Get(id)
	w.version++
	w.mark(w.graph.Delete(id))
	delete(w.dirty, id)
	delete(w.due, id)
	delete(w.dwell, id)
	for _, o := range w.graph.All() {
		if o = w.graph.Get(o.ID); o != nil { // may be collected already
			w.collect(o, gone.UID)
		}
	}
}

// collect removes the reference to a deleted owner, or deletes the object where it was the last one.
func (w *MemoryWorld) collect(o *relation.Object, owner string) {
	refs, _ := metadata(o.Content)["ownerReferences"].([]any)
	var left []any
	for _, entry := range refs {
		if ref, ok := entry.(map[string]any); ok && ref["uid"] == owner {
			continue
		}
		left = append(left, entry)
	}
	switch {
	case len(left) == len(refs):
	case len(left) == 0:
		w.delete(o)
	default:
		content := copyOf(o.Content)
		metadata(content)["ownerReferences"] = left
		w.store(content)
	}
}

func finalizers(content map[string]any) []any {
	list, _ := metadata(content)["finalizers"].([]any)
	return list
}
