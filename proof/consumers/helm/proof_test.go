// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/statusreader"
	"helm.sh/helm/v4/pkg/kube"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

const failed = `{"apiVersion":"kars.azure.com/v1alpha1","kind":"ToolPolicy","metadata":{"name":"x","namespace":"d","generation":1,"resourceVersion":"1","uid":"u"},
"status":{"conditions":[{"type":"Ready","status":"False","reason":"SpecInvalid","message":"spec: no","lastTransitionTime":"2025-12-31T12:00:00Z"}]}}`

const healthy = `{"apiVersion":"kars.azure.com/v1alpha1","kind":"ToolPolicy","metadata":{"name":"x","namespace":"d","generation":1,"resourceVersion":"1","uid":"u"},
"status":{"conditions":[{"type":"Ready","status":"True","reason":"RouterEnforcing","message":"all","lastTransitionTime":"2025-12-31T12:00:00Z"}]}}`

// TestWait has Helm's own waiter wait with the reader. A failure that plain kstatus calls InProgress ends the wait at once; the timeout of
// the test is never reached.
func TestWait(t *testing.T) {
	shipped, err := catalog.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ object, want string }{
		"a terminal state": {failed, "status: Failed, message: spec: no"},
		"a healthy object": {healthy, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(api(test.object))
			defer server.Close()
			flags := genericclioptions.NewConfigFlags(false)
			flags.APIServer = &server.URL
			reader := statusreader.New(catalog.Engine(shipped), meta.NewDefaultRESTMapper(nil))
			client := kube.New(flags)
			waiter, err := client.GetWaiterWithOptions(kube.StatusWatcherStrategy, kube.WithKStatusReaders(reader))
			if err != nil {
				t.Fatal(err)
			}
			resources, err := client.Build(strings.NewReader(test.object), false)
			if err != nil {
				t.Fatal(err)
			}
			err = waiter.Wait(resources, 5*time.Minute)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("want an error with %q, got %v", test.want, err)
			}
		})
	}
}

// api serves one kind with one object, as much as a client needs to find and to watch it.
func api(object string) http.Handler {
	mux := http.NewServeMux()
	put := func(path string, v any) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v)
		})
	}
	type m = map[string]any
	version := m{"groupVersion": "kars.azure.com/v1alpha1", "version": "v1alpha1"}
	group := m{"name": "kars.azure.com", "versions": []any{version}, "preferredVersion": version}
	put("/api", m{"kind": "APIVersions", "versions": []string{}})
	put("/apis", m{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{group}})
	put("/apis/kars.azure.com", m{"kind": "APIGroup", "apiVersion": "v1", "name": "kars.azure.com", "versions": []any{version},
		"preferredVersion": version})
	put("/apis/kars.azure.com/v1alpha1", m{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "kars.azure.com/v1alpha1",
		"resources": []any{m{"name": "toolpolicies", "kind": "ToolPolicy", "namespaced": true, "verbs": []string{"get", "list", "watch"}}}})
	list := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprintf(w, `{"kind":"ToolPolicyList","apiVersion":"kars.azure.com/v1alpha1","metadata":{"resourceVersion":"1"},"items":[%s]}`,
				object)
			return
		}
		if r.URL.Query().Get("sendInitialEvents") == "true" {
			w.WriteHeader(http.StatusUnprocessableEntity) // an older server, which has no such watch
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
			return
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	mux.HandleFunc("GET /apis/kars.azure.com/v1alpha1/toolpolicies", list)
	mux.HandleFunc("GET /apis/kars.azure.com/v1alpha1/namespaces/d/toolpolicies", list)
	mux.HandleFunc("GET /apis/kars.azure.com/v1alpha1/namespaces/d/toolpolicies/x", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, object)
	})
	return mux
}
