// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/proof/story"
	"github.com/tristate/tristate/proof/story/live"
)

// twin does everything to a real API server and to a memory world, and holds them together whenever they have settled: the
// same objects, the same generations, the same conditions.
type twin struct {
	*live.World
	memory *story.MemoryWorld
	t      *testing.T
}

func (w twin) both(do func(story.World) error) error {
	if err := do(w.World); err != nil {
		return err
	}
	return do(w.memory)
}

func (w twin) Apply(ctx context.Context, object map[string]any) error {
	return w.both(func(x story.World) error { return x.Apply(ctx, object) })
}

func (w twin) Delete(ctx context.Context, id relation.ID) error {
	return w.both(func(x story.World) error { return x.Delete(ctx, id) })
}

func (w twin) Patch(ctx context.Context, id relation.ID, patch map[string]any) error {
	return w.both(func(x story.World) error { return x.Patch(ctx, id, patch) })
}

func (w twin) PatchStatus(ctx context.Context, id relation.ID, patch map[string]any) error {
	return w.both(func(x story.World) error { return x.PatchStatus(ctx, id, patch) })
}

func (w twin) Report(ctx context.Context, id relation.ID, c conditions.Condition) error {
	return w.both(func(x story.World) error { return x.Report(ctx, id, c) })
}

func (w twin) Retract(ctx context.Context, id relation.ID, conditionType string) error {
	return w.both(func(x story.World) error { return x.Retract(ctx, id, conditionType) })
}

func (w twin) Sleep(ctx context.Context, d time.Duration) error {
	return w.both(func(x story.World) error { return x.Sleep(ctx, d) })
}

func (w twin) Settle(ctx context.Context) ([]map[string]any, error) {
	objects, err := w.World.Settle(ctx)
	if err != nil {
		return nil, err
	}
	want, err := w.memory.Settle(ctx)
	if err != nil {
		return nil, err
	}
	diff(w.t, "the real API server (+) differs from memory (-)", declared(sorted(comparable(want))), declared(sorted(comparable(objects))))
	return objects, nil
}

// declared leaves out workloads: the API server has defaults for their fields, and its controllers write their statuses.
func declared(objects []any) []any {
	return slices.DeleteFunc(objects, func(o any) bool { return o.(map[string]any)["apiVersion"] == "apps/v1" })
}

// sorted brings the conditions of each object into one order: server-side apply has its own.
func sorted(objects []any) []any {
	for _, o := range objects {
		status, _ := o.(map[string]any)["status"].(map[string]any)
		list, _ := status["conditions"].([]any)
		slices.SortFunc(list, func(a, b any) int { return compareTypes(a.(map[string]any), b.(map[string]any)) })
	}
	return objects
}

func compareTypes(a, b map[string]any) int {
	x, _ := a["type"].(string)
	y, _ := b["type"].(string)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
