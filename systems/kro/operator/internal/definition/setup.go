// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"context"
	"sync"
	"time"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/enqueue"
	api "github.com/tristate/tristate/systems/kro/operator/api/v1alpha1"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
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

// Backoff is after how long what is transient is tried again for the first time.
const Backoff = 200 * time.Millisecond

// settling is how long what instances say is collected before their definition is judged.
const settling = time.Second

// Finalizer is the one that kro sets on definitions and instances. The operator sets it on instances alone.
const Finalizer = "kro.run/finalizer"

// catalogKind is ConditionCatalog, and catalogsCRD its CustomResourceDefinition.
var catalogKind = schema.FromAPIVersionAndKind(catalog.APIVersion, catalog.DocumentKind)

const catalogsCRD = "conditioncatalogs.tristate.dev"

// +kubebuilder:rbac:groups=kro.run,resources=resourcegraphdefinitions,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kro.run,resources=resourcegraphdefinitions/status,verbs=patch
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=internal.kro.run,resources=graphrevisions,verbs=list;create;delete
// +kubebuilder:rbac:groups=tristate.dev,resources=conditioncatalogs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Setup adds the kind to the operator.
func (r *Reconciler) Setup() error {
	gone := predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
	said := &enqueue.Signal{}
	if !r.GraphOnly {
		r.Kinds.Changed = func(name string) { said.Wake(types.NamespacedName{Name: name}) }
	}
	return operator.Setup(r.Host, operator.Kind[*api.ResourceGraphDefinition, Facts]{
		Resource: v1alpha1.GroupVersion.WithResource("resourcegraphdefinitions"), Conditions: Kind, ClusterScoped: true,
		Ignore: func(_ context.Context, o *api.ResourceGraphDefinition) (bool, error) { // the API server does not admit one without a schema
			return o.Spec.Schema == nil && o.DeletionTimestamp == nil, nil
		},
		Accepted: accept, Gather: r.gather, Act: r.act, Judge: judge, Conclude: conclude, After: r.after,
		Backoff:   Backoff,
		Finalizer: Finalizer, // kro sets it
		Guarded:   func(o *api.ResourceGraphDefinition) bool { return metadata.HasResourceGraphDefinitionFinalizer(o) },
		Delete: func(ctx context.Context, o *api.ResourceGraphDefinition) (bool, error) {
			return true, r.end(ctx, o.Name)
		},
		Forget: func(ctx context.Context, request ctrl.Request) error { return r.end(ctx, request.Name) },
		Watch: func(b *builder.Builder) *builder.Builder {
			return b.Watches(&api.ResourceGraphDefinition{}, enqueue.Mapped(r.siblings), builder.WithPredicates(gone)).
				WatchesMetadata(&apiext.CustomResourceDefinition{}, enqueue.Mapped(r.ofCRD)).
				WatchesRawSource(said.Source(handler.Funcs{GenericFunc: func(_ context.Context, e event.GenericEvent,
					q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
					q.AddAfter(enqueue.Named("", e.Object.GetName())[0], settling)
				}}))
		},
		Built: func(c controller.Controller) {
			r.watchCatalogs = sync.OnceFunc(func() { // only once a catalog exists, because the kind may not be installed
				catalogs := &metav1.PartialObjectMetadata{}
				catalogs.SetGroupVersionKind(catalogKind)
				if err := c.Watch(source.Kind[client.Object](r.Manager.GetCache(), catalogs,
					enqueue.Owner(v1alpha1.GroupVersion, Kind.Kind))); err != nil {
					r.Manager.GetLogger().Error(err, "cannot watch the catalogs")
				}
			})
		},
	})
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

func requests(names []string) (out []reconcile.Request) {
	for _, name := range names {
		out = append(out, enqueue.Named("", name)...)
	}
	return out
}
