// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/controller"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// traffic is between a controller and the API server, and keeps what was asked in the order of the answers.
type traffic struct {
	// answer may answer instead of the API server; nil, or giving nil, leaves it to the server. Set before use.
	answer func(request) *http.Response
	// rewrite may replace the body of an answer. Set before use.
	rewrite func(request, []byte) []byte

	mu   sync.Mutex
	sent []request
}

// request is what the API server calls it.
type request struct {
	verb, group, resource, namespace, name string // of a subresource: resource/subresource
	code                                   int    // of the answer
	*http.Request
}

// through makes a controller use the wire.
func (w *traffic) through(o *controller.Options) {
	o.Config = rest.CopyConfig(o.Config)
	o.Config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) { return w.roundTrip(next, r) })
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (w *traffic) roundTrip(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	asked := parse(r)
	var response *http.Response
	var err error
	if w.answer != nil {
		response = w.answer(asked)
	}
	if response == nil {
		response, err = next.RoundTrip(r)
	}
	if response != nil {
		asked.code = response.StatusCode
	}
	if err == nil && w.rewrite != nil && asked.verb != "watch" {
		body, readErr := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if readErr != nil {
			return nil, readErr
		}
		body = w.rewrite(asked, body)
		response.Body, response.ContentLength = io.NopCloser(strings.NewReader(string(body))), int64(len(body))
		response.Header.Del("Content-Length")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, asked)
	return response, err
}

// all returns what was asked so far.
func (w *traffic) all() []request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.sent)
}

// streamed reports whether a watch is to begin with what is there, instead of a list.
func (r request) streamed() bool { return r.URL.Query().Get("sendInitialEvents") == "true" }

// parse reads /api/v1/... and /apis/GROUP/VERSION/[namespaces/NAMESPACE/]RESOURCE[/NAME[/SUBRESOURCE]].
func parse(r *http.Request) request {
	out := request{Request: r}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case parts[0] == "apis" && len(parts) > 3:
		out.group, parts = parts[1], parts[3:]
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	default:
		out.verb = "discover"
		return out
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		out.namespace, parts = parts[1], parts[2:]
	}
	out.resource = parts[0]
	if len(parts) > 1 {
		out.name = parts[1]
	}
	if len(parts) > 2 {
		out.resource += "/" + parts[2]
	}
	switch r.Method {
	case http.MethodGet:
		out.verb = "get"
		if out.name == "" {
			out.verb = "list"
		}
		if watch := r.URL.Query().Get("watch"); watch == "true" || watch == "1" {
			out.verb = "watch"
		}
	case http.MethodPost:
		out.verb = "create"
	case http.MethodPut:
		out.verb = "update"
	case http.MethodPatch:
		out.verb = "patch"
	case http.MethodDelete:
		out.verb = "delete"
	}
	return out
}

// refuse is an answer of the API server that says no.
func refuse(r *http.Request, code int, reason metav1.StatusReason) *http.Response {
	body := fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"refused by the test","reason":"%s","code":%d}`,
		reason, code)
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}
}
