// SPDX-License-Identifier: Apache-2.0

package story

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Epoch is the time at which a memory world begins.
var Epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// MemoryWorld is an API server and Tristate in memory, on virtual time. It is deterministic: the same calls
// produce the same bytes, uids and resource versions included. It has the semantics of an API server that conditions depend on: a
// generation that rises when anything but metadata and status differs, uids, resource versions, finalizers, and the
// garbage collection of owned objects, which happens at once. It has no schemas: it validates and defaults no field.
//
// It is not safe for use by several goroutines.
type MemoryWorld struct {
	graph   *relation.Graph
	cluster map[schema.GroupKind]bool
	now     time.Time
	version int64
	uids    int
	dirty   map[relation.ID]bool
	due     map[relation.ID]time.Time
	written []relation.ID
}

// clusterScoped are the kinds of Kubernetes without a namespace that a story may meet.
var clusterScoped = []schema.GroupKind{
	{Kind: "Namespace"}, {Kind: "Node"}, {Kind: "PersistentVolume"},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}, {Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"},
	{Group: "storage.k8s.io", Kind: "StorageClass"},
}

// NewMemoryWorld returns an empty world.
func NewMemoryWorld(set *catalog.Set) *MemoryWorld {
	w := &MemoryWorld{graph: relation.New(set), now: Epoch, cluster: map[schema.GroupKind]bool{},
		dirty: map[relation.ID]bool{}, due: map[relation.ID]time.Time{}}
	for _, gk := range clusterScoped {
		w.cluster[gk] = true
	}
	return w
}

// Catalogs implements [World].
func (w *MemoryWorld) Catalogs() *catalog.Set { return w.graph.Set() }

// Virtual returns true.
func (w *MemoryWorld) Virtual() bool { return true }

// Now returns the virtual time.
func (w *MemoryWorld) Now() time.Time { return w.now }

// Writes returns the number of passes that changed an object.
func (w *MemoryWorld) Writes() int { return len(w.written) }

// Written returns the objects of the writes from the given one on.
func (w *MemoryWorld) Written(since int) []relation.ID { return slices.Clone(w.written[since:]) }

// Graph returns the objects of the world.
func (w *MemoryWorld) Graph() *relation.Graph { return w.graph }

// Get implements [World].
func (w *MemoryWorld) Get(_ context.Context, id relation.ID) (map[string]any, error) {
	o, err := w.get(id)
	if err != nil {
		return nil, err
	}
	return o.Content, nil
}

// List implements [World].
func (w *MemoryWorld) List(context.Context) ([]map[string]any, error) {
	all := w.graph.All()
	out := make([]map[string]any, len(all))
	for i, o := range all {
		out[i] = o.Content
	}
	return out, nil
}

func (w *MemoryWorld) get(id relation.ID) (*relation.Object, error) {
	if w.cluster[id.GroupKind] {
		id.Namespace = ""
	}
	o := w.graph.Get(id)
	if o == nil {
		return nil, fmt.Errorf("%s: %w", id, ErrNotFound)
	}
	return o, nil
}

// store sets the next resource version, stores the content, and marks the objects to judge again.
func (w *MemoryWorld) store(content map[string]any) {
	w.version++
	metadata(content)["resourceVersion"] = strconv.FormatInt(w.version, 10)
	w.mark(w.graph.Put(relation.FromContent(content)))
}

func (w *MemoryWorld) mark(ids []relation.ID) {
	for _, id := range ids {
		w.dirty[id] = true
	}
}

func (w *MemoryWorld) uid() string {
	w.uids++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", w.uids)
}

func (w *MemoryWorld) timestamp() string { return w.now.UTC().Format(time.RFC3339) }

// metadata returns the metadata of an object, which it adds if it is missing.
func metadata(content map[string]any) map[string]any {
	m, ok := content["metadata"].(map[string]any)
	if !ok {
		m = map[string]any{}
		content["metadata"] = m
	}
	return m
}

// copyOf returns a deep copy.
func copyOf(content map[string]any) map[string]any { return runtime.DeepCopyJSON(content) }
