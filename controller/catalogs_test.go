// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/story/live"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

var catalogResource = schema.GroupVersionResource{Group: "tristate.dev", Version: "v1alpha1", Resource: "conditioncatalogs"}

// addCatalog applies a ConditionCatalog object.
func (b *bench) addCatalog(text string) {
	b.Helper()
	o := &unstructured.Unstructured{}
	b.must(yaml.Unmarshal(b.text(text), &o.Object))
	_, err := b.client.Resource(catalogResource).Apply(b.patient(), o.GetName(), o, metav1.ApplyOptions{FieldManager: "test", Force: true})
	b.must(err)
	b.Cleanup(func() { b.removeCatalog(context.Background(), o.GetName()) })
}

func (b *bench) removeCatalog(ctx context.Context, name string) {
	_ = b.client.Resource(catalogResource).Delete(ctx, string(b.text(name)), metav1.DeleteOptions{})
}

// accepted waits until a catalog is answered, at its generation, with a status, a reason and words of the message.
func (b *bench) accepted(name, want string, words ...string) {
	b.Helper()
	b.wait(func() error {
		o, err := b.client.Resource(catalogResource).Get(b.patient(), string(b.text(name)), metav1.GetOptions{})
		if err != nil {
			return err
		}
		list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		message := ""
		if len(list) == 1 {
			c := list[0].(map[string]any)
			message, _ = c["message"].(string)
			if c["observedGeneration"] != o.GetGeneration() {
				return &unlike{name, cmp.Diff(o.GetGeneration(), c["observedGeneration"])}
			}
		}
		if diff := cmp.Diff("Accepted="+want, brief(o.Object)); diff != "" {
			return &unlike{name, diff + message}
		}
		for _, word := range words {
			if !strings.Contains(message, string(b.text(word))) {
				return &unlike{name, "message " + message + " without " + word}
			}
		}
		return nil
	})
}

type unlike struct{ what, diff string }

func (u *unlike) Error() string { return u.what + " (-want +got):\n" + u.diff }

// TestCatalogObjects: catalogs in the cluster are used as long as they are there; bad and conflicting ones say so on themselves, and
// stop nothing.
func TestCatalogObjects(t *testing.T) {
	b := newBench(t)
	b.must(live.Install(b.patient(), b.config, catalog.CRDYAML))
	b.define(listMap, "Rack", "Widget")
	parts := strings.Split(catalogText, "---\n")
	c := b.run(func(o *controller.Options) { o.Catalogs = given(b.load(parts[0])) }) // the widgets, from a file
	b.create("Widget", "w", "rack: r")
	b.create("Rack", "r", "{}")
	b.eventually("Widget", "w", "Ready=Unknown NotReported")

	bad := strings.Replace(parts[1], "of: widgets", "of: widget", 1)
	b.addCatalog(bad)
	b.accepted("racks.GROUP", "False Invalid", `unknown relation "widget"`, `did you mean "widgets"`)
	b.addCatalog(strings.Replace(parts[0], "name: widgets", "name: copy", 1))
	b.accepted("copy.GROUP", "False Conflict", "Widget.GROUP is declared by catalog widgets.GROUP")
	b.report("Widget", "w", "Powered", "False", "Cut") // the good one still works
	b.eventually("Widget", "w", "Powered=False Cut, Ready=False Cut")
	if got := b.says("Rack", "r"); got != "" {
		t.Errorf("a bad catalog was used: %s", got)
	}

	b.addCatalog(parts[1]) // corrected
	b.accepted("racks.GROUP", "True Accepted")
	b.eventually("Rack", "r", "Ready=False Cut, WidgetsReady=False Cut")
	b.addCatalog(strings.Replace(parts[1], "name: racks", "name: sacks", 1))
	b.accepted("sacks.GROUP", "False Conflict", "racks.GROUP")
	c.quiet()

	b.removeCatalog(b.patient(), "racks.GROUP") // its rival takes over
	b.accepted("sacks.GROUP", "True Accepted")
	b.report("Widget", "w", "Powered", "True", "PowerOn")
	b.eventually("Rack", "r", "Ready=True Healthy, WidgetsReady=True Healthy")

	b.removeCatalog(b.patient(), "sacks.GROUP")
	b.wait(func() error {
		if c.idle(); c.Stats().Objects != 1 {
			return &unlike{"objects without a catalog for racks", cmp.Diff(1, c.Stats().Objects)}
		}
		return nil
	})
	b.report("Widget", "w", "Powered", "False", "Cut")
	b.eventually("Widget", "w", "Powered=False Cut, Ready=False Cut")
	b.eventually("Rack", "r", "") // what nobody declares any more is gone
	c.quiet()
}

