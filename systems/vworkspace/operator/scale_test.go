// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/tristate/tristate/proof/world"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// TestScale: applications with an operation each settle with one request for each changed status. Each change has a transition of a
// condition, but for one of each operation, which records the object of its engine. Afterwards only the heartbeat of the cluster is
// written. TRISTATE_VWORKSPACE_SCALE is the number of applications: make scale in this folder runs 500.
// Flux is played; Jobs run on the nodes.
func TestScale(t *testing.T) {
	applications := 10
	if text := os.Getenv("TRISTATE_VWORKSPACE_SCALE"); text != "" {
		var err error
		if applications, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	w := base(t)
	w.options.BufferCapacity = agent.Capacity
	seen := w.Watch(t, world.Resource{GVR: appsapi.GroupVersion.WithResource("applicationinstances"), Kind: "ApplicationInstance"},
		world.Resource{GVR: opsapi.GroupVersion.WithResource("operations"), Kind: "Operation"})
	w.playFlux(t)
	w.run(t)
	w.Create(t, w.cluster())

	started := time.Now()
	var group errgroup.Group
	group.SetLimit(4)
	var namespaces []string
	for range (applications + 99) / 100 {
		namespaces = append(namespaces, w.namespace(t))
	}
	for i := range applications {
		group.Go(func() error {
			name := fmt.Sprintf("a%04d", i)
			o := w.operation(namespaces[i/100], name, name)
			o.Spec.Policy.RequireReady = new(true)
			if err := w.API.Create(t.Context(), instance(namespaces[i/100], name)); err != nil {
				return err
			}
			return w.API.Create(t.Context(), o)
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	world.Patiently(t, time.Duration(applications)*5*time.Second,
		seen.Settled(t, 2*applications, func(kind string, cells map[string]string) bool {
			if kind == "Operation" {
				return cells["Succeeded"] == "True EngineCompleted"
			}
			return cells["Ready"] == "True HelmReleaseReady" && cells["Reconciling"] == "False Stable"
		}))
	took := time.Since(started)
	writes := func(r world.Request) bool { return r.Writes() && r.Resource != "clusters" }
	world.Patiently(t, world.Patience, w.sent.Quiet(writes))
	statuses := func(r world.Request) bool { return writes(r) && r.Subresource == "status" }
	world.Patiently(t, world.Patience, func() error {
		if writes, changes := int64(w.sent.Count(statuses)), seen.Changes.Load(); writes != changes {
			return fmt.Errorf("%d status requests for %d changed statuses", writes, changes)
		}
		return nil
	})
	if n := seen.Still.Load(); n > int64(applications) {
		t.Errorf("%d of %d statuses changed without a transition, more than one for each operation", n, seen.Changes.Load())
	}

	before, beats := w.sent.All(), w.plane.Heartbeats()
	idle := 5 * time.Second
	if applications > 100 {
		idle = time.Minute
	}
	time.Sleep(idle) // the measurement
	if list := w.sent.Since(before, writes); len(list) > 0 {
		t.Errorf("writes in %s in which nothing happens: %v", idle, list)
	}
	heartbeats := w.plane.Heartbeats() - beats
	beating := w.sent.Since(before, func(r world.Request) bool { return r.Writes() && !writes(r) })

	with := world.Heap()
	if err := w.Stop(); err != nil {
		t.Error(err)
	}
	all := w.sent.Count(writes)
	w.operator = nil
	memory := float64(with-world.Heap()) / 1024 / float64(2*applications)
	t.Logf("%d applications with an operation each settled in %s\n"+
		"%d requests that write, %d of them of a status, for %d changed statuses with %d transitions; %d changes without one record the object of an engine\n"+
		"writes in %s in which nothing happens: %d heartbeats of the cluster, %v, and 0 others\n%.1f KiB of heap for each object",
		applications, took.Round(100*time.Millisecond), all, w.sent.Count(statuses), seen.Changes.Load(), seen.Transitions.Load(),
		seen.Still.Load(),
		idle, heartbeats, beating, memory)
}

// playFlux plays source-controller and helm-controller: every source gets its artifact and every release is installed.
func (w *vworkspace) playFlux(t *testing.T) {
	t.Helper()
	c, err := dynamic.NewForConfig(w.Config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	factory := dynamicinformer.NewDynamicSharedInformerFactory(c, 0)
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[task]())
	var group errgroup.Group
	for _, gvr := range []schema.GroupVersionResource{sourcev1.GroupVersion.WithResource("ocirepositories"),
		helmv2.GroupVersion.WithResource("helmreleases")} {
		add := func(o any) {
			if u := o.(*unstructured.Unstructured); !observed(u) {
				queue.Add(task{gvr, u.GetNamespace(), u.GetName()})
			}
		}
		if _, err := factory.ForResource(gvr).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: add,
			UpdateFunc: func(_, o any) { add(o) }}); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		group.Go(func() error {
			for {
				next, down := queue.Get()
				if down {
					return nil
				}
				if err := next.settle(ctx, c); err != nil && ctx.Err() == nil {
					queue.AddRateLimited(next)
				}
				queue.Done(next)
			}
		})
	}
	factory.Start(ctx.Done())
	t.Cleanup(func() {
		cancel()
		queue.ShutDown()
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
		factory.Shutdown()
	})
}

// task is an object of Flux that waits for its status.
type task struct {
	gvr             schema.GroupVersionResource
	namespace, name string
}

// observed reports whether the status is that of the spec.
func observed(u *unstructured.Unstructured) bool {
	generation, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	return generation == u.GetGeneration()
}

// settle writes the status of an object that is fetched or installed.
func (k task) settle(ctx context.Context, c dynamic.Interface) error {
	objects := c.Resource(k.gvr).Namespace(k.namespace)
	u, err := objects.Get(ctx, k.name, metav1.GetOptions{})
	if err != nil || observed(u) {
		return err
	}
	status := map[string]any{"observedGeneration": u.GetGeneration()}
	cells := []string{"Ready True Succeeded", "ArtifactInStorage True Succeeded"}
	at := time.Now().UTC().Format(time.RFC3339)
	if u.GetKind() == "HelmRelease" {
		cells = helm["installed"].cells
		status["history"] = []any{map[string]any{"name": k.name, "namespace": k.namespace, "version": int64(1), "chartName": "odoo",
			"status": "deployed", "digest": "sha256:0",
			"chartVersion": u.GetAnnotations()[kit.AnnotationVersion], "configDigest": "sha256:0", "firstDeployed": at, "lastDeployed": at}}
	} else {
		tag, _, _ := unstructured.NestedString(u.Object, "spec", "ref", "tag")
		status["artifact"] = map[string]any{"path": "p", "url": "http://source/p", "revision": tag + "@sha256:0", "lastUpdateTime": at,
			"digest": "sha256:0000000000000000000000000000000000000000000000000000000000000000"}
	}
	var conditions []any
	for _, condition := range conditionsOf(u.GetGeneration(), cells) {
		conditions = append(conditions, map[string]any{"type": condition.Type, "status": string(condition.Status), "reason": condition.Reason,
			"message":            condition.Message,
			"observedGeneration": u.GetGeneration(), "lastTransitionTime": at})
	}
	status["conditions"] = conditions
	u.Object["status"] = status
	_, err = objects.UpdateStatus(ctx, u, metav1.UpdateOptions{})
	return err
}
