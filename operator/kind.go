// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"time"

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

// Pass is a pass of a generated package, to which the facts have been reported.
type Pass interface{ Commit() conditions.Result }

// Conclusion is the end of a pass besides its conditions.
type Conclusion struct {
	// Status is a pointer to the status of the kind, or to a struct with some of its fields: all fields besides conditions and waits that the
	// operator owns. A field is absent where its type omits it; with a pointer an absent field and a zero differ. An observedGeneration of
	// zero is filled in where the catalog has observedGeneration: status. Of an object without a Go type they are apply.Fields. nil: there
	// are no such fields.
	Status any
	// Declared are the conditions of this pass, where the facts decide on them; nil: those of the kind.
	Declared *conditions.Kind
	// Again is when the object is to be looked at again although nothing has changed; zero: never. The deadlines of the catalog need none.
	Again time.Time
}

// Kind declares the reconciler of a kind whose objects are T and whose facts are F. Resource, Conditions, Gather and Judge are required.
type Kind[T Object, F any] struct {
	Resource      schema.GroupVersionResource
	Conditions    *conditions.Kind // from the generated package
	ClusterScoped bool             // objects have no namespace
	Foreign       []string         // status fields that other writers own

	// Ignore reports whether the operator does not manage an object. nil: it manages all.
	Ignore func(ctx context.Context, object T) (bool, error)
	// Accepted judges an object that has no conditions yet, and returns its first status. nil: there is no such pass.
	Accepted func(object T, now time.Time) (Pass, any)
	// Gather reads the facts.
	Gather func(ctx context.Context, object T, now time.Time) (F, error)
	// Creating reports whether Act is about to create the children, so that a pass announces it. nil: never.
	Creating func(facts F) bool
	// Act writes the children. An error of a write is a fact. nil: there are none.
	Act func(ctx context.Context, object T, facts *F)
	// Judge begins a pass and reports the facts to it: pure, without I/O and without another clock.
	Judge func(object T, facts F, now time.Time) Pass
	// Conclude returns the rest of the status: pure. nil: there is none.
	Conclude func(object T, facts F, result conditions.Result, now time.Time) Conclusion
	// ErrorOn is the condition on which an error of Gather is reported, with the reason that its catalog has for such an error, see
	// [conditions.Pass.ReportError]. Empty: the queue and the metrics alone know of it.
	ErrorOn string

	// Backoff is after how long a condition of class transient is looked at again for the first time, without a retry in the catalog; it
	// doubles with each pass up to [Retry]. 0: Retry.
	Backoff time.Duration

	// Finalizer guards children that no owner reference removes. empty: none.
	Finalizer string
	// Guarded reports whether an object still has such children, by its stored status. nil: always. One that reports whether the
	// object has the finalizer leaves it to other code to set it: then it is only removed, once Delete is done.
	Guarded func(object T) bool
	// Delete removes those children; it reports whether they are gone.
	Delete func(ctx context.Context, object T) (bool, error)
	// Leaving gathers the facts about an object that is being deleted, before each call of Delete; with an error they are judged, too. With
	// [ErrNotYet], and where Leaving is nil, its status stays as it is.
	Leaving func(ctx context.Context, object T, now time.Time) (F, error)

	// Watch adds watches that wake the reconciler, besides that of the kind itself. nil: none.
	Watch func(*builder.Builder) *builder.Builder
	// Built receives the controller before it is started, for watches that begin later. nil: there are none.
	Built func(controller.Controller)
	// Forget cleans up after an object that does not exist any more, in memory or on the API server. After an error it is called again.
	// nil: there is nothing.
	Forget func(ctx context.Context, request ctrl.Request) error
	// After is called once the status is written; warn records an event. object is as it was before the pass, or before the first of the
	// passes in a row that failed. An error backs off, and the pass is made again. nil: nothing is done.
	After func(ctx context.Context, object T, facts F, warn func(reason, note string)) error
}

// judge makes a pass over facts.
func (k *Kind[T, F]) judge(object T, facts F, now time.Time) judgement {
	j := judgement{result: k.Judge(object, facts, now).Commit()}
	if k.Conclude != nil {
		j.Conclusion = k.Conclude(object, facts, j.result, now)
	}
	return j
}

// judgement is the outcome of a pass.
type judgement struct {
	result conditions.Result
	Conclusion
}
