// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// lock is a lease that is always granted.
type lock struct{ resourcelock.Interface }

func (lock) Identity() string                                                { return "me" }
func (lock) Create(context.Context, resourcelock.LeaderElectionRecord) error { return nil }
func (lock) Update(context.Context, resourcelock.LeaderElectionRecord) error { return nil }

// TestFence: a replica that led and could not renew its lease in time sends no request that writes, whoever sends it. It reads, and writes
// its lease. One that never led, and so has nothing of a leader on its way, writes.
func TestFence(t *testing.T) {
	var written []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { written = append(written, r.Method) }))
	t.Cleanup(server.Close)
	now := time.Now()
	f := &fence{Interface: lock{}, limit: renewDeadline, now: func() time.Time { return now }}
	client := &http.Client{Transport: f.wrap(http.DefaultTransport)}
	send := func(step, want, path string, methods ...string) {
		t.Helper()
		written = nil
		for _, method := range methods {
			request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if response, err := client.Do(request); err == nil {
				response.Body.Close()
			} else if !strings.Contains(err.Error(), "the lease was not renewed") {
				t.Errorf("%s: %v", step, err)
			}
		}
		if got := strings.Join(written, " "); got != want {
			t.Errorf("%s: %q reached the API server, want %q", step, got, want)
		}
	}
	all := []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	const object, leases = "/api/v1/namespaces/x/configmaps/y", "/apis/coordination.k8s.io/v1/namespaces/x/leases/y"
	send("never led", "GET POST PUT PATCH DELETE", object, all...)
	mine := resourcelock.LeaderElectionRecord{HolderIdentity: "me"}
	if err := f.Create(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	now = now.Add(9 * time.Second)
	send("leads", "GET POST PUT PATCH DELETE", object, all...)
	now = now.Add(time.Second)
	send("stood still", "GET", object, all...)
	send("its lease", "GET POST PUT PATCH DELETE", leases, all...)
	if err := f.Update(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	send("renewed", "GET POST PUT PATCH DELETE", object, all...)
	now = now.Round(0).Add(time.Minute) // the wall clock alone has moved
	send("the machine was suspended", "GET", object, all...)
	if err := f.Update(t.Context(), resourcelock.LeaderElectionRecord{}); err != nil {
		t.Fatal(err)
	}
	send("released", "GET", object, all...)
}
