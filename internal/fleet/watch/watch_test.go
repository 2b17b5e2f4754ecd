// SPDX-License-Identifier: Apache-2.0

package watch_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/fleet/watch"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// entry is the form in which the test keeps an object.
type entry struct {
	name   string
	packed bool
}

// keeper logs the calls of a watch.
type keeper struct {
	log   []string
	known map[string]bool
}

// watch returns a watch that is not connected.
func (k *keeper) watch() *watch.Watch[string, entry] {
	k.known = map[string]bool{}
	return &watch.Watch[string, entry]{
		Kind: "Widget",
		Read: func(content map[string]any) *entry {
			return &entry{name: (&unstructured.Unstructured{Object: content}).GetName()}
		},
		Pack:  func(e *entry) { e.packed = true },
		Key:   func(e *entry) string { return e.name },
		Known: func() []string { return slices.Sorted(maps.Keys(k.known)) },
		Put: func(e *entry) {
			k.known[e.name] = true
			if k.log = append(k.log, "put "+e.name); e.packed {
				k.log = append(k.log, "packed")
			}
		},
		Remove: func(name string) {
			delete(k.known, name)
			k.log = append(k.log, "remove "+name)
		},
		Listed: func() { k.log = append(k.log, "listed") },
	}
}

func widget(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": name}}}
}

// TestStore: a list replaces the known objects, packed; events follow.
func TestStore(t *testing.T) {
	k := &keeper{}
	w := k.watch()
	transform := w.Transformer()
	list := func(names ...string) {
		t.Helper()
		var items []any
		for _, name := range names {
			item, err := transform(widget(name))
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, item)
		}
		if err := w.Replace(items, "1"); err != nil {
			t.Fatal(err)
		}
	}
	list("a", "b")
	for _, step := range []error{w.Add(widget("c")), w.Update(widget("a")), w.Delete(widget("b")), w.Replace([]any{widget("d")}, "2"),
		w.Resync()} {
		if step != nil {
			t.Fatal(step)
		}
	}
	want := "put a, packed, put b, packed, listed, put c, put a, remove b, remove a, remove c, put d, listed"
	if diff := cmp.Diff(want, strings.Join(k.log, ", ")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestStrange: a value that is no object is an error, and nothing of its list is put.
func TestStrange(t *testing.T) {
	k := &keeper{}
	w := k.watch()
	_, packed := w.Transformer()("text")
	for name, err := range map[string]error{"list": w.Replace([]any{widget("a"), 7}, "1"), "event": w.Add(nil), "deletion": w.Delete("gone"),
		"item": packed} {
		if err == nil || !strings.HasPrefix(err.Error(), "watch of Widget returned a") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff([]string(nil), k.log); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
