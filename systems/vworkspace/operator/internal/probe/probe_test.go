// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/operator/outbound"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"k8s.io/apimachinery/pkg/types"
)

var shop = types.NamespacedName{Namespace: "team", Name: "shop"}

// endpoint answers with a status that can be changed.
func endpoint(t *testing.T) (url string, status *atomic.Int64) {
	t.Helper()
	status = &atomic.Int64{}
	status.Store(http.StatusOK)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(int(status.Load())) }))
	t.Cleanup(server.Close)
	return server.URL, status
}

// loopback lets probes reach the servers of this process.
func loopback() *outbound.Gate {
	gate := &outbound.Gate{}
	if err := gate.Set("127.0.0.0/8"); err != nil {
		panic(err)
	}
	return gate
}

// TestClosed: a probe reaches nothing that is not public, whether or not something listens there, and its text does not tell the two apart.
func TestClosed(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	gate := &outbound.Gate{}
	r := &Runner{Gate: gate, Client: NewClient(gate, nil)}
	open := strings.TrimPrefix(server.URL, "http://")
	for _, p := range []kit.Probe{{URL: server.URL + "/delete?everything"}, {URL: "http://127.0.0.1:1"}, {TCP: open}, {TCP: "127.0.0.1:1"},
		{URL: "http://10.0.0.1"}, {TCP: "192.168.0.1:443"}, {URL: "https://[fd00::1]/"}, {URL: "http://169.254.169.254/latest/meta-data"},
		{TCP: "[fe80::1]:80"}} {
		if err := r.try(t.Context(), p); err == nil || !strings.Contains(err.Error(), "is not a public address") {
			t.Errorf("%s%s: %v", p.URL, p.TCP, err)
		}
	}
	if asked.Load() > 0 {
		t.Errorf("%d requests have arrived", asked.Load())
	}
}

// runner counts the changes that it reports; probes of a round report at a time.
func runner(changes *atomic.Int64) *Runner {
	return &Runner{Gate: loopback(), Client: NewClient(loopback(), nil), Changed: func(types.NamespacedName) { changes.Add(1) }}
}

// TestRunner: a probe passes at once, fails after its threshold, and is reported once for each change.
func TestRunner(t *testing.T) {
	url, status := endpoint(t)
	var changes atomic.Int64
	r := runner(&changes)
	r.Watch(shop, []kit.Probe{{Name: "web", URL: url}, {Name: "eager", URL: url, Threshold: 1}})
	if len(r.Results(shop)) != 0 {
		t.Error("there is a result before a probe was tried")
	}
	passed, failed := kit.ProbeResult{}, kit.ProbeResult{Failed: true, Reason: "it answered 503"}
	steps := []struct {
		status  int64
		web     kit.ProbeResult
		eager   kit.ProbeResult
		changes int64 // so far
	}{
		{200, passed, passed, 2},
		{200, passed, passed, 2},
		{503, passed, failed, 3},
		{503, passed, failed, 3},
		{200, passed, passed, 4}, // one success ends the row
		{503, passed, failed, 5},
		{503, passed, failed, 5},
		{503, failed, failed, 6},
		{503, failed, failed, 6},
		{200, passed, passed, 8},
	}
	for i, step := range steps {
		status.Store(step.status)
		r.Round(t.Context())
		if diff := cmp.Diff(map[string]kit.ProbeResult{"web": step.web, "eager": step.eager}, r.Results(shop)); diff != "" {
			t.Errorf("round %d: -want +got\n%s", i, diff)
		}
		if changes.Load() != step.changes {
			t.Errorf("round %d: %d changes, want %d", i, changes.Load(), step.changes)
		}
	}
}

// TestRunner_first: a probe that never passed has no result before it failed as often as its threshold.
func TestRunner_first(t *testing.T) {
	url, status := endpoint(t)
	status.Store(http.StatusNotFound)
	var changes atomic.Int64
	r := runner(&changes)
	r.Watch(shop, []kit.Probe{{Name: "web", URL: url, Threshold: 2}})
	r.Round(t.Context())
	if len(r.Results(shop)) != 0 || changes.Load() != 0 {
		t.Errorf("%v after one failure of two", r.Results(shop))
	}
	r.Round(t.Context())
	if !r.Results(shop)["web"].Failed || changes.Load() != 1 {
		t.Errorf("%v after two failures", r.Results(shop))
	}
}

