// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"context"
	"slices"
	"sync"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/operators/kro/internal/declare"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// published remembers which catalog was applied for a definition, so that it is applied once a process and change.
type published struct {
	mu sync.Mutex
	m  map[string]*declare.Kind
}

func (p *published) is(name string, k *declare.Kind) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.m[name] == k
}

func (p *published) set(name string, k *declare.Kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.m == nil {
		p.m = map[string]*declare.Kind{}
	}
	p.m[name] = k
}

func (p *published) drop(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.m, name)
}

// registered are the kinds whose instances are watched, with the CustomResourceDefinitions that they are watched by.
type registered struct {
	mu sync.Mutex
	m  map[schema.GroupVersionResource]types.UID
}

func (r *registered) of(gvr schema.GroupVersionResource) types.UID {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.m[gvr]
}

func (r *registered) set(gvr schema.GroupVersionResource, crd types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m == nil {
		r.m = map[schema.GroupVersionResource]types.UID{}
	}
	r.m[gvr] = crd
}

// bare is the declaration of a definition whose graph is not accepted, so that the conditions of its instances stay. The annotation may be
// what is wrong: then it is left out.
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

// publish applies the ConditionCatalog of a definition's kind, which goes with the definition. A cluster without the definition of
// ConditionCatalog has none; what else keeps it from being written is an event, for the instances do not depend on it.
func (r *Reconciler) publish(ctx context.Context, rgd *v1alpha1.ResourceGraphDefinition, k *declare.Kind) {
	if r.published.is(rgd.Name, k) {
		return
	}
	content, err := encode(k.Document)
	if err == nil {
		u := &unstructured.Unstructured{Object: content}
		u.SetAPIVersion(catalog.APIVersion)
		u.SetKind(catalog.DocumentKind)
		owner := metadata.NewResourceGraphDefinitionOwnerReference(rgd.Name, rgd.UID)
		u.SetOwnerReferences([]metav1.OwnerReference{owner})
		err = r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(Manager), client.ForceOwnership)
	}
	switch {
	case meta.IsNoMatchError(err):
		return // asked again with the next pass
	case err != nil:
		r.Status.Events.Warn(r.Status.Target, rgd, "CatalogNotPublished", "Publish", Text(err))
		return
	}
	r.published.set(rgd.Name, k)
}
