// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator/child"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Reconciler reconciles the objects of a kind. Make one with [Setup], or with [NewReconciler].
type Reconciler[T Object, F any] struct {
	Kind   Kind[T, F]
	Client client.Client
	Status *apply.Status
	Now    func() time.Time
	// Metrics count the passes. nil: nothing is counted.
	Metrics *Metrics
	// Children drops what it remembers of the children of an object that is gone. nil: there is none.
	Children *child.Writer

	empty   T // without content
	backoff *backoff
	retries workqueue.TypedRateLimiter[reconcile.Request] // of what is transient
	leave   func(conditions.Condition) bool               // conditions that are not written; nil: none
	mu      sync.Mutex
	before  map[types.NamespacedName]T // objects as they were before the passes that have not ended well
}

// NewReconciler returns the reconciler of a kind whose objects another queue than that of [Setup] brings, as of kinds that are known at run
// time only. empty is an object without content; one without a Go type embeds unstructured.Unstructured, and empty has its kind.
// Kind.Watch and Kind.Built are not called.
func NewReconciler[T Object, F any](h *Host, kind Kind[T, F], empty T) *Reconciler[T, F] {
	r := &Reconciler[T, F]{Kind: kind, Client: h.Manager.GetClient(), Now: h.Now, Metrics: h.Passes, Children: h.Children, empty: empty,
		backoff: newBackoff(h.Now),
		retries: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](cmp.Or(kind.Backoff, Retry), Retry),
		Status: &apply.Status{
			Target: apply.Target{Foreign: kind.Foreign, Resource: kind.Resource, Kind: kind.Conditions.Kind, Namespaced: !kind.ClusterScoped,
				ListMap: true, Path: apply.ParsePath("status.conditions"), Own: kind.Conditions},
			Writer: h.Writer, Events: h.Events, Metrics: h.Conditions,
		}}
	if h.Leave != nil {
		r.leave = func(c conditions.Condition) bool { return h.Leave(kind.Conditions.Kind, c) }
	}
	return r
}

// Reconcile makes one pass over one object.
func (r *Reconciler[T, F]) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	start := time.Now()
	result, err := r.reconcile(ctx, request)
	r.Metrics.reconciled(r.Status.Target.Kind, time.Since(start), result, err)
	return result, err
}

func (r *Reconciler[T, F]) reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	k, object := &r.Kind, r.empty.DeepCopyObject().(T)
	if err := r.Client.Get(ctx, request.NamespacedName, object); err != nil {
		if client.IgnoreNotFound(err) != nil {
			return ctrl.Result{}, err
		}
		r.Status.Forget(request.NamespacedName)
		r.ended(request.NamespacedName)
		r.backoff.due(request, time.Time{})
		r.retries.Forget(request)
		if r.Children != nil {
			r.Children.Forget(r.Status.Target.Kind, request.NamespacedName)
		}
		if k.Forget != nil {
			return ctrl.Result{}, k.Forget(ctx, request)
		}
		return ctrl.Result{}, nil
	}
	r.backoff.due(request, k.Conditions.Due(waitsOf(k.Conditions, object), r.Now())) // whatever fails
	if k.Ignore != nil {
		if ignored, err := k.Ignore(ctx, object); err != nil || ignored {
			return ctrl.Result{}, err
		}
	}
	object, err := r.newest(object)
	if err != nil {
		return ctrl.Result{}, err
	}
	read, now := r.began(object), r.Now()
	if !object.GetDeletionTimestamp().IsZero() {
		return r.remove(ctx, object, now)
	}
	if err := r.guard(ctx, object); err != nil {
		return ctrl.Result{}, err
	}
	if len(object.GetConditions()) == 0 {
		if first, ok := k.first(object, now); ok {
			if object, err = r.write(ctx, object, first); err != nil {
				return ctrl.Result{}, err
			}
		}
	}
	facts, err := k.Gather(ctx, object, now)
	if errors.Is(err, ErrNotYet) {
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	var refused error
	if k.Act != nil {
		if k.Creating != nil && k.Creating(facts) {
			if object, err = r.write(ctx, object, k.judge(object, facts, now)); err != nil {
				return ctrl.Result{}, err
			}
			if object, err = r.newest(object); err != nil {
				return ctrl.Result{}, err
			}
		}
		if refused = k.Act(ctx, object, &facts); refused != nil && k.Refused != nil {
			k.Refused(&facts, refused)
			refused = nil
		}
	}
	judged := k.judge(object, facts, now)
	_, err = r.write(ctx, object, judged)
	var failed error
	if err == nil && k.After != nil {
		r.ended(request.NamespacedName)
		failed = k.After(ctx, read, facts, func(reason, note string) {
			r.Status.Events.Warn(r.Status.Target, object, reason, "Reconcile", note)
		})
	}
	r.backoff.due(request, judged.result.RequeueAt)
	result, err := r.wait(request, judged, err, now)
	return result, errors.Join(err, refused, failed)
}

