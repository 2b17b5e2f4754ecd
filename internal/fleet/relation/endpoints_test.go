// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// TestEndpoints: a Service that selects pods and has no ready endpoint is Degraded, and so is an Ingress before it.
func TestEndpoints(t *testing.T) {
	slice := func(service string, endpoints string) string {
		return fmt.Sprintf(`{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"%s-1","namespace":"shop","labels":{"kubernetes.io/service-name":"%[1]s"}},"endpoints":[%s]}`, service, endpoints)
	}
	const down, up = `{"conditions":{"ready":false}}`, `{"conditions":{"ready":true}}`
	service := func(more string) string {
		return `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"shop"},"spec":{` + more + `}}`
	}
	const selects = `"selector":{"app":"web"}`
	ingress := `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"front","namespace":"shop"},"spec":{"defaultBackend":{"service":{"name":"web"}}}}`
	for name, tc := range map[string]struct {
		objects []string
		want    string
	}{
		"endpoints that are not ready": {[]string{service(selects), slice("web", down+","+down)},
			"Degraded NoEndpoints no endpoint is ready (0 of 2)"},
		"one that is":              {[]string{service(selects), slice("web", down+","+up)}, "Current  "},
		"one that does not say it": {[]string{service(selects), slice("web", "{}")}, "Current  "},
		"none": {[]string{service(selects), slice("other", up)},
			"Degraded NoEndpoints it has no endpoint: no pod that it selects runs"},
		"not read": {[]string{service(selects)}, "Current  "},
		"without a selector": {[]string{service(""), slice("other", up)},
			"Degraded NoEndpointGiven it has no spec.selector, and no EndpointSlice with its name has an endpoint"},
		"outside": {[]string{service(selects + `,"type":"ExternalName"`), slice("other", up)}, "Current  "},
		"an Ingress": {[]string{ingress, service(selects), slice("web", down)},
			"Degraded BackendWithoutEndpoints Service/web: no endpoint is ready (0 of 1)"},
		"an Ingress with endpoints": {[]string{ingress, service(selects), slice("web", up)}, "Current  "},
	} {
		t.Run(name, func(t *testing.T) {
			g := relation.New(nil)
			var first relation.ID
			for i, text := range tc.objects {
				var content map[string]any
				if err := json.Unmarshal([]byte(text), &content); err != nil {
					t.Fatal(err)
				}
				o := relation.FromContent(content)
				g.Put(o)
				if i == 0 {
					first = o.ID
				}
			}
			v := &relation.View{Graph: g, Judge: func(*relation.Object) relation.Judgement { return relation.Judgement{Verdict: "Current"} }}
			j := v.Judgement(g.Get(first))
			if diff := cmp.Diff(tc.want, string(j.Verdict)+" "+j.Reason+" "+j.Message); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
