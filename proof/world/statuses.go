// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// Statuses counts changes of statuses by a watch, for tests with too many objects for a record of each.
type Statuses struct {
	Changes     atomic.Int64 // revisions with another status than the one before
	Transitions atomic.Int64 // conditions that came, went or have another status or reason
	Still       atomic.Int64 // changes without a transition
	informers   []cache.SharedIndexInformer
}

// Watch counts the statuses of resources from now on.
func (w *World) Watch(t *testing.T, resources ...Resource) *Statuses {
	t.Helper()
	c, err := dynamic.NewForConfig(w.Config)
	if err != nil {
		t.Fatal(err)
	}
	s := &Statuses{}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(c, 0)
	for _, r := range resources {
		informer := factory.ForResource(r.GVR).Informer()
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

func (s *Statuses) revision(old, now any) {
	before, was := status(old)
	after, is := status(now)
	if reflect.DeepEqual(before, after) {
		return
	}
	s.Changes.Add(1)
	n := int64(0)
	for conditionType, cell := range is {
		if was[conditionType] != cell {
			n++
		}
	}
	for conditionType := range was {
		if _, ok := is[conditionType]; !ok {
			n++
		}
	}
	if n == 0 {
		s.Still.Add(1)
	}
	s.Transitions.Add(n)
}

// status returns the status of an object, and the status and reason of each of its conditions by type.
func status(o any) (any, map[string]string) {
	u, ok := o.(*unstructured.Unstructured)
	if !ok {
		return nil, nil
	}
	have := map[string]string{}
	raw, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range raw {
		c := c.(map[string]any)
		have[c["type"].(string)] = fmt.Sprint(c["status"], " ", c["reason"])
	}
	return u.Object["status"], have
}

// Settled returns a check that is an error while fewer objects than wanted have reached a state. It logs every minute how far they are.
// cells are the status and reason of each condition of an object by type.
func (s *Statuses) Settled(t *testing.T, want int, reached func(kind string, cells map[string]string) bool) func() error {
	logged := time.Now()
	return func() error {
		settled, others := 0, map[string]int{}
		for _, informer := range s.informers {
			for _, o := range informer.GetStore().List() {
				u := o.(*unstructured.Unstructured)
				_, have := status(u)
				if reached(u.GetKind(), have) {
					settled++
				} else {
					others[fmt.Sprint(u.GetKind(), " ", have)]++
				}
			}
		}
		if settled == want {
			return nil
		}
		err := fmt.Errorf("%d of %d objects have settled; others: %v", settled, want, others)
		if time.Since(logged) > time.Minute {
			logged = time.Now()
			t.Log(err)
		}
		return err
	}
}

// Heap returns how many bytes of the heap are in use after a collection.
func Heap() int64 {
	var m runtime.MemStats
	for range 3 { // finalizers and pools need more than one
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Patiently is [Eventually] with a limit that grows with the work, at least [Patience].
func Patiently(t *testing.T, limit time.Duration, check func() error) {
	t.Helper()
	var err error
	limit = max(limit, Patience)
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(min(limit/1000, 2*time.Second)) { // a check looks at all objects
		if err = check(); err == nil {
			return
		}
	}
	t.Fatal(err)
}
