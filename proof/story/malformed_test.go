// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tristate/tristate/internal/fleet/relation"
)

// TestFleetsMalformed: with objects of any content no call panics, every other object is judged, and a second pass writes
// nothing.
func TestFleetsMalformed(t *testing.T) {
	eachFleet(t, func(t *testing.T, f *fleet) {
		for range 1 + f.rand.IntN(6) {
			o := f.objects[f.rand.IntN(len(f.objects))]
			part := []string{"spec", "metadata", "status"}[f.rand.IntN(3)]
			if inner, ok := o[part].(map[string]any); ok {
				spoil(f.rand, inner)
			}
		}
		f.objects = slices.DeleteFunc(f.objects, func(o map[string]any) bool { return relation.FromContent(o).Name == "" })
		w := settled(t, f.set, f.objects)
		before := w.Writes()
		must(t, w.Recheck(ctx))
		diff(t, "writes of a second pass", before, w.Writes())
		shuffled := slices.Clone(f.objects)
		f.rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if seen := map[relation.ID]bool{}; !slices.ContainsFunc(f.objects, func(o map[string]any) bool {
			id := relation.FromContent(o).ID
			twice := seen[id]
			seen[id] = true
			return twice
		}) {
			diff(t, "in another order", dump(t, w, true, true), dump(t, settled(t, f.set, shuffled), true, true))
		}
	})
}

// spoil replaces a random field below by a value of another shape.
func spoil(r *rand.Rand, m map[string]any) {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	if len(keys) == 0 {
		return
	}
	key := keys[r.IntN(len(keys))]
	switch v := m[key].(type) {
	case map[string]any:
		if r.IntN(3) > 0 {
			spoil(r, v)
			return
		}
	case []any:
		if len(v) > 0 && r.IntN(4) > 0 {
			at := r.IntN(len(v))
			if inner, ok := v[at].(map[string]any); ok && r.IntN(3) > 0 {
				spoil(r, inner)
			} else {
				v[at] = junk(r)
			}
			return
		}
	}
	m[key] = junk(r)
}

func junk(r *rand.Rand) any {
	return []any{nil, "", "x", "\x00\xff", int64(-1), 1.5, true, []any{}, []any{nil, "a", []any{}}, map[string]any{},
		map[string]any{"kind": "Machine", "name": []any{}}, map[string]any{"matchLabels": "x"}}[r.IntN(12)]
}
