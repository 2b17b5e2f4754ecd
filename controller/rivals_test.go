// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/proof/plane"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"
)

// unmanaged is catalogText without a word about management: as the catalogs that come with the command.
var unmanaged = strings.ReplaceAll(catalogText, "  manage: {manager: tristate}\n", "")

// insist sets Ready of every widget but the one of [bench.seen] to its own opinion, for ever: at once, and after each change of it by
// another manager. It returns how often it wrote.
func (b *bench) insist(manager string) func() int {
	b.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var mu sync.Mutex
	writes := 0
	put := func(name string) {
		if name == marker {
			return
		}
		o, err := b.objects("Widget").Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return
		}
		list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		var next []any
		for _, entry := range list {
			c, _ := entry.(map[string]any)
			if c["type"] == "Ready" && c["reason"] == "Mine" {
				return
			} else if c["type"] != "Ready" {
				next = append(next, entry)
			}
		}
		next = append(next, map[string]any{"type": "Ready", "status": "True", "reason": "Mine", "message": "",
			"lastTransitionTime": "2026-01-02T03:04:05Z"})
		if o.Object["status"] == nil {
			o.Object["status"] = map[string]any{}
		}
		_ = unstructured.SetNestedSlice(o.Object, next, "status", "conditions")
		if _, err := b.objects("Widget").UpdateStatus(ctx, o, metav1.UpdateOptions{FieldManager: manager}); err == nil {
			mu.Lock()
			writes++
			mu.Unlock()
		}
	}
	list, err := b.objects("Widget").List(ctx, metav1.ListOptions{})
	b.must(err)
	w, err := b.objects("Widget").Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	b.must(err)
	for i := range list.Items {
		put(list.Items[i].GetName())
	}
	var done sync.WaitGroup
	done.Go(func() {
		for event := range w.ResultChan() {
			if o, ok := event.Object.(*unstructured.Unstructured); ok {
				put(o.GetName())
			}
		}
	})
	b.Cleanup(func() {
		stop()
		w.Stop()
		done.Wait()
	})
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return writes
	}
}

// marker is the name of the widget of [bench.seen].
const marker = "marker"

// seen waits until the controller has seen everything that was written before to widgets: it derives from a report, one for each n, that
// it gets after that.
func (b *bench) seen(n int) {
	b.Helper()
	b.must(b.replaceLeaf(b.patient(), marker, "Powered", n))
	b.eventually("Widget", marker, []string{"Powered=True PowerOn, Ready=True Healthy", "Powered=False Cut, Ready=False Cut"}[n%2])
}

// lists are the ways in which an API server keeps a conditions list.
var lists = map[string]string{"list map": listMap, "atomic": anything}

// TestKnowingIsNotManaging: a catalog that puts its kind under nobody's management, or somebody else's, is never an order to write.
func TestKnowingIsNotManaging(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"for reading":           unmanaged,
		"under another manager": strings.ReplaceAll(catalogText, "{manager: tristate}", "{manager: widget-operator}"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.set = b.load(text)
			b.define(listMap, "Rack", "Widget")
			b.create("Widget", "w", "rack: r")
			b.create("Rack", "r", "{}")
			b.report("Widget", "w", "Powered", "False", "Cut")
			w := &traffic{}
			c := b.run(w.through)
			c.idle()
			c.quiet()
			if got := c.Managed(); len(got) > 0 || c.Stats().Writes > 0 {
				t.Errorf("manages %v, wrote %d times", got, c.Stats().Writes)
			}
			for _, r := range w.all() {
				if strings.HasSuffix(r.group, b.group) {
					t.Errorf("asked for a kind that it does not manage: %s %s", r.verb, r.URL)
				}
			}
		})
	}
	b := newBench(t)
	_, err := controller.New(controller.Options{Config: b.config, Catalogs: given(b.set), Manager: "other",
		Manage: []schema.GroupKind{{Group: b.group, Kind: "Widget"}}})
	if err == nil || !strings.Contains(err.Error(), `its catalog puts it under "tristate", and this is "other"`) {
		t.Errorf("managing the kind of another manager: got %v", err)
	}
}

