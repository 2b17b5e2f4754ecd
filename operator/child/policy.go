// SPDX-License-Identifier: Apache-2.0

package child

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Policy is how a child differs from what [Writer.Ensure] does with any: its zero value changes nothing. A child that is only created and
// never updated is one of [Writer.Once]; one that goes with its owner has an owner reference, one that goes earlier is given to
// [Writer.Remove] or found by [Writer.Prune], and any other stays.
type Policy struct {
	// Adopt makes an object that exists, that no controller owns and that has the mark of no other owner a child, instead of returning an
	// [OwnedError]. What others have written and the author does not set stays.
	Adopt bool
	// Initial names fields that are written when the child is created and belong to whoever changes them afterwards, as "spec.replicas" under
	// an autoscaler. Each is a path of names, without elements of lists.
	Initial []string
	// Report leaves the content of a child as others change it, until another one is desired than last; [Writer.Drift] says what they have
	// changed. A child that was deleted is created, and one whose labels or marks were removed is written.
	Report bool
	// Recreate deletes a child whose change the API server refuses because a field is immutable; a later Ensure creates it anew.
	Recreate bool
}

// EnsureWith is [Writer.Ensure] by a policy.
func (c *Writer) EnsureWith(ctx context.Context, owner, desired client.Object, p Policy) error {
	i, err := c.intend(owner, desired, p)
	if err != nil {
		return err
	}
	defer c.lock(i.ref)()
	if err := c.inside(ctx, i); err != nil {
		return err
	}
	existing := c.cached(i)
	switch err := c.Client.Get(ctx, i.ref.ObjectKey, existing); {
	case apierrors.IsNotFound(err):
		return c.create(ctx, i)
	case err != nil:
		return unread(i, err)
	}
	return c.update(ctx, i, existing, false)
}

// initial sets the fields of the policy to their stored values where the writer still owns them, because an apply without such a field
// would remove it, and removes them otherwise. It reports whether a value was set: the apply is then of the version that was read.
func (c *Writer) initial(content map[string]any, p Policy, existing client.Object) (kept bool, err error) {
	if len(p.Initial) == 0 {
		return false, nil
	}
	stored, err := runtime.DefaultUnstructuredConverter.ToUnstructured(existing)
	if err != nil {
		return false, err
	}
	for _, path := range p.Initial {
		names := strings.Split(path, ".")
		value, there, _ := unstructured.NestedFieldCopy(stored, names...)
		if !there || !c.claims(existing, names) {
			unstructured.RemoveNestedField(content, names...)
			continue
		}
		if err := unstructured.SetNestedField(content, value, names...); err != nil {
			return false, err
		}
		kept = true
	}
	return kept, nil
}

// claims reports whether the writer owns a field of an object, or a part of it.
func (c *Writer) claims(existing metav1.Object, names []string) bool {
	e := entry(existing, c.Manager)
	if e == nil {
		return false
	}
	set, err := decode(*e)
	if err != nil {
		return false
	}
	for _, name := range names[:len(names)-1] {
		if set = set.WithPrefix(field(name)); set.Empty() {
			return false
		}
	}
	last := field(names[len(names)-1])
	return set.Members.Has(last) || !set.WithPrefix(last).Empty()
}

// succeed makes the writer the owner of what it wrote under its former names, so that a field that it does not set any more is removed.
func (c *Writer) succeed(ctx context.Context, i *intent, existing client.Object) (client.Object, error) {
	if len(c.Former) == 0 {
		return existing, nil
	}
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(existing, sets.New(c.Former...), c.Manager)
	if err != nil || patch == nil {
		return existing, err
	}
	next := existing.DeepCopyObject().(client.Object)
	if err := c.Client.Patch(ctx, next, client.RawPatch(types.JSONPatchType, patch)); err != nil {
		return existing, &WriteError{text: fmt.Sprintf("write %s: %s", i.ref, Reason(err)), err: err}
	}
	return next, nil
}

// recreate deletes a child that cannot become what is desired, if its policy says so, and returns the error of the attempt otherwise.
func (c *Writer) recreate(ctx context.Context, i *intent, existing client.Object, refused error) error {
	if !i.policy.Recreate || !apierrors.IsInvalid(refused) || !immutable(refused) {
		return refused
	}
	if err := c.delete(ctx, i, existing, client.Preconditions{UID: ptr.To(existing.GetUID())}); err != nil {
		return err
	}
	return &WriteError{text: fmt.Sprintf("%s is deleted, to be created anew: %s", i.ref, Reason(refused)), err: refused}
}

// immutable reports whether all that the API server refused are changes of immutable fields.
func immutable(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		return false
	}
	for _, cause := range status.Status().Details.Causes {
		if !strings.Contains(cause.Message, "immutable") {
			return false
		}
	}
	return true
}
