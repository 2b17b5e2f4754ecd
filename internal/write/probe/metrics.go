// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// Metrics returns the handler of /metrics: the metrics of a registry in the format that the request asks for,
// compressed if the client accepts that. It answers more than two requests at a time with 503. Package promhttp does
// more, and brings in four packages more.
func Metrics(registry prometheus.Gatherer) http.Handler {
	room := make(chan struct{}, 2)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case room <- struct{}{}:
			defer func() { <-room }()
		default:
			http.Error(w, "two requests for metrics are being answered", http.StatusServiceUnavailable)
			return
		}
		families, err := registry.Gather()
		format := expfmt.NegotiateAccept(r.Header, expfmt.DefaultAcceptedFormats()...)
		var text bytes.Buffer
		encoder := expfmt.NewEncoder(&text, format)
		for _, family := range families {
			if err == nil {
				err = encoder.Encode(family)
			}
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", string(format))
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			_, _ = w.Write(text.Bytes()) // the client may be gone
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write(text.Bytes())
		_ = z.Close()
	})
}
