// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Traffic counts the requests of an operator to the API server. Its Wrap goes into the configuration of the operator. It is for concurrent
// use.
type Traffic struct {
	mu     sync.Mutex
	counts map[Request]int
}

// createByApply goes with the patch of an apply that created the object: it needs both verbs.
const createByApply = "create by apply"

// Created reports whether a request creates an object.
func (r Request) Created() bool { return r.Verb == "create" || r.Verb == createByApply }

// Request is a request in the words of a role.
type Request struct {
	Verb, Group, Resource, Subresource, Namespace string
	Refused                                       bool // with 403, because the operator may not
	Denied                                        bool // with 403, by an admission webhook
}

// String returns "verb resource.group/subresource in namespace".
func (r Request) String() string {
	s := r.Verb + " " + r.Resource
	if r.Group != "" {
		s += "." + r.Group
	}
	if r.Subresource != "" {
		s += "/" + r.Subresource
	}
	if r.Namespace != "" {
		s += " in " + r.Namespace
	}
	return s
}

// Writes reports whether a request changes something, other than the lease of an election.
func (r Request) Writes() bool {
	switch r.Verb {
	case "get", "list", "watch", createByApply:
		return false
	}
	return r.Resource != "leases"
}

// Wrap counts the requests of a client.
func (tr *Traffic) Wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		asked, ok := parse(request)
		if !ok {
			return response, err
		}
		created := err == nil && response.StatusCode == http.StatusCreated && asked.Verb == "patch"
		if err == nil && response.StatusCode == http.StatusForbidden {
			if asked.Denied, err = denied(response); err != nil {
				return nil, err
			}
			asked.Refused = !asked.Denied
		}
		tr.mu.Lock()
		defer tr.mu.Unlock()
		if tr.counts == nil {
			tr.counts = map[Request]int{}
		}
		tr.counts[asked]++
		if created {
			asked.Verb = createByApply
			tr.counts[asked]++
		}
		return response, err
	})
}

// denied reports whether a request was refused by an admission webhook, which decides after the permissions. The body of the response stays
// readable.
func denied(response *http.Response) (bool, error) {
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return false, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return bytes.Contains(body, []byte("admission webhook")) && bytes.Contains(body, []byte("denied the request")), nil
}

// Count returns how many requests there were of those that match.
func (tr *Traffic) Count(match func(Request) bool) (n int) {
	for r, count := range tr.All() {
		if match(r) {
			n += count
		}
	}
	return n
}

// All returns how many requests there were of each sort.
func (tr *Traffic) All() map[Request]int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return maps.Clone(tr.counts)
}

// Since lists the matching requests since an earlier All.
func (tr *Traffic) Since(before map[Request]int, match func(Request) bool) (out []string) {
	for r, count := range tr.All() {
		if n := count - before[r]; n > 0 && match(r) {
			out = append(out, fmt.Sprintf("%d × %s", n, r))
		}
	}
	slices.Sort(out)
	return out
}

// Quiet returns a check that is an error until nothing that matches was asked for in three seconds.
func (tr *Traffic) Quiet(match func(Request) bool) func() error {
	last, since := -1, time.Now()
	return func() error {
		if n := tr.Count(match); n != last {
			last, since = n, time.Now()
		}
		if time.Since(since) < 3*time.Second {
			return errors.New("the operator still writes")
		}
		return nil
	}
}

// parse reads the path of a request for a resource.
func parse(request *http.Request) (r Request, ok bool) {
	parts := strings.Split(strings.Trim(request.URL.Path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		r.Group, parts = parts[1], parts[3:]
	default:
		return r, false // discovery
	}
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		r.Namespace, parts = parts[1], parts[2:]
	}
	r.Resource = parts[0]
	if len(parts) > 2 {
		r.Subresource = parts[2]
	}
	query := request.URL.Query()
	switch request.Method {
	case http.MethodPost:
		r.Verb = "create"
	case http.MethodPut:
		r.Verb = "update"
	case http.MethodPatch:
		r.Verb = "patch"
	case http.MethodDelete:
		r.Verb = "delete"
	default:
		switch {
		case query.Get("watch") == "true" || query.Get("watch") == "1":
			r.Verb = "watch"
		case len(parts) > 1:
			r.Verb = "get"
		default:
			r.Verb = "list"
		}
	}
	return r, true
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
