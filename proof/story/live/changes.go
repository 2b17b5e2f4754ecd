// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// changes counts the changes of derived conditions on watches. A watch delivers every version of an object, so that
// it counts each write.
type changes struct {
	set     *catalog.Set
	mu      sync.Mutex
	n       int
	derived map[string][]any  // by uid
	version map[string]string // by uid
}

func (c *changes) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// watch follows a resource until the context ends. Changes after it has returned are counted.
func (c *changes) watch(ctx context.Context, resource dynamic.ResourceInterface) {
	begin := func() watch.Interface {
		for {
			list, err := resource.List(ctx, metav1.ListOptions{})
			if err == nil {
				for i := range list.Items {
					c.see(&list.Items[i])
				}
				var w watch.Interface
				if w, err = resource.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()}); err == nil {
					return w
				}
			}
			select {
			case <-ctx.Done():
				return watch.NewEmptyWatch()
			case <-time.After(time.Second):
			}
		}
	}
	first := begin() // before the first change that counts
	go func() {
		for w := first; ctx.Err() == nil; w = begin() {
			for event := range w.ResultChan() {
				o, ok := event.Object.(*unstructured.Unstructured)
				if ok && event.Type != watch.Deleted && event.Type != watch.Error {
					c.see(o)
				}
			}
			w.Stop()
		}
	}()
}

// see records a version of an object.
func (c *changes) see(u *unstructured.Unstructured) {
	o := relation.FromContent(u.Object)
	kind := c.set.Kind(o.GroupKind)
	if kind == nil {
		return
	}
	var derived []any
	for _, entry := range kind.List(u.Object) {
		name, _ := typeOf(entry).(string)
		if kind.Type(name) != nil && kind.Derives(kind.Canonical(name)) {
			derived = append(derived, entry)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version[o.UID] == o.ResourceVersion {
		return
	}
	if !reflect.DeepEqual(c.derived[o.UID], derived) {
		c.n++
	}
	c.derived[o.UID], c.version[o.UID] = derived, o.ResourceVersion
}

// behind returns a sentence about an object of which a newer version exists than the watch has delivered; empty without one.
func (c *changes) behind(graph *relation.Graph) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range graph.All() {
		if c.set.Kind(o.GroupKind) != nil && c.version[o.UID] != o.ResourceVersion {
			return "the watch has not seen the last change of " + o.ID.String()
		}
	}
	return ""
}
