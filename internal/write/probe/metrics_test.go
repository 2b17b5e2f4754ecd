// SPDX-License-Identifier: Apache-2.0

package probe_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/internal/write/probe"
)

// TestMetrics: the format is the one that the client asks for; what is compressed says so.
func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	counter := prometheus.NewCounter(prometheus.CounterOpts{Name: "writes_total", Help: "Writes."})
	registry.MustRegister(counter)
	counter.Add(3)
	for name, c := range map[string]struct{ accept, encoding, contentType, last string }{
		"text":       {"", "", "text/plain", "writes_total 3\n"},
		"compressed": {"text/plain", "gzip", "text/plain", "writes_total 3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r, w := httptest.NewRequest("GET", "/metrics", nil), httptest.NewRecorder()
			r.Header.Set("Accept", c.accept)
			r.Header.Set("Accept-Encoding", c.encoding)
			probe.Metrics(registry).ServeHTTP(w, r)
			if got := w.Header().Get("Content-Encoding"); got != c.encoding {
				t.Errorf("Content-Encoding is %q, want %q", got, c.encoding)
			}
			if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, c.contentType) {
				t.Errorf("Content-Type is %q, want %q", got, c.contentType)
			}
			body := w.Body.Bytes()
			if c.encoding == "gzip" {
				z, err := gzip.NewReader(bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				if body, err = io.ReadAll(z); err != nil {
					t.Fatal(err)
				}
			}
			if !strings.HasSuffix(string(body), c.last) {
				t.Errorf("the end is not %q:\n%s", c.last, body)
			}
		})
	}
}
