// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/proof/story"
)

const fleets = 150

// settled loads objects into a fresh world and settles it.
func settled(t *testing.T, set *catalog.Set, objects []map[string]any) *story.MemoryWorld {
	t.Helper()
	w := story.NewMemoryWorld(set)
	must(t, w.Load(objects...))
	settle(t, w)
	return w
}

// dump returns every object as JSON, one a line, without the fields that a store assigns; without times and with sorted conditions where
// asked.
func dump(t *testing.T, w *story.MemoryWorld, times, order bool) string {
	t.Helper()
	all, err := w.List(ctx)
	must(t, err)
	var b strings.Builder
	for _, o := range all {
		data, err := json.Marshal(o)
		must(t, err)
		var c map[string]any
		must(t, json.Unmarshal(data, &c))
		delete(c["metadata"].(map[string]any), "resourceVersion")
		status, _ := c["status"].(map[string]any)
		list, _ := status["conditions"].([]any)
		if !times {
			for _, entry := range list {
				delete(entry.(map[string]any), "lastTransitionTime")
			}
		}
		if !order {
			slices.SortFunc(list, func(a, b any) int {
				return strings.Compare(a.(map[string]any)["type"].(string), b.(map[string]any)["type"].(string))
			})
		}
		data, err = json.Marshal(c)
		must(t, err)
		fmt.Fprintln(&b, string(data))
	}
	return b.String()
}

func eachFleet(t *testing.T, test func(t *testing.T, f *fleet)) {
	set := shipped(t)
	for seed := range uint64(fleets) {
		if test(t, newFleet(set, seed)); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func violations(t *testing.T, w *story.MemoryWorld) {
	t.Helper()
	all, err := w.List(ctx)
	must(t, err)
	for _, v := range story.Violations(w.Catalogs(), all, w.Now()) {
		t.Error(v)
	}
}

// TestFleetsNeverHealthyOverUnhealthy: Ready is never True over a False or Unknown dependent, and a second pass writes
// nothing.
func TestFleetsNeverHealthyOverUnhealthy(t *testing.T) {
	ready := map[conditions.Status]int{}
	eachFleet(t, func(t *testing.T, f *fleet) {
		w := settled(t, f.set, f.objects)
		violations(t, w)
		before := w.Writes()
		must(t, w.Recheck(ctx))
		diff(t, "writes of a second pass", before, w.Writes())
		for _, o := range w.Graph().All() {
			if c := story.Find(f.set.Kind(o.GroupKind), o.Content, "Ready"); c != nil {
				ready[c.Status]++
			}
		}
	})
	for _, s := range []conditions.Status{conditions.True, conditions.False, conditions.Unknown} {
		if ready[s] < fleets {
			t.Errorf("Ready was %s only %d times: the fleets do not try enough", s, ready[s])
		}
	}
}

// TestFleetsDoNotDependOnOrder: neither the order in which objects arrive nor that of their stored conditions changes a byte.
func TestFleetsDoNotDependOnOrder(t *testing.T) {
	eachFleet(t, func(t *testing.T, f *fleet) {
		want := settled(t, f.set, f.objects)
		shuffled := slices.Clone(f.objects)
		f.rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		diff(t, "objects in another order", dump(t, want, true, true), dump(t, settled(t, f.set, shuffled), true, true))

		for _, o := range f.objects {
			status, _ := o["status"].(map[string]any)
			list, _ := status["conditions"].([]any)
			f.rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		diff(t, "conditions in another order", dump(t, want, true, false), dump(t, settled(t, f.set, f.objects), true, false))
	})
}

// TestFleetsTwoWay: an object that is removed and restored, or broken and repaired, leaves no trace but times.
func TestFleetsTwoWay(t *testing.T) {
	eachFleet(t, func(t *testing.T, f *fleet) {
		w := settled(t, f.set, f.objects)
		want := dump(t, w, false, false)
		all, err := w.List(ctx)
		must(t, err)
		victim := relation.FromContent(all[f.rand.IntN(len(all))])
		must(t, w.Sleep(ctx, time.Minute))
		before := w.Graph().All()
		must(t, w.Patch(ctx, victim.ID, map[string]any{"metadata": map[string]any{"finalizers": nil}}))
		if w.Graph().Get(victim.ID) != nil {
			must(t, w.Delete(ctx, victim.ID))
		}
		settle(t, w)
		violations(t, w)
		must(t, w.Sleep(ctx, time.Minute))
		for _, o := range before { // the victim and what went with it
			if now := w.Graph().Get(o.ID); now == nil || now.Generation != o.Generation ||
				len(o.Content["metadata"].(map[string]any)) != len(now.Content["metadata"].(map[string]any)) {
				must(t, w.Load(o.Content))
			}
		}
		settle(t, w)
		diff(t, "after delete and restore of "+victim.String(), want, dump(t, w, false, false))
	})
}

// TestFleetsLive: random reports one after another, invariants after each.
func TestFleetsLive(t *testing.T) {
	eachFleet(t, func(t *testing.T, f *fleet) {
		w := settled(t, f.set, f.objects)
		for range 8 {
			o := w.Graph().All()[f.rand.IntN(w.Graph().Len())]
			k := f.set.Kind(o.GroupKind)
			leaf := pick(f.rand, k)
			if leaf == nil {
				continue
			}
			before := w.Writes()
			if f.chance(20) {
				must(t, w.Retract(ctx, o.ID, leaf.Name))
			} else {
				r := leaf.Reasons[f.rand.IntN(len(leaf.Reasons))]
				c := reported(leaf.Name, r.Status, r.Name)
				c.Severity = r.Severity
				must(t, w.Report(ctx, o.ID, c))
			}
			must(t, w.Sleep(ctx, time.Second))
			violations(t, w)
			seen := map[relation.ID]bool{}
			for _, id := range w.Written(before) {
				if seen[id] {
					t.Errorf("%s was written twice for one change", id)
				}
				seen[id] = true
			}
		}
		objects, err := w.List(ctx)
		must(t, err)
		diff(t, "a restart", dump(t, w, true, true), dump(t, settled(t, f.set, objects), true, true))
	})
}

func pick(r *rand.Rand, k *catalog.Kind) *conditions.Type {
	var leaves []*conditions.Type
	for i := range k.Declaration.Types {
		if t := &k.Declaration.Types[i]; !k.Derives(t.Name) {
			leaves = append(leaves, t)
		}
	}
	if len(leaves) == 0 {
		return nil
	}
	return leaves[r.IntN(len(leaves))]
}
