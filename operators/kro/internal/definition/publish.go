// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/operators/kro/internal/declare"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"
)

// published records the catalogs that were applied, and their state in the watch, by the name of the catalog.
type published struct {
	mu      sync.Mutex
	applied map[string]applied
	seen    map[string]seen
}

// applied is a catalog as it was applied last.
type applied struct {
	definition string
	owner, uid types.UID // of the definition, and of the catalog
	generation int64
	document   catalog.Document
}

// seen is a catalog as the watch reported it last.
type seen struct {
	uid        types.UID
	generation int64
	whole      bool // it exists, with the labels and the owner that it was applied with
}

// is reports whether the catalog of a definition is stored as it was applied.
func (p *published) is(rgd *v1alpha1.ResourceGraphDefinition, document catalog.Document) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, known := p.applied[document.Metadata.Name]
	return known && a.definition == rgd.Name && a.owner == rgd.UID && p.holds(a) && reflect.DeepEqual(a.document, document)
}

// holds reports whether a catalog is unchanged since it was applied. Events from before the apply do not count.
func (p *published) holds(a applied) bool {
	s, watched := p.seen[a.document.Metadata.Name]
	return !watched || s.whole && s.uid == a.uid && s.generation <= a.generation
}

func (p *published) set(a applied) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.applied == nil {
		p.applied = map[string]applied{}
	}
	p.applied[a.document.Metadata.Name] = a
}

func (p *published) drop(definition string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.applied, func(_ string, a applied) bool { return a.definition == definition })
}

// see records an event of a catalog, and returns the definition that has to apply it again; empty: none.
func (p *published) see(o *metav1.PartialObjectMetadata, gone bool) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		p.seen = map[string]seen{}
	}
	a, known := p.applied[o.Name]
	definition := o.Labels[metadata.ResourceGraphDefinitionNameLabel]
	p.seen[o.Name] = seen{o.UID, o.Generation, !gone && (!known || metadata.IsKROOwned(o) && definition == a.definition &&
		slices.ContainsFunc(o.OwnerReferences, func(r metav1.OwnerReference) bool { return r.UID == a.owner }))}
	switch {
	case !known:
		return definition
	case p.holds(a):
		return ""
	}
	return a.definition
}

// catalogEvents enqueues the definition of a catalog that another writer changed or deleted.
func (r *Reconciler) catalogEvents() handler.TypedEventHandler[*metav1.PartialObjectMetadata, reconcile.Request] {
	type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]
	note := func(q queue, o *metav1.PartialObjectMetadata, gone bool) {
		for _, request := range requests([]string{r.published.see(o, gone)}) {
			q.Add(request)
		}
	}
	return handler.TypedFuncs[*metav1.PartialObjectMetadata, reconcile.Request]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[*metav1.PartialObjectMetadata], q queue) {
			note(q, e.Object, false)
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*metav1.PartialObjectMetadata], q queue) {
			note(q, e.ObjectNew, false)
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[*metav1.PartialObjectMetadata], q queue) {
			note(q, e.Object, true)
		},
	}
}

// bare returns the declaration of a definition whose graph is not accepted, so that the conditions of its instances stay. It ignores an
// annotation that is invalid.
func bare(rgd *v1alpha1.ResourceGraphDefinition) (*declare.Kind, error) {
	var ids []string
	for _, resource := range rgd.Spec.Resources {
		if conditions.ValidType(declare.ResourceType(resource.ID)) && !slices.Contains(ids, resource.ID) {
			ids = append(ids, resource.ID)
		}
	}
	k, err := declare.Of(rgd, ids)
	if err == nil {
		return k, nil
	}
	plain := rgd.DeepCopy()
	plain.Spec.Schema.Metadata = nil
	return declare.Of(plain, ids)
}

// publish applies the ConditionCatalog of a definition's kind, which the definition owns, unless it is stored as it was applied. The watch
// of the catalogs starts with the first one. A cluster without the CustomResourceDefinition of ConditionCatalog has none; any other error
// is reported as an event, because the instances do not depend on it, and the catalog has to be applied again.
func (r *Reconciler) publish(ctx context.Context, rgd *v1alpha1.ResourceGraphDefinition, document catalog.Document) (refused bool) {
	if r.published.is(rgd, document) {
		return false
	}
	u := &unstructured.Unstructured{}
	data, err := document.YAML()
	if err == nil {
		err = yaml.Unmarshal(data, &u.Object)
	}
	if err == nil {
		u.SetAPIVersion(catalog.APIVersion)
		u.SetKind(catalog.DocumentKind)
		u.SetOwnerReferences([]metav1.OwnerReference{metadata.NewResourceGraphDefinitionOwnerReference(rgd.Name, rgd.UID)})
		err = r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(Manager), client.ForceOwnership)
	}
	switch {
	case meta.IsNoMatchError(err) || apierrors.IsNotFound(err):
		return false // repeated once the kind is served
	case err != nil:
		r.Status.Events.Warn(r.Status.Target, rgd, "CatalogNotPublished", "Publish", Text(err))
		return true
	}
	r.published.set(applied{definition: rgd.Name, owner: rgd.UID, uid: u.GetUID(), generation: u.GetGeneration(), document: document})
	r.watchCatalogs()
	return false
}
