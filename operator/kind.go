// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"reflect"
	"slices"
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
	// zero is filled in where the catalog has observedGeneration: status, and a field Phase that is empty where it has phases. Of an object
	// without a Go type they are apply.Fields. nil: there are no such fields.
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
	// Accepted judges an object that has no conditions yet, and returns its first status, where texts of it are about the object. nil: the
	// first status has the initial cells of the catalog.
	Accepted func(object T, now time.Time) (Pass, any)
	// Gather reads the facts.
	Gather func(ctx context.Context, object T, now time.Time) (F, error)
	// Creating reports whether Act is about to create the children, so that a pass announces it. nil: never.
	Creating func(facts F) bool
	// Act writes the children. Its error is the one that kept it from writing all of them. nil: there are none.
	Act func(ctx context.Context, object T, facts *F) error
	// Refused makes a fact of an error of Act, before the judgement, and of one of Delete, where Leaving is nil. nil: the
	// pass ends with the error once the status is written.
	Refused func(facts *F, err error)
	// Judge begins a pass and reports the facts to it: pure, without I/O and without another clock.
	Judge func(object T, facts F, now time.Time) Pass
	// Conclude returns the rest of the status: pure. nil: there is none.
	Conclude func(object T, facts F, result conditions.Result, now time.Time) Conclusion

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

// JudgeWith returns a Judge that needs nothing of an object but what a pass begins with: begin is Begin of the generated package, and judge
// reports the facts.
func JudgeWith[T Object, P Pass, F any](begin func(T, time.Time) P, judge func(P, F)) func(T, F, time.Time) Pass {
	return func(object T, facts F, now time.Time) Pass {
		pass := begin(object, now)
		judge(pass, facts)
		return pass
	}
}

// Outcome makes a pass over facts: Judge and Conclude, with the phase that follows from the conditions. It writes nothing.
func (k *Kind[T, F]) Outcome(object T, facts F, now time.Time) (result conditions.Result, end Conclusion) {
	result = k.Judge(object, facts, now).Commit()
	if k.Conclude != nil {
		end = k.Conclude(object, facts, result, now)
	}
	end.Status = withPhase(end.Status, k.Conditions.Phase(result.Conditions()))
	return result, end
}

// judge makes a pass over facts.
func (k *Kind[T, F]) judge(object T, facts F, now time.Time) judgement {
	result, end := k.Outcome(object, facts, now)
	return judgement{result, end}
}

// first judges an object that has no conditions yet and whose facts are not known; false: there is no such pass.
func (k *Kind[T, F]) first(object T, now time.Time) (judgement, bool) {
	if k.Accepted != nil {
		pass, status := k.Accepted(object, now)
		return judgement{pass.Commit(), Conclusion{Status: status}}, true
	}
	pass, found := k.Conditions.Begin(object.GetGeneration(), nil, now), false
	for i := range k.Conditions.Types {
		for _, r := range k.Conditions.Types[i].Reasons {
			if r.Initial {
				pass.Report(k.Conditions.Types[i].Name, r.Status, r.Name, r.Text(""))
				found = true
			}
		}
	}
	phase := ""
	if at := slices.IndexFunc(k.Conditions.Phases, func(p conditions.Phase) bool { return p.Initial }); at >= 0 {
		phase = k.Conditions.Phases[at].Name
	}
	return judgement{pass.Commit(), Conclusion{Status: withPhase(nil, phase)}}, found
}

// withPhase sets the field Phase of a status where it is empty, and returns the status; nil is one with no other fields.
func withPhase(status any, phase string) any {
	if phase == "" {
		return status
	}
	if status == nil {
		return &struct {
			Phase string `json:"phase,omitempty"`
		}{phase}
	}
	v := reflect.Indirect(reflect.ValueOf(status))
	if v.Kind() != reflect.Struct {
		return status
	}
	if f := v.FieldByName("Phase"); f.Kind() == reflect.String && f.Len() == 0 {
		f.SetString(phase)
	}
	return status
}

// judgement is the outcome of a pass.
type judgement struct {
	result conditions.Result
	Conclusion
}

// Time returns a time of a status; nil for the zero time.
func Time(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t}
}

// Stamp returns the time of a status that belongs to a version: the stored one while the version is empty or the stored one, else now.
func Stamp(version, storedVersion string, stored *metav1.Time, now time.Time) *metav1.Time {
	if version == "" || version == storedVersion && stored != nil {
		return stored
	}
	return Time(now)
}
