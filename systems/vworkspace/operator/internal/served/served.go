// SPDX-License-Identifier: Apache-2.0

// Package served watches kinds of other projects from the time that the API server serves them. They may come after the operator, and go
// again.
//
//	kinds.Want(velero.Backup, controller, handler)     before the start
//	kinds.Serves(velero.Backup)                        at any time, without a request
//
// # Rules
//
//  1. A kind is served when discovery has it, not when its definition exists: a definition is established some time after it is created.
//  2. When a kind comes or goes, Changed is called, so that everything that depends on it is judged again.
//  3. Only the metadata of definitions is cached.
//  4. When a kind goes its informer is removed; when it comes back another one is started.
package served

import (
	"context"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// again is how soon discovery is asked again about a definition that is not served yet.
const again = 500 * time.Millisecond

// Kinds are the kinds of other projects.
type Kinds struct {
	Manager   ctrl.Manager
	Discovery discovery.DiscoveryInterface
	Changed   func() // a kind has come or gone

	mu      sync.Mutex
	known   map[schema.GroupKind]bool // asked at least once
	served  map[schema.GroupVersionKind]bool
	wanted  map[schema.GroupVersionKind][]watch
	plurals map[string][]schema.GroupVersionKind // by name of the definition
}

type watch struct {
	controller controller.Controller
	handler    handler.EventHandler
}

// Kind is a kind and the name of its resource.
type Kind struct {
	schema.GroupVersionKind
	Plural string
}

// Register makes kinds known; before Setup.
func (k *Kinds) Register(kinds ...Kind) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.plurals == nil {
		k.plurals, k.served, k.wanted = map[string][]schema.GroupVersionKind{}, map[schema.GroupVersionKind]bool{},
			map[schema.GroupVersionKind][]watch{}
	}
	for _, kind := range kinds {
		name := kind.Plural + "." + kind.Group
		k.plurals[name] = append(k.plurals[name], kind.GroupVersionKind)
	}
}

// Want makes a controller watch a kind while it is served.
func (k *Kinds) Want(gvk schema.GroupVersionKind, c controller.Controller, h handler.EventHandler) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.wanted[gvk] = append(k.wanted[gvk], watch{c, h})
}

// Serves reports whether a kind is served.
func (k *Kinds) Serves(gvk schema.GroupVersionKind) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.served[gvk]
}

// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=list;watch

// Setup adds the watch of definitions to the manager. Kinds that are served already count from the start.
func (k *Kinds) Setup() error {
	for name := range k.plurals {
		if err := k.look(name); err != nil {
			return err
		}
	}
	definition := &metav1.PartialObjectMetadata{}
	definition.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	return ctrl.NewControllerManagedBy(k.Manager).Named("served").For(definition).Complete(k)
}

// look asks discovery about the kinds of a definition.
func (k *Kinds) look(name string) error {
	for _, gvk := range k.plurals[name] {
		resources, err := k.Discovery.ServerResourcesForGroupVersion(gvk.GroupVersion().String())
		if err != nil && !meta.IsNoMatchError(err) && client.IgnoreNotFound(err) != nil {
			return err
		}
		found := false
		if err == nil {
			for _, r := range resources.APIResources {
				found = found || r.Kind == gvk.Kind
			}
		}
		k.mu.Lock()
		k.served[gvk] = found
		k.mu.Unlock()
	}
	return nil
}

// Reconcile starts or stops the watch of a kind to match its definition.
func (k *Kinds) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	gvks, ok := k.plurals[request.Name]
	if !ok {
		return reconcile.Result{}, nil
	}
	definition := &metav1.PartialObjectMetadata{}
	definition.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	err := k.Manager.GetClient().Get(ctx, request.NamespacedName, definition)
	if client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, err
	}
	exists := err == nil && definition.DeletionTimestamp.IsZero()
	before := map[schema.GroupVersionKind]bool{}
	k.mu.Lock()
	for _, gvk := range gvks {
		before[gvk] = k.served[gvk]
	}
	k.mu.Unlock()
	if err := k.look(request.Name); err != nil {
		return reconcile.Result{}, err
	}
	var result reconcile.Result
	changed := false
	for _, gvk := range gvks {
		now := k.Serves(gvk)
		if now != exists {
			result.RequeueAfter = again // discovery follows
		}
		started, err := k.follow(ctx, gvk, now && exists)
		if err != nil {
			return reconcile.Result{}, err
		}
		changed = changed || started || now != before[gvk]
	}
	if changed && k.Changed != nil {
		k.Changed()
	}
	return result, nil
}

// follow starts or ends the watches of a kind.
func (k *Kinds) follow(ctx context.Context, gvk schema.GroupVersionKind, on bool) (changed bool, err error) {
	k.mu.Lock()
	watches, was := k.wanted[gvk], k.known[gvk.GroupKind()]
	if k.known == nil {
		k.known = map[schema.GroupKind]bool{}
	}
	k.known[gvk.GroupKind()] = on
	k.mu.Unlock()
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	switch {
	case on && !was:
		for _, w := range watches {
			if err := w.controller.Watch(source.Kind[client.Object](k.Manager.GetCache(), object, w.handler)); err != nil {
				k.mu.Lock()
				k.known[gvk.GroupKind()] = false
				k.mu.Unlock()
				return false, err
			}
		}
	case !on && was:
		if err := k.Manager.GetCache().RemoveInformer(ctx, object); err != nil {
			return false, err
		}
	}
	return on != was, nil
}
