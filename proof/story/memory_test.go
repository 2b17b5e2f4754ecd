// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/proof/story"
)

var ctx = context.Background()

func newWidgets(t *testing.T) *story.MemoryWorld {
	return story.NewMemoryWorld(widgetSet(t))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func settle(t *testing.T, w *story.MemoryWorld) {
	t.Helper()
	_, err := w.Settle(ctx)
	must(t, err)
}

func get(t *testing.T, w *story.MemoryWorld, kind, name string) map[string]any {
	t.Helper()
	o, err := w.Get(ctx, widgetID(kind, name))
	must(t, err)
	return o
}

func gone(t *testing.T, w *story.MemoryWorld, kind, name string) {
	t.Helper()
	if _, err := w.Get(ctx, widgetID(kind, name)); !errors.Is(err, story.ErrNotFound) {
		t.Errorf("%s/%s: got %v, want not found", kind, name, err)
	}
}

func meta(o map[string]any, field string) any { return o["metadata"].(map[string]any)[field] }

func reported(conditionType string, s conditions.Status, reason string) conditions.Condition {
	var c conditions.Condition
	c.Type, c.Status, c.Reason = conditionType, s, reason
	return c
}

func TestMemoryIdentity(t *testing.T) {
	w := newWidgets(t)
	must(t, w.Apply(ctx, widget("Widget", "a", map[string]any{"spec": map[string]any{"size": 1}, "status": map[string]any{"x": 1}})))
	a := get(t, w, "Widget", "a")
	diff(t, "created", map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "spec": map[string]any{"size": int64(1)},
		"metadata": map[string]any{"name": "a", "namespace": "default", "uid": "00000000-0000-4000-8000-000000000001",
			"resourceVersion": "1", "generation": int64(1), "creationTimestamp": "2026-01-02T03:04:05Z"}}, a)

	must(t, w.Apply(ctx, widget("Widget", "a", map[string]any{"spec": map[string]any{"size": 1}})))
	diff(t, "version after the same again", any("1"), meta(get(t, w, "Widget", "a"), "resourceVersion"))

	steps := []struct {
		name       string
		do         func() error
		version    string
		generation int64
	}{
		{"spec", func() error {
			return w.Apply(ctx, widget("Widget", "a", map[string]any{"spec": map[string]any{"size": 2}}))
		}, "2", 2},
		{"status", func() error { return w.PatchStatus(ctx, widgetID("Widget", "a"), map[string]any{"x": 1}) }, "3", 2},
		{"report", func() error { return w.Report(ctx, widgetID("Widget", "a"), reported("Powered", "True", "PowerOn")) }, "4", 2},
		{"labels", func() error {
			return w.Patch(ctx, widgetID("Widget", "a"), map[string]any{"metadata": map[string]any{"labels": map[string]any{"l": "1"}, "uid": "x"},
				"status": map[string]any{"x": 2}})
		}, "5", 2},
		{"patched spec", func() error {
			return w.Patch(ctx, widgetID("Widget", "a"), map[string]any{"spec": map[string]any{"size": nil, "tags": []any{"t"}}})
		}, "6", 3},
	}
	for _, s := range steps {
		must(t, s.do())
		a = get(t, w, "Widget", "a")
		diff(t, s.name+": version", any(s.version), meta(a, "resourceVersion"))
		diff(t, s.name+": generation", any(s.generation), meta(a, "generation"))
	}
	diff(t, "spec", any(map[string]any{"tags": []any{"t"}}), a["spec"])
	diff(t, "status", any(map[string]any{"x": int64(1), "conditions": []any{map[string]any{"type": "Powered", "status": "True",
		"reason": "PowerOn", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z", "observedGeneration": int64(2)}}}), a["status"])
}

func TestMemoryTransitionTimes(t *testing.T) {
	w := newWidgets(t)
	must(t, w.Apply(ctx, widget("Widget", "a")))
	at := func() any {
		for _, c := range get(t, w, "Widget", "a")["status"].(map[string]any)["conditions"].([]any) {
			if c := c.(map[string]any); c["type"] == "Powered" {
				return c["lastTransitionTime"]
			}
		}
		return nil
	}
	id := widgetID("Widget", "a")
	must(t, w.Report(ctx, id, reported("Powered", "False", "Cut")))
	must(t, w.Sleep(ctx, time.Minute))
	must(t, w.Report(ctx, id, reported("Powered", "False", "Tripped")))
	diff(t, "another reason", any("2026-01-02T03:04:05Z"), at())
	must(t, w.Report(ctx, id, reported("Powered", "True", "PowerOn")))
	diff(t, "another status", any("2026-01-02T03:05:05Z"), at())
	must(t, w.Retract(ctx, id, "Powered"))
	diff(t, "retracted", any(nil), at())
}

func TestMemoryDeletion(t *testing.T) {
	w := newWidgets(t)
	finalizer := map[string]any{"metadata": map[string]any{"finalizers": []any{"example.com/hold"}}}
	must(t, w.Apply(ctx, widget("Rack", "r")))
	must(t, w.Apply(ctx, widget("Rack", "s")))
	must(t, w.Apply(ctx, widget("Widget", "plain", ownedBy("Rack", "r"))))
	must(t, w.Apply(ctx, widget("Widget", "held", ownedBy("Rack", "r"), finalizer)))
	must(t, w.Apply(ctx, widget("Widget", "free")))
	shared := widget("Widget", "shared")
	shared["metadata"].(map[string]any)["ownerReferences"] = []any{
		map[string]any{"apiVersion": "example.com/v1", "kind": "Rack", "name": "r"},
		map[string]any{"apiVersion": "example.com/v1", "kind": "Rack", "name": "s"}}
	must(t, w.Apply(ctx, shared))
	settle(t, w)

	must(t, w.Delete(ctx, widgetID("Rack", "r")))
	gone(t, w, "Rack", "r")
	gone(t, w, "Widget", "plain")
	held := get(t, w, "Widget", "held")
	diff(t, "deletionTimestamp", any("2026-01-02T03:04:05Z"), meta(held, "deletionTimestamp"))
	diff(t, "generation", any(int64(2)), meta(held, "generation"))
	diff(t, "owners left", 1, len(meta(get(t, w, "Widget", "shared"), "ownerReferences").([]any)))
	get(t, w, "Widget", "free")

	must(t, w.Patch(ctx, widgetID("Widget", "held"), map[string]any{"metadata": map[string]any{"deletionTimestamp": nil}}))
	diff(t, "a deletion cannot be taken back", any("2026-01-02T03:04:05Z"), meta(get(t, w, "Widget", "held"), "deletionTimestamp"))
	must(t, w.Delete(ctx, widgetID("Widget", "held")))
	must(t, w.Patch(ctx, widgetID("Widget", "held"), map[string]any{"metadata": map[string]any{"finalizers": nil}}))
	gone(t, w, "Widget", "held")
	settle(t, w)
	if err := w.Delete(ctx, widgetID("Widget", "held")); !errors.Is(err, story.ErrNotFound) {
		t.Errorf("got %v, want not found", err)
	}
}

func TestMemoryWritesOncePerObject(t *testing.T) {
	w := newWidgets(t)
	must(t, w.Apply(ctx, widget("Rack", "r")))
	for _, name := range []string{"a", "b", "c"} {
		must(t, w.Apply(ctx, widget("Widget", name, ownedBy("Rack", "r"))))
		must(t, w.Report(ctx, widgetID("Widget", name), reported("Powered", "True", "PowerOn")))
	}
	settle(t, w)
	diff(t, "writes", 4, w.Writes())
	must(t, w.Recheck(ctx))
	diff(t, "writes of a second pass", 4, w.Writes())
	must(t, w.Report(ctx, widgetID("Widget", "b"), reported("Powered", "False", "Cut")))
	settle(t, w)
	diff(t, "writes after a failure", 6, w.Writes())
}

func TestMemoryClock(t *testing.T) {
	w := newWidgets(t)
	must(t, w.Apply(ctx, widget("Widget", "a")))
	must(t, w.Sleep(ctx, 4*time.Minute))
	must(t, w.Apply(ctx, widget("Widget", "b")))
	must(t, w.Sleep(ctx, 20*time.Minute))
	for name, want := range map[string]string{"a": "2026-01-02T03:14:05Z", "b": "2026-01-02T03:18:05Z"} {
		c := story.Find(w.Catalogs().Kind(widgetID("Widget", "a").GroupKind), get(t, w, "Widget", name), "OldEnough")
		diff(t, name+" turned old", want, c.LastTransitionTime.UTC().Format(time.RFC3339))
	}
	diff(t, "now", story.Epoch.Add(24*time.Minute), w.Now())
}

func TestMemoryIsDeterministic(t *testing.T) {
	dump := func() string {
		w := newWidgets(t)
		must(t, w.Apply(ctx, widget("Rack", "r")))
		for _, name := range []string{"c", "a", "b"} {
			must(t, w.Apply(ctx, widget("Widget", name, ownedBy("Rack", "r"))))
			must(t, w.Report(ctx, widgetID("Widget", name), reported("Powered", "False", "Cut")))
		}
		must(t, w.Sleep(ctx, time.Hour))
		all, err := w.List(ctx)
		must(t, err)
		data, err := json.Marshal(all)
		must(t, err)
		return string(data)
	}
	want := dump()
	for range 5 {
		diff(t, "world", want, dump())
	}
}

func TestMemoryRefuses(t *testing.T) {
	w := newWidgets(t)
	for name, object := range map[string]map[string]any{
		"no name":      {"apiVersion": "v1", "kind": "ConfigMap"},
		"nothing":      nil,
		"not JSON":     {"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}, "x": func() {}},
		"no owner":     widget("Widget", "a", ownedBy("Rack", "r")),
		"no kind":      {"apiVersion": "v1", "metadata": map[string]any{"name": "a"}},
		"odd metadata": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": "a"},
	} {
		if err := w.Apply(ctx, object); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	all, err := w.List(ctx)
	must(t, err)
	diff(t, "objects", 0, len(all))
}
