// SPDX-License-Identifier: Apache-2.0

package otel

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/prove/plane"
	"github.com/tristate/tristate/internal/read/notify"
	"github.com/tristate/tristate/internal/read/pack"
	"github.com/tristate/tristate/internal/read/relation"
	"github.com/tristate/tristate/internal/read/rows"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/sdk/resource"
)

// backend is what the collector passes logs on to: it refuses the first ones.
type backend struct {
	mu      sync.Mutex
	refuse  int
	refused int
	got     []plog.Logs
	taken   chan struct{}
}

func (b *backend) take(_ context.Context, logs plog.Logs) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refused < b.refuse {
		b.refused++
		return errors.New("the backend is away")
	}
	kept := plog.NewLogs()
	logs.CopyTo(kept)
	b.got = append(b.got, kept)
	b.taken <- struct{}{}
	return nil
}

// collect starts the OTLP receiver of the OpenTelemetry collector, and returns its address.
func collect(t *testing.T, b *backend) string {
	t.Helper()
	b.taken = make(chan struct{}, 100)
	address, err := plane.Free()
	if err != nil {
		t.Fatal(err)
	}
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	protocols := confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{"http": map[string]any{"endpoint": address}}})
	if err := protocols.Unmarshal(config); err != nil {
		t.Fatal(err)
	}
	next, err := consumer.NewLogs(b.take)
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := factory.CreateLogs(t.Context(), receivertest.NewNopSettings(factory.Type()), config, next)
	if err != nil {
		t.Fatal(err)
	}
	if err := receiver.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = receiver.Shutdown(context.Background()) })
	return "http://" + address
}

// bridge starts the handler before the collector.
func bridge(t *testing.T, collector string) string {
	t.Helper()
	exporter, err := otlploghttp.New(t.Context(), otlploghttp.WithEndpointURL(collector+"/v1/logs"),
		otlploghttp.WithRetry(otlploghttp.RetryConfig{}))
	if err != nil {
		t.Fatal(err)
	}
	handler, err := Handler(exporter, resource.NewSchemaless(attribute.String("service.name", "tristate")))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

func widget(status, reason, version string) *relation.Object {
	return relation.FromContent(map[string]any{"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"namespace": "a", "name": "x", "uid": "x", "resourceVersion": version},
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": status, "reason": reason, "message": "why",
			"lastTransitionTime": "2026-01-02T11:00:00Z"}}}})
}

// TestCollector plays changes of verdicts through the webhook of serve and the bridge into the collector's receiver, which refuses the
// first ones: all arrive, in order, each once.
func TestCollector(t *testing.T) {
	b := &backend{refuse: 2}
	url := bridge(t, collect(t, b))
	ctx, stop := context.WithCancel(t.Context())
	hook, err := notify.New(ctx, url, notify.Options{Source: "prod", Pause: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { stop(); hook.Wait() }()
	set, now := &catalog.Set{}, time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	fleet := rows.New(func() time.Time { return now })
	fleet.OnChange(hook.Changed)
	source := fleet.Add(rows.Options{Graph: relation.New(set),
		Judge: func() rows.Judge { return relation.JudgeBy(pack.Default(set), set, now) }})
	source.Sync([]*relation.Object{widget("True", "Ready", "1")})
	source.Sync([]*relation.Object{widget("False", "DiskFailed", "2")})
	source.Sync([]*relation.Object{widget("True", "Ready", "3")})
	source.Sync(nil)
	for range 3 {
		<-b.taken
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var got []string
	ids := map[string]bool{}
	for _, logs := range b.got {
		about := logs.ResourceLogs().At(0)
		if name, _ := about.Resource().Attributes().Get("service.name"); name.Str() != "tristate" {
			t.Errorf("service.name is %q", name.Str())
		}
		r := about.ScopeLogs().At(0).LogRecords().At(0)
		value := func(key string) string {
			if v, ok := r.Attributes().Get(key); ok {
				return v.AsString()
			}
			return ""
		}
		got = append(got, fmt.Sprintf("%s %s %s>%s %s %s/%s: %s", r.EventName(), r.SeverityNumber(), value("tristate.verdict.previous"),
			value("tristate.verdict"), value("tristate.reason"), value("k8s.namespace.name"), value("cloudevents.event_subject"), r.Body().Str()))
		ids[value("cloudevents.event_id")] = true
		if !r.Timestamp().AsTime().Equal(now) {
			t.Errorf("the time is %v, want %v", r.Timestamp().AsTime(), now)
		}
	}
	want := []string{
		"tristate.verdict.changed Error Current>Failed DiskFailed a/example.com/Widget/a/x: Widget/x is Failed: DiskFailed: why",
		"tristate.verdict.changed Info Failed>Current Ready a/example.com/Widget/a/x: Widget/x is Current: Ready: why",
		"tristate.verdict.changed Info Current>NotFound  a/example.com/Widget/a/x: Widget/x is NotFound",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if len(ids) != 3 || b.refused != 2 {
		t.Errorf("%d ids, want 3; %d refused, want 2", len(ids), b.refused)
	}
}

// TestAnswers: an event is acknowledged only once it is delivered, and what is no event of a verdict is refused for good.
func TestAnswers(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	url := bridge(t, closed.URL)
	event := func(kind, data string) string {
		return `{"specversion":"1.0","id":"1","source":"s","type":"` + kind + `","datacontenttype":"application/json","data":` + data + `}`
	}
	tests := map[string]struct {
		body string
		want int
	}{
		"the collector is away": {event(notify.Type, `{"kind":"Widget","name":"x","now":{"verdict":"Failed"}}`), http.StatusServiceUnavailable},
		"another type":          {event("other", `{}`), http.StatusBadRequest},
		"no object":             {event(notify.Type, `{}`), http.StatusBadRequest},
		"other data":            {event(notify.Type, `[]`), http.StatusBadRequest},
		"no event":              {`{}`, http.StatusBadRequest},
		"too large":             {event(notify.Type, `"`+strings.Repeat("x", maxBody)+`"`), http.StatusRequestEntityTooLarge},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			answer, err := http.Post(url, "application/cloudevents+json", strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode != test.want {
				t.Errorf("answered %d, want %d", answer.StatusCode, test.want)
			}
		})
	}
}
