// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	ceclient "github.com/cloudevents/sdk-go/v2/client"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/internal/read/rows"
)

// Type is the type of the events.
const Type = "dev.tristate.verdict.changed.v1"

// Options of [New]; the zero value is fine.
type Options struct {
	Source   string        // of the events; empty: tristate
	Attempts int           // to deliver one event; 0: 6
	Pause    time.Duration // before the second attempt, and twice as long before each further one; 0: 500ms
	Queue    int           // events that wait; 0: 10000
	Client   *http.Client  // nil: one with a timeout of 10 seconds
}

// lanes is how many events are sent at a time.
const lanes = 8

// Data is the content of an event.
type Data struct {
	Cluster   string `json:"cluster,omitempty"`
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Was       State  `json:"was"`
	Now       State  `json:"now"`
}

// State is a verdict; empty where the object is not there.
type State struct {
	Verdict string     `json:"verdict,omitempty"`
	Ready   bool       `json:"ready"`
	Overdue bool       `json:"overdue,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	Message string     `json:"message,omitempty"`
	Since   *time.Time `json:"since,omitempty"`
}

// Hook sends changes to one receiver.
type Hook struct {
	options Options
	client  cloudevents.Client
	queues  [lanes]chan cloudevents.Event
	wait    sync.WaitGroup
	ctx     context.Context

	sent, retried, dead prometheus.Counter
}

// New returns a hook that sends to a URL until the context ends.
func New(ctx context.Context, target string, o Options) (*Hook, error) {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("webhook %q: write an address as https://host/path", target)
	}
	o.Source, o.Attempts, o.Pause, o.Queue = cmp.Or(o.Source, "tristate"), cmp.Or(o.Attempts, 6), cmp.Or(o.Pause, 500*time.Millisecond),
		cmp.Or(o.Queue, 10_000)
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 10 * time.Second}
	}
	protocol, err := cloudevents.NewHTTP(cehttp.WithTarget(target), cehttp.WithClient(*o.Client))
	if err != nil {
		return nil, fmt.Errorf("webhook: %w", err)
	}
	client, err := cloudevents.NewClient(protocol, ceclient.WithPollGoroutines(1))
	if err != nil {
		return nil, fmt.Errorf("webhook: %w", err)
	}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "tristate_webhook_" + name + "_total", Help: help})
	}
	h := &Hook{options: o, client: client, ctx: ctx, sent: counter("sent", "Events that the webhook took."),
		retried: counter("retries", "Attempts after the first."),
		dead:    counter("dead", "Events that were given up: not delivered, refused, or too many.")}
	for i := range h.queues {
		h.queues[i] = make(chan cloudevents.Event, max(o.Queue/lanes, 1))
		h.wait.Go(func() { h.run(h.queues[i]) })
	}
	return h, nil
}

// Collectors returns the metrics of the hook.
func (h *Hook) Collectors() []prometheus.Collector {
	return []prometheus.Collector{h.sent, h.retried, h.dead}
}

// Changed sends a change of a verdict. It never waits.
func (h *Hook) Changed(c rows.Change) {
	if c.First {
		return
	}
	e, err := h.event(c)
	if err != nil {
		h.dead.Inc()
		return
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(e.Subject()))
	select {
	case h.queues[hash.Sum32()%lanes] <- e:
	default:
		h.dead.Inc()
	}
}

// event makes the event of a change.
func (h *Hook) event(c rows.Change) (cloudevents.Event, error) {
	r := cmp.Or(c.Is, c.Was)
	data := Data{Cluster: r.Cluster(), Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name, Was: stateOf(c.Was),
		Now: stateOf(c.Is)}
	subject := strings.Join([]string{r.Group, r.Kind, r.Namespace, r.Name}, "/")
	at := c.At.UTC()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%s\x00%s\x00%d", h.options.Source, data.Cluster, subject, data.Was.Verdict,
		data.Now.Verdict, data.Now.Reason, at.UnixMilli()))
	e := cloudevents.NewEvent()
	e.SetID(hex.EncodeToString(sum[:16]))
	e.SetSource(h.options.Source)
	e.SetType(Type)
	e.SetSubject(subject)
	e.SetTime(at)
	err := e.SetData(cloudevents.ApplicationJSON, data)
	return e, err
}

func stateOf(r *rows.Row) State {
	if r == nil {
		return State{}
	}
	s := State{Verdict: r.Verdict, Ready: r.Ready, Overdue: r.Overdue, Reason: r.Reason, Message: r.Message}
	if since := r.Since(); !since.IsZero() {
		s.Since = &since
	}
	return s
}

func (h *Hook) run(queue <-chan cloudevents.Event) {
	for {
		select {
		case <-h.ctx.Done():
			return
		case e := <-queue:
			h.deliver(e)
		}
	}
}

// deliver sends one event until it is accepted, refused or given up.
func (h *Hook) deliver(e cloudevents.Event) {
	pause := h.options.Pause
	for attempt := 1; ; attempt++ {
		result := h.client.Send(h.ctx, e)
		switch {
		case cloudevents.IsACK(result):
			h.sent.Inc()
			return
		case h.ctx.Err() != nil, attempt == h.options.Attempts, refused(result):
			h.dead.Inc()
			return
		}
		h.retried.Inc()
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-h.ctx.Done():
		}
		t.Stop()
		pause = min(2*pause, time.Minute)
	}
}

// refused reports whether an answer says that the event itself is wrong: another attempt would be answered the same.
func refused(result error) bool {
	var answer *cehttp.Result
	if !cloudevents.ResultAs(result, &answer) {
		return false
	}
	switch answer.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusNotFound:
		return false
	}
	return answer.StatusCode >= 400 && answer.StatusCode < 500
}

// Wait waits until the hook has ended, after its context.
func (h *Hook) Wait() { h.wait.Wait() }
