// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/proof/plane"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// TestEventsAfterTheWrite: while the API server takes no writes there are no events and nothing is counted as written; afterwards
// there is one event per transition, and it comes behind its write.
func TestEventsAfterTheWrite(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.define(listMap, "Rack", "Widget")
	var down atomic.Bool
	down.Store(true)
	w := &traffic{answer: func(r request) *http.Response {
		if down.Load() && strings.HasSuffix(r.resource, "/status") {
			return refuse(r.Request, http.StatusInternalServerError, metav1.StatusReasonInternalError)
		}
		return nil
	}}
	metrics, health := plane.Address(t), plane.Address(t)
	b.create("Widget", "w", "{}")
	b.report("Widget", "w", "Powered", "False", "Cut")
	c := b.run(w.through, func(o *controller.Options) { o.MetricsAddress, o.HealthAddress = metrics, health })
	kind := fmt.Sprintf(`kind="Widget.%s"`, b.group)
	b.wait(func() error {
		if n := c.Stats().Failures; n < 3 {
			return fmt.Errorf("%d failures", n)
		}
		return nil
	})
	text := fetch(t, metrics, "/metrics", http.StatusOK)
	for _, name := range []string{"tristate_writes_total", "tristate_status_condition_transitions_total"} {
		if strings.Contains(text, name+"{"+kind) {
			t.Errorf("%s counts a write that failed:\n%s", name, text)
		}
	}
	if !strings.Contains(text, "tristate_write_failures_total{"+kind) {
		t.Errorf("failures are not counted:\n%s", text)
	}
	if events := b.events(); len(events) > 0 {
		t.Errorf("events before the write: %v", events)
	}
	if got := fetch(t, health, "/healthz?verbose", http.StatusOK); !strings.Contains(got, "Widget."+b.group) ||
		!strings.Contains(got, "refused by the test") {
		t.Errorf("/healthz?verbose does not show the failure:\n%s", got)
	}

	down.Store(false)
	b.eventually("Widget", "w", "Powered=False Cut, Ready=False Cut")
	want := []string{"Warning Cut Ready is False: Powered(Cut)"}
	b.wait(func() error {
		if diff := cmp.Diff(want, b.events()); diff != "" {
			return &unlike{"events", diff}
		}
		return nil
	})
	c.idle()
	written := false
	for _, r := range w.all() {
		switch {
		case r.resource == "widgets/status" && r.code == http.StatusOK:
			written = true
		case r.resource == "events" && !written:
			t.Error("an event was sent before the write had succeeded")
		}
	}
	text = fetch(t, metrics, "/metrics", http.StatusOK)
	for _, line := range []string{
		"tristate_writes_total{" + kind + "} 1",
		"tristate_status_condition_transitions_total{" + kind + `,status="False",type="Ready"} 1`,
		"tristate_status_condition_count{" + kind + `,status="False",type="Powered"} 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no %q in:\n%s", line, text)
		}
	}
	if got := fetch(t, health, "/healthz?verbose", http.StatusOK); strings.Contains(got, "refused by the test") {
		t.Errorf("/healthz?verbose shows a failure that is over:\n%s", got)
	}
	b.delete("Widget", "w")
	b.wait(func() error {
		if text := fetch(t, metrics, "/metrics", http.StatusOK); strings.Contains(text, "tristate_status_condition_count{"+kind) {
			return fmt.Errorf("conditions of an object that is gone are counted:\n%s", text)
		}
		return nil
	})
}

// TestReady: /readyz names a kind that may not be listed and stays ready, as a restart grants nothing, and what does not depend on it
// works. What depends on it says nothing rather than that there were none.
func TestReady(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.define(listMap, "Rack", "Widget")
	var forbidden atomic.Bool
	forbidden.Store(true)
	w := &traffic{answer: func(r request) *http.Response {
		if forbidden.Load() && r.resource == "widgets" {
			return refuse(r.Request, http.StatusForbidden, metav1.StatusReasonForbidden)
		}
		return nil
	}}
	health := plane.Address(t)
	b.set = b.load(catalogText + strings.NewReplacer("racks.GROUP", "shelves.GROUP", "kind: Rack", "kind: Shelf", "kind: Widget",
		"kind: Bolt").Replace("---"+strings.Split(catalogText, "---")[1]))
	b.define(listMap, "Shelf")
	c := b.run(w.through, func(o *controller.Options) { o.HealthAddress = health })
	b.create("Rack", "r", "{}")
	b.create("Shelf", "s", "{}")
	b.create("Widget", "w", "rack: r")
	b.eventually("Shelf", "s", "Ready=False Empty, WidgetsReady=False Empty") // there are no bolts, and no such kind
	b.wait(func() error {
		if got := fetch(t, health, "/readyz", http.StatusOK); !strings.Contains(got, "Widget."+b.group+": ") || strings.Contains(got, "Rack") {
			return fmt.Errorf("/readyz: %s", got)
		}
		return nil
	})
	c.idle()
	if got := b.says("Rack", "r"); got != "" {
		t.Errorf("a rack says %s of widgets that nobody could list", got)
	}
	forbidden.Store(false)
	b.eventually("Rack", "r", "Ready=Unknown NotReported, WidgetsReady=Unknown NotReported")
	if got := fetch(t, health, "/readyz", http.StatusOK); got != "ok\n" {
		t.Errorf("/readyz: %s", got)
	}
}

// events returns the events of the namespace: type, reason, note.
func (b *bench) events() []string {
	b.Helper()
	client, err := kubernetes.NewForConfig(b.config)
	b.must(err)
	list, err := client.EventsV1().Events(b.namespace).List(b.patient(), metav1.ListOptions{})
	b.must(err)
	var out []string
	for _, e := range list.Items {
		if e.ReportingController == "tristate" {
			out = append(out, told(e))
		}
	}
	slices.Sort(out)
	return out
}

func told(e eventsv1.Event) string { return e.Type + " " + e.Reason + " " + e.Note }

// fetch gets a page once somebody answers with the code.
func fetch(t *testing.T, address, path string, code int) string {
	t.Helper()
	b := &bench{T: t}
	out := ""
	b.wait(func() error {
		r, err := http.Get("http://" + address + path)
		if err != nil {
			return err
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		out = string(body)
		if r.StatusCode != code {
			return fmt.Errorf("%s: status %d, want %d: %s", path, r.StatusCode, code, out)
		}
		return nil
	})
	return out
}
