// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"context"
	"net/http"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
	"github.com/tristate/tristate/operators/kars/internal/artifact"
	"github.com/tristate/tristate/operators/kars/internal/echo"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
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

// Env is what the reconcilers of all kinds share. It is set before use and not changed afterwards.
type Env struct {
	Manager   ctrl.Manager
	Children  *Children
	Writer    *apply.Writer
	Events    *apply.Events
	Metrics   *apply.Metrics // of conditions
	Counters  *Metrics       // of reconciles
	Now       func() time.Time
	Store     *echo.Store
	Poller    *echo.Poller
	Fetcher   *artifact.Fetcher
	Web       *http.Client         // for OIDC discovery: https only
	Logs      kubernetes.Interface // for the reports of evaluations
	Namespace string               // of the operator: kars-system

	InferenceEndpoint string            // of sandboxes; empty: none is configured
	RequireSigned     bool              // allowlists must be signed
	MaxTTL            time.Duration     // of grants
	RuntimeImages     map[string]string // adapters: image by runtime kind
	RouterImage       string
	RunnerImage       string
	PushURL           string // where routers push to; empty: nowhere
	MemoryEndpoint    string // of the memory stores

	woken  []chan event.GenericEvent
	echoes []chan event.GenericEvent
	lists  []func(context.Context) ([]client.Object, error)
}

// Setup adds the reconciler of a kind to the manager. list is an empty list of the kind.
func Setup[T Object, F any](e *Env, plural string, own *conditions.Kind, namespaced bool, kind Kind[T, F], list client.ObjectList,
	watch func(*builder.Builder) *builder.Builder) error {
	r := &Reconciler[T, F]{Kind: kind, Client: e.Manager.GetClient(), Now: e.Now, Metrics: e.Counters, Status: &apply.Status{
		Target: apply.Target{Resource: api.GroupVersion.WithResource(plural), Kind: own.Kind, Namespaced: namespaced, ListMap: true,
			Path: apply.ParsePath("status.conditions"), Own: own},
		Writer: e.Writer, Events: e.Events, Metrics: e.Metrics,
	}}
	wake := make(chan event.GenericEvent, 1024)
	e.woken = append(e.woken, wake)
	e.lists = append(e.lists, func(ctx context.Context) ([]client.Object, error) {
		into := list.DeepCopyObject().(client.ObjectList)
		if err := e.Manager.GetClient().List(ctx, into); err != nil {
			return nil, err
		}
		return items(into)
	})
	b := ctrl.NewControllerManagedBy(e.Manager).Named(plural).
		For(kind.New(), builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}, predicate.LabelChangedPredicate{}))).
		WatchesRawSource(source.Channel(wake, &handler.EnqueueRequestForObject{})).
		WithOptions(controller.TypedOptions[reconcile.Request]{MaxConcurrentReconciles: 4})
	if watch != nil {
		b = watch(b)
	}
	return b.Complete(r)
}

// Wake judges every object again, for a clock that was moved.
func (e *Env) Wake(ctx context.Context) error {
	for i, list := range e.lists {
		objects, err := list(ctx)
		if err != nil {
			return err
		}
		for _, o := range objects {
			select {
			case e.woken[i] <- event.GenericEvent{Object: o}:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// Named enqueues one object.
func Named(namespace, name string) []reconcile.Request {
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}}
}

// SandboxOf enqueues the sandbox that a child carries the labels of.
func SandboxOf(_ context.Context, child client.Object) []reconcile.Request {
	labels := child.GetLabels()
	return Named(labels[LabelSandboxOwner], labels[LabelSandbox])
}

// OwnedBy enqueues the owner of a kind.
func OwnedBy(kind string, request func(namespace, owner string) []reconcile.Request) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(_ context.Context, child client.Object) []reconcile.Request {
		for _, owner := range child.GetOwnerReferences() {
			if owner.Kind == kind && owner.APIVersion == api.GroupVersion.String() {
				return request(child.GetNamespace(), owner.Name)
			}
		}
		return nil
	})
}

// Owner enqueues the owner of a kind in the child's namespace.
func Owner(kind string) handler.EventHandler { return OwnedBy(kind, Named) }
