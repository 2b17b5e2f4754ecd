// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/controller"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"
)

// TestRequests: an event costs the write that it makes necessary, and nothing else; one that changes nothing costs nothing.
func TestRequests(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.define(listMap, "Rack", "Widget")
	w := &traffic{}
	clock := testclock.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) // discovery is asked again after a time
	c := b.run(w.through, func(o *controller.Options) { o.Clock = clock })
	b.create("Rack", "r", "{}")
	b.create("Widget", "w", "rack: r")
	b.report("Widget", "w", "Powered", "True", "PowerOn")
	b.eventually("Rack", "r", "Ready=True Healthy, WidgetsReady=True Healthy")
	c.idle()
	start := len(w.all())
	for i := range 10 {
		status, reason, derived := "True", "PowerOn", "Healthy"
		if i%2 == 0 {
			status, reason, derived = "False", "Cut", "Cut"
		}
		b.report("Widget", "w", "Powered", status, reason)
		b.eventually("Rack", "r", fmt.Sprintf("Ready=%s %s, WidgetsReady=%[1]s %[2]s", status, derived))
		b.touch("Widget", "w", i)
	}
	c.idle()
	got := map[string]int{}
	for _, r := range w.all()[start:] {
		if r.resource != "events" { // they are told in their own time
			got[r.verb+" "+r.resource]++
		}
	}
	if diff := cmp.Diff(map[string]int{"patch widgets/status": 10, "patch racks/status": 10}, got); diff != "" {
		t.Errorf("requests for 10 changes and 10 events without a change (-want +got):\n%s", diff)
	}
}

// touch changes an object in a way that matters to nobody.
func (b *bench) touch(kind, name string, i int) {
	b.Helper()
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"example.dev/touched":"%d"}}}`, i)
	_, err := b.objects(kind).Patch(b.patient(), name, types.MergePatchType, patch, metav1.PatchOptions{})
	b.must(err)
}
