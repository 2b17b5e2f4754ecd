// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// TestPages: a page that is cut, or that the server has no time for, is asked for again at half its size, and each object comes once. A
// list that is cut whatever its size, or before its first object, is an error.
func TestPages(t *testing.T) {
	const objects = 6000
	cut := func(w http.ResponseWriter, sent int) {
		if sent > 0 {
			w.(http.Flusher).Flush()
		}
		panic(http.ErrAbortHandler)
	}
	tests := map[string]struct {
		most  int // the largest page that is answered
		late  bool
		early bool // nothing comes of a larger one
		want  []string
		fails bool
	}{
		"whole":         {most: 10000, want: []string{"0:10000"}},
		"cut":           {most: 3000, want: []string{"0:10000", "0:5000", "0:2500", "2500:2500", "5000:2500"}},
		"no time":       {most: 3000, late: true, want: []string{"0:10000", "0:5000", "0:2500", "2500:2500", "5000:2500"}},
		"always cut":    {most: 0, want: []string{"0:10000", "0:5000", "0:2500", "0:1250", "0:625"}, fails: true},
		"nothing comes": {most: 0, early: true, want: []string{"0:10000"}, fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var asked []string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
				limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
				mu.Lock()
				asked = append(asked, fmt.Sprintf("%d:%d", from, limit))
				mu.Unlock()
				w.Header().Set("Content-Type", "application/json")
				refused := limit > test.most
				switch {
				case refused && test.late:
					w.WriteHeader(http.StatusGatewayTimeout)
					fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":504,"reason":"Timeout","message":"not in time"}`)
					return
				case refused && test.early:
					cut(w, 0)
				}
				to := min(from+limit, objects)
				next := ""
				if to < objects {
					next = strconv.Itoa(to)
				}
				fmt.Fprintf(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1","continue":%q},"items":[`, next)
				for i := from; i < to; i++ {
					if refused && i == from+min(400, (to-from)/2) {
						cut(w, i-from)
					}
					if i > from {
						fmt.Fprint(w, ",")
					}
					fmt.Fprintf(w, `{"metadata":{"namespace":"shop","name":"pod-%04d"}}`, i)
				}
				fmt.Fprint(w, "]}")
			}))
			defer s.Close()
			c, err := Connect(t.Context(), &rest.Config{Host: s.URL}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			came := map[string]int{}
			failed := c.List(t.Context(), &meta.RESTMapping{Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
				GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Scope: meta.RESTScopeNamespace}, "",
				func(o *relation.Object) { came[o.Name]++ })
			if (failed != nil) != test.fails || !test.fails && len(came) != objects {
				t.Errorf("%d objects, error %v", len(came), failed)
			}
			for name, n := range came {
				if n > 1 {
					t.Fatalf("%s came %d times", name, n)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if diff := cmp.Diff(test.want, asked); diff != "" {
				t.Errorf("requests -want +got\n%s", diff)
			}
		})
	}
}
