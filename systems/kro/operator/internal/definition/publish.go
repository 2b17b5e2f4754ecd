// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"context"
	"slices"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	api "github.com/tristate/tristate/systems/kro/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kro/operator/internal/declare"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// bare returns the declaration of a definition whose graph is not accepted, so that the conditions of its instances stay. It ignores an
// annotation that is invalid.
func bare(rgd *v1alpha1.ResourceGraphDefinition) (*declare.Kind, error) {
	var ids []string
	for _, resource := range rgd.Spec.Resources {
		if wire.ValidType(declare.ResourceType(resource.ID)) && !slices.Contains(ids, resource.ID) {
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

// publish applies the ConditionCatalog of a definition's kind, which the definition owns, and deletes that of a kind which it does not make
// any more. The watch of the catalogs starts with the first one. A cluster without the CustomResourceDefinition of ConditionCatalog has
// none, until the kind is served.
func (r *Reconciler) publish(ctx context.Context, rgd *api.ResourceGraphDefinition, document catalog.Document) error {
	u := &unstructured.Unstructured{}
	data, err := document.YAML()
	if err == nil {
		err = yaml.Unmarshal(data, &u.Object)
	}
	if err != nil {
		return err
	}
	u.SetGroupVersionKind(catalogKind)
	u.SetOwnerReferences([]metav1.OwnerReference{metadata.NewResourceGraphDefinitionOwnerReference(rgd.Name, rgd.UID)})
	if err = r.Children.Ensure(ctx, rgd, u); err == nil {
		r.watchCatalogs()
		all := &metav1.PartialObjectMetadataList{}
		all.SetGroupVersionKind(catalogKind.GroupVersion().WithKind(catalogKind.Kind + "List"))
		err = r.Children.Prune(ctx, rgd, all, []client.Object{u},
			client.MatchingLabels{metadata.ResourceGraphDefinitionNameLabel: rgd.Name})
	}
	if absent(err) {
		crd, failed := r.crd(ctx, catalogsCRD)
		if failed != nil || crd == nil || !(Facts{CRD: crd}).established() { // an event follows
			return failed
		}
	}
	return err
}
