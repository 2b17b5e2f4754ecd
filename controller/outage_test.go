// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// TestOutage: what is edited while the API server is out of reach is reflected after its return, in objects above as well, without anything
// else happening to them, and with one write each.
func TestOutage(t *testing.T) {
	t.Parallel()
	o := newOutage(t)
	o.proxy.cut()
	o.wait(func() error { // the controller has noticed, and tries
		if o.c.Ready() == nil {
			return &unlike{"controller", "still ready"}
		}
		return nil
	})
	o.report("Widget", "w", "Powered", "False", "Cut")
	o.create("Widget", "late", "rack: r")
	before := o.c.Stats().Writes
	if got, want := o.says("Rack", "r"), "Ready=True Healthy, WidgetsReady=True Healthy"; got != want {
		t.Fatalf("during the outage the rack says %s, want %s", got, want)
	}
	o.proxy.mend()
	o.eventually("Widget", "late", "Ready=Unknown NotReported")
	o.eventually("Rack", "r", "Ready=False Cut, WidgetsReady=False Cut")
	o.wait(o.c.Ready)
	o.c.quiet()
	if n := o.c.Stats().Writes - before; n > 4 { // each widget, and the rack for each
		t.Errorf("%d writes for two changes during an outage", n)
	}
}

// backAgain is how soon after the return of the API server everything has to be as it should be, for outages of up to a minute.
const backAgain = 10 * time.Second

// TestOutage_times prints how long that takes after outages of 5, 20 and 60 seconds, with TRISTATE_OUTAGES
// (make chaos in this folder). In an outage connections are refused, or they stay open, silent for ever: as when a machine is gone.
func TestOutage_times(t *testing.T) {
	if os.Getenv("TRISTATE_OUTAGES") == "" {
		t.Skip("takes over a minute: set TRISTATE_OUTAGES=1")
	}
	for name, begin := range map[string]func(*proxy){"refused": (*proxy).cut, "silent": (*proxy).silence} {
		for _, length := range []time.Duration{5 * time.Second, 20 * time.Second, 60 * time.Second} {
			t.Run(fmt.Sprintf("%s for %s", name, length), func(t *testing.T) {
				t.Parallel()
				o := newOutage(t)
				end := time.NewTimer(length)
				begin(o.proxy)
				o.report("Widget", "w", "Powered", "False", "Cut")
				<-end.C
				o.proxy.mend()
				back := time.Now()
				o.eventually("Rack", "r", "Ready=False Cut, WidgetsReady=False Cut")
				after := time.Since(back)
				fmt.Printf("outage of %s, %s: reflected %.1f s after the return\n", length, name, after.Seconds())
				if after > backAgain {
					t.Errorf("reflected %s after the return, want at most %s", after, backAgain)
				}
			})
		}
	}
}

// outage is a controller behind a proxy, with a rack and a widget that are fine.
type outage struct {
	*bench
	proxy *proxy
	c     *running
}

func newOutage(t *testing.T) *outage {
	t.Helper()
	b := newBench(t)
	b.define(listMap, "Rack", "Widget")
	p := newProxy(t, b.config.Host)
	o := &outage{b, p, b.run(p.through)}
	b.create("Rack", "r", "{}")
	b.create("Widget", "w", "rack: r")
	b.report("Widget", "w", "Powered", "True", "PowerOn")
	b.eventually("Rack", "r", "Ready=True Healthy, WidgetsReady=True Healthy")
	o.c.idle()
	return o
}
