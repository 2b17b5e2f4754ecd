// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/derive"
	"github.com/tristate/tristate/internal/live"
	"github.com/tristate/tristate/relation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// chaos is a fleet in trouble: objects come, go and move, leaves change, the API server refuses, hangs up and answers 500 to what it has done,
// the controller is stopped in the middle of it, others write, and a catalog is edited, also badly.
type chaos struct {
	*bench
	*rand.Rand
	seed    uint64
	trouble atomic.Int32 // what the controller's connection is like
	c       *running
	foreign map[string]string // what others wrote last, by object
	edited  map[string]bool   // whose derived condition was edited by hand: once is corrected at once
	done    map[string]int
}

// What the controller's connection may be like.
const (
	fine int32 = iota
	refusing
	hangingUp
	lying // done, and answered 500
)

// TestChaos does random things for TRISTATE_CHAOS (a duration; make chaos: ten minutes) and then holds every derived condition to a
// recomputation from what is stored, expects no write any more, and finds everything that others wrote. TRISTATE_CHAOS_SEED repeats a run,
// as far as the API server does.
func TestChaos(t *testing.T) {
	length, seed := 6*time.Second, uint64(time.Now().UnixNano())
	if s := os.Getenv("TRISTATE_CHAOS"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		length = d
	}
	if s := os.Getenv("TRISTATE_CHAOS_SEED"); s != "" {
		if _, err := fmt.Sscan(s, &seed); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Printf("chaos: seed %d for %s\n", seed, length)
	b := newBench(t)
	b.must(live.Install(b.patient(), b.config, catalog.CRDYAML))
	ch := &chaos{bench: b, Rand: rand.New(rand.NewPCG(seed, 0)), seed: seed, foreign: map[string]string{}, edited: map[string]bool{}, done: map[string]int{}}
	b.define("Rack", listMap)
	b.define("Widget", []string{listMap, anything}[ch.IntN(2)])
	ch.editCatalog(0)
	ch.start()
	acts := map[string]func(){"report": ch.report, "report again": ch.report, "leaf": ch.report, "create": ch.create, "delete": ch.remove, "move": ch.move,
		"others": ch.others, "by hand": ch.byHand, "connection": ch.connect, "catalog": func() { ch.editCatalog(ch.IntN(4)) }, "kill": ch.kill}
	var names []string
	for name := range acts {
		names = append(names, name)
	}
	slices.Sort(names)
	for end := time.Now().Add(length); time.Now().Before(end); {
		name := names[ch.IntN(len(names))]
		if rare := name == "kill" || name == "catalog" || name == "connection"; rare && ch.IntN(10) > 0 {
			continue
		}
		acts[name]()
		ch.done[name]++
	}
	ch.trouble.Store(fine)
	ch.editCatalog(0)
	b.accepted("racks.GROUP", "True Accepted")
	ch.settled()
	ch.c.quiet()
	ch.settled()
	t.Logf("seed %d: %v; %+v", seed, ch.done, ch.c.Stats())
}

func (ch *chaos) start() {
	parts := strings.Split(catalogText, "---\n")
	ch.c = ch.run(func(o *controller.Options) {
		o.Catalogs = ch.load(parts[0])
		// Of a list with one owner the API server keeps only who wrote last: where others wrote last to every object, a controller that
		// starts cannot know that the kind was its own, and docs/running.md says to adopt it.
		for _, kind := range []string{"Rack", "Widget"} {
			o.Adopt = append(o.Adopt, schema.GroupKind{Group: ch.group, Kind: kind})
		}
		o.Config = rest.CopyConfig(o.Config)
		o.Config.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				switch mode := ch.trouble.Load(); {
				case mode == refusing:
					return refuse(r, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable), nil
				case mode == hangingUp:
					return nil, io.ErrUnexpectedEOF
				case mode == lying && r.Method == http.MethodPatch:
					if response, err := next.RoundTrip(r); err == nil {
						_ = response.Body.Close()
					}
					return refuse(r, http.StatusInternalServerError, metav1.StatusReasonInternalError), nil
				}
				return next.RoundTrip(r)
			})
		})
	})
}

func (ch *chaos) kill() {
	ch.c.end()
	ch.start()
}

func (ch *chaos) connect() { ch.trouble.Store(int32(ch.IntN(4))) }

func (ch *chaos) any() (kind, name string) {
	if ch.IntN(4) == 0 {
		return "Rack", fmt.Sprint("r", ch.IntN(4))
	}
	return "Widget", fmt.Sprint("w", ch.IntN(12))
}

// Whatever is not there, or there already, is left as it is: these are random.

