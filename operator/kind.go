// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
)

// Retry is the time after which a failure is looked at again, where no watch reports its end.
const Retry = 60 * time.Second

// ErrNotYet is returned by Gather while a fact is not known yet: nothing is judged, and a watch wakes the reconciler once it is known.
var ErrNotYet = errors.New("a fact is not known yet")

// Object is an object with conditions.
type Object interface {
	client.Object
	GetConditions() []metav1.Condition
}

// Judgement is the outcome of a pass.
type Judgement struct {
	Result conditions.Result
	Fields apply.Fields // all owned status fields besides the conditions
	Again  time.Time    // when the object is to be looked at again although nothing has changed; zero: never
}

// Kind declares the reconciler of a kind whose objects are T and whose facts are F. Resource, Conditions, Gather and Judge are required.
type Kind[T Object, F any] struct {
	Resource      schema.GroupVersionResource
	Conditions    *conditions.Kind // from the generated package
	ClusterScoped bool             // objects have no namespace

	// Ignore reports whether the operator does not manage an object. nil: it manages all.
	Ignore func(ctx context.Context, object T) (bool, error)
	// Accepted judges an object that has no conditions yet. nil: there is no such pass.
	Accepted func(object T, now time.Time) Judgement
	// Gather reads the facts.
	Gather func(ctx context.Context, object T, now time.Time) (F, error)
	// Creating reports whether Act is about to create the children, so that a pass announces it. nil: never.
	Creating func(facts F) bool
	// Act writes the children. nil: there are none.
	Act func(ctx context.Context, object T, facts *F)
	// Judge turns the facts into the status.
	Judge func(object T, facts F, now time.Time) Judgement

	// Retry is the time after which a condition of class transient is looked at again, by reason. absent: [Retry].
	Retry map[string]time.Duration

	// Finalizer guards children that no owner reference removes. empty: none.
	Finalizer string
	// Guarded reports whether an object still has such children, by its stored status. nil: always.
	Guarded func(object T) bool
	// Delete removes those children; it reports whether they are gone.
	Delete func(ctx context.Context, object T) (bool, error)
	// Leaving judges an object that is being deleted, before each call of Delete. With [ErrNotYet], and where Leaving is nil, its status stays as it is.
	Leaving func(ctx context.Context, object T, now time.Time) (Judgement, error)

	// Watch adds watches that wake the reconciler, besides that of the kind itself. nil: none.
	Watch func(*builder.Builder) *builder.Builder
	// Built receives the controller before it is started, for watches that begin later. nil: there are none.
	Built func(controller.Controller)
	// Forget drops everything that is kept in memory of an object that does not exist anymore. nil: nothing is.
	Forget func(request ctrl.Request)
	// After is called once the status is written; warn records an event. object is as it was before the pass, or before the first of the
	// passes in a row that failed. nil: nothing is done.
	After func(object T, facts F, warn func(reason, note string))
}
