// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// chaos is a fleet in trouble under a controller that is a process of its own:
//
//	tristate run ── proxy: refuses, is silent, cuts ── liar: 503, 429, done and answered 500 ── API server: killed, frozen
//	     └ killed, stopped, frozen                        └ as a user whose permissions come and go
//
// Objects come, go and move, leaves change, others write, also the derived conditions, and catalogs are edited, also badly. Only this
// program writes beside the controller, one request after another: so it knows what has to be there.
type chaos struct {
	*bench
	*rand.Rand
	child
	proxy   *proxy
	liar    *liar
	long    bool
	plane   *plane.Plane // its own; nil: the one that all tests share
	planeIn string
	rights  []rbacv1.PolicyRule
	lists   map[string]string // how the API server keeps the conditions of a kind

	as      map[string]variant                   // the catalogs of racks and rows
	theirs  map[string]map[string]map[string]any // what others wrote last: conditions, by object and type
	notes   map[string]string                    // and elsewhere in the object
	edited  map[string]bool                      // objects whose derived conditions were edited by hand, in this life of the controller
	touched map[string]bool                      // derived types that somebody else wrote at any time, by object and type
	done    map[string]int
}

// TestChaos does random things for a while, and then holds every condition to an independent recomputation (see truth), expects no write
// any more, neither of the controller that has seen it all nor of one that comes anew, and finds everything that others wrote.
// TRISTATE_CHAOS is a duration (make chaos in this folder: ten minutes); without it, it is a few hundred acts.
// TRISTATE_CHAOS_SEED repeats a run as far as the API server does.
func TestChaos(t *testing.T) {
	length, seed := time.Duration(0), uint64(time.Now().UnixNano())
	if s := os.Getenv("TRISTATE_CHAOS"); s != "" {
		var err error
		if length, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	if s := os.Getenv("TRISTATE_CHAOS_SEED"); s != "" {
		if _, err := fmt.Sscan(s, &seed); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Printf("chaos: seed %d\n", seed)
	ch := newChaos(t, seed, length > 0)
	ch.editCatalog("Rack", asDeclared)
	ch.editCatalog("Row", asDeclared)
	ch.child.start()

	acts := map[string]func(){"report": ch.report, "create": ch.create, "delete": ch.remove, "move": ch.move, "pause": ch.pause,
		"others": ch.others,
		"note":   ch.note, "by hand": ch.byHand, "connection": ch.connect, "answers": ch.lie, "rights": ch.permit, "catalog": ch.edit,
		"kill":   ch.kill,
		"freeze": ch.freeze}
	frequent := []string{"report", "create", "move", "others", "note", "by hand", "pause", "delete"}
	if length > 0 {
		acts["server"] = ch.server
	}
	var rare []string
	for name := range acts {
		if !slices.Contains(frequent, name) {
			rare = append(rare, name)
		}
	}
	slices.Sort(rare)
	const round = 8 // frequent acts for each rare one
	rounds := 4 * len(rare)
	end := time.Now().Add(length)
	for i := 0; i < rounds || time.Now().Before(end); i++ {
		for range round {
			ch.act(acts, frequent[ch.IntN(len(frequent))])
		}
		if i%len(rare) == 0 {
			ch.Shuffle(len(rare), func(a, b int) { rare[a], rare[b] = rare[b], rare[a] })
		}
		ch.act(acts, rare[i%len(rare)])
		if ch.Failed() {
			break
		}
		if length > 0 {
			time.Sleep(time.Duration(ch.IntN(500)) * time.Millisecond) // so that the controller is not always late
		}
	}
	fmt.Printf("chaos: %v\n", ch.done)
	ch.peace()
	ch.settled("what was done in trouble")
	ch.quiet()
	ch.unpause()
	ch.everyCatalog()
	ch.startedAnew()
	fmt.Printf("chaos: seed %d, %d objects are as they should be\n", seed, len(ch.fleet()))
}

func (ch *chaos) act(acts map[string]func(), name string) {
	acts[name]()
	ch.done[name]++
}

func newChaos(t *testing.T, seed uint64, long bool) *chaos {
	t.Helper()
	ch := &chaos{Rand: rand.New(rand.NewPCG(seed, 0)), long: long, as: map[string]variant{}, theirs: map[string]map[string]map[string]any{},
		lists: map[string]string{}, notes: map[string]string{}, edited: map[string]bool{}, touched: map[string]bool{}, done: map[string]int{}}
	if long {
		ch.planeIn = filepath.Join(t.TempDir(), "plane")
		ch.bench = &bench{T: t}
		ch.startServer()
		t.Cleanup(func() { ch.must(ch.plane.Stop()) })
		ch.namespace = plane.Namespace(t, ch.config)
		ch.group = ch.namespace + ".example.dev"
	} else {
		ch.bench = newBench(t)
	}
	ch.must(live.Install(ch.patient(), ch.config, catalog.CRDYAML))
	t.Cleanup(func() {
		for _, name := range []string{"racks.GROUP", "rows.GROUP"} {
			ch.removeCatalog(context.Background(), name)
		}
	})
	for _, kind := range []string{"Widget", "Rack", "Row"} {
		ch.lists[kind] = []string{listMap, anything}[ch.IntN(2)]
		ch.define(ch.lists[kind], kind)
	}
	all := strings.Join([]string{chaosWidgets, chaosRacks, chaosRows}, "---")
	var err error
	ch.rights, err = controller.Rules(controller.Options{Catalogs: given(ch.load(all))},
		func(gk schema.GroupKind) string { return strings.ToLower(gk.Kind) + "s" })
	ch.must(err)
	user := "user-of-" + ch.namespace
	ch.allow(user, ch.rights)

	ch.liar = newLiar(t)
	ch.must(ch.liar.use(ch.config, user))
	ch.proxy = newProxy(t, ch.liar.URL)
	file := filepath.Join(t.TempDir(), "widgets.yaml")
	ch.must(os.WriteFile(file, ch.text(chaosWidgets), 0o600))
	ch.child = child{t: t, metrics: plane.Address(t), health: plane.Address(t), log: &tail{}, args: []string{command(t), "run",
		"--kubeconfig", ch.liar.kubeconfig(t, ch.proxy.address), "--catalogs", file, "--no-embedded"}}
	t.Cleanup(func() {
		if ch.cmd != nil {
			ch.child.end(syscall.SIGKILL)
		}
		if t.Failed() {
			t.Logf("seed %d; log of the controller:\n%s", seed, ch.log)
		}
	})
	return ch
}

// startServer starts the control plane that this test may kill, or starts it again.
func (ch *chaos) startServer() {
	ch.Helper()
	var err error
	ch.plane, err = plane.Start(ch.Context(), plane.Options{Dir: ch.planeIn})
	ch.must(err)
	ch.config = ch.plane.Config()
	ch.client, err = dynamic.NewForConfig(ch.config)
	ch.must(err)
	ch.wait(func() error { // the kinds that are defined are served some time after the rest
		for kind := range ch.lists {
			if _, err := ch.objects(kind).List(ch.patient(), metav1.ListOptions{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// peace ends all trouble.
func (ch *chaos) peace() {
	ch.proxy.mend()
	ch.liar.mode.Store(honest)
	ch.setRights(ch.rights)
	ch.signal(syscall.SIGCONT)
	ch.add("Rack", "last")
	ch.add("Row", "last")
	for _, kind := range []string{"Rack", "Row"} {
		ch.editCatalog(kind, asDeclared)
		ch.accepted(strings.ToLower(kind)+"s.GROUP", "True Accepted")
	}
}

// fleet returns all objects as they are stored, by Kind/name.
func (ch *chaos) fleet() map[string]*unstructured.Unstructured {
	ch.Helper()
	out := map[string]*unstructured.Unstructured{}
	for kind := range derivedTypes {
		list, err := ch.objects(kind).List(ch.patient(), metav1.ListOptions{})
		ch.must(err)
		for i := range list.Items {
			out[kind+"/"+list.Items[i].GetName()] = &list.Items[i]
		}
	}
	return out
}

// settleLimit is how long the end of all trouble may take to show everywhere, against hanging. A write that was forbidden is tried again
// within a minute.
const settleLimit = 10 * time.Minute

// settled waits until all derived conditions are as they have to be by what is stored, and holds what others wrote to what they wrote.
func (ch *chaos) settled(what string) {
	ch.Helper()
	ctx, cancel := context.WithTimeout(ch.Context(), settleLimit)
	defer cancel()
	for {
		fleet := ch.fleet()
		diff := ch.compare(fleet)
		if diff == "" {
			for key, o := range fleet {
				ch.intact(key, o)
			}
			return
		}
		select {
		case <-ctx.Done():
			_, health := ch.get(ch.health, "/healthz?verbose")
			ch.Fatalf("%s: not as it should be (-want +got):\n%s\n%s", what, diff, health)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// compare returns the differences between what is stored and the truth.
func (ch *chaos) compare(fleet map[string]*unstructured.Unstructured) string {
	want, got := map[string]map[string]cell{}, map[string]map[string]cell{}
	for key, cells := range newTruth(ch.as, fleet).cells {
		want[key], got[key] = map[string]cell{}, map[string]cell{}
		kind := fleet[key].GetKind()
		for name, c := range cells {
			want[key][name] = c
		}
		for name, c := range entries(fleet[key]) {
			if !slices.Contains(derivedTypes[kind], name) {
				continue
			}
			if got[key][name] = stored(c); ch.as[kind] == gone && !ch.touched[key+" "+name] {
				delete(want[key], name) // nobody declares it any more, and nobody else wrote it
			}
		}
		if ch.as["Rack"] == withoutRoom && kind == "Rack" && ch.touched[key+" Space"] {
			delete(got[key], "Space") // somebody else's
		}
	}
	return cmp.Diff(want, got, cmp.AllowUnexported(cell{}))
}

// intact holds an object to what others wrote into it last.
func (ch *chaos) intact(key string, o *unstructured.Unstructured) {
	ch.Helper()
	now := entries(o)
	for name, want := range ch.theirs[key] {
		if diff := cmp.Diff(want, now[name]); diff != "" {
			ch.Errorf("%s: %s of somebody else has changed (-want +got):\n%s", key, name, diff)
		}
	}
	if want := ch.notes[key]; want != "" && (o.GetAnnotations()["note"] != want || o.GetLabels()["note"] != want) {
		ch.Errorf("%s: want label and annotation %s, got %v and %v", key, want, o.GetLabels(), o.GetAnnotations())
	}
}

// versions are the resource versions of all objects, and of the catalogs.
func (ch *chaos) versions() map[string]string {
	ch.Helper()
	out := map[string]string{}
	for key, o := range ch.fleet() {
		out[key] = o.GetResourceVersion()
	}
	list, err := ch.client.Resource(catalogResource).List(ch.patient(), metav1.ListOptions{})
	ch.must(err)
	for i := range list.Items {
		out[list.Items[i].GetName()] = list.Items[i].GetResourceVersion()
	}
	return out
}

// quiet waits until nothing was written for two seconds, as what is written again and again never is; of a long run it then expects no
// write for a minute.
func (ch *chaos) quiet() {
	ch.Helper()
	before := ch.versions()
	ch.wait(func() error {
		time.Sleep(2 * time.Second) // what comes late on a busy machine is late, and not written twice
		now := ch.versions()
		defer func() { before = now }()
		if diff := cmp.Diff(before, now); diff != "" {
			return fmt.Errorf("still written:\n%s", diff)
		}
		return nil
	})
	if !ch.long {
		return
	}
	time.Sleep(time.Minute) // a claim about a time
	if diff := cmp.Diff(before, ch.versions()); diff != "" {
		ch.Errorf("written in a quiet minute:\n%s", diff)
	}
}

// everyCatalog brings the catalogs into each form in which they are in force, and takes them away.
func (ch *chaos) everyCatalog() {
	ch.Helper()
	ch.settled("after the pauses")
	for _, kind := range []string{"Rack", "Row"} {
		for _, as := range append(slices.DeleteFunc(slices.Clone(variants[kind]), func(v variant) bool { return v == broken }), variants[kind][1],
			asDeclared) {
			ch.editCatalog(kind, as)
			if as != gone {
				ch.accepted(strings.ToLower(kind)+"s.GROUP", "True Accepted")
			}
			ch.settled(fmt.Sprintf("%s %s", kind, as))
		}
	}
}

// startedAnew starts another process over the settled fleet, which judges every object and has nothing to write.
func (ch *chaos) startedAnew() {
	ch.Helper()
	ch.child.end(syscall.SIGTERM)
	before := ch.versions()
	ch.child.start()
	objects := len(ch.fleet())
	ch.wait(func() error {
		if code, body := ch.get(ch.health, "/readyz"); code != 200 {
			return fmt.Errorf("not ready: %s", body)
		}
		if changed, unchanged := ch.passes(); changed+unchanged < objects {
			return fmt.Errorf("%d passes over %d objects", changed+unchanged, objects)
		}
		return nil
	})
	if changed, unchanged := ch.passes(); changed > 0 {
		ch.Errorf("started over a settled fleet it had something to write in %d of %d passes", changed, changed+unchanged)
	}
	if diff := cmp.Diff(before, ch.versions()); diff != "" {
		ch.Errorf("started over a settled fleet it wrote:\n%s", diff)
	}
}
