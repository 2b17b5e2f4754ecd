// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// TestTwoWriters: others write leaf conditions as fast as they can to the objects that conditions are derived on. In no version of any
// object a condition is missing that was there, or older than it was, on either side.
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]string{"list map": listMap, "atomic list": anything} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.define(listMap, "Rack")
			b.define(status, "Widget")
			write := b.applyLeaf
			if status == anything {
				write = b.replaceLeaf
			}
			c := b.run()
			b.create("Rack", "r", "{}")
			const rounds = 30
			widgets := []string{"w0", "w1"}
			for _, name := range widgets {
				b.create("Widget", name, "rack: r")
			}
			ctx, cancel := context.WithCancel(b.patient())
			seen := b.follow(ctx)
			var writers sync.WaitGroup
			for _, name := range widgets {
				for _, leaf := range []string{"Powered", "Cooled"} {
					writers.Go(func() {
						for i := range rounds {
							if err := write(ctx, name, leaf, i); err != nil {
								t.Errorf("%s of %s: %v", leaf, name, err)
								return
							}
						}
					})
				}
			}
			writers.Wait()
			last := strconv.Itoa(rounds - 1)
			for _, name := range widgets {
				b.wait(func() error { // until the controller has seen the last of them
					o, err := b.objects("Widget").Get(ctx, name, metav1.GetOptions{})
					if err != nil {
						return err
					}
					if text := fmt.Sprint(entries(o)["Ready"]["message"]); strings.Count(text, last) != 2 {
						return fmt.Errorf("Ready of %s says %q", name, text)
					}
					return nil
				})
			}
			c.quiet()
			for _, name := range widgets {
				o, err := b.objects("Widget").Get(ctx, name, metav1.GetOptions{})
				b.must(err)
				got := entries(o)
				for _, leaf := range []string{"Powered", "Cooled"} {
					if got[leaf]["message"] != last {
						t.Errorf("%s of %s: want the last report, %s, got %v", leaf, name, last, got[leaf])
					}
				}
				if got["Ready"]["status"] != "False" {
					t.Errorf("Ready of %s: %v", name, got["Ready"])
				}
			}
			b.eventually("Rack", "r", "Ready=False DependentsUnhealthy, WidgetsReady=False DependentsUnhealthy")
			cancel()
			versions := <-seen
			t.Logf("%d versions of 2 objects; %d writes of the controller, %d conflicts", versions, c.Stats().Writes, c.Stats().Conflicts)
		})
	}
}

// reading is a report that makes the object good and bad in turns, and is bad in the end.
func reading(leaf string, i int) map[string]any {
	out := map[string]any{"type": leaf, "message": strconv.Itoa(i), "lastTransitionTime": "2026-01-02T03:04:05Z", "status": "False",
		"reason": "Cut"}
	if leaf == "Cooled" {
		out["reason"] = "Hot"
	}
	if i%2 == 0 {
		out["status"], out["reason"] = "True", map[string]string{"Powered": "PowerOn", "Cooled": "Cool"}[leaf]
	}
	return out
}

func (b *bench) applyLeaf(ctx context.Context, name, leaf string, i int) error {
	c := reading(leaf, i)
	return b.apply(ctx, "Widget", name, leaf, c["status"].(string), c["reason"].(string), c["message"].(string))
}

// replaceLeaf replaces one entry of the list with the resource version, as providers of atomic lists have to.
func (b *bench) replaceLeaf(ctx context.Context, name, leaf string, i int) error {
	for {
		old, err := b.objects("Widget").Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		list, _, _ := unstructured.NestedSlice(old.Object, "status", "conditions")
		next := []any{reading(leaf, i)}
		for _, entry := range list {
			if entry.(map[string]any)["type"] != leaf {
				next = append(next, entry)
			}
		}
		data, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": old.GetResourceVersion()},
			"status": map[string]any{"conditions": next}})
		if err != nil {
			return err
		}
		_, err = b.objects("Widget").Patch(ctx, name, types.MergePatchType, data, metav1.PatchOptions{FieldManager: "leaf"}, "status")
		if !apierrors.IsConflict(err) {
			return err
		}
	}
}

// follow checks every version of every widget until the context ends, and then tells how many there were.
func (b *bench) follow(ctx context.Context) <-chan int {
	b.Helper()
	list, err := b.objects("Widget").List(ctx, metav1.ListOptions{})
	b.must(err)
	w, err := b.objects("Widget").Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	b.must(err)
	out := make(chan int, 1)
	go func() {
		n := 0
		before := map[string]map[string]map[string]any{}
		for event := range w.ResultChan() {
			o, ok := event.Object.(*unstructured.Unstructured)
			if ctx.Err() != nil {
				break
			}
			if !ok || event.Type != watch.Modified {
				b.Errorf("watch: %s %v", event.Type, event.Object)
				break
			}
			n++
			now := entries(o)
			for conditionType, old := range before[o.GetName()] {
				if err := lost(old, now[conditionType]); err != nil {
					b.Errorf("version %s of %s: %s %v", o.GetResourceVersion(), o.GetName(), conditionType, err)
				}
			}
			before[o.GetName()] = now
		}
		out <- n
	}()
	return out
}

// lost compares a condition with what it was in the version before.
func lost(old, now map[string]any) error {
	if now == nil {
		return fmt.Errorf("is lost: it was %v", old)
	}
	was, err := strconv.Atoi(old["message"].(string))
	is, err2 := strconv.Atoi(now["message"].(string))
	if err == nil && err2 == nil && is < was { // a leaf
		return fmt.Errorf("went back from %d to %d", was, is)
	}
	return nil
}

func entries(o *unstructured.Unstructured) map[string]map[string]any {
	out := map[string]map[string]any{}
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, entry := range list {
		c := entry.(map[string]any)
		out[fmt.Sprint(c["type"])] = c
	}
	return out
}
