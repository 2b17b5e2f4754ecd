// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"net/http"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

// counter counts the requests that change objects, by namespace. The zero value is ready for use.
type counter struct {
	mu sync.Mutex
	n  map[string]int
}

// Wrap returns a configuration whose requests are counted.
func (c *counter) Wrap(config *rest.Config) *rest.Config {
	out := rest.CopyConfig(config)
	out.Wrap(func(next http.RoundTripper) http.RoundTripper { return counting{c, next} })
	return out
}

// Writes returns the number of writes in a namespace. Events and leases do not count.
func (c *counter) Writes(namespace string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[namespace]
}

type counting struct {
	counter *counter
	next    http.RoundTripper
}

func (t counting) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return t.next.RoundTrip(r)
	}
	t.counter.note(r.URL.Path, 1)
	answer, err := t.next.RoundTrip(r)
	if err == nil && answer.StatusCode == http.StatusConflict { // it changed nothing, and is made again
		t.counter.note(r.URL.Path, -1)
	}
	return answer, err
}

// note counts n requests by their path, as /apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL/NAME/status.
func (c *counter) note(path string, n int) {
	_, rest, found := strings.Cut(path, "/namespaces/")
	parts := strings.Split(rest, "/")
	if !found || len(parts) < 2 || parts[1] == "events" || parts[1] == "leases" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[parts[0]] += n
}
