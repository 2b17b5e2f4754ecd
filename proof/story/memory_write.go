// SPDX-License-Identifier: Apache-2.0

package story

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// Apply implements [World].
func (w *MemoryWorld) Apply(_ context.Context, object map[string]any) error {
	content, err := normalize(object)
	if err != nil {
		return err
	}
	next := relation.FromContent(content)
	if next.APIVersion == "" || next.Kind == "" || next.Name == "" {
		return errors.New("an object needs apiVersion, kind and metadata.name")
	}
	delete(content, "status")
	m := metadata(content)
	if w.cluster[next.GroupKind] {
		delete(m, "namespace")
	} else if next.Namespace == "" {
		m["namespace"] = DefaultNamespace
	}
	id := relation.FromContent(content).ID
	for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "managedFields"} {
		delete(m, field)
	}
	if err := w.completeOwners(id, m); err != nil {
		return err
	}
	old := w.graph.Get(id)
	if old == nil {
		m["uid"], m["generation"], m["creationTimestamp"] = w.uid(), int64(1), w.timestamp()
		w.store(content)
		return nil
	}
	for _, field := range []string{"uid", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		if value, ok := metadata(old.Content)[field]; ok {
			m[field] = value
		}
	}
	if status, ok := old.Content["status"]; ok {
		content["status"] = status
	}
	w.update(old, content)
	return nil
}

// Load stores objects as they are, with uid, generation and status: of another cluster, or of a backup. An object of the
// same name is replaced.
func (w *MemoryWorld) Load(objects ...map[string]any) error {
	for _, object := range objects {
		content, err := normalize(object)
		if err != nil {
			return err
		}
		if o := relation.FromContent(content); o.Kind == "" || o.Name == "" {
			return errors.New("an object needs kind and metadata.name")
		}
		w.store(content)
	}
	return nil
}

// completeOwners fills in the uids of owner references.
func (w *MemoryWorld) completeOwners(id relation.ID, m map[string]any) error {
	owners, _ := m["ownerReferences"].([]any)
	for _, entry := range owners {
		ref, ok := entry.(map[string]any)
		if !ok || ref["uid"] != nil {
			continue
		}
		apiVersion, _ := ref["apiVersion"].(string)
		kind, _ := ref["kind"].(string)
		name, _ := ref["name"].(string)
		owner, err := w.get(relation.FromContent(map[string]any{"apiVersion": apiVersion, "kind": kind,
			"metadata": map[string]any{"name": name, "namespace": id.Namespace}}).ID)
		if err != nil {
			return fmt.Errorf("owner of %s: %w (apply the owner first, or give the uid)", id, err)
		}
		ref["uid"] = owner.UID
	}
	return nil
}

// update replaces an object, with a higher generation where it differs in more than metadata and status. An equal object is
// not written. An object that is being deleted is removed with its last finalizer.
func (w *MemoryWorld) update(old *relation.Object, content map[string]any) {
	m := metadata(content)
	m["resourceVersion"] = old.ResourceVersion
	if !reflect.DeepEqual(wanted(old.Content), wanted(content)) {
		m["generation"] = old.Generation + 1
	}
	if reflect.DeepEqual(old.Content, content) {
		return
	}
	if m["deletionTimestamp"] != nil && len(finalizers(content)) == 0 {
		w.remove(old.ID)
		return
	}
	w.store(content)
}

// wanted returns an object without metadata and status.
func wanted(content map[string]any) map[string]any {
	out := make(map[string]any, len(content))
	for key, value := range content {
		if key != "metadata" && key != "status" {
			out[key] = value
		}
	}
	return out
}

// Patch implements [World].
func (w *MemoryWorld) Patch(_ context.Context, id relation.ID, patch map[string]any) error {
	old, err := w.get(id)
	if err != nil {
		return err
	}
	patch, err = normalize(patch)
	if err != nil {
		return err
	}
	delete(patch, "status")
	content := mergePatch(copyOf(old.Content), patch)
	m := metadata(content)
	for _, field := range []string{"uid", "generation", "creationTimestamp", "deletionTimestamp", "name", "namespace"} {
		if value, ok := metadata(old.Content)[field]; ok {
			m[field] = value
		} else {
			delete(m, field)
		}
	}
	if err := w.completeOwners(old.ID, m); err != nil {
		return err
	}
	w.update(old, content)
	return nil
}

// PatchStatus implements [World].
func (w *MemoryWorld) PatchStatus(_ context.Context, id relation.ID, patch map[string]any) error {
	old, err := w.get(id)
	if err != nil {
		return err
	}
	patch, err = normalize(patch)
	if err != nil {
		return err
	}
	w.update(old, mergePatch(copyOf(old.Content), map[string]any{"status": patch}))
	return nil
}

// Report implements [World].
func (w *MemoryWorld) Report(_ context.Context, id relation.ID, c conditions.Condition) error {
	return w.list(id, func(list []any, o *relation.Object) []any {
		return Reported(w.Catalogs().Kind(o.GroupKind), list, c, o.Generation, w.now)
	})
}

// Retract implements [World].
func (w *MemoryWorld) Retract(_ context.Context, id relation.ID, conditionType string) error {
	return w.list(id, func(list []any, _ *relation.Object) []any {
		return slices.DeleteFunc(list, func(entry any) bool { return nested.Text(entry, "type") == conditionType })
	})
}

// list changes the conditions list of an object.
func (w *MemoryWorld) list(id relation.ID, change func([]any, *relation.Object) []any) error {
	old, err := w.get(id)
	if err != nil {
		return err
	}
	content := copyOf(old.Content)
	path := listPath(w.Catalogs().Kind(old.GroupKind))
	if err := setAt(content, path, change(nested.List(content, path...), old)); err != nil {
		return fmt.Errorf("%s: %w", old.ID, err)
	}
	w.update(old, content)
	return nil
}

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
	for _, o := range w.graph.All() {
		if o = w.graph.Get(o.ID); o != nil { // may be collected already
			w.collect(o, gone.UID)
		}
	}
}

// collect removes the reference to a deleted owner, or deletes the object where it was the last one.
func (w *MemoryWorld) collect(o *relation.Object, owner string) {
	refs := nested.List(o.Content, "metadata", "ownerReferences")
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

func finalizers(content map[string]any) []any { return nested.List(content, "metadata", "finalizers") }
