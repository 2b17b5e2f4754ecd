// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli/app"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/wait"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// pod is one as large as those of real clusters are at the least.
func pod(i int, ready string) *relation.Object {
	var env []any
	for n := range 20 {
		env = append(env, map[string]any{"name": fmt.Sprintf("VARIABLE_%d", n), "value": fmt.Sprintf("value %d of pod %d", n, i)})
	}
	return relation.FromContent(map[string]any{"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": fmt.Sprintf("pod-%06d", i), "namespace": "default", "uid": fmt.Sprint(i)},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": "a", "image": "a", "env": env}}},
		"status": map[string]any{"phase": "Running", "conditions": []any{
			map[string]any{"type": "Ready", "status": ready, "lastTransitionTime": "2026-01-02T03:04:05Z"}}},
	})
}

// TestWaitScale: 20,000 objects, each reported twice, in bounded memory and time, with output that stays usable.
func TestWaitScale(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	const count = 20_000
	set, err := catalog.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &options{}
	if err := o.check(); err != nil {
		t.Fatal(err)
	}
	o.goal = wait.Goal{Timeout: time.Hour}
	var out bytes.Buffer
	a := &app.App{Out: &out, Err: &out, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
	w := newWaiting(a, o, set, []cluster.Query{{Type: "pods", Namespace: "default"}}, a.Now())
	mapping := &meta.RESTMapping{Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
		GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Scope: meta.RESTScopeNamespace}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, start := heap(), time.Now()
	events := make(chan cluster.Event, 1024)
	var full uint64
	go func() {
		for i := range count {
			events <- cluster.Event{Object: pod(i, "False"), Mapping: mapping}
		}
		events <- cluster.Event{State: cluster.Served, Mapping: mapping}
		for len(events) > 0 {
			runtime.Gosched()
		}
		full = heap()
		for i := range count {
			events <- cluster.Event{Object: pod(i, "True"), Mapping: mapping}
		}
	}()
	d, err := w.follow(context.Background(), events)
	if err != nil || d.Outcome != wait.Reached || d.Met != count {
		t.Fatalf("%+v, %v", d, err)
	}
	each := (full - before) / count
	t.Logf("%d objects, %d bytes each, %s for an event, %d bytes of output", count, each, time.Since(start)/(2*count), out.Len())
	if each > 2048 {
		t.Errorf("%d bytes an object, want at most 2048", each)
	}
	if out.Len() > 10_000 {
		t.Errorf("%d bytes of output", out.Len())
	}
	runtime.KeepAlive(w)
}

// TestReplaced: an object that was deleted and made again under its name is gone, when that is waited for.
func TestReplaced(t *testing.T) {
	set, err := catalog.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &options{forTexts: []string{"delete"}}
	if err := o.check(); err != nil {
		t.Fatal(err)
	}
	o.goal.Once = false
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a := &app.App{Out: io.Discard, Err: io.Discard, Env: func(string) string { return "" }, Now: func() time.Time { return now },
		Name: "tristate"}
	w := newWaiting(a, o, set, []cluster.Query{{Type: "pods", Name: "pod-000001", Namespace: "default"}}, a.Now())
	first, second := pod(1, "True"), pod(1, "True")
	second.UID = "another"
	w.take(cluster.Event{Object: first}, now)
	w.take(cluster.Event{State: cluster.Served}, now)
	if d := w.machine.Decide(now); d.Outcome != wait.Waiting {
		t.Errorf("before: %+v", d)
	}
	for _, u := range []*relation.Object{second, first, second} {
		w.take(cluster.Event{Object: u}, now)
		if d := w.machine.Decide(now); d.Outcome != wait.Reached {
			t.Errorf("after: %+v", d)
		}
	}
}