func (ch *chaos) create() {
	kind, name := ch.any()
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": ch.group + "/v1", "kind": kind, "metadata": map[string]any{"name": name},
		"spec": map[string]any{"rack": fmt.Sprint("r", ch.IntN(4))}}}
	if _, err := ch.objects(kind).Create(ch.Context(), o, metav1.CreateOptions{}); err == nil {
		delete(ch.foreign, kind+"/"+name)
		delete(ch.edited, kind+"/"+name)
	}
}

func (ch *chaos) remove() {
	if ch.IntN(3) > 0 {
		return
	}
	kind, name := ch.any()
	if err := ch.objects(kind).Delete(ch.Context(), name, metav1.DeleteOptions{}); err == nil {
		delete(ch.foreign, kind+"/"+name)
	}
}

func (ch *chaos) move() {
	_, _ = ch.objects("Widget").Patch(ch.Context(), fmt.Sprint("w", ch.IntN(12)), types.MergePatchType,
		fmt.Appendf(nil, `{"spec":{"rack":"r%d"}}`, ch.IntN(4)), metav1.PatchOptions{})
}

func (ch *chaos) report() {
	leaf := []string{"Powered", "Cooled"}[ch.IntN(2)]
	ch.replace("Widget", fmt.Sprint("w", ch.IntN(12)), reading(leaf, ch.IntN(10)))
}

func (ch *chaos) others() {
	kind, name := ch.any()
	text := fmt.Sprint(ch.Uint32())
	if ch.replace(kind, name, map[string]any{"type": "Other", "status": "True", "reason": "Theirs", "message": text, "lastTransitionTime": "2026-01-02T03:04:05Z"}) {
		ch.foreign[kind+"/"+name] = text
	}
}

func (ch *chaos) byHand() {
	kind, name := ch.any()
	o, err := ch.objects(kind).Get(ch.Context(), name, metav1.GetOptions{})
	if err != nil || ch.edited[kind+"/"+name] || entries(o)["Ready"] == nil {
		return // once each: a second edit within the hour may already be one too many
	}
	ch.edited[kind+"/"+name] = ch.replace(kind, name, map[string]any{"type": "Ready", "status": "True", "reason": "ByHand", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z"})
}

// replace puts an entry into the list of an object with the resource version, as writers of atomic lists have to.
func (ch *chaos) replace(kind, name string, entry map[string]any) bool {
	for ctx := ch.patient(); ctx.Err() == nil; {
		o, err := ch.objects(kind).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false
		}
		list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		next := []any{entry}
		for _, old := range list {
			if old.(map[string]any)["type"] != entry["type"] {
				next = append(next, old)
			}
		}
		if o.Object["status"] == nil {
			o.Object["status"] = map[string]any{}
		}
		_ = unstructured.SetNestedSlice(o.Object, next, "status", "conditions")
		if _, err = ch.objects(kind).UpdateStatus(ctx, o, metav1.UpdateOptions{FieldManager: "somebody"}); err == nil {
			return true
		}
	}
	return false
}

// editCatalog applies the catalog of racks: as it should be (0), in another good form, in bad ones, or not at all.
func (ch *chaos) editCatalog(how int) {
	text := strings.Split(catalogText, "---\n")[1]
	switch how {
	case 1:
		text = strings.Replace(text, "counter: true", "atLeast: 1", 1)
	case 2:
		text = strings.Replace(text, "of: widgets", "of: nothing", 1)
	case 3:
		ch.removeCatalog(context.Background(), "racks.GROUP")
		return
	}
	ch.addCatalog(text)
}

// settled waits until every derived condition is what it should be by what is stored, and holds what others wrote to what they wrote.
func (ch *chaos) settled() {
	ch.Helper()
	ch.wait(func() error {
		ch.c.idle()
		g := relation.New(ch.set)
		for _, kind := range []string{"Rack", "Widget"} {
			list, err := ch.objects(kind).List(ch.Context(), metav1.ListOptions{})
			if err != nil {
				return err
			}
			for i := range list.Items {
				g.Put(relation.FromContent(list.Items[i].Object))
			}
		}
		for _, o := range g.All() {
			in, _ := derive.Gather(g, o.ID, time.Now())
			if result := derive.Derive(in); result.Changed {
				return fmt.Errorf("seed %d: %s says %s, and should change %+v", ch.seed, o.ID, brief(o.Content), result.Transitions)
			}
			if want, there := ch.foreign[o.Kind+"/"+o.Name]; there && entries(&unstructured.Unstructured{Object: o.Content})["Other"]["message"] != want {
				ch.Fatalf("seed %d: what somebody else wrote to %s is lost: %s, want %s", ch.seed, o.ID, brief(o.Content), want)
			}
		}
		return nil
	})
}
