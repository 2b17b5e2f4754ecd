// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/proof/story"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// manager is the field manager of the writes of a story, except leaf conditions.
const manager = "tristate-story"

// strict makes the server refuse fields that the schema does not know.
const strict = metav1.FieldValidationStrict

// Apply implements [story.World].
func (w *World) Apply(ctx context.Context, object map[string]any) error {
	next := &unstructured.Unstructured{Object: w.outward(object)}
	gvk := next.GroupVersionKind()
	id := relation.FromContent(object).ID
	mapping, err := w.mapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	w.see(gvk.GroupKind())
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		if ns := next.GetNamespace(); ns != "" && ns != w.options.Namespace {
			return fmt.Errorf("%s: on a real API server a story has namespace %s only", id, story.DefaultNamespace)
		}
		next.SetNamespace(w.options.Namespace)
	}
	if err := w.completeOwners(ctx, next); err != nil {
		return fmt.Errorf("owner of %s: %w", id, err)
	}
	resource := w.resource(mapping)
	return wrap(id, untilCurrent(ctx, func() error {
		old, err := resource.Get(ctx, next.GetName(), metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			next.SetResourceVersion("")
			_, err = resource.Create(ctx, next, metav1.CreateOptions{FieldManager: manager, FieldValidation: strict})
			return err
		}
		if err != nil {
			return err
		}
		next.SetResourceVersion(old.GetResourceVersion())
		_, err = resource.Update(ctx, next, metav1.UpdateOptions{FieldManager: manager, FieldValidation: strict})
		return err
	}))
}

// completeOwners fills in the uids of owner references.
func (w *World) completeOwners(ctx context.Context, o *unstructured.Unstructured) error {
	owners := o.GetOwnerReferences()
	changed := false
	for i := range owners {
		if owners[i].UID != "" {
			continue
		}
		gv, err := schema.ParseGroupVersion(owners[i].APIVersion)
		if err != nil {
			return err
		}
		owner, err := w.read(ctx, relation.ID{GroupKind: schema.GroupKind{Group: gv.Group, Kind: owners[i].Kind}, Name: owners[i].Name})
		if err != nil {
			return fmt.Errorf("%w (apply the owner first, or give the uid)", err)
		}
		owners[i].UID = owner.GetUID()
		changed = true
	}
	if changed {
		o.SetOwnerReferences(owners)
	}
	return nil
}

// Delete implements [story.World].
func (w *World) Delete(ctx context.Context, id relation.ID) error {
	resource, _, err := w.of(id)
	if err != nil {
		return err
	}
	background := metav1.DeletePropagationBackground
	return wrap(id, resource.Delete(ctx, id.Name, metav1.DeleteOptions{PropagationPolicy: &background}))
}

// Patch implements [story.World].
func (w *World) Patch(ctx context.Context, id relation.ID, patch map[string]any) error {
	return w.patch(ctx, id, patch)
}

// PatchStatus implements [story.World].
func (w *World) PatchStatus(ctx context.Context, id relation.ID, patch map[string]any) error {
	return w.patch(ctx, id, map[string]any{"status": patch}, "status")
}

func (w *World) patch(ctx context.Context, id relation.ID, patch map[string]any, subresource ...string) error {
	resource, _, err := w.of(id)
	if err != nil {
		return err
	}
	patch = runtime.DeepCopyJSON(patch)
	rename(patch, story.DefaultNamespace, w.options.Namespace)
	data, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("%s: the patch is not JSON: %w", id, err)
	}
	_, err = resource.Patch(ctx, id.Name, types.MergePatchType, data, metav1.PatchOptions{FieldManager: manager, FieldValidation: strict},
		subresource...)
	return wrap(id, err)
}

// outward returns a copy of a story's object for the API server, inward one of the server's object for the story.
func (w *World) outward(content map[string]any) map[string]any {
	return translate(content, story.DefaultNamespace, w.options.Namespace)
}

func (w *World) inward(content map[string]any) map[string]any {
	return translate(content, w.options.Namespace, story.DefaultNamespace)
}

// translate returns a copy with one namespace called by another name: in the object, and in references, which are
// maps with a kind, a name and a namespace.
func translate(content map[string]any, from, to string) map[string]any {
	out := runtime.DeepCopyJSON(content)
	if metadata, ok := out["metadata"].(map[string]any); ok && metadata["namespace"] == from {
		metadata["namespace"] = to
	}
	rename(out, from, to)
	return out
}

func rename(value any, from, to string) {
	switch v := value.(type) {
	case map[string]any:
		if v["namespace"] == from && isText(v["kind"]) && isText(v["name"]) {
			v["namespace"] = to
		}
		for _, item := range v {
			rename(item, from, to)
		}
	case []any:
		for _, item := range v {
			rename(item, from, to)
		}
	}
}

func isText(value any) bool {
	_, ok := value.(string)
	return ok
}