// TestCatalogEdits: an invalid edit leaves the last good generation in force and says so; a type that is taken out of a catalog goes from
// the objects without another reason, and so does everything when the catalog goes; what others wrote stays. Other kinds are not touched.
func TestCatalogEdits(t *testing.T) {
	for name, status := range lists {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.must(live.Install(b.patient(), b.config, catalog.CRDYAML))
			b.define(status, "Rack", "Widget")
			parts := strings.Split(catalogText, "---\n")
			w := &traffic{}
			c := b.run(w.through, func(o *controller.Options) { o.Catalogs = given(b.load(parts[0])) })
			b.create("Widget", "w", "rack: r")
			b.create("Rack", "r", "{}")
			b.patchStatus("Rack", "r",
				`{conditions: [{type: Other, status: "True", reason: Theirs, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}]}`)
			b.addCatalog(parts[1])
			both := "Other=True Theirs, Ready=Unknown NotReported, WidgetsReady=Unknown NotReported"
			b.eventually("Rack", "r", both)
			b.accepted("racks.GROUP", "True Accepted")

			b.addCatalog(strings.Replace(parts[1], "of: widgets", "of: widget", 1))
			b.accepted("racks.GROUP", "False Invalid", "generation 1 stays in force", `did you mean "widgets"`)
			b.patchStatus("Widget", "w",
				`{conditions: [{type: Powered, status: "False", reason: Cut, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}]}`)
			b.eventually("Rack", "r", "Other=True Theirs, Ready=False Cut, WidgetsReady=False Cut")
			c.quiet()
			c.end() // one that starts now goes by that generation as well
			c = b.run(w.through, func(o *controller.Options) { o.Catalogs = given(b.load(parts[0])) })
			b.patchStatus("Widget", "w",
				`{conditions: [{type: Powered, status: Unknown, reason: NoMeter, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}]}`)
			b.eventually("Rack", "r", "Other=True Theirs, Ready=Unknown NoMeter, WidgetsReady=Unknown NoMeter")
			b.accepted("racks.GROUP", "False Invalid", "generation 1 stays in force")
			b.patchStatus("Widget", "w",
				`{conditions: [{type: Powered, status: "False", reason: Cut, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}]}`)
			b.eventually("Rack", "r", "Other=True Theirs, Ready=False Cut, WidgetsReady=False Cut")
			c.quiet()

			asked := w.listed("widgets")
			b.addCatalog(strings.NewReplacer("  - type: Ready\n    meaning: All widgets work.\n    derive: {summary: {of: [WidgetsReady]}}\n",
				"").Replace(parts[1]))
			b.accepted("racks.GROUP", "True Accepted")
			b.eventually("Rack", "r", "Other=True Theirs, WidgetsReady=False Cut")
			c.quiet()
			if kept := b.inForce("racks.GROUP"); kept != nil {
				t.Errorf("the status of a catalog that is in use keeps another generation: %v", kept)
			}
			b.removeCatalog(b.patient(), "racks.GROUP")
			b.eventually("Rack", "r", "Other=True Theirs")
			b.eventually("Widget", "w", "Powered=False Cut, Ready=False Cut")
			c.quiet()
			if n := w.listed("widgets") - asked; n > 0 {
				t.Errorf("a change of the catalog of racks listed widgets %d times", n)
			}
		})
	}
}

// TestCatalogGoneDuringWrite: a write that was on its way while its catalog went leaves nothing behind.
func TestCatalogGoneDuringWrite(t *testing.T) {
	b := newBench(t)
	b.must(live.Install(b.patient(), b.config, catalog.CRDYAML))
	b.define(anything, "Rack", "Widget")
	parts := strings.Split(catalogText, "---\n")
	var hold atomic.Bool
	held, release := make(chan struct{}), make(chan struct{})
	w := &traffic{answer: func(r request) *http.Response {
		if r.resource == "racks/status" && r.verb != "get" && hold.CompareAndSwap(true, false) {
			close(held)
			<-release
		}
		return nil
	}}
	c := b.run(w.through, func(o *controller.Options) { o.Catalogs = given(b.load(parts[0])) })
	b.addCatalog(parts[1])
	b.accepted("racks.GROUP", "True Accepted")
	hold.Store(true)
	b.create("Rack", "r", "{}") // its first write, so that the sweep finds no conditions on it
	select {
	case <-held:
	case <-b.patient().Done():
		t.Fatal("the rack was not written")
	}
	b.removeCatalog(b.patient(), "racks.GROUP")
	b.wait(func() error {
		if n := c.Stats().Objects; n != 0 {
			return &unlike{"objects without a catalog for racks", cmp.Diff(0, n)}
		}
		return nil
	})
	close(release)
	c.quiet()
	b.eventually("Rack", "r", "")
}

// inForce returns what the status of a catalog keeps of a generation that is not its own.
func (b *bench) inForce(name string) any {
	b.Helper()
	o, err := b.client.Resource(catalogResource).Get(b.patient(), string(b.text(name)), metav1.GetOptions{})
	b.must(err)
	kept, _, err := unstructured.NestedFieldNoCopy(o.Object, "status", "inForce")
	b.must(err)
	return kept
}

// listed counts how often a resource was listed, or watched from the beginning.
func (w *traffic) listed(resource string) int {
	n := 0
	for _, r := range w.all() {
		if r.resource == resource && (r.verb == "list" || r.streamed()) {
			n++
		}
	}
	return n
}
