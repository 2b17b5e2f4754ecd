// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/operator/enqueue"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// workers is how many objects of a kind are reconciled at once.
const workers = 4

// Host has everything that the reconcilers of all kinds of an operator share. Make one with [NewHost].
type Host struct {
	Manager    ctrl.Manager
	Writer     *apply.Writer
	Events     *apply.Events
	Conditions *apply.Metrics
	Passes     *Metrics
	Children   *child.Writer
	Now        func() time.Time
	Registry   prometheus.Registerer
	// Leave reports whether a condition of a kind is not to be written: its type is absent instead. It is set before Setup. nil: none is.
	Leave func(kind string, c conditions.Condition) bool

	kinds []woken
}

// woken is a kind that [Host.Wake] reconciles anew.
type woken struct {
	kind string
	list client.ObjectList
	wake *enqueue.Signal
}

// Options configure a host.
type Options struct {
	Name      string                // its metrics begin with it: NAME_controller_... for reconciles, NAME_... for conditions
	Account   string                // field manager of its writes, and name of the lease of its election unless Manager has one
	Namespace string                // of the operator: of children of any owner, and of the lease unless Manager has one
	Domain    string                // of the annotations of children
	Exact     bool                  // content that others add to a child is removed
	Children  []client.Object       // kinds of children: the cache has only what the operator created, and Get of another object is an error
	Now       func() time.Time      // nil: time.Now
	Registry  prometheus.Registerer // nil: that of controller-runtime
	Manager   manager.Options       // without Controller.UsePriorityQueue: no priority queue
}

// NewHost makes the manager of an operator, with a ping for /healthz and /readyz, and a host around it.
func NewHost(config *rest.Config, o Options) (*Host, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Registry == nil {
		o.Registry = metrics.Registry
	}
	for _, kind := range o.Children {
		if o.Manager.Cache.ByObject == nil {
			o.Manager.Cache.ByObject = map[client.Object]cache.ByObject{}
		}
		o.Manager.Cache.ByObject[kind] = cache.ByObject{Label: labels.SelectorFromSet(labels.Set{child.LabelManaged: o.Account})}
	}
	if len(o.Children) > 0 {
		o.Manager.NewClient = restrict(o.Manager.NewClient, o.Account, o.Children)
	}
	o.Manager.LeaderElectionID = cmp.Or(o.Manager.LeaderElectionID, o.Account)
	o.Manager.LeaderElectionNamespace = cmp.Or(o.Manager.LeaderElectionNamespace, o.Namespace)
	o.Manager.LeaderElectionReleaseOnCancel = true
	if o.Manager.Controller.UsePriorityQueue == nil {
		// Up to controller-runtime 0.24 a priority queue can block for ever when it is shut down: kubernetes-sigs/controller-runtime#3538.
		o.Manager.Controller.UsePriorityQueue = new(false)
	}
	config, err := fenced(config, &o.Manager)
	if err != nil {
		return nil, err
	}
	mgr, err := ctrl.NewManager(config, o.Manager)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("ping", healthz.Ping)); err != nil {
		return nil, err
	}
	writer, err := dynamic.NewForConfig(mgr.GetConfig())
	if err != nil {
		return nil, err
	}
	passes, err := newMetrics(o.Name+"_controller", o.Registry)
	if err != nil {
		return nil, err
	}
	written := apply.NewMetrics(o.Name)
	if err := o.Registry.Register(written); err != nil {
		return nil, err
	}
	repairs, err := child.NewMetrics(o.Name+"_controller", o.Registry)
	if err != nil {
		return nil, err
	}
	recorder, children := mgr.GetEventRecorder(o.Account), mgr.GetClient()
	if r, is := children.(*restricted); is {
		children = r.Client // the writer of children asks the API server itself
	}
	return &Host{Manager: mgr, Writer: &apply.Writer{Client: writer, Manager: o.Account, Now: o.Now},
		Events: &apply.Events{Recorder: recorder},
		Children: &child.Writer{Client: children, Live: mgr.GetAPIReader(), Manager: o.Account, Domain: o.Domain, Home: o.Namespace,
			Exact:   o.Exact,
			Metrics: repairs, Events: recorder, Now: o.Now},
		Conditions: written, Passes: passes, Now: o.Now, Registry: o.Registry}, nil
}

// Start runs the operator until the context ends.
func (h *Host) Start(ctx context.Context) error { return h.Manager.Start(ctx) }

// Writes returns how many statuses were written.
func (h *Host) Writes() int { return h.Writer.Writes() }

// Setup adds the reconciler of a kind to the manager of a host. The scheme of the manager has the kind and its list.
func Setup[T Object, F any](h *Host, kind Kind[T, F]) error {
	object, list, err := empty[T](h.Manager.GetScheme(), kind.Resource.GroupVersion().WithKind(kind.Conditions.Kind))
	if err != nil {
		return err
	}
	r := NewReconciler(h, kind, object)
	wake := &enqueue.Signal{}
	h.kinds = append(h.kinds, woken{kind.Conditions.Kind, list, wake})
	b := ctrl.NewControllerManagedBy(h.Manager).Named(kind.Resource.Resource).
		For(object, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{},
			predicate.LabelChangedPredicate{}))).
		Watches(object, &corrections{manager: h.Writer.Manager, kind: kind.Conditions.Kind, metrics: h.Passes}).
		WatchesRawSource(wake.Source(&handler.EnqueueRequestForObject{})).
		WithOptions(controller.TypedOptions[reconcile.Request]{MaxConcurrentReconciles: workers, RateLimiter: r.backoff})
	if kind.Watch != nil {
		b = kind.Watch(b)
	}
	c, err := b.Build(r)
	if err == nil && kind.Built != nil {
		kind.Built(c)
	}
	return err
}

// empty returns an object of a kind without content, and an empty list of it.
func empty[T Object](scheme *runtime.Scheme, gvk schema.GroupVersionKind) (object T, list client.ObjectList, err error) {
	one, err := scheme.New(gvk)
	if err != nil {
		return object, nil, err
	}
	many, err := scheme.New(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err != nil {
		return object, nil, err
	}
	object, is := one.(T)
	if list, isList := many.(client.ObjectList); is && isList {
		return object, list, nil
	}
	return object, nil, fmt.Errorf("%s is %T with %T in the scheme, not %T with a list", gvk.Kind, one, many, object)
}

// WakeObject reconciles an object of a kind, which need not exist: [Kind].Forget is called if it does not.
func (h *Host) WakeObject(kind string, name types.NamespacedName) {
	for _, k := range h.kinds {
		if k.kind == kind {
			k.wake.Wake(name)
		}
	}
}

// Wake reconciles every object again, for a clock that was moved. It does nothing before the manager has started, which reconciles every
// object itself.
func (h *Host) Wake(ctx context.Context) error {
	for _, k := range h.kinds {
		list := k.list.DeepCopyObject().(client.ObjectList)
		switch err := h.Manager.GetClient().List(ctx, list); {
		case errors.As(err, new(*cache.ErrCacheNotStarted)):
			return nil
		case err != nil:
			return err
		}
		objects, err := meta.ExtractList(list)
		if err != nil {
			return err
		}
		for _, o := range objects {
			k.wake.Wake(client.ObjectKeyFromObject(o.(client.Object)))
		}
	}
	return nil
}
