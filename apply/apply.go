// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tristate/tristate/conditions"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// Manager is the field manager that Tristate writes as.
const Manager = "tristate"

// attempts is how often one change is tried against conflicts.
const attempts = 8

// Writer writes conditions. Its fields are set before use and not changed afterwards; it may be used by many goroutines.
type Writer struct {
	Client  dynamic.Interface
	Manager string // field manager; empty: [Manager]
	// Adopt are managers that wrote the same status by Update before, for example this operator's former name. Writer
	// takes sole ownership of the fields it applies, so that a field that it stops applying is removed. Manager itself
	// is always among them, and before-first-apply, under which an API server enters fields that it did not track
	// before.
	Adopt []string
	Now   func() time.Time // the clock; nil: time.Now
	// May is asked before each request that writes, and an error of it is the result of the write. A controller that elects a leader looks at
	// the age of its lease here. nil: every request is sent.
	May func() error
	// Shared is set if another process may write as the same Manager at the same time, such as a second controller without a lease. An
	// apply then has the resourceVersion of the object that was read, and is put on top of the stored one after a conflict. Otherwise
	// both processes would stamp one transition, and the later write would move a time whose status is stored already. Without Shared,
	// managers with different conditions never conflict. Lists that are no map by type are always written like this.
	Shared bool

	writes, conflicts atomic.Int64
	mayNotAdopt       atomic.Bool // the API server forbade it
}

// Outcome is the result of a change.
type Outcome struct {
	// Object is the object as it is stored now; nil: nothing was written, because nothing had to be or the object is gone.
	Object *unstructured.Unstructured
	// Transitions are the transitions of the result. If the result rested on a list older than the stored one, they are
	// against the stored list.
	Transitions []conditions.Transition
	own         []conditions.Condition // that were written
}

// Record records what was written, to metrics and events, which may be nil: the conditions that the object has now, and the transitions. An
// outcome without an object records nothing.
func (o Outcome) Record(t Target, list []conditions.Condition, metrics *Metrics, events *Events) {
	if o.Object == nil {
		return
	}
	metrics.Observe(t.Own, types.NamespacedName{Namespace: o.Object.GetNamespace(), Name: o.Object.GetName()}, list)
	metrics.written(t.Own, o.Transitions, events.record(t, o.Object, o.Transitions))
}

// Writes returns the number of requests that changed or tried to change an object.
func (w *Writer) Writes() int { return int(w.writes.Load()) }

// Conflicts returns the number of writes that failed with a conflict.
func (w *Writer) Conflicts() int { return int(w.conflicts.Load()) }

func (w *Writer) manager() string {
	if w.Manager == "" {
		return Manager
	}
	return w.Manager
}

func (w *Writer) now() time.Time {
	if w.Now == nil {
		return time.Now()
	}
	return w.Now()
}

// Apply writes the result of a commit. It uses the namespace, name, UID and generation of object as it was read, and
// its status if fields are given; see [Fields]. If the kind has StatusGeneration, the generation of object is written
// as status.observedGeneration, unless fields has it; it never decreases. If it has StatusWaits, the waits of the
// result are written as status.waits.
func (w *Writer) Apply(ctx context.Context, t Target, object metav1.Object, result conditions.Result, fields Fields) (Outcome, error) {
	if !result.Changed && !t.behind(object, fields) && !fields.differ(object) {
		return Outcome{}, nil
	}
	return w.apply(ctx, t, object, nil, result, fields)
}

// apply is Apply of a change over a newer state of the object than the one that result rests on, if one is known.
func (w *Writer) apply(ctx context.Context, t Target, object metav1.Object, newer *unstructured.Unstructured, result conditions.Result,
	fields Fields) (Outcome, error) {
	fields = t.completed(object, newer, result, fields)
	c := &change{Writer: w, target: t, object: object, own: result.Owned(), result: result, transitions: result.Transitions, fields: fields}
	var written *unstructured.Unstructured
	left, err := true, error(nil)
	if newer != nil {
		left, err = c.rebase(newer)
	}
	if left && err == nil {
		written, err = c.write(ctx)
	}
	switch {
	case err == nil && written != nil:
		return Outcome{written, c.transitions, c.own}, nil
	case err == nil, recreated(err, object), apierrors.IsNotFound(err) && c.gone(ctx):
		return Outcome{}, nil
	}
	failed := &Error{Object: conditions.ObjectRef{Group: t.Resource.Group, Kind: t.Kind, Namespace: object.GetNamespace(),
		Name: object.GetName()},
		Attempts: c.attempts, Err: err}
	for _, one := range c.own {
		failed.Conditions = append(failed.Conditions, one.Type)
	}
	return Outcome{}, failed
}

// recreated reports whether an apply failed because the object was deleted and created again: another uid under the same name.
func recreated(err error, object metav1.Object) bool {
	status, ok := err.(apierrors.APIStatus)
	if !ok || object.GetUID() == "" || !apierrors.IsConflict(err) || status.Status().Details == nil {
		return false
	}
	for _, cause := range status.Status().Details.Causes {
		if cause.Field == "metadata.uid" {
			return true
		}
	}
	uid := status.Status().Details.UID
	return uid != "" && uid != object.GetUID()
}

func (w *Writer) resource(t Target, namespace string) dynamic.ResourceInterface {
	if t.Namespaced {
		return w.Client.Resource(t.Resource).Namespace(namespace)
	}
	return w.Client.Resource(t.Resource)
}

// Error says which conditions of which object could not be written, and why.
type Error struct {
	Object     conditions.ObjectRef
	Conditions []string // the types that were to be written
	Attempts   int
	Err        error // the last answer of the API server
}

// Error is "write Ready, Stalled of Kind/namespace/name (8 attempts): cause".
func (e *Error) Error() string {
	tries := ""
	if e.Attempts > 1 {
		tries = fmt.Sprintf(" (%d attempts)", e.Attempts)
	}
	return fmt.Sprintf("write %s of %s%s: %v", strings.Join(e.Conditions, ", "), e.Object, tries, e.Err)
}

// Unwrap returns the answer of the API server.
func (e *Error) Unwrap() error { return e.Err }

// Conflict reports whether other writers made every attempt void. Trying again later helps; for other errors it may not.
func (e *Error) Conflict() bool { return apierrors.IsConflict(e.Err) }
