// SPDX-License-Identifier: Apache-2.0

package reconciler

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

// Retry is the time after which a failure is looked at again whose end no watch reports.
const Retry = 60 * time.Second

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
	Resource      schema.GroupVersionResource
	Conditions    *conditions.Kind  // from the generated package
	ClusterScoped bool              // objects have no namespace
	List          client.ObjectList // an empty list of the kind
	New           func() T

	// Ignore reports whether an object is none of the operator's: then nothing is done. nil: none is.
	Ignore func(ctx context.Context, object T) (bool, error)
	// Accepted is the pass over an object that nobody has judged. nil: there is none.
	Accepted func(object T, now time.Time) Judgement
	Gather   func(ctx context.Context, object T, now time.Time) (F, error)
	// Creating reports whether Act is about to create what people wait for, so that it is announced. nil: never.
	Creating func(facts F) bool
	// Act writes the children. nil: there are none.
	Act   func(ctx context.Context, object T, facts *F)
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

	// Watch adds what else wakes the reconciler. nil: nothing.
	Watch func(*builder.Builder) *builder.Builder
	// Built receives the controller before it is started, for watches that begin later. nil: nobody needs it.
	Built func(controller.Controller)
	// Forget drops what is remembered of an object.
	Forget func(request ctrl.Request)
	// After is called once the outcome is written; warn records an event. object is as it was before the pass, and before those in a row
	// that failed.
	After func(object T, facts F, warn func(reason, note string))
}
