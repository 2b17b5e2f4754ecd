// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/proof/story"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestScale: 200 machines under 10 clusters, from all leaves reported to everything settled. The controller is killed in the middle,
// and another one comes to what a world in memory comes to. It prints figures and depends on none that is a time. TRISTATE_SCALE is another
// number of machines (make scale in this folder: 20,000).
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("630 objects")
	}
	machines := 200
	if s := os.Getenv("TRISTATE_SCALE"); s != "" {
		if _, err := fmt.Sscan(s, &machines); err != nil {
			t.Fatal(err)
		}
	}
	f := newFleet(t)
	f.build(machines/20, 20)
	f.report()
	objects := len(f.objects)
	world := story.NewMemoryWorld(f.set)
	f.must(world.Load(f.underived(f.stored())...))
	settled, err := world.Settle(f.Context())
	f.must(err)
	want, _ := f.conditions(settled)

	// Once a third of the objects is written, no request succeeds until the end.
	var left atomic.Int64
	left.Store(int64(objects / 3))
	killed := make(chan struct{})
	first := &traffic{answer: func(r request) *http.Response {
		if r.verb != "patch" || !strings.HasSuffix(r.resource, "/status") {
			return nil
		}
		n := left.Add(-1)
		if n == 0 {
			close(killed)
		}
		if n <= 0 {
			return refuse(r.Request, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable)
		}
		return nil
	}}
	start := time.Now()
	dying := f.run(first.through)
	<-killed
	dying.end()
	took := time.Since(start)
	_, ready := f.conditions(f.stored())
	if ready == 0 || ready == objects {
		t.Errorf("killed with %d of %d objects ready: that is not the middle", ready, objects)
	}

	second := &traffic{}
	start = time.Now()
	c := f.run(second.through)
	var got map[string]string
	for n := 0; n < objects; got, n = f.conditions(f.stored()) { // what was reported may still be on its way
		f.must(c.Idle(f.Context()))
	}
	took += time.Since(start)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settled (-memory +got):\n%s", diff)
	}
	writes := first.written(map[string]int{})
	second.written(writes)
	total := 0
	for _, n := range writes {
		total += n
	}
	t.Logf("%d objects: settled in %s, killed with %d of them ready; %d writes, %d of them forced by intermediate states", objects,
		took.Round(time.Millisecond), ready, total, total-objects)
	if len(writes) != objects || total > objects+objects/10 {
		t.Errorf("%d objects were written in %d writes: want each of %d, and few more than once", len(writes), total, objects)
	}
	c.quiet()
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	t.Logf("%.0f writes a second; heap of the whole process, this test's own objects included: %d MB", float64(total)/took.Seconds(),
		memory.HeapAlloc>>20)
	c.end()

	start = time.Now()
	again := f.run()
	again.idle()
	t.Logf("cold start over the settled cluster: %s, %d passes over %d objects", time.Since(start).Round(time.Millisecond),
		again.Stats().Passes, objects)
	if n := again.Stats().Passes; n != objects {
		t.Errorf("a cold start judged %d objects %d times, want once each", objects, n)
	}
	if n := again.Stats().Writes; n != 0 {
		t.Errorf("started over a settled cluster, it wrote %d times", n)
	}
	if os.Getenv("TRISTATE_SCALE") != "" {
		again.end()
		f.measured(objects)
	}
}

// measured prints what a process of its own takes for a cold start over a settled fleet, and after it.
func (f *fleet) measured(objects int) {
	f.Helper()
	var names []string
	for _, gk := range f.manage {
		names = append(names, gk.String())
	}
	c := newChild(f.T, f.config, "--manage", strings.Join(names, ","))
	c.start()
	defer func() { c.end(syscall.SIGTERM) }()
	took := c.settles(objects)
	cold := c.cost()
	fmt.Printf("cold start of a process: %.1f s, %s, %d MB, at most %d MB\n", took.Seconds(), cold.since(cost{}), cold.rss, cold.most)
	time.Sleep(time.Minute) // a measurement
	later := c.cost()
	fmt.Printf("a minute later: %s, %d MB, %d MB of them without the pages of the program\n", later.since(cold), later.rss, later.own)
	if objects < 70_000 && later.rss > mostMemory {
		f.Errorf("%d MB for %d objects, want at most %d", later.rss, objects, mostMemory)
	}
}

// written adds the writes of conditions that the API server took, or may have taken without being heard, by object.
func (w *traffic) written(by map[string]int) map[string]int {
	for _, r := range w.all() {
		if r.verb == "patch" && strings.HasSuffix(r.resource, "/status") && r.code != http.StatusServiceUnavailable {
			by[r.resource+"/"+r.name]++
		}
	}
	return by
}
