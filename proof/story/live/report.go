// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/tristate/tristate/internal/declare/crd"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/proof/story"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Report implements [story.World].
func (w *World) Report(ctx context.Context, id relation.ID, c conditions.Condition) error {
	return w.change(ctx, id, c.Type, func(list []any, generation int64) []any {
		return story.Reported(w.options.Catalogs.Kind(id.GroupKind), list, c, generation, time.Now())
	})
}

// Retract implements [story.World].
func (w *World) Retract(ctx context.Context, id relation.ID, conditionType string) error {
	return w.change(ctx, id, conditionType, func(list []any, _ int64) []any {
		return slices.DeleteFunc(list, func(entry any) bool { return typeOf(entry) == conditionType })
	})
}

func typeOf(entry any) any {
	m, _ := entry.(map[string]any)
	return m["type"]
}

// change sets or removes one entry of the conditions list.
func (w *World) change(ctx context.Context, id relation.ID, conditionType string, next func([]any, int64) []any) error {
	resource, mapping, err := w.of(id)
	if err != nil {
		return err
	}
	path := w.path(id.GroupKind)
	listMap, err := w.isListMap(ctx, mapping)
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	return wrap(id, untilCurrent(ctx, func() error {
		old, err := resource.Get(ctx, id.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		stored, _, _ := unstructured.NestedSlice(old.Object, path...)
		list := next(stored, old.GetGeneration())
		if !listMap {
			return w.replace(ctx, old, mapping, path, list)
		}
		body := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": id.Name}}}
		body.SetGroupVersionKind(mapping.GroupVersionKind)
		if at := slices.IndexFunc(list, func(entry any) bool { return typeOf(entry) == conditionType }); at >= 0 {
			if err := unstructured.SetNestedSlice(body.Object, list[at:at+1], path...); err != nil {
				return err
			}
		}
		_, err = resource.Apply(ctx, id.Name, body, metav1.ApplyOptions{FieldManager: manager + "-" + conditionType, Force: true}, "status")
		return err
	}))
}

// replace writes the whole list, unless another manager has written in between.
func (w *World) replace(ctx context.Context, old *unstructured.Unstructured, mapping *meta.RESTMapping, path []string, list []any) error {
	patch := map[string]any{"metadata": map[string]any{"resourceVersion": old.GetResourceVersion()}}
	if err := unstructured.SetNestedSlice(patch, list, path...); err != nil {
		return err
	}
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = w.resource(mapping).Patch(ctx, old.GetName(), types.MergePatchType, data, metav1.PatchOptions{FieldManager: manager}, "status")
	return err
}

func (w *World) path(gk schema.GroupKind) []string {
	if k := w.options.Catalogs.Kind(gk); k != nil {
		return k.Path
	}
	return []string{"status", "conditions"}
}

// isListMap reports whether the conditions of a kind are a list map keyed by type, according to its CRD; false for kinds without one.
func (w *World) isListMap(ctx context.Context, mapping *meta.RESTMapping) (bool, error) {
	gk := mapping.GroupVersionKind.GroupKind()
	w.mu.Lock()
	known, ok := w.listMaps[gk]
	w.mu.Unlock()
	if ok {
		return known, nil
	}

	content, err := w.client.Resource(crd.Resource).Get(ctx, mapping.Resource.GroupResource().String(), metav1.GetOptions{})
	is := false
	if err == nil {
		d, err := crd.Read(content.Object)
		if err != nil {
			return false, fmt.Errorf("read its CRD: %w", err)
		}
		is = d.ListIsMap(mapping.GroupVersionKind.Version, w.path(gk))
	} else if !apierrors.IsNotFound(err) {
		return false, fmt.Errorf("read its CRD: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listMaps[gk] = is
	return is, nil
}
