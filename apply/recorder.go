// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/tristate/tristate/conditions/wire"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

// Recorder records an event. Those of client-go's tools/events and of a controller-runtime manager are Recorders.
type Recorder interface {
	Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any)
}

const (
	maxQueued   = 1000 // events that wait to be sent; further ones are dropped
	maxInstance = 128  // bytes, of the API server
)

// recorder sends events one after the other. It needs the permission to create events, and no other.
type recorder struct {
	client               dynamic.Interface
	controller, instance string
	queue                chan *eventsv1.Event
}

// NewEvents returns Events that are sent to the API server under a controller's name, until stop is called. An event that the server does
// not answer is sent again, for somewhat over a minute; one that it refuses is dropped.
func NewEvents(client dynamic.Interface, controller string) (e *Events, stop func()) {
	host, _ := os.Hostname() // empty where it is unknown
	r := &recorder{client: client, controller: controller, instance: wire.CutMessage(controller+"-"+host, maxInstance),
		queue: make(chan *eventsv1.Event, maxQueued)}
	ctx, stop := context.WithCancel(context.Background())
	go r.run(ctx)
	return &Events{Recorder: r}, stop
}

// Eventf implements Recorder. regarding and related are references; related may be nil.
func (r *recorder) Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any) {
	about, ok := regarding.(*corev1.ObjectReference)
	if !ok {
		return
	}
	now := metav1.NowMicro()
	name := fmt.Sprintf("%s.%x", about.Name, now.UnixNano())
	if len(validation.IsDNS1123Subdomain(name)) > 0 { // as the name of a role may be
		name = fmt.Sprintf("%s.%x", r.controller, now.UnixNano())
	}
	namespace := about.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	event := &eventsv1.Event{
		TypeMeta:   metav1.TypeMeta{APIVersion: eventsv1.SchemeGroupVersion.String(), Kind: "Event"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		EventTime:  now, ReportingController: r.controller, ReportingInstance: r.instance,
		Regarding: *about, Type: eventtype, Reason: reason, Action: action, Note: fmt.Sprintf(note, args...),
	}
	if other, ok := related.(*corev1.ObjectReference); ok {
		event.Related = other
	}
	select {
	case r.queue <- event:
	default:
	}
}

func (r *recorder) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case event := <-r.queue:
			r.send(ctx, event)
		}
	}
}

func (r *recorder) send(ctx context.Context, event *eventsv1.Event) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(event)
	if err != nil {
		return // an Event can always be converted
	}
	events := r.client.Resource(eventsv1.SchemeGroupVersion.WithResource("events")).Namespace(event.Namespace)
	patience := wait.Backoff{Duration: time.Second, Factor: 1.5, Jitter: 0.25, Steps: 10}
	_ = wait.ExponentialBackoffWithContext(ctx, patience, func(ctx context.Context) (sent bool, _ error) {
		_, err := events.Create(ctx, &unstructured.Unstructured{Object: content}, metav1.CreateOptions{})
		var answer apierrors.APIStatus
		return err == nil || errors.As(err, &answer) && answer.Status().Code < http.StatusInternalServerError, nil
	}) // an event that is lost changes nothing: the condition says the same
}
