// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"context"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// orphans keeps the kinds watched that a definition made and does not make any more, for as long as their CustomResourceDefinitions exist:
// their instances report that, and one that is deleted goes with its resources. made is the kind that the definition makes now; empty: it
// does not exist.
func (r *Reconciler) orphans(ctx context.Context, name string, made schema.GroupVersionResource, problem string) error {
	var list metav1.PartialObjectMetadataList
	list.SetGroupVersionKind(apiext.SchemeGroupVersion.WithKind("CustomResourceDefinitionList"))
	if err := r.Client.List(ctx, &list, client.MatchingLabels{metadata.ResourceGraphDefinitionNameLabel: name}); err != nil {
		return err
	}
	kept := map[schema.GroupVersionResource]bool{made: true}
	for _, item := range list.Items {
		if item.Name == made.GroupResource().String() {
			continue
		}
		crd, err := r.crd(ctx, item.Name)
		if err != nil {
			return err
		}
		if crd == nil || crd.Labels[metadata.ResourceGraphDefinitionNameLabel] != name || !(Facts{CRD: crd}).established() {
			continue // it is reconciled again with each event of the CustomResourceDefinition
		}
		s, gvr, err := orphan(crd, name, problem)
		if err != nil {
			return err
		}
		if old := r.Kinds.Get(gvr); r.DeleteKinds && made.Resource == "" && old != nil && !old.Missing && crd.DeletionTimestamp == nil {
			if err := client.IgnoreNotFound(r.Client.Delete(ctx, crd)); err != nil {
				return err
			}
		}
		kept[gvr] = true
		if err := r.serve(ctx, crd, gvr, s); err != nil {
			return err
		}
	}
	for _, gvr := range r.Kinds.of(name) {
		if kept[gvr] {
			continue
		}
		if err := r.leave(ctx, gvr, name); err != nil {
			return err
		}
	}
	return nil
}

// leave ends the watch of a kind, unless another definition makes it meanwhile.
func (r *Reconciler) leave(ctx context.Context, gvr schema.GroupVersionResource, name string) error {
	r.watching.Lock()
	defer r.watching.Unlock()
	if s := r.Kinds.Get(gvr); s == nil || s.Definition != name {
		return nil
	}
	r.Kinds.drop(gvr)
	if err := r.Dynamic.Deregister(ctx, gvr); err != nil {
		return err
	}
	r.registered.Delete(gvr)
	r.Hands.leave(gvr)
	return nil
}

// orphan returns by what the instances of a kind without its definition are reconciled: the conditions of every instance, and the custom
// ones that the annotation of the CustomResourceDefinition declares.
func orphan(crd *apiext.CustomResourceDefinition, name, problem string) (*Served, schema.GroupVersionResource, error) {
	gvr := schema.GroupVersionResource{Group: crd.Spec.Group, Resource: crd.Spec.Names.Plural}
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			gvr.Version = v.Name
		}
	}
	rgd := &v1alpha1.ResourceGraphDefinition{ObjectMeta: metav1.ObjectMeta{Name: name}}
	rgd.Spec.Schema = &v1alpha1.Schema{Group: gvr.Group, APIVersion: gvr.Version, Kind: crd.Spec.Names.Kind,
		Metadata: &v1alpha1.CRDMetadata{Annotations: crd.Annotations}}
	declared, err := bare(rgd)
	return &Served{Definition: name, Declared: declared, Problem: problem, Final: true, Missing: true}, gvr, err
}
