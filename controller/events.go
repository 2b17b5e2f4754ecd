// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/relation"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/flowcontrol"
)

// eventer records one event per transition, after the write. At most eventBurst at once and eventRate a second go out; the others are
// dropped, for conditions say the same.
type eventer struct {
	recorder events.EventRecorder
	limit    flowcontrol.RateLimiter
	stop     func()
}

const (
	eventRate  = 20
	eventBurst = 200
	// maxNote is the limit of the API server for the note of an event, in bytes.
	maxNote = 1024
)

func newEventer(client kubernetes.Interface, log *slog.Logger) *eventer {
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	done := make(chan struct{})
	broadcaster.StartRecordingToSink(done)
	limit := flowcontrol.NewTokenBucketRateLimiter(eventRate, eventBurst)
	return &eventer{recorder: broadcaster.NewRecorder(scheme.Scheme, "tristate"), limit: limit, stop: func() {
		close(done)
		broadcaster.Shutdown()
		limit.Stop()
	}}
}

func (e *eventer) transitions(o *relation.Object, result conditions.Result) {
	regarding := &corev1.ObjectReference{APIVersion: o.APIVersion, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name,
		UID: types.UID(o.UID), ResourceVersion: o.ResourceVersion}
	for _, t := range result.Transitions {
		if t.To.Type == "" || !e.limit.TryAccept() {
			continue
		}
		kind, reason := corev1.EventTypeNormal, t.To.Reason
		if t.Severity == conditions.SeverityError || t.Severity == conditions.SeverityWarning ||
			t.Severity == "" && (t.Class == conditions.ClassTerminal || t.Class == conditions.ClassTransient) {
			kind = corev1.EventTypeWarning
		}
		if reason == "" {
			reason = t.Type + string(t.To.Status)
		}
		note := fmt.Sprintf("%s is %s", t.Type, t.To.Status)
		if t.To.Message != "" {
			note += ": " + t.To.Message
		}
		e.recorder.Eventf(regarding, nil, kind, conditions.CutMessage(reason, 128), "Derive", "%s", conditions.CutMessage(note, maxNote))
	}
}

// age is how long a condition stood before it changed; 0 where that is not known.
func age(t conditions.Transition) time.Duration {
	if t.From.LastTransitionTime.IsZero() || t.To.LastTransitionTime.IsZero() {
		return 0
	}
	return t.To.LastTransitionTime.Sub(t.From.LastTransitionTime.Time)
}
