// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"sync"

	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// Status ends the passes of an operator over one kind: it writes, and after that records events and metrics. Its
// fields are set before use and not changed afterwards; it may be used by many goroutines, as long as one object is in the hands of one.
//
// It remembers a write until the caller reads an object that is at least as new. So with a cache that lags behind it
// does not write or report anything twice.
type Status struct {
	Target  Target
	Writer  *Writer
	Events  *Events  // nil: none
	Metrics *Metrics // nil: none

	mu     sync.Mutex
	recent map[types.NamespacedName]*unstructured.Unstructured
}

// Apply ends a pass over an object as it was read. An unchanged pass sends nothing, a changed one sends one request.
func (s *Status) Apply(ctx context.Context, object metav1.Object, result conditions.Result) error {
	return s.ApplyWith(ctx, object, result, nil)
}

// ApplyWith is Apply with other status fields in the same request.
func (s *Status) ApplyWith(ctx context.Context, object metav1.Object, result conditions.Result, fields Fields) error {
	newer := s.newer(object)
	if newer == nil && !result.Changed && !s.Target.behind(object, fields) && !fields.differ(object) {
		s.unchanged(object, result)
		return nil
	}
	return s.write(ctx, object, newer, result, fields)
}

// ApplyStatus is Apply with all other fields of a typed status in the same request. status is a pointer to the type
// of the object's status, or to a struct with some of its fields. Its conditions and waits are ignored, because the
// result has them; Target.Foreign names the fields that others own. A field is absent if its type omits it, so with a
// pointer an absent field and a zero differ. For a kind with StatusGeneration, an observedGeneration of zero becomes
// the generation of the object. If nothing differs from the object as it was read, nothing is sent: fields are
// compared by [equality.Semantic], and by their JSON if that finds a difference. So the types of a status export all
// fields. The status is not changed.
func (s *Status) ApplyStatus(ctx context.Context, object metav1.Object, result conditions.Result, status any) error {
	newer := s.newer(object)
	if newer == nil && !result.Changed && !s.Target.differs(object, status) {
		s.unchanged(object, result)
		return nil
	}
	fields, err := s.Target.typed(status)
	if err != nil {
		return err
	}
	return s.write(ctx, object, newer, result, fields)
}

// unchanged ends a pass that has nothing to write.
func (s *Status) unchanged(object metav1.Object, result conditions.Result) {
	if s.Metrics != nil {
		s.Metrics.Observe(s.Target.Own, types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}, result.Owned())
	}
}

// write ends a pass that has something to write, unless all of it is in the newer state of the object.
func (s *Status) write(ctx context.Context, object metav1.Object, newer *unstructured.Unstructured, result conditions.Result,
	fields Fields) error {
	out, err := s.Writer.apply(ctx, s.Target, object, newer, result, fields)
	if err != nil || out.Object == nil {
		return err
	}
	name := types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
	s.mu.Lock()
	if s.recent == nil {
		s.recent = map[types.NamespacedName]*unstructured.Unstructured{}
	}
	s.recent[name] = remembered(out.Object)
	s.mu.Unlock()
	out.Record(s.Target, out.own, s.Metrics, s.Events)
	return nil
}

// remembered returns the part of an object that a later pass is compared with: its identity and its status.
func remembered(o *unstructured.Unstructured) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(),
		"status": o.Object["status"],
		"metadata": map[string]any{"namespace": o.GetNamespace(), "name": o.GetName(), "uid": string(o.GetUID()),
			"resourceVersion": o.GetResourceVersion(),
			"generation":      o.GetGeneration()}}}
}

// Forget drops an object that is gone from the metrics and from memory.
func (s *Status) Forget(object types.NamespacedName) {
	s.mu.Lock()
	delete(s.recent, object)
	s.mu.Unlock()
	s.Metrics.Forget(s.Target.Own, object)
}

// Newest returns the status that was written last if it is newer than the object as the caller read it, otherwise
// nil. A pass over an object of a cache that lags behind uses it as its baseline if other status fields depend on the
// stored ones.
func (s *Status) Newest(object metav1.Object) map[string]any {
	newer := s.newer(object)
	if newer == nil {
		return nil
	}
	status, _ := newer.DeepCopy().Object["status"].(map[string]any)
	return status
}

// newer returns the object as it was written last, if it is newer than the one that the caller read.
func (s *Status) newer(object metav1.Object) *unstructured.Unstructured {
	name := types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
	s.mu.Lock()
	defer s.mu.Unlock()
	written := s.recent[name]
	if written == nil {
		return nil
	}
	if written.GetUID() == object.GetUID() {
		if order, err := resourceversion.CompareResourceVersion(object.GetResourceVersion(), written.GetResourceVersion()); err == nil &&
			order < 0 {
			return written
		}
	}
	delete(s.recent, name)
	return nil
}
