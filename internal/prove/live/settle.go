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

	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/internal/prove/story"
	"github.com/tristate/tristate/internal/read/relation"
	"github.com/tristate/tristate/internal/write/derive"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Settle implements [story.World].
func (w *World) Settle(ctx context.Context) error {
	start := time.Now()
	var before map[string]string
	for {
		why, err := w.look(ctx, &before)
		if err == nil && why == "" {
			return nil
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			if why == "" && err != nil {
				why = err.Error()
			}
			return fmt.Errorf("%w after %s: %s", errUnsettled, time.Since(start).Round(time.Millisecond), why)
		case <-time.After(w.options.Poll):
		}
	}
}

// look returns the reason why the world is not settled; empty when it is. before are the resource versions of the last call.
func (w *World) look(ctx context.Context, before *map[string]string) (string, error) {
	if w.options.Controller != nil {
		if err := w.options.Controller.Idle(ctx); err != nil {
			return "the controller is not idle: " + err.Error(), err
		}
	}
	objects, err := w.List(ctx)
	if err != nil {
		return "", err
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
	if why := w.pendingCollection(graph); why != "" {
		return why, nil
	}
	if why := pendingDerivation(graph); why != "" {
		return why, nil
	}
	if w.options.Controller == nil && !maps.Equal(last, now) {
		return "objects still change", nil
	}
	if w.changes != nil {
		return w.changes.behind(graph), nil
	}
	return "", nil
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
		in.State = &rollup.State{} // a change that a declared dwell delays may be published, but need not be yet
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
		return w.Settle(ctx)
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
	return w.Settle(ctx)
}