// TestManagedByName: a kind that the options name is managed, and what it is derived from is only read.
func TestManagedByName(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set = b.load(unmanaged)
	b.manage = []schema.GroupKind{{Group: b.group, Kind: "Rack"}}
	b.define(listMap, "Rack", "Widget")
	b.create("Widget", "w", "rack: r")
	b.create("Rack", "r", "{}")
	b.report("Widget", "w", "Ready", "False", "Broken") // by whoever owns widgets
	b.report("Widget", "w", "Powered", "True", "PowerOn")
	c := b.run()
	b.eventually("Rack", "r", "Ready=False Broken, WidgetsReady=False Broken")
	c.quiet()
	if got, want := b.says("Widget", "w"), "Powered=True PowerOn, Ready=False Broken"; got != want {
		t.Errorf("a kind that is not managed: want %s, got %s", want, got)
	}
}

// TestRefusesARivalsKind: before the first write of a kind the controller looks whether another manager writes its derived types, and then
// writes none of its objects, whatever their lists are; other kinds go on, and when the rival is gone, so does this one.
func TestRefusesARivalsKind(t *testing.T) {
	t.Parallel()
	for name, status := range lists {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.define(listMap, "Rack")
			b.define(status, "Widget")
			b.create("Widget", "a", "rack: r")
			b.create("Widget", "b", "rack: r")
			b.create("Rack", "r", "{}")
			b.patchAs("widget-operator", "Widget", "a",
				`{conditions: [{type: Powered, status: "False", reason: Cut, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"},
  {type: Ready, status: "True", reason: Mine, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}]}`)
			metrics, health := plane.Address(t), plane.Address(t)
			c := b.run(func(o *controller.Options) { o.MetricsAddress, o.HealthAddress = metrics, health })
			b.eventually("Rack", "r", "Ready=Unknown NotReported, WidgetsReady=Unknown NotReported")
			c.quiet()
			if got, want := b.says("Widget", "a"), "Powered=False Cut, Ready=True Mine"; got != want {
				t.Errorf("want %s, got %s", want, got)
			}
			if got := b.says("Widget", "b"); got != "" {
				t.Errorf("an object of a refused kind was written: %s", got)
			}
			if got := fetch(t, health, "/healthz?verbose", http.StatusOK); !strings.Contains(got, "1 object left alone: another field manager") {
				t.Errorf("/healthz?verbose does not say it:\n%s", got)
			}
			if got, want := fetch(t, metrics, "/metrics", http.StatusOK), fmt.Sprintf(`tristate_refused_objects{kind="Widget.%s"} 1`,
				b.group); !strings.Contains(got, want) {
				t.Errorf("metrics without %s:\n%s", want, got)
			}
			b.delete("Widget", "a")
			b.eventually("Widget", "b", "Ready=Unknown NotReported")
			c.quiet()
		})
	}
}

// patchAs merges YAML into a status as a manager.
func (b *bench) patchAs(manager, kind, name, status string) {
	b.Helper()
	_, err := b.objects(kind).Patch(b.patient(), name, types.MergePatchType, b.json("status: "+status),
		metav1.PatchOptions{FieldManager: manager}, "status")
	b.must(err)
}

// TestRefusesARivalsObject: in a kind that the controller writes, an object whose derived types somebody else wrote first is left alone,
// and the object says so in one event.
func TestRefusesARivalsObject(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.define(listMap, "Widget")
	c := b.run()
	b.create("Widget", "ours", "{}")
	b.eventually("Widget", "ours", "Ready=Unknown NotReported")
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": b.group + "/v1", "kind": "Widget",
		"metadata": map[string]any{"name": "theirs"}}}
	w := &traffic{answer: func(r request) *http.Response {
		if r.name == "theirs" && r.verb == "patch" {
			return refuse(r.Request, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable)
		}
		return nil
	}}
	c.end() // so that the other one is first
	_, err := b.objects("Widget").Create(b.patient(), o, metav1.CreateOptions{})
	b.must(err)
	b.report("Widget", "theirs", "Ready", "True", "Mine")
	c = b.run(w.through)
	c.quiet()
	b.report("Widget", "ours", "Powered", "False", "Cut")
	b.eventually("Widget", "ours", "Powered=False Cut, Ready=False Cut")
	b.report("Widget", "theirs", "Powered", "False", "Cut")
	c.quiet()
	if got, want := b.says("Widget", "theirs"), "Powered=False Cut, Ready=True Mine"; got != want {
		t.Errorf("want %s, got %s", want, got)
	}
	for _, r := range w.all() {
		if r.name == "theirs" && r.verb == "patch" {
			t.Errorf("tried to write: %s", r.URL)
		}
	}
	b.wait(func() error {
		if got := b.eventsOf("theirs", "NotManaged"); len(got) != 1 || !strings.Contains(got[0], "leaf-Ready holds the derived conditions") {
			return fmt.Errorf("events of the object: %q", got)
		}
		return nil
	})
}

