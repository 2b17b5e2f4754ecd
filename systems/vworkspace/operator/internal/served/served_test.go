// SPDX-License-Identifier: Apache-2.0

package served

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	fakediscovery "k8s.io/client-go/discovery/fake"
	clienttesting "k8s.io/client-go/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// manager is as much of a manager as Kinds needs.
type manager struct {
	ctrl.Manager
	client client.Client
	cache  informers
}

func (m *manager) GetClient() client.Client { return m.client }
func (m *manager) GetCache() cache.Cache    { return &m.cache }

// informers counts those that were removed.
type informers struct {
	cache.Cache
	removed int
}

func (c *informers) RemoveInformer(context.Context, client.Object) error {
	c.removed++
	return nil
}

// watcher counts the watches that were started.
type watcher struct {
	controller.Controller
	started int
	err     error
}

func (c *watcher) Watch(source.Source) error {
	if c.err == nil {
		c.started++
	}
	return c.err
}

// world is a cluster that serves a kind or not.
type world struct {
	kinds     *Kinds
	manager   *manager
	discovery *fakediscovery.FakeDiscovery
	watcher   watcher
	changed   int
}

var (
	gvk        = schema.GroupVersionKind{Group: "velero.io", Version: "v1", Kind: "Backup"}
	definition = "backups.velero.io"
)

func newWorld(t *testing.T) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	w := &world{manager: &manager{client: fake.NewClientBuilder().WithScheme(scheme).Build()},
		discovery: &fakediscovery.FakeDiscovery{Fake: &clienttesting.Fake{}}}
	w.kinds = &Kinds{Manager: w.manager, Discovery: w.discovery, Changed: func() { w.changed++ }}
	w.kinds.Register(Kind{gvk, "backups"})
	w.kinds.Want(gvk, &w.watcher, &handler.EnqueueRequestForObject{})
	w.kinds.Want(gvk, &w.watcher, &handler.EnqueueRequestForObject{})
	return w
}

// defined creates or deletes the definition; served has discovery list the kind, or not.
func (w *world) defined(t *testing.T, on bool) {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: definition}}
	write := func() error { return w.manager.client.Delete(t.Context(), crd) }
	if on {
		write = func() error { return w.manager.client.Create(t.Context(), crd) }
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
}

func (w *world) served(on bool) {
	w.discovery.Resources = nil
	if on {
		w.discovery.Resources = []*metav1.APIResourceList{{GroupVersion: "velero.io/v1",
			APIResources: []metav1.APIResource{{Name: "restores", Kind: "Restore"}, {Name: "backups", Kind: gvk.Kind}}}}
	}
}

// state is the visible state of a world after a reconcile.
type state struct {
	Serves                    bool
	Again                     time.Duration
	Started, Removed, Changed int
}

func (w *world) reconcile(t *testing.T) state {
	t.Helper()
	result, err := w.kinds.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: definition}})
	if err != nil {
		t.Fatal(err)
	}
	return state{w.kinds.Serves(gvk), result.RequeueAfter, w.watcher.started, w.manager.cache.removed, w.changed}
}

// TestKinds: a kind counts when discovery has it. Each who wants it gets a watch each time it comes; its informer goes with it.
func TestKinds(t *testing.T) {
	w := newWorld(t)
	steps := []struct {
		name string
		do   func()
		want state
	}{
		{"it is not there", func() {}, state{}},
		{"it is defined, and discovery follows later", func() { w.defined(t, true) }, state{Again: again}},
		{"discovery has it", func() { w.served(true) }, state{Serves: true, Started: 2, Changed: 1}},
		{"nothing happens", func() {}, state{Serves: true, Started: 2, Changed: 1}},
		{"the definition is deleted, and discovery follows later", func() { w.defined(t, false) }, state{Serves: true, Again: again, Started: 2,
			Removed: 1, Changed: 2}},
		{"discovery does not have it any more", func() { w.served(false) }, state{Started: 2, Removed: 1, Changed: 3}},
		{"it is back", func() { w.defined(t, true); w.served(true) }, state{Serves: true, Started: 4, Removed: 1, Changed: 4}},
	}
	for _, step := range steps {
		step.do()
		if diff := cmp.Diff(step.want, w.reconcile(t)); diff != "" {
			t.Errorf("%s: -want +got\n%s", step.name, diff)
		}
	}
}

// TestKinds_another version: a group that serves the kind in another version only does not serve it.
func TestKinds_anotherVersion(t *testing.T) {
	w := newWorld(t)
	w.defined(t, true)
	w.discovery.Resources = []*metav1.APIResourceList{{GroupVersion: "velero.io/v2",
		APIResources: []metav1.APIResource{{Name: "backups", Kind: gvk.Kind}}}}
	if diff := cmp.Diff(state{Again: again}, w.reconcile(t)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestKinds_failures: discovery that fails, and a watch that cannot be started, are tried again.
func TestKinds_failures(t *testing.T) {
	w := newWorld(t)
	w.defined(t, true)
	w.served(true)
	broken := errors.New("broken")
	request := reconcile.Request{NamespacedName: client.ObjectKey{Name: definition}}
	w.discovery.PrependReactor("get", "resource", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, broken })
	if _, err := w.kinds.Reconcile(t.Context(), request); !errors.Is(err, broken) || w.kinds.Serves(gvk) {
		t.Errorf("discovery fails: %v, served: %v", err, w.kinds.Serves(gvk))
	}
	w.discovery.ReactionChain = nil
	w.watcher.err = broken
	if _, err := w.kinds.Reconcile(t.Context(), request); !errors.Is(err, broken) {
		t.Errorf("the watch fails: %v", err)
	}
	w.watcher.err = nil
	if got := w.reconcile(t); got.Started != 2 || got.Changed != 1 {
		t.Errorf("after the failures: %+v", got)
	}
}

// TestKinds_others: other definitions are none of it.
func TestKinds_others(t *testing.T) {
	w := newWorld(t)
	result, err := w.kinds.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: "gadgets.example.com"}})
	if err != nil || result != (reconcile.Result{}) || len(w.discovery.Actions()) > 0 {
		t.Errorf("%v %v, %d requests", result, err, len(w.discovery.Actions()))
	}
	if w.kinds.Serves(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Gadget"}) {
		t.Error("a kind that is not registered is served")
	}
}