// TestRunner_Watch: the same probes keep their results; others begin anew, and none ends it. A result that comes for probes that are gone
// does not count.
func TestRunner_Watch(t *testing.T) {
	var changes atomic.Int64
	r := runner(&changes)
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if asked.Add(1) == 2 { // while the second probe runs
			r.Watch(shop, []kit.Probe{{Name: "web", TCP: "127.0.0.1:1"}})
		}
	}))
	defer server.Close()
	probes := []kit.Probe{{Name: "web", URL: server.URL}}
	r.Watch(shop, probes)
	r.Round(t.Context())
	r.Watch(shop, []kit.Probe{{Name: "web", URL: server.URL}})
	if len(r.Results(shop)) != 1 || changes.Load() != 1 {
		t.Errorf("the same probes have lost their result: %v, %d changes", r.Results(shop), changes.Load())
	}
	r.Round(t.Context())
	if len(r.Results(shop)) != 0 || changes.Load() != 1 {
		t.Errorf("a result of probes that are gone was taken over: %v", r.Results(shop))
	}
	r.Watch(shop, nil)
	if r.Results(shop) != nil {
		t.Error("it still has results")
	}
	r.Round(t.Context())
	if asked.Load() != 2 || changes.Load() != 1 {
		t.Errorf("it was probed %d times, %d changes", asked.Load(), changes.Load())
	}
}

// TestRunner_ended: a round that is interrupted has no results.
func TestRunner_ended(t *testing.T) {
	url, _ := endpoint(t)
	var changes atomic.Int64
	r := runner(&changes)
	r.Watch(shop, []kit.Probe{{Name: "web", URL: url, Threshold: 1}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Start(ctx); err != nil {
		t.Error(err)
	}
	if len(r.Results(shop)) != 0 || changes.Load() != 0 {
		t.Errorf("%v", r.Results(shop))
	}
}

// TestTry: answers that pass and answers that fail. No text of a failure has an address, so that it is the same each time.
func TestTry(t *testing.T) {
	url, _ := endpoint(t)
	var followed atomic.Bool
	redirect := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			followed.Store(true)
		}
		http.Redirect(rw, r, "/elsewhere", http.StatusFound)
	}))
	defer redirect.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	secure.Config.ErrorLog = nil
	gone := httptest.NewServer(nil)
	gone.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // it accepts, and does not answer
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	statuses := func(code int) string {
		u, status := endpoint(t)
		status.Store(int64(code))
		return u
	}
	tests := map[string]struct {
		probe kit.Probe
		want  string // of the failure; empty: it passes
	}{
		"200":                 {kit.Probe{URL: url}, ""},
		"399":                 {kit.Probe{URL: statuses(399)}, ""},
		"400":                 {kit.Probe{URL: statuses(400)}, "it answered 400"},
		"500":                 {kit.Probe{URL: statuses(500)}, "it answered 500"},
		"a redirect":          {kit.Probe{URL: redirect.URL}, ""},
		"an authority":        {kit.Probe{URL: secure.URL}, "the connection failed"},
		"nobody listens":      {kit.Probe{URL: gone.URL}, "connection refused"},
		"tcp":                 {kit.Probe{TCP: silent.Addr().String()}, ""},
		"tcp, nobody listens": {kit.Probe{TCP: strings.TrimPrefix(gone.URL, "http://")}, "connection refused"},
		"no URL":              {kit.Probe{URL: "http://[::1"}, "the URL is not valid"},
		"no port":             {kit.Probe{TCP: "127.0.0.1"}, "the connection failed"},
		"no answer":           {kit.Probe{URL: "http://" + silent.Addr().String()}, "it did not answer in time"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			if name == "no answer" {
				short, cancel := context.WithTimeout(ctx, 100*time.Millisecond) // nothing is answered, however long it waits
				defer cancel()
				ctx = short
			}
			r := &Runner{Gate: loopback(), Client: NewClient(loopback(), nil)}
			got := ""
			if err := r.try(ctx, test.probe); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	if followed.Load() {
		t.Error("a redirect was followed")
	}
}
