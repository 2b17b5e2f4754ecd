// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Times of the queue.
const (
	Retry     = 60 * time.Second // after a failure that no watch reports the end of
	Refresh   = 5 * time.Minute  // of facts that cannot be watched
	GrantPoll = 30 * time.Second // of grants, whose time may be moved
)

// ErrNotYet is returned by Gather while a fact is not known and its coming wakes the reconciler: nothing is judged.
var ErrNotYet = errors.New("a fact is not known yet")

// Object is an object of one of the kinds.
type Object interface {
	client.Object
	GetConditions() []metav1.Condition
}

// Judgement is the outcome of a pass.
type Judgement struct {
	Result conditions.Result
	Fields apply.Fields // all owned status fields besides the conditions
	Again  time.Time    // when time alone changes the outcome; zero: never
}

// Kind is what makes a reconciler the one of a kind. F are its facts.
type Kind[T Object, F any] struct {
	New func() T
	// Accepted is the pass over an object that nobody has judged.
	Accepted func(object T, now time.Time) Judgement
	Gather   func(ctx context.Context, object T, now time.Time) (F, error)
	// Creating reports whether Act is about to create what people wait for, so that it is announced. nil: never.
	Creating func(facts F) bool
	// Act writes the children. nil: there are none.
	Act   func(ctx context.Context, object T, facts *F)
	Judge func(object T, facts F, now time.Time) Judgement
	// Finalizer guards children that no owner reference removes. empty: none.
	Finalizer string
	// Guarded reports whether an object still has such children, by its stored status. nil: always.
	Guarded func(object T) bool
	// Delete removes those children; it reports whether they are gone.
	Delete func(ctx context.Context, object T) (bool, error)
	// Forget drops what is remembered of an object.
	Forget func(request ctrl.Request)
	// After is called once the outcome is written; warn records an event.
	After func(object T, facts F, warn func(reason, note string))
}

// Reconciler reconciles the objects of a kind.
type Reconciler[T Object, F any] struct {
	Kind   Kind[T, F]
	Client client.Client
	Status *apply.Status
	Now    func() time.Time
	// Metrics count what the reconciler does. nil: nothing is counted.
	Metrics *Metrics
}

// Reconcile is one pass over one object.
func (r *Reconciler[T, F]) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	start := time.Now()
	result, err := r.reconcile(ctx, request)
	r.Metrics.reconciled(r.Status.Target.Kind, time.Since(start), result, err)
	return result, err
}

func (r *Reconciler[T, F]) reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	k, object := &r.Kind, r.Kind.New()
	if err := r.Client.Get(ctx, request.NamespacedName, object); err != nil {
		if client.IgnoreNotFound(err) != nil {
			return ctrl.Result{}, err
		}
		r.Status.Forget(request.NamespacedName)
		if k.Forget != nil {
			k.Forget(request)
		}
		return ctrl.Result{}, nil
	}
	if !object.GetDeletionTimestamp().IsZero() {
		return r.remove(ctx, object)
	}
	now := r.Now()
	if len(object.GetConditions()) == 0 {
		accepted := k.Accepted(object, now)
		if err := r.write(ctx, object, accepted); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := r.guard(ctx, object); err != nil {
		return ctrl.Result{}, err
	}
	facts, err := k.Gather(ctx, object, now)
	if errors.Is(err, ErrNotYet) {
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	if k.Act != nil {
		if k.Creating != nil && k.Creating(facts) {
			before := k.Judge(object, facts, now)
			if err := r.write(ctx, object, before); err != nil {
				return ctrl.Result{}, err
			}
		}
		k.Act(ctx, object, &facts)
	}
	judged := k.Judge(object, facts, now)
	err = r.write(ctx, object, judged)
	if err == nil && k.After != nil {
		k.After(object, facts, func(reason, note string) { r.Status.Events.Warn(r.Status.Target, object, reason, "Reconcile", note) })
	}
	return wait(judged, err, now)
}

// write ends a pass: one request, or none.
func (r *Reconciler[T, F]) write(ctx context.Context, object T, j Judgement) error {
	err := r.Status.ApplyWith(ctx, object, j.Result, j.Fields)
	if err == nil {
		r.Metrics.written(j.Result)
	}
	return err
}

// wait is what the queue is to do. A condition of class transient is looked at again after Retry: what ends it is watched where it can be.
func wait(j Judgement, err error, now time.Time) (ctrl.Result, error) {
	advice := j.Result.Advice(err)
	if err != nil {
		return ctrl.Result{RequeueAfter: advice.Wait(now)}, advice.Err
	}
	after := advice.Wait(now)
	if advice.Err != nil {
		after = sooner(after, time.Duration(float64(Retry)*(0.8+0.4*rand.Float64())))
	}
	if c := meta.FindStatusCondition(conditions.ToMeta(j.Result.Conditions), "Progressing"); c != nil && c.Status == metav1.ConditionTrue {
		// A wait may begin with this very pass, whose own write wakes nobody.
		if end := c.LastTransitionTime.Add(WaitBudget); end.After(now) {
			after = sooner(after, end.Sub(now))
		}
	}
	if !j.Again.IsZero() {
		after = sooner(after, max(j.Again.Sub(now), time.Second))
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

// sooner is the shorter of two times; zero is never.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// guard adds the finalizer while there is something to guard, and removes it afterwards.
func (r *Reconciler[T, F]) guard(ctx context.Context, object T) error {
	k := &r.Kind
	if k.Finalizer == "" {
		return nil
	}
	changed := false
	if k.Guarded == nil || k.Guarded(object) {
		changed = controllerutil.AddFinalizer(object, k.Finalizer)
	} else {
		changed = controllerutil.RemoveFinalizer(object, k.Finalizer)
	}
	if !changed {
		return nil
	}
	return r.finalizers(ctx, object)
}

// remove lets an object go once its children are gone.
func (r *Reconciler[T, F]) remove(ctx context.Context, object T) (ctrl.Result, error) {
	k := &r.Kind
	if k.Finalizer == "" || !controllerutil.ContainsFinalizer(object, k.Finalizer) {
		return ctrl.Result{}, nil
	}
	gone, err := k.Delete(ctx, object)
	if err != nil {
		return ctrl.Result{}, err
	}
	if !gone {
		return ctrl.Result{RequeueAfter: 2 * time.Second}, nil
	}
	controllerutil.RemoveFinalizer(object, k.Finalizer)
	return ctrl.Result{}, client.IgnoreNotFound(r.finalizers(ctx, object))
}

// finalizers writes the finalizers of an object as they are in it, and nothing else.
func (r *Reconciler[T, F]) finalizers(ctx context.Context, object T) error {
	partial := &metav1.PartialObjectMetadata{}
	gvk, err := r.Client.GroupVersionKindFor(object)
	if err != nil {
		return err
	}
	partial.SetGroupVersionKind(gvk)
	partial.Namespace, partial.Name, partial.ResourceVersion = object.GetNamespace(), object.GetName(), object.GetResourceVersion()
	before := partial.DeepCopy()
	partial.Finalizers = object.GetFinalizers()
	before.Finalizers = nil
	if len(partial.Finalizers) == 0 {
		before.Finalizers = []string{r.Kind.Finalizer}
	}
	return r.Client.Patch(ctx, partial, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}