// TestFirstWriteFreesAKind: what is refused because the controller has not written its kind yet is judged again when a write of the kind
// that was under way is answered, also if no watch shows the write.
func TestFirstWriteFreesAKind(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set = b.load(strings.ReplaceAll(catalogText, "  manage:", "  paused: has(self.spec.paused)\n  manage:"))
	b.define(listMap, "Widget")
	b.create("Widget", "theirs", "{paused: true}")
	var log tail
	var events sync.RWMutex // held: no event of a widget arrives
	writing, write := make(chan struct{}), make(chan struct{})
	b.run(func(o *controller.Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		o.Config.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				asked := parse(r)
				if asked.verb == "patch" && asked.name == "first" {
					close(writing)
					<-write
				}
				response, err := next.RoundTrip(r)
				if err == nil && asked.verb == "watch" && asked.resource == "widgets" {
					response.Body = &heldBody{response.Body, &events}
				}
				return response, err
			})
		})
	})
	b.create("Widget", "first", "{}")
	<-writing
	b.report("Widget", "theirs", "Ready", "True", "Mine")
	b.create("Widget", "waits", "{}")
	b.wait(func() error {
		if !strings.Contains(log.String(), "kind is not written") {
			return errors.New("the kind is not refused")
		}
		return nil
	})
	events.Lock()
	defer events.Unlock()
	close(write)
	b.eventually("Widget", "waits", "Ready=Unknown NotReported")
}

// heldBody is an answer that goes on only while hold is free.
type heldBody struct {
	io.ReadCloser
	hold *sync.RWMutex
}

func (h *heldBody) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	h.hold.RLock()
	defer h.hold.RUnlock()
	return n, err
}

// TestBesideAControllerThatInsists: told to adopt a kind that another controller goes on to write, the controller writes each object at
// most ten times in the first hour and once in each later one, says so once, and goes on when the other one is gone.
func TestBesideAControllerThatInsists(t *testing.T) {
	t.Parallel()
	for name, status := range lists {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.define(status, "Widget")
			b.create("Widget", "w", "{}")
			b.create("Widget", marker, "{}")
			rival := b.insist("widget-operator")
			clock := testclock.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
			w := &traffic{}
			metrics := plane.Address(t)
			c := b.run(w.through, func(o *controller.Options) {
				o.Clock, o.MetricsAddress = clock, metrics
				o.Adopt = []schema.GroupKind{{Group: b.group, Kind: "Widget"}}
			})
			looks := 0
			reverted := func() { // every write has been answered by the rival, and the answer seen
				b.wait(func() error {
					c.idle()
					before := w.patches("widgets")
					if got := b.says("Widget", "w"); got != "Ready=True Mine" {
						return fmt.Errorf("the rival has not answered: %s", got)
					}
					looks++
					b.seen(looks)
					c.idle()
					if w.patches("widgets") != before {
						return errors.New("the rival has one more to answer")
					}
					return nil
				})
			}
			b.wait(func() error {
				reverted()
				if got := b.eventsOf("w", "WritesReverted"); len(got) != 1 {
					return fmt.Errorf("events: %q", got)
				}
				return nil
			})
			for range 60 {
				clock.Step(time.Minute)
				reverted()
			}
			first := w.patches("widgets")
			for range 6 {
				clock.Step(30 * time.Minute)
				reverted()
			}
			t.Logf("%d writes in the first hour, %d in four hours; the rival wrote %d times", first, w.patches("widgets"), rival())
			if first > 10 || first < 5 {
				t.Errorf("%d writes in the first hour, want 5 to 10", first)
			}
			if n := w.patches("widgets") - first; n > 4 || n < 1 {
				t.Errorf("%d writes in three later hours, want 1 to 4", n)
			}
			if got := b.eventsOf("w", "WritesReverted"); len(got) != 1 {
				t.Errorf("said %d times: %q", len(got), got)
			}
			if got, want := fetch(t, metrics, "/metrics", http.StatusOK), fmt.Sprintf(`tristate_breakers_opened_total{kind="Widget.%s"} 1`,
				b.group); !strings.Contains(got, want) {
				t.Errorf("metrics without %s:\n%s", want, got)
			}
		})
	}
}

