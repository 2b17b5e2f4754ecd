// SPDX-License-Identifier: Apache-2.0

package world

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTraffic: a permission that is missing is not the same as an admission webhook that denies what is permitted.
func TestTraffic(t *testing.T) {
	const gadget = "/apis/example.dev/v1/namespaces/team/gadgets/one"
	tests := map[string]struct {
		code   int
		body   string
		want   Request
		unused []string
	}{
		"granted": {200, "{}", Request{}, nil},
		"refused": {403, `gadgets.example.dev "one" is forbidden: User "operator" cannot patch resource "gadgets"`, Request{Refused: true},
			[]string{"patch gadgets.example.dev"}},
		"denied": {403, `admission webhook "claims.example.dev" denied the request: the signature is wrong`, Request{Denied: true}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var sent Traffic
			client := sent.Wrap(roundTrip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: test.code, Body: io.NopCloser(strings.NewReader(test.body))}, nil
			}))
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, "https://server"+gadget, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := client.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			if err != nil || string(body) != test.body {
				t.Errorf("the caller reads %q, %v", body, err)
			}
			test.want.Verb, test.want.Group, test.want.Resource, test.want.Namespace = "patch", "example.dev", "gadgets", "team"
			if diff := cmp.Diff(map[Request]int{test.want: 1}, sent.All()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			granted := []Request{{Verb: "patch", Group: "example.dev", Resource: "gadgets"}}
			if diff := cmp.Diff(test.unused, sent.Unused(granted)); diff != "" {
				t.Errorf("unused: -want +got\n%s", diff)
			}
		})
	}
}
