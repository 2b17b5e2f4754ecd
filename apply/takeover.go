// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/nested"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// beforeFirstApply is the manager under which an API server enters fields that it did not track before the first apply.
const beforeFirstApply = "before-first-apply"

// settle ends what an apply cannot: entries of ours that it left because another manager holds them too are removed, and the managers
// that are adopted lose the fields that it sent. Mostly there is neither, and nothing is sent.
func (c *change) settle(ctx context.Context, written *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	written, err := c.release(ctx, written)
	if err != nil {
		return written, err
	}
	if c.mayNotAdopt.Load() {
		return written, nil
	}
	applied := fieldpath.NewSet()
	for _, entry := range written.GetManagedFields() {
		if entry.Manager == c.manager() && entry.Operation == metav1.ManagedFieldsOperationApply && ofStatus(entry) {
			held, err := heldBy(entry)
			if err != nil {
				return written, err
			}
			applied = applied.Union(held)
		}
	}
	former := func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Operation == metav1.ManagedFieldsOperationUpdate &&
			(entry.Manager == c.manager() || entry.Manager == beforeFirstApply || slices.Contains(c.Adopt, entry.Manager))
	}
	next, err := c.giveUp(ctx, written, former, applied.Intersection)
	switch {
	case apierrors.IsConflict(err):
		return written, nil // the next change does it
	case apierrors.IsForbidden(err):
		c.mayNotAdopt.Store(true)
		return written, nil
	case err != nil:
		return written, err
	}
	return next, nil
}

// release takes entries of ours that are not to be there out of the latest object.
func (c *change) release(ctx context.Context, latest *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	for c.left(latest) {
		c.latest = latest
		c.attempts++
		written, err := c.locked(ctx)
		if !apierrors.IsConflict(err) || c.attempts >= attempts {
			return written, err
		}
		c.conflicts.Add(1)
		// The entries of the newer object matter only if they are in the way: a rebase is for changes that are not applied
		// yet.
		if latest, err = c.live(ctx); err != nil {
			return nil, err
		}
	}
	return latest, nil
}

// releaseShared is for an apply that the API server refuses because it would give up an entry that another manager holds a part of, and
// would leave that part. It reports whether there was such an entry, and it is gone.
func (c *change) releaseShared(ctx context.Context) (bool, error) {
	latest, err := c.live(ctx)
	if err != nil || !c.left(latest) {
		return false, err
	}
	_, err = c.release(ctx, latest)
	return err == nil, err
}

// left reports whether entries of ours are stored that are not ours to keep.
func (c *change) left(written *unstructured.Unstructured) bool {
	for _, entry := range c.target.list(written.Object) {
		name := typeOf(entry)
		if c.target.Own.OwnedType(name) != "" && !slices.ContainsFunc(c.own, func(o conditions.Condition) bool { return o.Type == name }) {
			return true
		}
	}
	return false
}

// ofStatus reports whether an entry of managed fields is about the status.
func ofStatus(entry metav1.ManagedFieldsEntry) bool {
	return entry.Subresource == "status" && entry.FieldsV1 != nil
}

// heldBy returns the fields of an entry.
func heldBy(entry metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	held := fieldpath.NewSet()
	if err := held.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
		return nil, fmt.Errorf("managed fields of %s: %w", entry.Manager, err)
	}
	return held, nil
}

// giveUp takes fields of the status from some managers, in the managed fields of the latest object, if it is still
// the latest. concerns selects the entries, and part returns the fields to take from each. giveUp returns the stored
// object, which is the latest one if nothing is given up.
func (c *change) giveUp(ctx context.Context, latest *unstructured.Unstructured, concerns func(metav1.ManagedFieldsEntry) bool,
	part func(held *fieldpath.Set) *fieldpath.Set) (*unstructured.Unstructured, error) {
	var out []metav1.ManagedFieldsEntry
	changed := false
	for _, entry := range latest.GetManagedFields() {
		if !ofStatus(entry) || !concerns(entry) {
			out = append(out, entry)
			continue
		}
		held, err := heldBy(entry)
		if err != nil {
			return latest, err
		}
		if gone := part(held); !gone.Empty() {
			changed = true
			if held = held.Difference(gone); held.Empty() {
				continue
			}
			data, err := held.ToJSON()
			if err != nil {
				return latest, fmt.Errorf("managed fields of %s: %w", entry.Manager, err)
			}
			entry.FieldsV1 = &metav1.FieldsV1{}
			entry.FieldsV1.SetRawBytes(bytes.TrimSpace(data))
		}
		out = append(out, entry)
	}
	if !changed {
		return latest, nil
	}
	patch := []map[string]any{
		{"op": "replace", "path": "/metadata/managedFields", "value": out},
		{"op": "replace", "path": "/metadata/resourceVersion", "value": latest.GetResourceVersion()}, // or else a conflict
	}
	// To the object itself: through the status subresource managed fields cannot be changed.
	return c.patch(ctx, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: c.manager()})
}

// Holder is a field manager that holds conditions of an object.
type Holder struct {
	Manager string
	// Types are the condition types of which it holds any field.
	Types []string
	// Whole: the API server keeps one owner for the whole list, and this is it. Which entries it wrote is not known.
	Whole bool
}

// Holders reads from the managed fields of a decoded object who holds the conditions at path, in the order of the
// managed fields. Fields that the API server did not track (before-first-apply) have no holder.
func Holders(object map[string]any, path []string) []Holder {
	var out []Holder
	for _, m := range nested.Maps(object, "metadata", "managedFields") {
		manager := nested.Text(m, "manager")
		if manager == beforeFirstApply {
			continue
		}
		node, there := m["fieldsV1"].(map[string]any)
		for _, field := range path {
			if there {
				node, there = node["f:"+field].(map[string]any)
			}
		}
		if !there {
			continue
		}
		h := Holder{Manager: manager, Whole: true}
		for key := range node {
			if key != "." {
				h.Whole = false
			}
			var keys struct{ Type string }
			if text, ok := strings.CutPrefix(key, "k:"); ok && json.Unmarshal([]byte(text), &keys) == nil && keys.Type != "" {
				h.Types = append(h.Types, keys.Type)
			}
		}
		if _, dot := node["."]; dot && h.Whole {
			continue // it made the list and holds no entry of it
		}
		slices.Sort(h.Types)
		if i := slices.IndexFunc(out, func(o Holder) bool { return o.Manager == manager }); i >= 0 {
			out[i].Whole = out[i].Whole || h.Whole
			out[i].Types = append(out[i].Types, h.Types...)
			slices.Sort(out[i].Types)
			out[i].Types = slices.Compact(out[i].Types)
			continue
		}
		out = append(out, h)
	}
	return out
}
