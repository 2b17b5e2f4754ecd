// SPDX-License-Identifier: Apache-2.0

package statusreader

import (
	"context"
	"errors"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling/engine"
	"github.com/fluxcd/cli-utils/pkg/kstatus/polling/event"
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/cli-utils/pkg/object"
	"github.com/tristate/tristate/verdict"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Grace is how long a failure that is found by conventions must last before it counts, by default.
const Grace = 30 * time.Second

// Options change a reader. The zero value is ready to use.
type Options struct {
	// Grace is how long a failure that is found by conventions must last before it counts; 0: [Grace], negative: it counts at once. A failure
	// whose object has no time counts at once.
	Grace time.Duration
	// Now is the clock; nil: the system clock.
	Now func() time.Time
}

// New returns a status reader by the verdicts of an engine. The mapper finds the version of a kind that is read by its identifier; a tool
// that only watches never asks for it.
func New(e *verdict.Engine, mapper meta.RESTMapper) engine.StatusReader {
	return NewWithOptions(e, mapper, Options{})
}

// NewWithOptions is [New] with options.
func NewWithOptions(e *verdict.Engine, mapper meta.RESTMapper, o Options) engine.StatusReader {
	if o.Grace == 0 {
		o.Grace = Grace
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &reader{e, mapper, o}
}

type reader struct {
	engine  *verdict.Engine
	mapper  meta.RESTMapper
	options Options
}

func (r *reader) Supports(_ schema.GroupKind) bool {
	return true
}

// ReadStatus reads an object and judges it. Errors are part of the answer, except errors of the context.
func (r *reader) ReadStatus(ctx context.Context, from engine.ClusterReader, id object.ObjMetadata) (*event.ResourceStatus, error) {
	unknown := func(err error) (*event.ResourceStatus, error) {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return nil, err
		}
		return &event.ResourceStatus{Identifier: id, Status: status.UnknownStatus, Error: err}, nil
	}
	mapping, err := r.mapper.RESTMapping(id.GroupKind)
	if err != nil {
		return unknown(err)
	}
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(mapping.GroupVersionKind)
	if err := from.Get(ctx, types.NamespacedName{Namespace: id.Namespace, Name: id.Name}, o); err != nil {
		if apierrors.IsNotFound(err) {
			return &event.ResourceStatus{Identifier: id, Status: status.NotFoundStatus, Message: "Resource not found"}, nil
		}
		return unknown(err)
	}
	return r.ReadStatusForObject(ctx, from, o)
}

// ReadStatusForObject judges an object.
func (r *reader) ReadStatusForObject(_ context.Context, _ engine.ClusterReader, o *unstructured.Unstructured) (*event.ResourceStatus,
	error) {
	now := r.options.Now()
	v := r.engine.Judge(o.Object, now)
	out := &event.ResourceStatus{Identifier: object.UnstructuredToObjMetadata(o), Status: statusOf(&v), Resource: o, Message: v.Message}
	if out.Status == status.FailedStatus && !verdict.Declared(v.Rule) && !verdict.Builtin(v.Rule) {
		if since := v.Since; !since.IsZero() && now.Sub(since) < r.options.Grace {
			out.Status = status.InProgressStatus
		}
	}
	return out, nil
}

// statusOf returns the word of kstatus for a verdict.
func statusOf(v *verdict.Verdict) status.Status {
	switch v.Status {
	case verdict.Current, verdict.Suspended:
		return status.CurrentStatus
	case verdict.Failed, verdict.Degraded, verdict.NotFound:
		return status.FailedStatus
	case verdict.Terminating:
		return status.TerminatingStatus
	}
	return status.InProgressStatus
}
