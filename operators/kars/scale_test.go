// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tristate/tristate/operators/internal/world"
	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// scaled are the resources of a sandbox with its policies.
var scaled = []string{"karssandboxes", "toolpolicies", "inferencepolicies", "karsmemories", "mcpservers", "egressapprovals"}

// TestScale: sandboxes with five policies each come up with one request for each changed status, each with at least one transition, and
// nothing is written afterwards. TRISTATE_KARS_SCALE is the number of sandboxes: make kars-scale runs 1,000. Their routers are
// the state and the server of kars-router in one process; see [hall].
func TestScale(t *testing.T) {
	sandboxes := number(t, "TRISTATE_KARS_SCALE", 8)
	w := bare(t, nil)
	w.keys.Store(keySet(t))
	seen := w.watched(t)
	w.options.Routers = &http.Client{Transport: newHall(t, w.World, w.options.MemoryEndpoint)}
	w.options.RouterPoll = max(w.options.RouterPoll, time.Duration(sandboxes)*5*time.Millisecond) // 15 s in a cluster: not each router five times a second
	lease, renew := time.Minute, 50*time.Second                                                   // the machine may be busy with what is measured
	w.options.Manager.LeaseDuration, w.options.Manager.RenewDeadline = &lease, &renew
	var sent requests
	w.Config.Wrap(sent.count) // for the operator: every other client exists already
	w.run(t)
	stop := w.stop

	started := time.Now()
	var group errgroup.Group
	group.SetLimit(4)
	namespaces := []string{}
	for range (sandboxes + 99) / 100 {
		namespaces = append(namespaces, w.NewNamespace(t))
	}
	for i := range sandboxes {
		group.Go(func() error {
			for _, o := range w.tenant(namespaces[i/100], fmt.Sprintf("s%04d", i)) {
				if err := w.API.Create(t.Context(), o); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	objects := sandboxes * len(scaled)
	patiently(t, time.Duration(sandboxes)*5*time.Second, seen.ready(t, objects))
	took := time.Since(started)
	patiently(t, world.Patience, sent.quiet())
	patiently(t, world.Patience, func() error {
		if writes, changes := sent.status.Load(), seen.changes.Load(); writes != changes {
			return fmt.Errorf("%d status requests for %d changed statuses", writes, changes)
		}
		return nil
	})
	if n := seen.still.Load(); n > 0 {
		t.Errorf("%d of %d statuses changed without a transition", n, seen.changes.Load())
	}

	before := sent.writes.Load()
	idle := 5 * time.Second
	if sandboxes > 100 {
		idle = time.Minute
	}
	time.Sleep(idle) // the measurement
	if n := sent.writes.Load() - before; n > 0 {
		t.Errorf("%d writes in %s in which nothing happens", n, idle)
	}

	with := heap()
	if err := stop(); err != nil {
		t.Error(err)
	}
	w.operator, w.stop, stop = nil, nil, nil
	memory := float64(with-heap()) / 1024 / float64(sandboxes)
	t.Logf("%d sandboxes with 5 policies each: %d objects ready in %s, %d children\n"+
		"%d requests that write, %d of them of a status, for %d changed statuses with %d transitions\n"+
		"0 writes in %s in which nothing happens\n%.0f KiB of heap for each sandbox",
		sandboxes, objects, took.Round(100*time.Millisecond), sent.created.Load(), before, sent.status.Load(), seen.changes.Load(), seen.transitions.Load(), idle, memory)
}

// tenant is a sandbox and its policies.
func (w *kars) tenant(ns, name string) []client.Object {
	tools, models := newToolPolicy(ns, name), newInferencePolicy(ns, name)
	sandbox := newSandbox(ns, name)
	sandbox.Spec.InferenceRef.Name, sandbox.Spec.MemoryRef = name, &api.NameRef{Name: name}
	sandbox.Spec.Governance = &api.GovernanceSpec{ToolPolicyRef: &api.NameRef{Name: name}, McpServerRefs: []api.NameRef{{Name: name}}}
	return []client.Object{
		tools, models,
		&api.KarsMemory{ObjectMeta: meta(ns, name), Spec: api.KarsMemorySpec{StoreName: "notes", Scope: "red"}},
		&api.McpServer{ObjectMeta: meta(ns, name), Spec: api.McpServerSpec{URL: "https://mcp.example.com", ProductionMode: true, OAuth: &api.McpOAuth{Issuer: w.issuer}}},
		sandbox,
		&api.EgressApproval{ObjectMeta: meta(ns, name), Spec: api.EgressApprovalSpec{Sandbox: name, Hosts: []api.Endpoint{{Host: name + ".example.com"}}, Reason: "an incident", TTL: "P1D"}},
	}
}

// heap is what is in use on the heap after a collection.
func heap() int64 {
	var m runtime.MemStats
	for range 3 { // finalizers and pools need more than one
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// patiently repeats a check until it holds, with a limit that grows with the work.
func patiently(t *testing.T, limit time.Duration, check func() error) {
	t.Helper()
	var err error
	limit = max(limit, world.Patience)
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(min(limit/1000, 2*time.Second)) { // a check looks at all objects
		if err = check(); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// requests counts what the operator sends, without the leases of the election.
type requests struct{ writes, status, created atomic.Int64 }

func (r *requests) count(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(request *http.Request) (*http.Response, error) {
		if request.Method != http.MethodGet && !strings.Contains(request.URL.Path, "/leases") {
			r.writes.Add(1)
			if path.Base(request.URL.Path) == "status" {
				r.status.Add(1)
			}
		}
		response, err := next.RoundTrip(request)
		if err == nil && response.StatusCode == http.StatusCreated && !strings.Contains(request.URL.Path, "/events") {
			r.created.Add(1)
		}
		return response, err
	})
}

// quiet is an error while requests are being sent.
func (r *requests) quiet() func() error {
	last, since := int64(-1), time.Now()
	return func() error {
		if n := r.writes.Load(); n != last {
			last, since = n, time.Now()
		}
		if time.Since(since) < 3*time.Second {
			return errors.New("the operator still writes")
		}
		return nil
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// statuses is what a watch sees of the statuses of the objects.
type statuses struct {
	changes     atomic.Int64 // revisions with another status than the one before
	transitions atomic.Int64 // conditions that came, went or have another status or reason
	still       atomic.Int64 // changes without a transition
	informers   []cache.SharedIndexInformer
}

// watched counts from now on.
func (w *kars) watched(t *testing.T) *statuses {
	t.Helper()
	c, err := dynamic.NewForConfig(w.Config)
	if err != nil {
		t.Fatal(err)
	}
	s := &statuses{}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(c, 0)
	for _, plural := range scaled {
		informer := factory.ForResource(api.GroupVersion.WithResource(plural)).Informer()
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(o any) { s.revision(nil, o) }, UpdateFunc: s.revision,
		}); err != nil {
			t.Fatal(err)
		}
		s.informers = append(s.informers, informer)
	}
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	t.Cleanup(factory.Shutdown)
	return s
}

func (s *statuses) revision(old, now any) {
	before, was := status(old)
	after, is := status(now)
	if reflect.DeepEqual(before, after) {
		return
	}
	s.changes.Add(1)
	n := int64(0)
	for conditionType, cell := range union(was, is) {
		if was[conditionType] != cell || is[conditionType] != cell {
			n++
		}
	}
	if n == 0 {
		s.still.Add(1)
	}
	s.transitions.Add(n)
}

// status is the status of an object and the cells of its conditions.
func status(o any) (any, cells) {
	u, ok := o.(*unstructured.Unstructured)
	if !ok {
		return nil, nil
	}
	have := cells{}
	raw, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range raw {
		c := c.(map[string]any)
		have[c["type"].(string)] = fmt.Sprint(c["status"], " ", c["reason"])
	}
	return u.Object["status"], have
}

// ready is an error while fewer objects are ready. It logs every minute how far they are.
func (s *statuses) ready(t *testing.T, want int) func() error {
	logged := time.Now()
	return func() error {
		ready, others := 0, map[string]int{}
		for _, informer := range s.informers {
			for _, o := range informer.GetStore().List() {
				u := o.(*unstructured.Unstructured)
				_, have := status(u)
				if strings.HasPrefix(have["Ready"], string(metav1.ConditionTrue)) {
					ready++
				} else {
					others[u.GetKind()+" "+have["Ready"]]++
				}
			}
		}
		if ready == want {
			return nil
		}
		err := fmt.Errorf("%d of %d objects are ready; others: %v", ready, want, others)
		if time.Since(logged) > time.Minute {
			logged = time.Now()
			t.Log(err)
		}
		return err
	}
}
