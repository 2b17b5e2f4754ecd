// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/controller/internal/watchset"
	"github.com/tristate/tristate/proof/plane"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testclock "k8s.io/utils/clock/testing"
)

// configured declares widgets that need a ConfigMap: a kind that only discovery knows.
const configured = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: widgets.GROUP}
spec:
  for: {group: GROUP, kind: Widget, versions: [v1]}
  manage: {manager: tristate}
  relations:
    config: {kind: ConfigMap, ref: self.spec.config}
  conditions:
  - type: Ready
    meaning: It has its configuration.
    derive:
      rules:
      - {when: "!has(related.config)", reason: ConfigMissing}
      - {reason: Configured}
    reasons:
    - {reason: ConfigMissing, status: "False", meaning: There is none.}
    - {reason: Configured, status: "True", meaning: There is one.}
`

// TestFailedDiscovery: a kind that the API server could not be asked about is not missing. What stands stays, and nothing is published
// about objects that depend on it until the API server has answered.
func TestFailedDiscovery(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set = b.load(configured)
	b.define(listMap, "Widget")
	b.create("Widget", "w", "config: kube-root-ca.crt")
	var down atomic.Bool
	down.Store(true)
	var failed atomic.Int64
	w := &traffic{answer: func(r request) *http.Response {
		path := strings.TrimSuffix(r.URL.Path, "/")
		if down.Load() && (path == "/api" || path == "/apis" || path == "/api/v1") {
			failed.Add(1)
			return refuse(r.Request, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable)
		}
		return nil
	}}
	health := plane.Address(t)
	clock := testclock.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	c := b.run(w.through, func(o *controller.Options) { o.Clock, o.HealthAddress = clock, health })
	again := func() { clock.Step(watchset.RetryLimit) } // only then is discovery asked again
	b.wait(func() error {
		if failed.Load() < 2 {
			again()
			return &unlike{"discovery", "not asked twice yet"}
		}
		return nil
	})
	if got := b.says("Widget", "w"); got != "" {
		t.Errorf("published without an answer of discovery: %s", got)
	}
	if got := fetch(t, health, "/readyz", http.StatusServiceUnavailable); !strings.Contains(got, "discovery") {
		t.Errorf("/readyz does not name discovery:\n%s", got)
	}
	down.Store(false)
	b.wait(func() error {
		if slices.ContainsFunc(w.all(), func(r request) bool { return r.URL.Path == "/apis" && r.code == http.StatusOK }) {
			return nil
		}
		again()
		return &unlike{"discovery", "not answered yet"}
	})
	b.eventually("Widget", "w", "Ready=True Configured")
	b.wait(func() error {
		if c.Ready() == nil {
			return nil
		}
		return c.Ready()
	})

	down.Store(true) // the last answer holds, and a definition that comes asks for no new one
	n := failed.Load()
	b.define(listMap, "Rack")
	b.create("Widget", "late", "config: kube-root-ca.crt")
	b.eventually("Widget", "late", "Ready=True Configured")
	b.create("Widget", "none", "config: there-is-none")
	b.eventually("Widget", "none", "Ready=False ConfigMissing")
	c.quiet()
	if failed.Load() != n {
		t.Errorf("discovery was asked %d times for a kind that has a definition", failed.Load()-n)
	}
}
