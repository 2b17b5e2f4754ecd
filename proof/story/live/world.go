// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/discovery"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/proof/story"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// Controller is the Tristate that works on the API server.
type Controller interface {
	// Idle blocks until the controller has no work left.
	Idle(ctx context.Context) error
	// Recheck judges every object once more.
	Recheck()
}

// Options configures [New]. Config, Catalogs and Namespace are needed.
type Options struct {
	Config    *rest.Config
	Catalogs  *catalog.Set
	Namespace string             // exists, and is the story's alone
	Kinds     []schema.GroupKind // that List returns in addition to those with a catalog and those that were applied
	// Controller is nil where Tristate runs in another process.
	Controller Controller
	// Writes counts the requests with which Tristate changed objects of the namespace; nil: watches are counted.
	Writes func() int
	// Poll is how long Settle waits before it looks again. Default 50 ms.
	Poll time.Duration
}

// World is a namespace of a real API server. It implements [story.World].
type World struct {
	options Options
	client  dynamic.Interface
	types   *discovery.Types
	changes *changes

	mu       sync.Mutex
	kinds    []schema.GroupKind
	listMaps map[schema.GroupKind]bool
	rechecks int
}

var _ story.World = (*World)(nil)

// New connects to the API server. Watches end with the context.
func New(ctx context.Context, o Options) (*World, error) {
	if o.Poll <= 0 {
		o.Poll = 50 * time.Millisecond
	}
	o.Config = rest.CopyConfig(o.Config)
	o.Config.WarningHandler = rest.NoWarnings{} // about the content of a story, to people who did not write it
	client, err := dynamic.NewForConfig(o.Config)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	types, err := discovery.New(o.Config, nil)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	w := &World{options: o, client: client, types: types, listMaps: map[schema.GroupKind]bool{}}
	for _, k := range o.Catalogs.Kinds() {
		w.see(k.For)
	}
	for _, gk := range o.Kinds {
		w.see(gk)
	}
	if o.Writes == nil {
		w.changes = &changes{set: o.Catalogs, derived: map[string][]any{}, version: map[string]string{}}
		for _, gk := range w.listed() {
			if mapping, err := w.mapping(gk, ""); err == nil && o.Catalogs.Kind(gk) != nil {
				w.changes.watch(ctx, w.resource(mapping))
			}
		}
	}
	return w, nil
}

func (w *World) see(gk schema.GroupKind) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.kinds, gk) {
		w.kinds = append(w.kinds, gk)
	}
}

func (w *World) listed() []schema.GroupKind {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.kinds)
}

// Catalogs implements [story.World].
func (w *World) Catalogs() *catalog.Set { return w.options.Catalogs }

// Virtual returns false.
func (w *World) Virtual() bool { return false }

// Now returns the time.
func (w *World) Now() time.Time { return time.Now() }

// Sleep does nothing.
func (w *World) Sleep(context.Context, time.Duration) error { return nil }

// mapping returns the resource of a kind as [World.served] does, after a fresh discovery if the kind is not served as far as is known.
func (w *World) mapping(gk schema.GroupKind, version string) (*meta.RESTMapping, error) {
	mapping, err := w.served(gk, version)
	if err != nil {
		w.types.Reset()
		return w.served(gk, version)
	}
	return mapping, nil
}

// served returns the resource of a kind: the version that is asked for, otherwise the catalog's first served one, otherwise the preferred
// one. A kind that came after the last discovery is unknown: discovery decodes every type of the server, which is too much for each look at
// the world.
func (w *World) served(gk schema.GroupKind, version string) (mapping *meta.RESTMapping, err error) {
	var versions []string
	if version != "" {
		versions = []string{version}
	} else if k := w.options.Catalogs.Kind(gk); k != nil {
		versions = k.Written()
	}
	for _, v := range versions {
		if mapping, err = w.types.RESTMapping(gk, v); err == nil {
			return mapping, nil
		}
	}
	if version != "" {
		return nil, err
	}
	return w.types.RESTMapping(gk)
}

func (w *World) resource(mapping *meta.RESTMapping) dynamic.ResourceInterface {
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return w.client.Resource(mapping.Resource).Namespace(w.options.Namespace)
	}
	return w.client.Resource(mapping.Resource)
}

// of returns the resource of an object.
func (w *World) of(id relation.ID) (dynamic.ResourceInterface, *meta.RESTMapping, error) {
	mapping, err := w.mapping(id.GroupKind, "")
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", id, err)
	}
	if id.Namespace != "" && id.Namespace != story.DefaultNamespace && mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return nil, nil, fmt.Errorf("%s: on a real API server a story has namespace %s only", id, story.DefaultNamespace)
	}
	return w.resource(mapping), mapping, nil
}

// Get implements [story.World].
func (w *World) Get(ctx context.Context, id relation.ID) (map[string]any, error) {
	o, err := w.read(ctx, id)
	if err != nil {
		return nil, err
	}
	return w.inward(o.Object), nil
}

// read gets an object as it is stored.
func (w *World) read(ctx context.Context, id relation.ID) (*unstructured.Unstructured, error) {
	resource, _, err := w.of(id)
	if err != nil {
		return nil, err
	}
	o, err := resource.Get(ctx, id.Name, metav1.GetOptions{})
	return o, wrap(id, err)
}

// untilCurrent repeats a write that begins with reading while others change the object in between.
func untilCurrent(ctx context.Context, write func() error) error {
	for {
		if err := write(); !apierrors.IsConflict(err) || ctx.Err() != nil {
			return err
		}
	}
}

// wrap adds the name of the object to an error, and turns "not found" into the error of package story.
func wrap(id relation.ID, err error) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s: %w", id, story.ErrNotFound)
	}
	return fmt.Errorf("%s: %w", id, err)
}

// List implements [story.World]. Cluster-scoped kinds are not listed: they are not the story's alone.
func (w *World) List(ctx context.Context) ([]map[string]any, error) {
	var out []*relation.Object
	for _, gk := range w.listed() {
		mapping, err := w.served(gk, "")
		if meta.IsNoMatchError(err) {
			continue // its CRD is not there
		}
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", gk, err)
		}
		if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
			continue
		}
		options := metav1.ListOptions{Limit: 500}
		for {
			page, err := w.resource(mapping).List(ctx, options)
			if apierrors.IsNotFound(err) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("list %s: %w", gk, err)
			}
			for i := range page.Items {
				out = append(out, relation.FromContent(w.inward(page.Items[i].Object)))
			}
			if options.Continue = page.GetContinue(); options.Continue == "" {
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b *relation.Object) int { return relation.Compare(a.ID, b.ID) })
	contents := make([]map[string]any, len(out))
	for i, o := range out {
		contents[i] = o.Content
	}
	return contents, nil
}

// Writes implements [story.World].
func (w *World) Writes() int {
	if w.options.Writes != nil {
		return w.options.Writes()
	}
	return w.changes.count()
}

// errUnsettled is the error of Settle when its context ends.
var errUnsettled = errors.New("not settled")