// TestTwoInstances: two controllers with different catalogs for one kind, under one name, do not write against each other for ever.
func TestTwoInstances(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.define(listMap, "Widget")
	b.create("Widget", "w", "{}")
	clock := testclock.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	one, two := &traffic{}, &traffic{}
	b.run(one.through, func(o *controller.Options) { o.Clock = clock })
	b.run(two.through, func(o *controller.Options) {
		o.Clock = clock
		o.Catalogs = given(b.load(strings.Replace(catalogText, "derive: {summary: {of: [Powered, Cooled]}}",
			`derive: {rules: [{reason: Other}]}
    reasons: [{reason: Other, status: "True", meaning: Another opinion.}]`, 1)))
	})
	b.wait(func() error {
		if got := b.eventsOf("w", "WritesReverted"); len(got) == 0 {
			return fmt.Errorf("no event yet; %d and %d writes", one.patches("widgets"), two.patches("widgets"))
		}
		return nil
	})
	for range 60 {
		clock.Step(time.Minute)
		b.says("Widget", "w")
	}
	for name, w := range map[string]*traffic{"one": one, "two": two} {
		if n := w.patches("widgets"); n > 10 {
			t.Errorf("instance %s wrote %d times in an hour, want at most 10", name, n)
		}
	}
}

// TestEditedByHand: one edit of a derived condition by hand is corrected at once.
func TestEditedByHand(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.define(listMap, "Widget")
	b.create("Widget", "w", "{}")
	c := b.run()
	for range controller.FreeReverts {
		b.eventually("Widget", "w", "Ready=Unknown NotReported")
		c.idle()
		b.report("Widget", "w", "Ready", "True", "ByHand")
	}
	b.eventually("Widget", "w", "Ready=Unknown NotReported")
	c.quiet()
}

// TestPausedObjects: an object for which the declared expression holds is left alone, and taken up again afterwards.
func TestPausedObjects(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set = b.load(strings.ReplaceAll(catalogText, "  manage:", `  paused: "has(self.spec.paused) && self.spec.paused"
  manage:`))
	b.define(listMap, "Rack", "Widget")
	b.create("Widget", "w", "{paused: true}")
	b.create("Widget", "other", "{}")
	c := b.run()
	b.eventually("Widget", "other", "Ready=Unknown NotReported")
	b.report("Widget", "w", "Powered", "True", "PowerOn")
	c.quiet()
	if got, want := b.says("Widget", "w"), "Powered=True PowerOn"; got != want {
		t.Errorf("a paused object: want %s, got %s", want, got)
	}
	_, err := b.objects("Widget").Patch(b.patient(), "w", types.MergePatchType, []byte(`{"spec":{"paused":false}}`), metav1.PatchOptions{})
	b.must(err)
	b.eventually("Widget", "w", "Powered=True PowerOn, Ready=True Healthy")
	c.quiet()
}

// patches counts the writes to the status of a resource, but for the one of [bench.seen].
func (w *traffic) patches(resource string) int {
	n := 0
	for _, r := range w.all() {
		if r.verb == "patch" && strings.TrimSuffix(r.resource, "/status") == resource && r.name != marker {
			n++
		}
	}
	return n
}

// eventsOf returns the notes of the events of an object with a reason.
func (b *bench) eventsOf(name, reason string) []string {
	b.Helper()
	list, err := b.client.Resource(schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}).Namespace(
		b.namespace).
		List(b.patient(), metav1.ListOptions{})
	b.must(err)
	var out []string
	for i := range list.Items {
		about, _, _ := unstructured.NestedString(list.Items[i].Object, "regarding", "name")
		why, _, _ := unstructured.NestedString(list.Items[i].Object, "reason")
		if note, _, _ := unstructured.NestedString(list.Items[i].Object, "note"); about == name && why == reason {
			out = append(out, note)
		}
	}
	return out
}
