// SPDX-License-Identifier: Apache-2.0

package router

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/systems/kars/operator/internal/echo"
)

// EvaluatePath is where a scenario is decided about. It needs no token: decisions are no secret, and only evaluations reach it.
const EvaluatePath = "/internal/evaluate"

// maxRequest bounds a model call.
const maxRequest = 4 << 20

// Server serves a state.
type Server struct {
	State     *State
	Token     func() string // of the operator; empty: no request is let in
	Agent     func() string // the token of the agent; empty: no request is let in
	Memory    *url.URL      // of the memory stores; nil: none
	Inference *url.URL      // of the models; nil: none
	Changed   func()        // called when an answer of a store has changed the state
	Scores    Scores        // of the decisions, for audit
}

// Handler serves the operator and evaluations.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+echo.Path, bearer(s.Token, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(s.State.Status())
	}))
	mux.Handle("GET "+ScoresPath, bearer(s.Token, s.Scores.serve))
	mux.HandleFunc("POST "+EvaluatePath, s.evaluate)
	return mux
}

// AgentHandler serves the agent of the sandbox: models and memory.
func (s *Server) AgentHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/v1/", bearer(s.Agent, s.infer))
	mux.Handle("/memory/", bearer(s.Agent, s.remember))
	return mux
}

// bearer lets in who presents a token. It is not forwarded.
func bearer(token func() string, next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || !same(given, token()) {
			http.Error(w, "not authorized", http.StatusUnauthorized)
			return
		}
		r.Header.Del("Authorization")
		next(w, r)
	})
}

// same reports whether a token is the wanted one, which is not empty.
func same(given, want string) bool {
	return want != "" && subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1
}

func (s *Server) evaluate(w http.ResponseWriter, r *http.Request) {
	var scenario Scenario
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&scenario); err != nil {
		http.Error(w, "the scenario is not JSON", http.StatusBadRequest)
		return
	}
	decision, err := s.State.Decide(scenario)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer(w, http.StatusOK, decision)
}

func answer(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	// A caller that is gone needs no answer.
	_ = json.NewEncoder(w).Encode(v)
}

// infer forwards a model call that is within the budget.
func (s *Server) infer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, "the call is not JSON of at most 4 MiB", http.StatusBadRequest)
		return
	}
	decision, bounded, err := s.State.meter(r.URL.Path, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.Scores.add("inference", r.URL.Path, decision)
	switch decision.Decision {
	case Allowed:
	case Blocked:
		answer(w, http.StatusForbidden, decision)
		return
	default:
		answer(w, http.StatusTooManyRequests, decision)
		return
	}
	if s.Inference == nil {
		http.Error(w, "there is no inference endpoint", http.StatusBadGateway)
		return
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(bounded)), int64(len(bounded))
	(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(s.Inference)
		s.State.sign(p.Out.Header)
	}}).ServeHTTP(w, r)
}

// remember forwards a call to the memory store and records the status of the answer.
func (s *Server) remember(w http.ResponseWriter, r *http.Request) {
	s.State.mu.RLock()
	binding := s.State.binding
	s.State.mu.RUnlock()
	if binding == nil || s.Memory == nil {
		http.Error(w, "no memory is bound", http.StatusNotFound)
		return
	}
	(&httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			rest := strings.TrimPrefix(path.Clean(p.In.URL.Path), "/memory")
			p.Out.URL.Path = "/memory_stores/" + url.PathEscape(binding.StoreName) + "/" + url.PathEscape(binding.Scope) + rest
			p.Out.URL.RawPath = ""
			p.SetURL(s.Memory)
			s.State.sign(p.Out.Header)
		},
		ModifyResponse: func(response *http.Response) error {
			if s.State.stored(r.Method, response.StatusCode, binding.StoreName) && s.Changed != nil {
				s.Changed()
			}
			return nil
		},
	}).ServeHTTP(w, r)
}

// Proxy returns an HTTP proxy that lets CONNECT of the agent through to allowed destinations.
func (s *Server) Proxy() http.Handler {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.authorized(r) {
			w.Header().Set("Proxy-Authenticate", `Basic realm="kars"`)
			http.Error(w, "not authorized", http.StatusProxyAuthRequired)
			return
		}
		host, port, err := net.SplitHostPort(r.Host)
		number, bad := strconv.ParseInt(port, 10, 32)
		if r.Method != http.MethodConnect || err != nil || bad != nil {
			http.Error(w, "only CONNECT HOST:PORT is served", http.StatusMethodNotAllowed)
			return
		}
		d := s.State.egress(host, int32(number))
		if s.Scores.add("egress", strings.ToLower(host), d); d.Decision != Allowed {
			answer(w, http.StatusForbidden, d)
			return
		}
		upstream, err := dialer.DialContext(r.Context(), "tcp", r.Host)
		if err != nil {
			http.Error(w, "the destination does not answer", http.StatusBadGateway)
			return
		}
		defer upstream.Close()
		w.WriteHeader(http.StatusOK)
		client, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer client.Close()
		join(r.Context(), client, upstream)
	})
}

// authorized reports whether a request to the proxy has the token of the agent as password.
func (s *Server) authorized(r *http.Request) bool {
	basic := &http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
	_, given, ok := basic.BasicAuth()
	return ok && same(given, s.Agent())
}

// join copies between two connections until one of them ends.
func join(ctx context.Context, a, b net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, func() { a.Close(); b.Close() })
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		// An error is the end of the connection, as any other.
		_, _ = io.Copy(a, b)
		cancel()
	}()
	_, _ = io.Copy(b, a)
	cancel()
	<-done
}
