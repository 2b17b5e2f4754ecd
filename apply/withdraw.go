// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"slices"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Withdrawal is the result of removing conditions from an object.
type Withdrawal struct {
	// Removed are the types that went, Left those that stay because another manager holds them, in the order of the list.
	Removed, Left []string
	// Shared are types that stay because another manager holds them too, and of which this one owned a part, which it has given up.
	Shared []string
	Holder string // of the first that is left or shared
}

// Withdraw takes the conditions of Target.Own out of an object, as far as this manager wrote them: it releases what it applied, and takes
// out entries that it wrote by merge patch. Which manager wrote an entry is what the managed fields say. Where the API server keeps one
// owner for the whole list, the entries count as ours if this manager wrote the list last; with whole they do in any case. Of entries that
// stay this manager owns nothing afterwards, so that they go when their other holder drops them. With dryRun nothing is sent.
func (w *Writer) Withdraw(ctx context.Context, t Target, object metav1.Object, whole, dryRun bool) (Withdrawal, error) {
	c := &change{Writer: w, target: t, object: object}
	for {
		c.attempts++
		out, err := c.withdraw(ctx, whole, dryRun)
		switch {
		case err == nil, recreated(err, object), apierrors.IsNotFound(err) && c.gone(ctx):
			return out, nil
		case !apierrors.IsConflict(err) || c.attempts == attempts:
			return out, err
		}
		c.conflicts.Add(1)
	}
}

func (c *change) withdraw(ctx context.Context, whole, dryRun bool) (Withdrawal, error) {
	latest, err := c.live(ctx)
	if err != nil {
		return Withdrawal{}, err
	}
	out, applied := c.withdrawal(latest, whole)
	if dryRun || len(out.Removed)+len(out.Shared) == 0 && !applied {
		return out, nil
	}
	if applied {
		alone := len(out.Shared) == 0
		next := latest
		if alone {
			next, err = c.serverSide(ctx) // an apply of nothing gives up everything that this manager applied
		}
		if !alone || apierrors.IsInvalid(err) {
			next, err = c.withdrawFirst(ctx, latest, out)
		}
		if err != nil {
			return out, err
		}
		latest = next
	}
	if latest, err = c.without(ctx, latest, out.Removed); err != nil {
		return out, err
	}
	err = c.disown(ctx, latest, slices.Concat(out.Removed, out.Shared))
	if apierrors.IsForbidden(err) && len(out.Shared) == 0 {
		err = nil // it holds an empty list
	}
	return out, err
}

// disown removes the entries of some types from the fields that this manager holds by Update, which an empty apply
// leaves. In a list with one owner the list itself is that field.
func (c *change) disown(ctx context.Context, latest *unstructured.Unstructured, names []string) error {
	ours := func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager == c.manager() }
	_, err := c.giveUp(ctx, latest, ours, func(held *fieldpath.Set) *fieldpath.Set {
		theirs := fieldpath.NewSet()
		held.Iterate(func(p fieldpath.Path) {
			if within(p, c.target.Path, names) {
				theirs.Insert(p.Copy())
			}
		})
		return theirs
	})
	return err
}

// within reports whether a managed field is the list of conditions at path, or belongs to an entry of one of some types.
func within(p fieldpath.Path, path, names []string) bool {
	if len(p) < len(path) {
		return false
	}
	for i, field := range path {
		if p[i].FieldName == nil || *p[i].FieldName != field {
			return false
		}
	}
	if len(p) == len(path) {
		return true
	}
	if p[len(path)].Key == nil {
		return false
	}
	for _, key := range *p[len(path)].Key {
		if key.Name == "type" && key.Value.IsString() && slices.Contains(names, key.Value.AsString()) {
			return true
		}
	}
	return false
}

// withdrawFirst is for an empty apply that would remove too much. Such an apply leaves the part of an entry that
// another manager holds, which the API server refuses; with version 6.4 of structured-merge-diff it leaves nothing.
// It also makes null of a list that another manager began and that is empty without our entries. So our entries are
// removed first, and those that stay are applied as they are; [change.disown] gives them up.
func (c *change) withdrawFirst(ctx context.Context, latest *unstructured.Unstructured, out Withdrawal) (*unstructured.Unstructured, error) {
	latest, err := c.without(ctx, latest, out.Removed)
	if err != nil {
		return nil, err
	}
	stored, _ := wire.FromUnstructured(c.target.list(latest.Object))
	ours := func(name string) bool {
		return slices.ContainsFunc(Holders(latest.Object, c.target.Path), func(h Holder) bool {
			return h.Manager == c.manager() &&
				slices.Contains(h.Types, name)
		})
	}
	c.own = slices.DeleteFunc(stored, func(one conditions.Condition) bool { return !ours(one.Type) })
	if len(c.own) == 0 {
		return latest, nil // nothing is left that could be given up
	}
	return c.serverSide(ctx)
}

// without removes entries from the list of the latest object, if it is still the latest, and returns the stored
// object.
func (c *change) without(ctx context.Context, latest *unstructured.Unstructured, names []string) (*unstructured.Unstructured, error) {
	list := c.target.list(latest.Object)
	next := slices.DeleteFunc(slices.Clone(list), func(entry any) bool {
		return slices.Contains(names, typeOf(entry))
	})
	if len(next) == len(list) {
		return latest, nil
	}
	patch := map[string]any{"metadata": map[string]any{"resourceVersion": latest.GetResourceVersion()}}
	c.target.with(patch, next)
	return c.patch(ctx, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: c.manager()}, "status")
}

// withdrawal decides about each entry of ours that is stored. applied: this manager has applied something to the list.
func (c *change) withdrawal(latest *unstructured.Unstructured, whole bool) (out Withdrawal, applied bool) {
	holders := Holders(latest.Object, c.target.Path)
	for _, entry := range latest.GetManagedFields() {
		applied = applied || entry.Manager == c.manager() && entry.Operation == metav1.ManagedFieldsOperationApply &&
			entry.Subresource == "status"
	}
	for _, entry := range c.target.list(latest.Object) {
		name := typeOf(entry)
		if name == "" || c.target.Own.OwnedType(name) == "" {
			continue
		}
		holds := func(h Holder) bool { return h.Whole || slices.Contains(h.Types, name) }
		ours, other := whole && !slices.ContainsFunc(holders, holds), "" // of an object that was created with no field none is known
		for _, h := range holders {
			switch holds := holds(h); {
			case holds && h.Manager == c.manager():
				ours = true
			case holds && !(h.Whole && whole):
				other = h.Manager
			case holds:
				ours = true
			}
		}
		if ours && other == "" {
			out.Removed = append(out.Removed, name)
			continue
		}
		if out.Holder == "" {
			out.Holder = other
		}
		if ours {
			out.Shared = append(out.Shared, name)
		} else {
			out.Left = append(out.Left, name)
		}
	}
	return out, applied
}
