// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync/atomic"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/relation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// Manager is the field manager that Tristate writes as.
const Manager = "tristate"

// Attempts is how often a write with a resource version is tried against conflicts.
const Attempts = 8

// Writer writes conditions. Its fields are set before use and not changed afterwards; it may be used by many goroutines.
type Writer struct {
	Client  dynamic.Interface
	Manager string // field manager; empty: [Manager]

	writes, conflicts atomic.Int64
}

// Writes counts the requests that changed or tried to change an object.
func (w *Writer) Writes() int { return int(w.writes.Load()) }

// Conflicts counts the writes that another writer made void.
func (w *Writer) Conflicts() int { return int(w.conflicts.Load()) }

func (w *Writer) manager() string {
	if w.Manager == "" {
		return Manager
	}
	return w.Manager
}

// Apply writes what a commit came to. fields are other status fields that the caller owns and wants written with the
// conditions (nil for none); they are compared by the caller. It gives the object as it is stored now, or nil where nothing was
// written.
func (w *Writer) Apply(ctx context.Context, t Target, object *relation.Object, result conditions.Result, fields map[string]any) (*unstructured.Unstructured, error) {
	if !result.Changed && len(fields) == 0 {
		return nil, nil
	}
	var written *unstructured.Unstructured
	var attempts int
	var err error
	if t.ListMap {
		attempts = 1
		written, err = w.serverSide(ctx, t, object, result, fields)
		if err == nil && w.left(t, written, result) {
			written, attempts, err = w.locked(ctx, t, object, result, nil)
		}
	} else {
		written, attempts, err = w.locked(ctx, t, object, result, fields)
	}
	switch {
	case err == nil:
		return written, nil
	case apierrors.IsNotFound(err), gone(err, object):
		return nil, nil
	}
	failed := &Error{Object: object.ID, Attempts: attempts, Err: err}
	for _, c := range result.Owned {
		failed.Conditions = append(failed.Conditions, c.Type)
	}
	return nil, failed
}

// gone recognises the answer to an apply for an object that was made anew: another uid under the same name.
func gone(err error, object *relation.Object) bool {
	status, ok := err.(apierrors.APIStatus)
	if !ok || object.UID == "" || !apierrors.IsConflict(err) || status.Status().Details == nil {
		return false
	}
	for _, cause := range status.Status().Details.Causes {
		if cause.Field == "metadata.uid" {
			return true
		}
	}
	return status.Status().Details.UID != "" && string(status.Status().Details.UID) != object.UID
}

func (w *Writer) resource(t Target, namespace string) dynamic.ResourceInterface {
	if t.Namespaced {
		return w.Client.Resource(t.Resource).Namespace(namespace)
	}
	return w.Client.Resource(t.Resource)
}

func (w *Writer) serverSide(ctx context.Context, t Target, object *relation.Object, result conditions.Result, fields map[string]any) (*unstructured.Unstructured, error) {
	metadata := map[string]any{"name": object.Name}
	if t.Namespaced {
		metadata["namespace"] = object.Namespace
	}
	if object.UID != "" {
		metadata["uid"] = object.UID
	}
	body := map[string]any{"apiVersion": t.Resource.GroupVersion().String(), "kind": t.Kind, "metadata": metadata}
	if len(fields) > 0 {
		body["status"] = maps.Clone(fields)
	}
	entries := make([]any, len(result.Owned))
	for i, c := range result.Owned {
		entries[i] = conditions.ToUnstructured(c, t.Own.Dialect)
	}
	t.with(body, entries)
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	force := true
	w.writes.Add(1)
	return w.resource(t, object.Namespace).Patch(ctx, object.Name, types.ApplyPatchType, data,
		metav1.PatchOptions{FieldManager: w.manager(), Force: &force}, "status")
}

// left tells whether entries of ours are stored that are not ours to keep.
func (w *Writer) left(t Target, written *unstructured.Unstructured, result conditions.Result) bool {
	if written == nil {
		return false
	}
	list, _ := conditions.FromUnstructured(t.list(written.Object))
	for i := range list {
		if t.owns(list[i].Type) && conditions.Find(result.Owned, list[i].Type) < 0 {
			return true
		}
	}
	return false
}

// locked replaces our entries in the list of the latest object.
func (w *Writer) locked(ctx context.Context, t Target, object *relation.Object, result conditions.Result, fields map[string]any) (*unstructured.Unstructured, int, error) {
	for attempt := 1; ; attempt++ {
		latest, err := w.resource(t, object.Namespace).Get(ctx, object.Name, metav1.GetOptions{})
		if err != nil {
			return nil, attempt, err
		}
		if object.UID != "" && string(latest.GetUID()) != object.UID {
			return nil, attempt, apierrors.NewNotFound(t.Resource.GroupResource(), object.Name)
		}
		next, changed := splice(t, t.list(latest.Object), result.Owned)
		if !changed && len(fields) == 0 {
			return latest, attempt, nil
		}
		patch := map[string]any{"metadata": map[string]any{"resourceVersion": latest.GetResourceVersion()}}
		if len(fields) > 0 {
			patch["status"] = maps.Clone(fields)
		}
		t.with(patch, next)
		data, err := json.Marshal(patch)
		if err != nil {
			return nil, attempt, fmt.Errorf("encode: %w", err)
		}
		w.writes.Add(1)
		written, err := w.resource(t, object.Namespace).Patch(ctx, object.Name, types.MergePatchType, data,
			metav1.PatchOptions{FieldManager: w.manager()}, "status")
		if !apierrors.IsConflict(err) || attempt == Attempts {
			return written, attempt, err
		}
		w.conflicts.Add(1)
	}
}

// splice puts our entries into a stored list: in the place of those that are there, behind the others where they are new. Those
// of ours that are not to be kept go. Entries of others stay as they are, also those that cannot be read.
func splice(t Target, stored []any, own []conditions.Condition) (next []any, changed bool) {
	placed := map[string]bool{}
	next = make([]any, 0, len(stored)+len(own))
	for _, entry := range stored {
		m, _ := entry.(map[string]any)
		name, _ := m["type"].(string)
		if name == "" || !t.owns(name) {
			next = append(next, entry)
			continue
		}
		i := conditions.Find(own, name)
		if i < 0 || placed[name] {
			changed = true
			continue
		}
		placed[name] = true
		c := own[i]
		if was, _ := conditions.FromUnstructured([]any{entry}); len(was) == 1 {
			if was[0].Status == c.Status {
				c.LastTransitionTime = was[0].LastTransitionTime
			}
			if was[0] == c {
				next = append(next, entry)
				continue
			}
		}
		changed = true
		next = append(next, conditions.ToUnstructured(c, t.Own.Dialect))
	}
	for _, c := range own {
		if !placed[c.Type] {
			changed = true
			next = append(next, conditions.ToUnstructured(c, t.Own.Dialect))
		}
	}
	return next, changed
}
