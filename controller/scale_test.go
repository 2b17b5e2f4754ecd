// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// settle waits until a controller has nothing to do and everything is Ready: reports may come to it later than they were written.
func (r *running) settle(f *fleet) {
	f.Helper()
	for {
		f.must(r.Idle(f.Context()))
		if _, ready := f.stored(); ready == len(f.objects) {
			f.must(r.Idle(f.Context()))
			return
		}
	}
}

// TestScale: 1,000 machines under 50 clusters. It prints figures and depends on none that is a time.
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("3,150 objects")
	}
	f := newFleet(t)
	f.build(50, 20)

	// From all leaves reported to everything settled: one write for each object.
	f.report()
	w := &wire{}
	start := time.Now()
	c := f.run(w.through)
	c.settle(f)
	took, objects := time.Since(start), len(f.objects)
	writes := w.perObject()
	forced := 0
	for _, n := range writes {
		forced += n - 1
	}
	stats := c.Stats()
	t.Logf("%d objects: settled in %s with %d writes, %d of them forced by intermediate states; %d passes, %d conflicts",
		objects, took.Round(time.Millisecond), c.Writes(), forced, stats.Passes, stats.Conflicts)
	if len(writes) != objects || forced > objects/10 {
		t.Errorf("%d objects were written, %d times more than once: want each of %d once, and few again", len(writes), forced, objects)
	}
	want, _ := f.stored()
	c.quiet()
	c.end()

	// Killed in the middle: a third of the writes is answered, then every request fails until the end.
	f.wipe()
	var left atomic.Int64
	left.Store(int64(objects / 3))
	killed := make(chan struct{})
	first := &wire{answer: func(r request) *http.Response {
		if r.verb != "patch" || !strings.HasSuffix(r.resource, "/status") {
			return nil
		}
		switch n := left.Add(-1); {
		case n == 0:
			close(killed)
			fallthrough
		case n < 0:
			return refuse(r.Request, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable)
		}
		return nil
	}}
	dying := f.run(first.through)
	<-killed
	dying.end()
	_, ready := f.stored()
	if ready == 0 || ready == objects {
		t.Errorf("killed with %d of %d objects ready: that is not the middle", ready, objects)
	}
	second := f.run()
	second.settle(f)
	t.Logf("killed with %d objects ready, settled by another with %d writes", ready, second.Writes())
	got, _ := f.stored()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after a restart (-want +got):\n%s", diff)
	}
	second.quiet()
}

// perObject counts the writes of conditions by object.
func (w *wire) perObject() map[string]int {
	out := map[string]int{}
	for _, r := range w.all() {
		if r.verb == "patch" && strings.HasSuffix(r.resource, "/status") {
			out[r.resource+"/"+r.name]++
		}
	}
	return out
}

// wipe takes every derived condition away.
func (f *fleet) wipe() {
	f.Helper()
	for _, o := range f.objects {
		body := &unstructured.Unstructured{Object: map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "metadata": map[string]any{"name": o.GetName()}}}
		_, err := f.resource(o).Apply(f.Context(), o.GetName(), body, metav1.ApplyOptions{FieldManager: "tristate", Force: true}, "status")
		f.must(err)
	}
}
