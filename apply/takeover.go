// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/tristate/tristate/conditions"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// settle ends what an apply cannot: entries of ours that it left because another manager holds them too are taken out, and what it
// sent is taken from the managers that are adopted. Mostly there is neither, and nothing is sent.
func (c *change) settle(ctx context.Context, written *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	for c.left(written) {
		c.latest = written
		c.attempts++
		next, err := c.locked(ctx)
		if err == nil {
			written = next
			break
		}
		if !apierrors.IsConflict(err) || c.attempts >= Attempts {
			return written, err
		}
		c.conflicts.Add(1)
		// Of the newer object only the entries that are in the way matter: what is ours was applied.
		if written, err = c.resource(c.target, c.object.GetNamespace()).Get(ctx, c.object.GetName(), metav1.GetOptions{}); err != nil {
			return nil, err
		}
	}
	managers, changed, err := c.adopted(written.GetManagedFields())
	if err != nil || !changed {
		return written, err
	}
	patch := []map[string]any{
		{"op": "replace", "path": "/metadata/managedFields", "value": managers},
		{"op": "replace", "path": "/metadata/resourceVersion", "value": written.GetResourceVersion()}, // or else a conflict
	}
	next, err := c.patch(ctx, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: c.manager()})
	switch {
	case apierrors.IsConflict(err):
		return written, nil // the next change does it
	case err != nil:
		return written, err
	}
	return next, nil
}

// left tells whether entries of ours are stored that are not ours to keep.
func (c *change) left(written *unstructured.Unstructured) bool {
	for _, entry := range c.target.list(written.Object) {
		m, _ := entry.(map[string]any)
		name, _ := m["type"].(string)
		if declared := c.target.owns(name); declared != "" && !slices.ContainsFunc(c.own, func(o conditions.Condition) bool { return o.Type == name }) {
			return true
		}
	}
	return false
}

// adopted gives the managed fields with what we apply taken from the managers that wrote it by Update before.
func (c *change) adopted(entries []metav1.ManagedFieldsEntry) (out []metav1.ManagedFieldsEntry, changed bool, err error) {
	status := func(e *metav1.ManagedFieldsEntry, name string, operation metav1.ManagedFieldsOperationType) bool {
		return e.Manager == name && e.Operation == operation && e.Subresource == "status" && e.FieldsV1 != nil
	}
	applied := fieldpath.NewSet()
	for i := range entries {
		if !status(&entries[i], c.manager(), metav1.ManagedFieldsOperationApply) {
			continue
		}
		if err := applied.FromJSON(entries[i].FieldsV1.GetRawReader()); err != nil {
			return nil, false, fmt.Errorf("managed fields of %s: %w", entries[i].Manager, err)
		}
	}
	for _, entry := range entries {
		former := entry.Operation == metav1.ManagedFieldsOperationUpdate && (entry.Manager == c.manager() || slices.Contains(c.Adopt, entry.Manager))
		if !former || !status(&entry, entry.Manager, entry.Operation) {
			out = append(out, entry)
			continue
		}
		held := fieldpath.NewSet()
		if err := held.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			return nil, false, fmt.Errorf("managed fields of %s: %w", entry.Manager, err)
		}
		rest := held.Difference(applied)
		if rest.Equals(held) {
			out = append(out, entry)
			continue
		}
		changed = true
		if rest.Empty() {
			continue
		}
		data, err := rest.ToJSON()
		if err != nil {
			return nil, false, fmt.Errorf("managed fields of %s: %w", entry.Manager, err)
		}
		entry.FieldsV1 = &metav1.FieldsV1{}
		entry.FieldsV1.SetRawBytes(bytes.TrimSpace(data))
		out = append(out, entry)
	}
	return out, changed, nil
}