// began keeps an object as it is before a pass, and returns it as it was before the first of the passes in a row that failed.
func (r *Reconciler[T, F]) began(object T) T {
	if r.Kind.After == nil {
		return object
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	name := client.ObjectKeyFromObject(object)
	if before, ok := r.before[name]; ok && before.GetUID() == object.GetUID() {
		return before
	}
	if r.before == nil {
		r.before = map[types.NamespacedName]T{}
	}
	r.before[name] = object
	return object
}

// ended drops the object that began has kept.
func (r *Reconciler[T, F]) ended(name types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.before, name)
}

// newest returns the object with the status that was written last, where the cache does not have it yet.
func (r *Reconciler[T, F]) newest(object T) (T, error) {
	status := r.Status.Newest(object)
	if status == nil {
		return object, nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object.DeepCopyObject()) // it may be the map of the object itself
	if err != nil {
		return object, err
	}
	content["status"] = status
	next := r.empty.DeepCopyObject().(T)
	return next, runtime.DefaultUnstructuredConverter.FromUnstructured(content, next)
}

// write ends a pass: one request, or none. It returns the object with the status that is stored now.
func (r *Reconciler[T, F]) write(ctx context.Context, object T, j judgement) (T, error) {
	result, err := j.result, error(nil)
	if r.leave != nil {
		result = result.Without(r.leave)
	}
	for _, undeclared := range j.result.Errors {
		log.FromContext(ctx).Error(undeclared, "a condition was reported that the catalog does not have")
	}
	target := r.Status
	if j.Declared != nil && j.Declared != target.Target.Own {
		target = &apply.Status{Target: target.Target, Writer: target.Writer, Events: target.Events, Metrics: target.Metrics}
		target.Target.Own = j.Declared
	}
	switch status := j.Status.(type) {
	case nil:
		err = target.Apply(ctx, object, result)
	case apply.Fields:
		err = target.ApplyWith(ctx, object, result, status)
	default:
		err = target.ApplyStatus(ctx, object, result, status)
	}
	if err != nil {
		return object, err
	}
	r.Metrics.written(result)
	return r.newest(object)
}

// guard adds the finalizer while there is something to guard, and removes it afterwards.
func (r *Reconciler[T, F]) guard(ctx context.Context, object T) error {
	k := &r.Kind
	if k.Finalizer == "" {
		return nil
	}
	switch guarded := k.Guarded == nil || k.Guarded(object); {
	case guarded == controllerutil.ContainsFinalizer(object, k.Finalizer):
		return nil
	case guarded:
		return r.finalize(ctx, object, controllerutil.AddFinalizer)
	}
	return r.finalize(ctx, object, controllerutil.RemoveFinalizer)
}

// finalize writes the finalizers of an object after a change, and nothing else. The object has the new resource version.
func (r *Reconciler[T, F]) finalize(ctx context.Context, object T, change func(client.Object, string) bool) error {
	next := object.DeepCopyObject().(client.Object)
	if !change(next, r.Kind.Finalizer) {
		return nil
	}
	if err := r.Client.Patch(ctx, next, client.MergeFromWithOptions(object, client.MergeFromWithOptimisticLock{})); err != nil {
		return err
	}
	object.SetFinalizers(next.GetFinalizers())
	object.SetResourceVersion(next.GetResourceVersion())
	return nil
}

// remove lets an object go once its children are gone.
func (r *Reconciler[T, F]) remove(ctx context.Context, object T, now time.Time) (ctrl.Result, error) {
	k := &r.Kind
	if k.Finalizer == "" || !controllerutil.ContainsFinalizer(object, k.Finalizer) {
		return ctrl.Result{}, nil
	}
	if k.Leaving != nil {
		facts, err := k.Leaving(ctx, object, now)
		if err == nil {
			_, err = r.write(ctx, object, k.judge(object, facts, now))
		}
		if err != nil && !errors.Is(err, ErrNotYet) {
			return ctrl.Result{}, err
		}
		if object, err = r.newest(object); err != nil {
			return ctrl.Result{}, err
		}
	}
	gone, err := k.Delete(ctx, object)
	if err != nil {
		return ctrl.Result{}, errors.Join(err, r.stuck(ctx, object, err, now))
	}
	if !gone {
		return ctrl.Result{RequeueAfter: 2 * time.Second}, nil
	}
	return ctrl.Result{}, client.IgnoreNotFound(r.finalize(ctx, object, controllerutil.RemoveFinalizer))
}

// stuck reports the error that keeps the children of an object from going: without it the object would stay as it was
// before its deletion.
func (r *Reconciler[T, F]) stuck(ctx context.Context, object T, refused error, now time.Time) error {
	k := &r.Kind
	if k.Refused == nil || k.Leaving != nil {
		return nil
	}
	facts, err := k.Gather(ctx, object, now)
	if err == nil {
		k.Refused(&facts, refused)
		_, err = r.write(ctx, object, k.judge(object, facts, now))
	}
	if errors.Is(err, ErrNotYet) {
		return nil
	}
	return err
}

// waitsOf returns the stored waits of an object whose kind stores them.
func waitsOf(k *conditions.Kind, object any) []conditions.Wait {
	if o, ok := object.(interface{ GetWaits() []conditions.Wait }); ok && k.StatusWaits {
		return o.GetWaits()
	}
	return nil
}
