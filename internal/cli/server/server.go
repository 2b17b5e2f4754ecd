// SPDX-License-Identifier: Apache-2.0

package server

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/rows"
)

// Options configure [New]. Fleet and Auth are required.
type Options struct {
	Fleet          *rows.Fleet
	Auth           Auth
	Version, Title string
	Mode           string       // cluster, files or story
	Page           fs.FS        // the built page; nil: none is served
	Metrics        http.Handler // of /metrics; nil: none
	// MetricsAuth lets a request read the metrics; nil: whoever Auth lets in may.
	MetricsAuth func(*http.Request) error
	// Hosts are names by which the server may be called, besides those of the loopback interface.
	Hosts []string
	Now   func() time.Time // for streams; nil: time.Now
}

// Reader is who asks.
type Reader struct {
	User   string // empty where there is only one
	Rights rows.Rights
}

// Auth finds out who asks. An error wraps [ErrUnauthorized] where the request lacks a valid sign-in.
type Auth interface {
	Reader(r *http.Request) (Reader, error)
}

// ErrUnauthorized is the error of a request without a valid sign-in.
var ErrUnauthorized = errors.New("sign in first")

// Server is the handler.
type Server struct {
	Options
	mux     *http.ServeMux
	mu      sync.Mutex
	streams map[string]int // by reader
	open    int            // streams of all
	hosts   map[string]bool
}

// New returns the handler.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{Options: o, mux: http.NewServeMux(), streams: map[string]int{}, hosts: map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true}}
	for _, h := range o.Hosts {
		s.hosts[strings.ToLower(h)] = true
	}
	for path, answer := range map[string]func(*request) (any, error){
		"about": s.about, "overview": s.overview, "objects": s.objects, "facets": s.facets, "tree": s.tree, "why": s.why, "history": s.history,
		"changes": s.changes, "at": s.at,
	} {
		s.mux.Handle("/api/v1/"+path, s.signedIn(func(w http.ResponseWriter, r *http.Request, who Reader) {
			out, err := answer(&request{Request: r, query: r.URL.Query(), fleet: s.Fleet.As(who.Rights), user: who.User})
			if err != nil {
				fail(w, err)
				return
			}
			write(w, http.StatusOK, out)
		}))
	}
	s.mux.Handle("/api/v1/stream", s.signedIn(s.stream))
	s.mux.HandleFunc("/api/v1/session", s.session)
	s.mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) { fail(w, notFound("there is no such answer")) })
	s.mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { text(w, http.StatusOK, "ok\n") })
	s.mux.HandleFunc("/readyz", s.ready)
	if o.Metrics != nil {
		s.mux.Handle("/metrics", s.metrics())
	}
	s.mux.HandleFunc("/", s.static)
	return s
}

// policy is what a page of this server may load: its own files.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP is a method of http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writing)) // where the connection has one; a stream moves it on
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		fail(w, &problem{http.StatusMethodNotAllowed, "Invalid", "only GET is answered: nothing can be changed here"})
		return
	}
	probe := r.URL.Path == "/healthz" || r.URL.Path == "/readyz" // which say nothing of the cluster
	// an address is no name that another site could point here; a kubelet and Prometheus call the address of a pod
	if host := hostOf(r.Host); !probe && !s.hosts[host] && net.ParseIP(host) == nil {
		fail(w, &problem{http.StatusForbidden, "Forbidden", "this server is not called by the name in the Host header; --host adds one"})
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" && !sameOrigin(origin, r.Host) {
		fail(w, &problem{http.StatusForbidden, "Forbidden", "requests of other origins are refused"})
		return
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" && strings.HasPrefix(r.URL.Path, "/api/") {
		fail(w, &problem{http.StatusForbidden, "Forbidden", "requests of other sites are refused"})
		return
	}
	s.mux.ServeHTTP(w, r)
}

// hostOf cuts the port from a Host header.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host == host && (u.Scheme == "http" || u.Scheme == "https")
}

// signedIn passes requests on with who asks.
func (s *Server) signedIn(next func(http.ResponseWriter, *http.Request, Reader)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := s.Auth.Reader(r)
		if err != nil {
			fail(w, err)
			return
		}
		next(w, r, who)
	})
}

// ready answers 200 once the first lists of every source are complete.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	for _, source := range s.Fleet.Sources() {
		if !source.Ready() {
			text(w, http.StatusServiceUnavailable, "the first lists are not complete\n")
			return
		}
	}
	text(w, http.StatusOK, "ok\n")
}

func (s *Server) metrics() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := error(nil)
		if s.MetricsAuth != nil {
			err = s.MetricsAuth(r)
		} else {
			_, err = s.Auth.Reader(r)
		}
		if err != nil {
			fail(w, err)
			return
		}
		s.Metrics.ServeHTTP(w, r)
	})
}

// problem is an error with a status of HTTP.
type problem struct {
	status  int
	code    string
	message string
}

// Error is a method of error.
func (p *problem) Error() string { return p.message }

func invalid(message string) error  { return &problem{http.StatusBadRequest, "Invalid", message} }
func notFound(message string) error { return &problem{http.StatusNotFound, "NotFound", message} }

// fail answers with an error.
func fail(w http.ResponseWriter, err error) {
	p := problemOf(err)
	if p.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	write(w, p.status, api.Error{Error: api.ErrorBody{Code: p.code, Message: p.message}})
}

func write(w http.ResponseWriter, status int, answer any) {
	data, err := json.Marshal(answer)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":{"code":"Internal","message":"the answer has no JSON"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // the client may be gone
}

func text(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// clusters returns the sources of a fleet with how many objects each has.
func clusters(fleet *rows.Fleet) []api.Cluster {
	out := []api.Cluster{}
	counts := fleet.Facets(rows.Query{}).Clusters
	for _, source := range fleet.Sources() {
		c := source.State()
		if i := slices.IndexFunc(counts, func(f api.Facet) bool { return f.Value == c.Name }); i >= 0 {
			c.Objects = counts[i].Count
		}
		out = append(out, c)
	}
	return out
}
