// SPDX-License-Identifier: Apache-2.0

// Package migrate converts the ResourceGraphDefinitions that a cluster stores, from kro to the operator and back: their
// CustomResourceDefinition and the conditions in their status. GraphRevisions of kro stay, without their finalizer. Specs, instances and
// resources stay as they are.
//
// The schema of the operator is stricter than kro's: five fields of a condition are required, and the list is a map by type. Types keep the
// names that kro gave them, which the operator reads as aliases. On the way back the two types that kro does not know are removed; kro
// writes its own again.
package migrate

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/systems/kro/operator/internal/definition"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Manager is the field manager of a migration.
const Manager = "kro-operator-migrate"

// Run installs a CustomResourceDefinition of definitions, kro's or the operator's, and converts what is stored to fit it. It returns how
// many definitions were rewritten. No operator runs meanwhile. It can be repeated where it was interrupted.
func Run(ctx context.Context, c client.Client, crd *apiext.CustomResourceDefinition, now time.Time) (rewritten int, err error) {
	if crd.Name != definition.CRDName {
		return 0, fmt.Errorf("the CustomResourceDefinition is %q, want %s", crd.Name, definition.CRDName)
	}
	convert := ToKro
	if definition.Strict(crd) {
		convert = func(list []any) []any { return FromKro(list, now) }
		if err := release(ctx, c); err != nil {
			return 0, err
		}
	}
	// Objects first: kro's schema accepts everything that the operator's accepts.
	var list unstructured.UnstructuredList
	list.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("ResourceGraphDefinitionList"))
	if err := c.List(ctx, &list); err != nil {
		return 0, fmt.Errorf("list the definitions: %w", err)
	}
	for i := range list.Items {
		o := &list.Items[i]
		before := o.DeepCopy()
		stored, _, err := unstructured.NestedSlice(o.Object, "status", "conditions")
		if err != nil {
			return rewritten, fmt.Errorf("definition %s: %w", o.GetName(), err)
		}
		next := convert(stored)
		if len(stored) == 0 || reflect.DeepEqual(stored, next) {
			continue
		}
		if err := unstructured.SetNestedSlice(o.Object, next, "status", "conditions"); err != nil {
			return rewritten, fmt.Errorf("definition %s: %w", o.GetName(), err)
		}
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := c.Status().Patch(ctx, o, patch, client.FieldOwner(Manager)); err != nil {
			return rewritten, fmt.Errorf("definition %s: %w", o.GetName(), err)
		}
		rewritten++
	}
	have := &apiext.CustomResourceDefinition{}
	if err := c.Get(ctx, client.ObjectKey{Name: crd.Name}, have); err != nil {
		return rewritten, err
	}
	next := have.DeepCopy()
	next.Spec = *crd.Spec.DeepCopy()
	next.Spec.Conversion = have.Spec.Conversion // the default that the API server has set
	if err := c.Patch(ctx, next, client.MergeFromWithOptions(have, client.MergeFromWithOptimisticLock{}),
		client.FieldOwner(Manager)); err != nil {
		return rewritten, fmt.Errorf("CustomResourceDefinition %s: %w", crd.Name, err)
	}
	return rewritten, nil
}

// release removes the finalizer of kro from its GraphRevisions, so that they go with their definition while kro does not run. kro sets it
// again.
func release(ctx context.Context, c client.Client) error {
	var list unstructured.UnstructuredList
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "internal.kro.run", Version: "v1alpha1", Kind: "GraphRevisionList"})
	if err := c.List(ctx, &list); err != nil {
		if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("list the GraphRevisions: %w", err)
	}
	for i := range list.Items {
		o := &list.Items[i]
		if !metadata.HasGraphRevisionFinalizer(o) {
			continue
		}
		before := o.DeepCopy()
		metadata.RemoveGraphRevisionFinalizer(o)
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := c.Patch(ctx, o, patch, client.FieldOwner(Manager)); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("GraphRevision %s: %w", o.GetName(), err)
		}
	}
	return nil
}

// FromKro returns conditions that the schema of metav1.Condition admits: of one type the last one, a time and a reason where kro has none,
// and no status but the three. An entry without a type cannot be read by anybody and is left out.
func FromKro(list []any, now time.Time) []any {
	at := map[string]int{}
	out := []any{}
	for _, entry := range list {
		c, _ := entry.(map[string]any)
		name, _ := c["type"].(string)
		if name == "" {
			continue
		}
		next := map[string]any{"type": name, "status": string(metav1.ConditionUnknown), "reason": "Unspecified", "message": "",
			"lastTransitionTime": now.UTC().Format(time.RFC3339)}
		for key, value := range c {
			switch text, _ := value.(string); {
			case key == "observedGeneration":
				next[key] = value
			case key == "status" && text != "True" && text != "False":
			case key == "reason" && !wire.ValidReason(text):
			case text != "":
				next[key] = text
			}
		}
		if i, known := at[name]; known {
			out[i] = next
			continue
		}
		at[name] = len(out)
		out = append(out, next)
	}
	return out
}

// ToKro returns conditions without those that kro does not know.
func ToKro(list []any) []any {
	out := []any{}
	for _, entry := range list {
		c, _ := entry.(map[string]any)
		if c["type"] != definition.TypeResourceGraphReady && c["type"] != definition.TypeResourceGraphKindReady {
			out = append(out, entry)
		}
	}
	return out
}
