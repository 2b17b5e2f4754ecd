// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"slices"

	"github.com/tristate/tristate/conditions"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Withdrawal is the result of removing conditions from an object.
type Withdrawal struct {
	// Removed are the types that went, Left those that stay because another manager holds them, in the order of the list.
	Removed, Left []string
	Holder        string // of the first that is left
}

// Withdraw takes the conditions of Target.Own out of an object, as far as this manager wrote them: it releases what it applied, and takes
// out entries that it wrote by merge patch. Which manager wrote an entry is what the managed fields say. Where the API server keeps one
// owner for the whole list, the entries count as ours if this manager wrote the list last; with whole they do in any case. With dryRun
// nothing is sent.
func (w *Writer) Withdraw(ctx context.Context, t Target, object metav1.Object, whole, dryRun bool) (Withdrawal, error) {
	c := &change{Writer: w, target: t, object: object}
	for {
		c.attempts++
		out, err := c.withdraw(ctx, whole, dryRun)
		switch {
		case err == nil, apierrors.IsNotFound(err), remade(err, object):
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
	if dryRun || len(out.Removed) == 0 && !applied {
		return out, nil
	}
	if applied { // an apply of nothing gives up everything that this manager applied
		next, err := c.serverSide(ctx)
		if apierrors.IsInvalid(err) {
			next, err = c.withdrawFirst(ctx, latest, out)
		}
		if err != nil {
			return out, err
		}
		latest = next
	}
	_, err = c.without(ctx, latest, out.Removed)
	return out, err
}

// withdrawFirst is for an apply of nothing that the API server refuses: it makes null of a list that another manager began and that is empty
// without our entries, and leaves of an entry that is held together what the other one holds of it. Our entries are taken out before it, and
// those that stay are applied as they are.
func (c *change) withdrawFirst(ctx context.Context, latest *unstructured.Unstructured, out Withdrawal) (*unstructured.Unstructured, error) {
	latest, err := c.without(ctx, latest, out.Removed)
	if err != nil {
		return nil, err
	}
	stored, _ := conditions.FromUnstructured(c.target.list(latest.Object))
	ours := func(name string) bool {
		return slices.ContainsFunc(Holders(latest.Object, c.target.Path), func(h Holder) bool { return h.Manager == c.manager() && slices.Contains(h.Types, name) })
	}
	c.own = slices.DeleteFunc(stored, func(one conditions.Condition) bool { return !ours(one.Type) })
	if len(c.own) == 0 {
		return latest, nil // nothing is left that could be given up
	}
	return c.serverSide(ctx)
}

// without takes entries out of the list of the latest object, provided that it is still the latest, and returns what is stored then.
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

// tracked reports whether the managed fields say who holds an entry. An object that was created with no field at all is not tracked.
func tracked(holders []Holder, name string) bool {
	return slices.ContainsFunc(holders, func(h Holder) bool { return h.Whole || slices.Contains(h.Types, name) })
}

// withdrawal decides about each entry of ours that is stored. applied: this manager has applied something to the list.
func (c *change) withdrawal(latest *unstructured.Unstructured, whole bool) (out Withdrawal, applied bool) {
	holders := Holders(latest.Object, c.target.Path)
	for _, entry := range latest.GetManagedFields() {
		applied = applied || entry.Manager == c.manager() && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == "status"
	}
	for _, entry := range c.target.list(latest.Object) {
		name := typeOf(entry)
		if name == "" || c.target.Own.Owned(name) == "" {
			continue
		}
		ours, other := whole && !tracked(holders, name), ""
		for _, h := range holders {
			switch holds := h.Whole || slices.Contains(h.Types, name); {
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
		if out.Left = append(out.Left, name); out.Holder == "" {
			out.Holder = other
		}
	}
	return out, applied
}
