// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"context"
	"sync"
	"time"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/internal/declare/catalog"
	api "github.com/tristate/tristate/operators/kro/api/v1alpha1"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// settling is how long what instances say is collected before their definition is judged.
const settling = time.Second

// catalogsCRD is the CustomResourceDefinition of ConditionCatalog.
const catalogsCRD = "conditioncatalogs.tristate.dev"

// Target returns the target of the status writes.
func Target() apply.Target {
	return apply.Target{Resource: v1alpha1.GroupVersion.WithResource("resourcegraphdefinitions"), Kind: Kind.Kind, ListMap: true,
		Path: apply.ParsePath("status.conditions"), Own: Kind}
}

// +kubebuilder:rbac:groups=kro.run,resources=resourcegraphdefinitions,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kro.run,resources=resourcegraphdefinitions/status,verbs=patch
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=internal.kro.run,resources=graphrevisions,verbs=list;create;delete
// +kubebuilder:rbac:groups=tristate.dev,resources=conditioncatalogs,verbs=list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Setup adds the reconciler to a manager.
func (r *Reconciler) Setup(mgr ctrl.Manager) error {
	gone := predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
	said := make(chan event.GenericEvent)
	if !r.GraphOnly {
		r.Kinds.Changed = func(name string) {
			go func() {
				said <- event.GenericEvent{Object: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}}}
			}() // at the end it has no receiver
		}
	}
	c, err := ctrl.NewControllerManagedBy(mgr).Named("tristate-resourcegraphdefinitions").
		For(&api.ResourceGraphDefinition{}, builder.WithPredicates(predicate.Or(
			predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}, deleted, spoilt))).
		Watches(&api.ResourceGraphDefinition{}, handler.EnqueueRequestsFromMapFunc(r.siblings), builder.WithPredicates(gone)).
		WatchesMetadata(&apiext.CustomResourceDefinition{}, handler.EnqueueRequestsFromMapFunc(r.ofCRD)).
		WatchesRawSource(source.Channel(said,
			handler.Funcs{GenericFunc: func(_ context.Context, e event.GenericEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
				q.AddAfter(requests([]string{e.Object.GetName()})[0], settling)
			}})).
		WithOptions(controller.TypedOptions[reconcile.Request]{MaxConcurrentReconciles: 2}).
		Build(r)
	if err != nil {
		return err
	}
	r.watchCatalogs = sync.OnceFunc(func() { // only once a catalog exists, because the kind may not be installed
		catalogs := &metav1.PartialObjectMetadata{}
		catalogs.SetGroupVersionKind(schema.FromAPIVersionAndKind(catalog.APIVersion, catalog.DocumentKind))
		if err := c.Watch(source.Kind(mgr.GetCache(), catalogs, r.catalogEvents())); err != nil {
			mgr.GetLogger().Error(err, "cannot watch the catalogs")
		}
	})
	return nil
}

// deleted passes the event by which a deletion begins: not every API server increases the generation then.
var deleted = predicate.Funcs{
	CreateFunc: func(event.CreateEvent) bool { return false },
	UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld.GetDeletionTimestamp().IsZero() != e.ObjectNew.GetDeletionTimestamp().IsZero()
	},
}

// ofCRD enqueues the definition that a CustomResourceDefinition was made for, and those that wait for a kind; all of them for the kind of
// the catalogs.
func (r *Reconciler) ofCRD(ctx context.Context, crd client.Object) []reconcile.Request {
	names := r.waiting()
	if crd.GetName() == catalogsCRD {
		names = r.names(ctx, func(*v1alpha1.Schema) bool { return true })
	}
	if metadata.IsKROOwned(crd) {
		names = append(names, crd.GetLabels()[metadata.ResourceGraphDefinitionNameLabel])
	}
	return requests(names)
}

// siblings enqueues the other definitions of the kind of a definition that was deleted.
func (r *Reconciler) siblings(ctx context.Context, o client.Object) []reconcile.Request {
	gone, ok := o.(*api.ResourceGraphDefinition)
	if !ok || gone.Spec.Schema == nil {
		return nil
	}
	return requests(r.names(ctx, func(s *v1alpha1.Schema) bool {
		return s.Kind == gone.Spec.Schema.Kind && s.Group == gone.Spec.Schema.Group
	}))
}

// names returns the definitions whose schema fulfils a condition.
func (r *Reconciler) names(ctx context.Context, fulfils func(*v1alpha1.Schema) bool) []string {
	var list api.ResourceGraphDefinitionList
	if r.Client.List(ctx, &list) != nil { // a list from the cache does not fail
		return nil
	}
	var out []string
	for _, o := range list.Items {
		if o.Spec.Schema != nil && fulfils(o.Spec.Schema) {
			out = append(out, o.Name)
		}
	}
	return out
}

func requests(names []string) []reconcile.Request {
	out := make([]reconcile.Request, 0, len(names))
	for _, name := range names {
		if name != "" {
			out = append(out, reconcile.Request{NamespacedName: client.ObjectKey{Name: name}})
		}
	}
	return out
}
