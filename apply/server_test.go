// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// server is a model of an API server with one object: reads, applies to a list that is a map by type, and merge patches with a resource
// version. It is a transport, so that the requests are those that would have gone out.
type server struct {
	mu         sync.Mutex
	status     map[string]any
	version    int
	generation int
	uid        string
	applied    map[string][]string // manager: the types that it applied last
	requests   []string            // METHOD content type
	// answer may answer in place of the server; it sees the number of the write, from 1.
	answer func(write int) *metav1.Status
	writes int
}

func notFound() *metav1.Status {
	return &metav1.Status{Status: "Failure", Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}
}

func newServer(list ...map[string]any) *server {
	entries := make([]any, len(list))
	for i := range list {
		entries[i] = list[i]
	}
	return &server{status: map[string]any{"conditions": entries}, version: 1, generation: 1, uid: "u1", applied: map[string][]string{}}
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := strings.TrimSuffix(strings.TrimPrefix(r.Header.Get("Content-Type"), "application/"), "-patch+json")
	s.requests = append(s.requests, strings.TrimSpace(r.Method+" "+strings.TrimSuffix(kind, "-patch+yaml")))
	if s.uid == "" { // it is deleted
		status := notFound()
		status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		return reply(http.StatusNotFound, status)
	}
	if r.Method == http.MethodGet {
		return reply(http.StatusOK, s.object())
	}
	s.writes++
	if s.answer != nil {
		if refused := s.answer(s.writes); refused != nil {
			refused.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
			return reply(int(refused.Code), refused)
		}
	}
	var body struct {
		Metadata struct{ ResourceVersion, UID string }
		Status   map[string]any
	}
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, &body)
	}
	if err != nil {
		return nil, err
	}
	if v := body.Metadata.ResourceVersion; v != "" && v != fmt.Sprint(s.version) {
		return reply(http.StatusConflict, conflict("", ""))
	}
	if uid := body.Metadata.UID; uid != "" && uid != s.uid {
		return reply(http.StatusConflict, conflict("metadata.uid", ""))
	}
	before, _ := json.Marshal(s.status)
	if strings.HasPrefix(kind, "apply") {
		s.apply(r.URL.Query().Get("fieldManager"), body.Status)
	} else {
		for name, value := range body.Status {
			if s.status[name] = value; value == nil {
				delete(s.status, name)
			}
		}
	}
	if after, _ := json.Marshal(s.status); !bytes.Equal(before, after) {
		s.version++
	}
	return reply(http.StatusOK, s.object())
}

// apply merges by type; what the manager applied before and does not any more goes.
func (s *server) apply(manager string, status map[string]any) {
	status = maps.Clone(status)
	list, _ := status["conditions"].([]any)
	delete(status, "conditions")
	maps.Copy(s.status, status)
	stored := s.list()
	var types []string
	for _, entry := range list {
		name := typeOf(entry)
		types = append(types, name)
		if i := slices.IndexFunc(stored, func(e any) bool { return typeOf(e) == name }); i >= 0 {
			stored[i] = entry
		} else {
			stored = append(stored, entry)
		}
	}
	s.status["conditions"] = slices.DeleteFunc(stored, func(e any) bool {
		return slices.Contains(s.applied[manager], typeOf(e)) && !slices.Contains(types, typeOf(e))
	})
	s.applied[manager] = types
}

func (s *server) list() []any {
	list, _ := s.status["conditions"].([]any)
	return slices.Clone(list)
}

func (s *server) object() map[string]any {
	return map[string]any{"apiVersion": "example.dev/v1", "kind": "Thing", "status": s.status, "metadata": map[string]any{
		"name": "a", "namespace": "n", "uid": s.uid, "resourceVersion": fmt.Sprint(s.version), "generation": s.generation}}
}

// edit changes the object as another writer would.
func (s *server) edit(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.version++
}

// read is the object as a cache has it, and its conditions.
func (s *server) read(t testing.TB) (*metav1.ObjectMeta, []conditions.Condition) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := json.Marshal(s.list())
	var list []any
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	stored, _ := wire.FromUnstructured(list)
	return &metav1.ObjectMeta{Name: "a", Namespace: "n", UID: "u1", ResourceVersion: fmt.Sprint(s.version), Generation: int64(s.generation)},
		stored
}

// sent returns the requests since the last call.
func (s *server) sent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.requests
	s.requests = nil
	return out
}

func (s *server) writer(t testing.TB) *apply.Writer {
	t.Helper()
	client, err := dynamic.NewForConfig(&rest.Config{Host: "http://model", Transport: s, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return &apply.Writer{Client: client, Manager: "ours", Now: func() time.Time { return start.Add(time.Hour) }}
}

func typeOf(entry any) string {
	m, _ := entry.(map[string]any)
	name, _ := m["type"].(string)
	return name
}

func conflict(field, message string) *metav1.Status {
	s := &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: http.StatusConflict,
		Reason:  metav1.StatusReasonConflict,
		Message: message, Details: &metav1.StatusDetails{}}
	if field != "" {
		s.Details.Causes = []metav1.StatusCause{{Field: field}}
	}
	return s
}

func reply(code int, body any) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(data))}, nil
}
