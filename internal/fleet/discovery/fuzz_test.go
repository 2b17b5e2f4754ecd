// SPDX-License-Identifier: Apache-2.0

package discovery

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// FuzzAsk: no answer of a server makes discovery panic or go on forever.
func FuzzAsk(f *testing.F) {
	const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	f.Add([]byte(`{"items":[{"metadata":{"name":"apps"},"versions":[{"version":"v1","resources":[{"resource":"deployments","responseKind":`+
		`{"kind":"Deployment"},"scope":"Namespaced","verbs":["list"],"shortNames":["deploy"]}]}]}]}`), aggregated)
	f.Add([]byte(`{"versions":["v1"],"groups":[{"name":"apps","versions":[{"groupVersion":"apps/v1"}]}],"resources":[{"name":"x","kind":"X"}]}`),
		"application/json")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		asked := 0
		types, err := New(&rest.Config{Host: "http://x.invalid", Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			if asked++; asked > 1000 {
				t.Fatal("it asks a thousand times")
			}
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {contentType}},
				Body: io.NopCloser(bytes.NewReader(body))}, nil
		})}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := types.Ask(); err != nil {
			return
		}
		for _, word := range []string{"deploy", "deployments", "x", ""} {
			_, _ = types.ResourceFor(schema.GroupVersionResource{Resource: word}) // any answer will do
			_, _ = types.KindFor(schema.GroupVersionResource{Resource: word, Group: "a"})
		}
	})
}
