// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tristate/tristate/controller"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// writesOf counts the writes of conditions that went over a wire.
func (w *traffic) writesOf() int {
	n := 0
	for _, r := range w.all() {
		if r.verb == "patch" && strings.HasSuffix(r.resource, "/status") {
			n++
		}
	}
	return n
}

// TestLeaderElection: of two replicas one works. When it ends the other takes over.
func TestLeaderElection(t *testing.T) {
	b := newBench(t)
	b.define(listMap, "Rack", "Widget")
	elect := func(o *controller.Options) { o.LeaderElect, o.LeaseNamespace = true, b.namespace }
	first, second := &traffic{}, &traffic{}
	a := b.run(first.through, elect)
	a.idle() // it leads
	z := b.run(second.through, elect)
	b.create("Rack", "r", "{}")
	b.eventually("Rack", "r", "Ready=False Empty, WidgetsReady=False Empty")
	b.create("Widget", "w", "rack: r")
	b.report("Widget", "w", "Powered", "True", "PowerOn")
	b.eventually("Rack", "r", "Ready=True Healthy, WidgetsReady=True Healthy")
	if n := second.writesOf(); n > 0 {
		t.Errorf("the replica that does not lead wrote %d times", n)
	}
	a.end()
	before := first.writesOf()
	b.report("Widget", "w", "Powered", "False", "Cut")
	b.eventually("Rack", "r", "Ready=False Cut, WidgetsReady=False Cut")
	z.quiet()
	if first.writesOf() != before || second.writesOf() == 0 {
		t.Errorf("the first wrote %d times after its end, the second %d times", first.writesOf()-before, second.writesOf())
	}
}

// TestLeaseLost: a replica that cannot renew its lease stops its work with an error.
func TestLeaseLost(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.define(listMap, "Rack")
	var lost atomic.Bool
	w := &traffic{answer: func(r request) *http.Response {
		if lost.Load() && r.resource == "leases" {
			return refuse(r.Request, http.StatusForbidden, metav1.StatusReasonForbidden)
		}
		return nil
	}}
	c := b.run(w.through, func(o *controller.Options) { o.LeaderElect, o.LeaseNamespace = true, b.namespace })
	c.idle()
	lost.Store(true)
	if err := <-c.ended; err == nil || err.Error() != "the lease was lost" {
		t.Errorf("the controller ended with %v", err)
	}
	close(c.ended)
	before := w.writesOf()
	b.create("Rack", "r", "{}")
	if n := w.writesOf() - before; n != 0 {
		t.Errorf("it wrote %d times without the lease", n)
	}
}
