// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/derive"
	"github.com/tristate/tristate/proof/story"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Settle implements [story.World].
func (w *World) Settle(ctx context.Context) ([]map[string]any, error) {
	start := time.Now()
	var before map[string]string
	for {
		objects, why, err := w.look(ctx, &before)
		if err == nil && why == "" {
			return objects, nil
		}
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			if why == "" && err != nil {
				why = err.Error()
			}
			return nil, fmt.Errorf("%w after %s: %s", errUnsettled, time.Since(start).Round(time.Millisecond), why)
		case <-time.After(w.options.Poll):
		}
	}
}

// look returns all objects, and the reason why the world is not settled; empty when it is. before are the resource versions of the last
// call.
func (w *World) look(ctx context.Context, before *map[string]string) (objects []map[string]any, why string, err error) {
	if w.options.Controller != nil {
		if err := w.options.Controller.Idle(ctx); err != nil {
			return nil, "the controller is not idle: " + err.Error(), err
		}
	}
	if objects, err = w.List(ctx); err != nil {
		return nil, "", err
	}
	now := make(map[string]string, len(objects))
	graph := relation.New(w.options.Catalogs)
	for _, content := range objects {
		o := relation.FromContent(content)
		now[o.ID.String()] = o.ResourceVersion
		graph.Put(o)
	}
	last := *before
	*before = now
	why = w.pendingCollection(graph)
	if why == "" {
		why = pendingDerivation(graph)
	}
	if why == "" && w.options.Controller == nil && !maps.Equal(last, now) {
		why = "objects still change"
	}
	if why == "" && w.changes != nil {
		why = w.changes.behind(graph)
	}
	return objects, why, nil
}

// pendingCollection returns a sentence about an object that the garbage collector has still to delete; empty without one.
func (w *World) pendingCollection(graph *relation.Graph) string {
	kinds := w.listed()
	uids := map[string]bool{}
	for _, o := range graph.All() {
		uids[o.UID] = true
	}
	for _, o := range graph.All() {
		u := unstructured.Unstructured{Object: o.Content}
		if o.Deleting && len(u.GetFinalizers()) == 0 {
			return o.ID.String() + " is being deleted"
		}
		for _, ref := range u.GetOwnerReferences() {
			gv, _ := schema.ParseGroupVersion(ref.APIVersion)
			seen := slices.Contains(kinds, schema.GroupKind{Group: gv.Group, Kind: ref.Kind})
			if seen && !uids[string(ref.UID)] && (!o.Deleting || len(u.GetOwnerReferences()) > 1) {
				return fmt.Sprintf("%s has still to be collected: its owner %s/%s is gone", o.ID, ref.Kind, ref.Name)
			}
		}
	}
	return ""
}

// pendingDerivation returns a sentence about an object whose derived conditions are out of date; empty without one.
func pendingDerivation(graph *relation.Graph) string {
	for _, o := range graph.All() {
		in, ok := derive.Gather(graph, o.ID, time.Now())
		if !ok {
			continue
		}
		result := derive.Derive(in)
		if !result.Changed {
			continue
		}
		var types []string
		for _, t := range result.Transitions {
			types = append(types, fmt.Sprintf("%s should be %q", t.Type, t.To.Status))
		}
		slices.Sort(types)
		return fmt.Sprintf("%s has still to be derived: %s", o.ID, strings.Join(types, ", "))
	}
	return ""
}

// Recheck implements [story.World].
func (w *World) Recheck(ctx context.Context) error {
	if w.options.Controller != nil {
		w.options.Controller.Recheck()
		_, err := w.Settle(ctx)
		return err
	}
	w.mu.Lock()
	w.rechecks++
	n := w.rechecks
	w.mu.Unlock()
	objects, err := w.List(ctx)
	if err != nil {
		return err
	}
	for _, content := range objects { // touched, so that Tristate sees it again
		touch := map[string]any{"metadata": map[string]any{"annotations": map[string]any{"tristate.dev/touched": fmt.Sprint(n)}}}
		if err := w.Patch(ctx, relation.FromContent(content).ID, touch); err != nil && !errors.Is(err, story.ErrNotFound) {
			return err
		}
	}
	_, err = w.Settle(ctx)
	return err
}
