// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/controller"
	testclock "k8s.io/utils/clock/testing"
)

// TestDwell: what a catalog holds back is published when its time has come, without any other event, and a change that is over by
// then is never published.
func TestDwell(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set = b.load(strings.Replace(catalogText, "    derive:\n      aggregate",
		"    dwell: {goBadAfter: 2m, recoverAfter: 1m}\n    derive:\n      aggregate", 1))
	b.define(listMap, "Rack", "Widget")
	clock := testclock.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	b.create("Widget", "w", "rack: r")
	b.report("Widget", "w", "Powered", "True", "PowerOn")
	c := b.run(func(o *controller.Options) { o.Clock = clock })
	b.eventually("Widget", "w", "Powered=True PowerOn, Ready=True Healthy")
	c.idle() // so that the rack, at first sight, has nothing to recover from
	b.create("Rack", "r", "{}")
	good, bad := "Ready=True Healthy, WidgetsReady=True Healthy", "Ready=False Cut, WidgetsReady=False Cut"
	b.eventually("Rack", "r", good)
	say := func(status, reason string) {
		t.Helper()
		b.report("Widget", "w", "Powered", status, reason)
		b.eventually("Widget", "w", "Powered="+status+" "+reason+", Ready="+status+" "+
			map[string]string{"True": "Healthy", "False": "Cut"}[status])
		c.quiet()
	}
	stands := func(want string) {
		t.Helper()
		c.idle()
		if got := b.says("Rack", "r"); got != want {
			t.Errorf("want %s, got %s", want, got)
		}
	}
	say("False", "Cut")
	stands(good)
	clock.Step(time.Minute)
	say("True", "PowerOn") // a flicker
	clock.Step(5 * time.Minute)
	stands(good)

	say("False", "Cut")
	clock.Step(2*time.Minute - time.Second)
	stands(good)
	clock.Step(time.Second)
	b.eventually("Rack", "r", bad)
	say("True", "PowerOn")
	stands(bad)
	clock.Step(time.Minute)
	b.eventually("Rack", "r", good)
	c.quiet()
}
