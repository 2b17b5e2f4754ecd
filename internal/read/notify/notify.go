// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/internal/read/rows"
	"github.com/tristate/tristate/verdict"
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
	Verdict verdict.Status `json:"verdict,omitempty"`
	Ready   bool           `json:"ready"`
	Overdue bool           `json:"overdue,omitempty"`
	Reason  string         `json:"reason,omitempty"`
	Message string         `json:"message,omitempty"`
	Since   *time.Time     `json:"since,omitempty"`
}

// Hook sends changes to one receiver.
type Hook struct {
	options Options
	target  string
	queues  [lanes]chan event
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
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "tristate_webhook_" + name + "_total", Help: help})
	}
	h := &Hook{options: o, target: target, ctx: ctx, sent: counter("sent", "Events that the webhook took."),
		retried: counter("retries", "Attempts after the first."),
		dead:    counter("dead", "Events that were given up: not delivered, refused, or too many.")}
	for i := range h.queues {
		h.queues[i] = make(chan event, max(o.Queue/lanes, 1))
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
	_, _ = hash.Write([]byte(e.subject))
	select {
	case h.queues[hash.Sum32()%lanes] <- e:
	default:
		h.dead.Inc()
	}
}

// event is a CloudEvent whose data is JSON.
type event struct {
	id, subject, time string
	data              []byte
}

// event makes the event of a change.
func (h *Hook) event(c rows.Change) (event, error) {
	r := cmp.Or(c.Is, c.Was)
	data := Data{Cluster: r.Cluster(), Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name, Was: stateOf(c.Was),
		Now: stateOf(c.Is)}
	subject := strings.Join([]string{r.Group, r.Kind, r.Namespace, r.Name}, "/")
	at := c.At.UTC()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%s\x00%s\x00%d", h.options.Source, data.Cluster, subject, data.Was.Verdict,
		data.Now.Verdict, data.Now.Reason, at.UnixMilli()))
	text, err := json.Marshal(data)
	return event{hex.EncodeToString(sum[:16]), subject, at.Format(time.RFC3339Nano), text}, err
}

// send makes one attempt, in the binary mode of the HTTP binding of CloudEvents 1.0.2: attributes are headers, in which all but printable
// ASCII is encoded as in a URL, and the data is the body. The status is 0 without an answer.
func (h *Hook) send(e event) (status int) {
	q, err := http.NewRequestWithContext(h.ctx, http.MethodPost, h.target, bytes.NewReader(e.data))
	if err != nil {
		return 0
	}
	q.Header.Set("Content-Type", "application/json")
	for name, value := range map[string]string{"specversion": "1.0", "type": Type, "source": h.options.Source, "id": e.id, "subject": e.subject,
		"time": e.time} {
		var encoded strings.Builder
		for _, b := range []byte(value) {
			if b <= ' ' || b > '~' || b == '"' || b == '%' {
				fmt.Fprintf(&encoded, "%%%02X", b)
			} else {
				encoded.WriteByte(b)
			}
		}
		q.Header.Set("Ce-"+name, encoded.String())
	}
	answer, err := h.options.Client.Do(q)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // so that the connection is used again
	return answer.StatusCode
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

func (h *Hook) run(queue <-chan event) {
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
func (h *Hook) deliver(e event) {
	pause := h.options.Pause
	for attempt := 1; ; attempt++ {
		status := h.send(e)
		switch {
		case status >= 200 && status < 300:
			h.sent.Inc()
			return
		case h.ctx.Err() != nil, attempt == h.options.Attempts, refused(status):
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

// refused reports whether an answer says that the event is wrong: another attempt would be answered the same.
func refused(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusNotFound:
		return false
	}
	return status >= 400 && status < 500
}

// Wait waits until the hook has ended, after its context.
func (h *Hook) Wait() { h.wait.Wait() }
