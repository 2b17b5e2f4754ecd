// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/read/pack"
	"github.com/tristate/tristate/internal/read/relation"
	"github.com/tristate/tristate/internal/read/rows"
)

// receiver takes events with the SDK, and answers with the given statuses first.
type receiver struct {
	mu       sync.Mutex
	statuses []int
	got      []cloudevents.Event
	taken    chan struct{}
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	e, err := cehttp.NewEventFromHTTPRequest(q)
	if err != nil || e.Validate() != nil {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, *e)
	status := http.StatusNoContent
	if len(r.statuses) > 0 {
		status, r.statuses = r.statuses[0], r.statuses[1:]
	}
	w.WriteHeader(status)
	r.taken <- struct{}{}
}

func widget(name, status, version string) *relation.Object {
	return relation.FromContent(map[string]any{"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"namespace": "a", "name": name, "uid": name, "resourceVersion": version},
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": status, "reason": "Because",
			"lastTransitionTime": "2026-01-02T11:00:00Z"}}}})
}

// start returns a source whose changes a receiver gets.
func start(t *testing.T, r *receiver) (*rows.Source, *Hook) {
	t.Helper()
	r.taken = make(chan struct{}, 100)
	s := httptest.NewServer(r)
	ctx, stop := context.WithCancel(t.Context())
	h, err := New(ctx, s.URL, Options{Source: "tést 1%", Attempts: 3, Pause: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); h.Wait(); s.Close() })
	set := &catalog.Set{}
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	fleet := rows.New(func() time.Time { return now })
	fleet.OnChange(h.Changed)
	return fleet.Add(rows.Options{Graph: relation.New(set),
		Judge: func() rows.Judge { return relation.JudgeBy(pack.Default(set), set, now) }}), h
}

// Events are sent in order, again with the same id until they are taken, and what was there first is none.
func TestDelivery(t *testing.T) {
	r := &receiver{statuses: []int{503, 429}}
	source, h := start(t, r)
	source.Sync([]*relation.Object{widget("x", "True", "1")})
	for i, status := range []string{"False", "True", "False"} {
		source.Sync([]*relation.Object{widget("x", status, string(rune('2'+i)))})
	}
	for range 5 {
		<-r.taken
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var data []Data
	for _, e := range r.got {
		var d Data
		source, _ := url.PathUnescape(e.Source()) // which the SDK leaves to the receiver
		if err := e.DataAs(&d); err != nil || e.Type() != Type || source != "tést 1%" || e.Subject() != "example.com/Widget/a/x" {
			t.Fatalf("event is %v (%v)", e, err)
		}
		data = append(data, d)
	}
	if r.got[0].ID() != r.got[1].ID() || r.got[1].ID() != r.got[2].ID() || r.got[2].ID() == r.got[3].ID() {
		t.Error("an event that is sent again has another id")
	}
	words := func(d Data) string { return string(d.Was.Verdict + ">" + d.Now.Verdict) }
	if got := []string{words(data[2]), words(data[3]), words(data[4])}; !slices.Equal(got[:2], []string{"Current>Failed", "Failed>Current"}) &&
		!strings.HasPrefix(got[0], "Current>") {
		t.Errorf("the changes are %v", got)
	}
	if n := testutil.ToFloat64(h.retried); n != 2 {
		t.Errorf("%v retries, want 2", n)
	}
}

// An event that the receiver refuses or never accepts is counted, and the next one is sent.
func TestDead(t *testing.T) {
	r := &receiver{statuses: []int{400, 500, 500, 500}}
	source, h := start(t, r)
	source.Sync([]*relation.Object{widget("x", "True", "1")})
	source.Sync([]*relation.Object{widget("x", "False", "2")})
	<-r.taken
	source.Sync([]*relation.Object{widget("x", "True", "3")})
	for range 3 {
		<-r.taken
	}
	source.Sync(nil)
	<-r.taken
	if dead := testutil.ToFloat64(h.dead); dead != 2 {
		t.Errorf("%v events are dead, want 2", dead)
	}
}

func TestTargets(t *testing.T) {
	for _, bad := range []string{"", "example.com", "ftp://example.com", "http://"} {
		if _, err := New(t.Context(), bad, Options{}); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
