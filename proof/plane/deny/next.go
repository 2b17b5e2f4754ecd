// SPDX-License-Identifier: Apache-2.0

package deny

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Next refuses single writes of a client, each once, so that every step of a test can have a refusal of its own: a rule of the API server
// takes a second to be in force. Its Wrap goes into the configuration of the client. It is for concurrent use.
type Next struct {
	mu      sync.Mutex
	rules   []next
	refused []string
}

// next is a refusal that has not been met.
type next struct {
	code  int
	match func(method, path string) bool
}

// Write refuses the next write that matches, with a status code and, where that is 403, the text of an admission policy with [Message].
// Leases and events are never refused.
func (n *Next) Write(code int, match func(method, path string) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rules = append(n.rules, next{code, match})
}

// Refused returns how many writes were refused since the last End. Nothing reports to the client that it may write again: it finds that out
// when it tries again, which may be a minute later.
func (n *Next) Refused() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.refused)
}

// End drops what has not been met, and returns the writes that were refused since the last End, as "method path: code".
func (n *Next) End() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := n.refused
	n.rules, n.refused = nil, nil
	return out
}

// Wrap refuses requests of a client.
func (n *Next) Wrap(through http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		code := n.meets(r)
		if code == 0 {
			return through.RoundTrip(r)
		}
		if r.Body != nil {
			_ = r.Body.Close() // it was not read
		}
		status := metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: int32(code),
			Reason: reasons[code], Message: Message}
		if code == http.StatusForbidden {
			status.Message = "ValidatingAdmissionPolicy 'deny' with binding 'deny' denied request: " + Message
		}
		body, err := json.Marshal(status)
		if err != nil {
			return nil, err
		}
		return &http.Response{StatusCode: code, Status: fmt.Sprint(code, " ", http.StatusText(code)), Proto: "HTTP/1.1", ProtoMajor: 1,
			ProtoMinor: 1, Request: r, ContentLength: int64(len(body)),
			Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(string(body)))}, nil
	})
}

// reasons maps codes to the reasons of the API server.
var reasons = map[int]metav1.StatusReason{http.StatusForbidden: metav1.StatusReasonForbidden,
	http.StatusConflict: metav1.StatusReasonConflict, http.StatusNotFound: metav1.StatusReasonNotFound,
	http.StatusInternalServerError: metav1.StatusReasonInternalError, http.StatusServiceUnavailable: metav1.StatusReasonServiceUnavailable}

// meets returns the code with which a request is refused; 0: it is not.
func (n *Next) meets(r *http.Request) int {
	path := r.URL.Path
	if r.Method == http.MethodGet || strings.Contains(path, "/leases") || strings.Contains(path, "/events") {
		return 0
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	i := slices.IndexFunc(n.rules, func(rule next) bool { return rule.match(r.Method, path) })
	if i < 0 {
		return 0
	}
	code := n.rules[i].code
	n.rules = slices.Delete(n.rules, i, i+1)
	n.refused = append(n.refused, fmt.Sprintf("%s %s: %d", r.Method, path, code))
	return code
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
