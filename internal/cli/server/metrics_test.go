// SPDX-License-Identifier: Apache-2.0

package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/tristate/tristate/internal/fleet/relation"
)

func metricsHandler(m *Metrics) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(m)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

// Every object is counted; only objects that are not Current have series of their own, and what is left out is counted.
func TestMetrics(t *testing.T) {
	_, source, _ := start(t)
	source.Sync([]*relation.Object{widget("a", "True", "", "1"), widget("b", "False", "secret message", "1"), widget("c", "False", "", "1"),
		widget("d\"\n", "False", "", "1")})
	w := httptest.NewRecorder()
	metricsHandler(NewMetrics(source.Fleet(), 2)).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	data, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, want := range []string{`tristate_objects{cluster="",group="example.com",kind="Widget",namespace="a",verdict="Current"} 1`,
		`tristate_objects_capped 1`, `name="b"`, `reason="Because"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "secret message") || strings.Contains(text, `name="a"`) ||
		strings.Count(text, "tristate_object_unhealthy{") != 2 {
		t.Errorf("too much is in\n%s", text)
	}
}
