// SPDX-License-Identifier: Apache-2.0

package otel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"github.com/tristate/tristate/internal/read/notify"
	"github.com/tristate/tristate/verdict"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/resource"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// EventName is the name of the records.
const EventName = "tristate.verdict.changed"

// The attributes of a record that OpenTelemetry has no name for.
const (
	Group    = attribute.Key("tristate.object.group")
	Kind     = attribute.Key("tristate.object.kind")
	Name     = attribute.Key("tristate.object.name")
	Verdict  = attribute.Key("tristate.verdict")
	Previous = attribute.Key("tristate.verdict.previous") // empty: the object is new
	Reason   = attribute.Key("tristate.reason")
	Ready    = attribute.Key("tristate.ready")
	Overdue  = attribute.Key("tristate.overdue")
	Since    = attribute.Key("tristate.since") // RFC 3339
)

// maxBody is how large a request may be; an event is a few kilobytes.
const maxBody = 1 << 20

// Handler takes events of notify over HTTP, and answers 204 once the exporter has delivered the record of one.
func Handler(exporter sdklog.Exporter, about *resource.Resource) (http.Handler, error) {
	provider := sdklog.NewLoggerProvider(sdklog.WithResource(about), sdklog.WithProcessor(direct{exporter}))
	logger := provider.Logger("github.com/tristate/tristate/exports/otel")
	protocol, err := cloudevents.NewHTTP()
	if err != nil {
		return nil, err
	}
	receive := func(ctx context.Context, e cloudevents.Event) cloudevents.Result {
		record, err := Record(e)
		if err != nil {
			return cehttp.NewResult(http.StatusBadRequest, "%w", err)
		}
		var failed error
		logger.Emit(context.WithValue(ctx, result{}, &failed), record)
		if failed != nil {
			return cehttp.NewResult(http.StatusServiceUnavailable, "%w", failed)
		}
		return cehttp.NewResult(http.StatusNoContent, "%w", cloudevents.ResultACK)
	}
	handler, err := cloudevents.NewHTTPReceiveHandler(context.Background(), protocol, receive)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > maxBody {
			http.Error(w, "the event is too large", http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		handler.ServeHTTP(w, r)
	}), nil
}

// Record makes the record of an event.
func Record(e cloudevents.Event) (log.Record, error) {
	var r log.Record
	if e.Type() != notify.Type {
		return r, fmt.Errorf("event type %q: want %s", e.Type(), notify.Type)
	}
	var d notify.Data
	if err := e.DataAs(&d); err != nil {
		return r, fmt.Errorf("event data: %w", err)
	}
	if d.Kind == "" || d.Name == "" {
		return r, errors.New("event data: no kind or no name")
	}
	r.SetEventName(EventName)
	r.SetTimestamp(e.Time())
	r.SetSeverity(severity(d.Now))
	r.SetSeverityText(string(cmp.Or(d.Now.Verdict, verdict.NotFound)))
	r.SetBody(attribute.StringValue(sentence(d)))
	r.AddAttributes(Group.String(d.Group), Kind.String(d.Kind), Name.String(d.Name),
		Verdict.String(string(cmp.Or(d.Now.Verdict, verdict.NotFound))),
		Previous.String(string(d.Was.Verdict)), Ready.Bool(d.Now.Ready), Overdue.Bool(d.Now.Overdue), semconv.CloudEventsEventID(e.ID()),
		semconv.CloudEventsEventSource(e.Source()), semconv.CloudEventsEventSubject(e.Subject()), semconv.CloudEventsEventType(e.Type()))
	optional := func(v string, attr attribute.KeyValue) {
		if v != "" {
			r.AddAttributes(attr)
		}
	}
	optional(d.Namespace, semconv.K8SNamespaceName(d.Namespace))
	optional(d.Cluster, semconv.K8SClusterName(d.Cluster))
	optional(d.Now.Reason, Reason.String(d.Now.Reason))
	if d.Now.Since != nil {
		r.AddAttributes(Since.String(d.Now.Since.UTC().Format(time.RFC3339)))
	}
	return r, nil
}

// severity is ERROR for what needs help, WARN for what is impaired, unknown or overdue, and INFO for everything else.
func severity(s notify.State) log.Severity {
	switch {
	case s.Verdict == verdict.Failed:
		return log.SeverityError
	case s.Verdict == verdict.Degraded, s.Verdict == verdict.Unknown, s.Overdue:
		return log.SeverityWarn
	}
	return log.SeverityInfo
}

// sentence is the body: KIND/NAME is VERDICT: REASON: MESSAGE.
func sentence(d notify.Data) string {
	out := d.Kind + "/" + d.Name + " is " + string(cmp.Or(d.Now.Verdict, verdict.NotFound))
	for _, part := range []string{d.Now.Reason, d.Now.Message} {
		if part != "" {
			out += ": " + part
		}
	}
	return out
}

// direct exports each record while its event is answered; the error goes to the caller, which the SDK's processors have no way for.
type direct struct{ exporter sdklog.Exporter }

type result struct{}

func (d direct) OnEmit(ctx context.Context, r *sdklog.Record) error {
	err := d.exporter.Export(ctx, []sdklog.Record{*r})
	if failed, ok := ctx.Value(result{}).(*error); ok {
		*failed = err
	}
	return err
}

func (direct) Enabled(context.Context, sdklog.EnabledParameters) bool { return true }

func (d direct) Shutdown(ctx context.Context) error   { return d.exporter.Shutdown(ctx) }
func (d direct) ForceFlush(ctx context.Context) error { return d.exporter.ForceFlush(ctx) }
