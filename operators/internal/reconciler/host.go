// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/apply"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/dynamic"
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

// workers is how many objects of a kind are reconciled at once.
const workers = 4

// Host is what the reconcilers of all kinds of an operator share. Make one with [NewHost].
type Host struct {
	Manager    ctrl.Manager
	Writer     *apply.Writer
	Events     *apply.Events
	Conditions *apply.Metrics
	Passes     *Metrics
	Now        func() time.Time

	kinds []woken
}

// woken is a kind that [Host.Wake] reconciles anew.
type woken struct {
	list client.ObjectList
	wake chan event.GenericEvent
}

// NewHost returns a host whose writes have a field manager and whose metrics begin with the operator's name: name_controller_... for
// reconciles, name_... for conditions.
func NewHost(mgr ctrl.Manager, name, fieldManager string, now func() time.Time, registry prometheus.Registerer) (*Host, error) {
	writer, err := dynamic.NewForConfig(mgr.GetConfig())
	if err != nil {
		return nil, err
	}
	passes, err := NewMetrics(name+"_controller", registry)
	if err != nil {
		return nil, err
	}
	conditions := apply.NewMetrics(name)
	if err := registry.Register(conditions); err != nil {
		return nil, err
	}
	return &Host{Manager: mgr, Writer: &apply.Writer{Client: writer, Manager: fieldManager, Now: now}, Events: &apply.Events{Recorder: mgr.GetEventRecorder(fieldManager)},
		Conditions: conditions, Passes: passes, Now: now}, nil
}

// Setup adds the reconciler of a kind to the manager of a host.
func Setup[T Object, F any](h *Host, kind Kind[T, F]) error {
	r := &Reconciler[T, F]{Kind: kind, Client: h.Manager.GetClient(), Now: h.Now, Metrics: h.Passes, Status: &apply.Status{
		Target: apply.Target{Resource: kind.Resource, Kind: kind.Conditions.Kind, Namespaced: !kind.ClusterScoped, ListMap: true,
			Path: apply.ParsePath("status.conditions"), Own: kind.Conditions},
		Writer: h.Writer, Events: h.Events, Metrics: h.Conditions,
	}}
	wake := make(chan event.GenericEvent, 1024)
	h.kinds = append(h.kinds, woken{kind.List, wake})
	b := ctrl.NewControllerManagedBy(h.Manager).Named(kind.Resource.Resource).
		For(kind.New(), builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}, predicate.LabelChangedPredicate{}))).
		WatchesRawSource(source.Channel(wake, &handler.EnqueueRequestForObject{})).
		WithOptions(controller.TypedOptions[reconcile.Request]{MaxConcurrentReconciles: workers})
	if kind.Watch != nil {
		b = kind.Watch(b)
	}
	c, err := b.Build(r)
	if err == nil && kind.Built != nil {
		kind.Built(c)
	}
	return err
}

// Wake reconciles every object again, for a clock that was moved.
func (h *Host) Wake(ctx context.Context) error {
	for _, k := range h.kinds {
		list := k.list.DeepCopyObject().(client.ObjectList)
		if err := h.Manager.GetClient().List(ctx, list); err != nil {
			return err
		}
		objects, err := meta.ExtractList(list)
		if err != nil {
			return err
		}
		for _, o := range objects {
			select {
			case k.wake <- event.GenericEvent{Object: o.(client.Object)}:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}
