// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"
	"sync"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/flowcontrol"
)

// Limits of events.
const (
	eventRate  = 20  // a second, on average
	eventBurst = 200 // at once

	maxNote        = 1024 // bytes, of the API server (events.k8s.io/v1)
	maxEventReason = 128
	maxEventAction = 128
)

// Events records one event per transition, with the reason and message of the condition and its type as the action: Warning where the new
// cell is an unhealthy one of severity Error or Warning or, without a severity, its class is transient or terminal; Normal otherwise. A
// condition that goes is no event.
//
// Beyond 20 a second, or 200 at once, they are dropped, because conditions say the same; [Metrics] count them. A warning of [Events.Warn]
// is not: no condition says what it does, and its caller records it once.
type Events struct {
	Recorder Recorder
	Limit    flowcontrol.RateLimiter // nil: 20 a second, 200 at once

	once  sync.Once
	limit flowcontrol.RateLimiter
}

// record records the transitions of an object and returns how many events were dropped.
func (e *Events) record(t Target, object metav1.Object, transitions []conditions.Transition) (dropped int) {
	if e == nil || e.Recorder == nil {
		return 0
	}
	regarding := reference(t, object)
	for _, tr := range transitions {
		if tr.To.Type == "" {
			continue
		}
		if !e.may() {
			dropped++
			continue
		}
		reason := tr.To.Reason
		if reason == "" {
			reason = tr.Type + string(tr.To.Status)
		}
		note := fmt.Sprintf("%s is %s", tr.Type, tr.To.Status)
		if tr.To.Message != "" {
			note += ": " + tr.To.Message
		}
		e.Recorder.Eventf(regarding, nil, eventType(tr), wire.CutMessage(reason, maxEventReason),
			wire.CutMessage(tr.To.Type, maxEventAction), "%s", wire.CutMessage(note, maxNote))
	}
	return dropped
}

// Warn records an event that no condition reports, such as a refused write. It has no limit, so it is called only when
// the state begins. A nil Events records nothing.
func (e *Events) Warn(t Target, object metav1.Object, reason, action, note string) {
	if e == nil || e.Recorder == nil {
		return
	}
	e.Recorder.Eventf(reference(t, object), nil, corev1.EventTypeWarning, reason, action, "%s", wire.CutMessage(note, maxNote))
}

// reference names an object in an event.
func reference(t Target, object metav1.Object) *corev1.ObjectReference {
	return &corev1.ObjectReference{APIVersion: t.Resource.GroupVersion().String(), Kind: t.Kind, Namespace: object.GetNamespace(),
		Name: object.GetName(), UID: object.GetUID(), ResourceVersion: object.GetResourceVersion()}
}

// may reports whether the limit lets another event go out.
func (e *Events) may() bool {
	e.once.Do(func() {
		if e.limit = e.Limit; e.limit == nil {
			e.limit = flowcontrol.NewTokenBucketRateLimiter(eventRate, eventBurst)
		}
	})
	return e.limit.TryAccept()
}

func eventType(tr conditions.Transition) string {
	switch tr.Severity {
	case conditions.SeverityError, conditions.SeverityWarning:
		return corev1.EventTypeWarning
	case conditions.SeverityNone:
		if tr.Class == conditions.ClassTerminal || tr.Class == conditions.ClassTransient {
			return corev1.EventTypeWarning
		}
	}
	return corev1.EventTypeNormal
}
