// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"crypto/rand"
	"crypto/subtle"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
)

// Endpoints that can fail.
const (
	Register = "register"
	Rotate   = "rotate"
	Jobs     = "jobs"
	Ack      = "ack"
	Status   = "status"
	Result   = "result"
	Events   = "events"
	All      = "*"
)

// Fault is how an endpoint fails.
type Fault struct {
	Status     int    `json:"status,omitempty"`     // it answers with this status
	RetryAfter string `json:"retryAfter,omitempty"` // with this header
	Malformed  bool   `json:"malformed,omitempty"`  // it answers 200 and something that is not JSON
	Portal     bool   `json:"portal,omitempty"`     // a captive portal answers 200 with a page
	Hang       bool   `json:"hang,omitempty"`       // it never answers
	Drop       bool   `json:"drop,omitempty"`       // it closes the connection
	Times      int    `json:"times,omitempty"`      // after that many it works again; 0: until it is cleared
	// Heartbeats restricts the fault to requests with a heartbeat (true) or without one (false), for endpoint events.
	Heartbeats *bool `json:"heartbeats,omitempty"`
}

// Options of a control plane.
type Options struct {
	BootstrapToken string
	TTL            time.Duration    // of credentials; 0: 30 days
	Grace          time.Duration    // of a credential that was rotated; 0: a day
	Now            func() time.Time // nil: time.Now
	Clients        *x509.CertPool   // authorities of client certificates, which are required; nil: none is asked for
}

// Server is a control plane.
type Server struct {
	o     Options
	tls   *listener
	mu    sync.Mutex
	token map[string]credential // by token
	fault map[string]*Fault
	count map[string]int // of requests, by endpoint
	jobs  []*job
	more  chan struct{} // closed and replaced with every job

	seen       map[string]bool
	received   []agent.Event
	duplicates int
	heartbeats int
	heartbeat  agent.Event // the last one
	serial     int
	issued     []string
}

type credential struct {
	cluster string
	expires time.Time
}

type job struct {
	agent.Job
	cluster string
	acked   bool
	result  *agent.JobReport
}

// New makes a control plane.
func New(o Options) (*Server, error) {
	if o.TTL == 0 {
		o.TTL = 30 * 24 * time.Hour
	}
	if o.Grace == 0 {
		o.Grace = 24 * time.Hour
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{o: o, token: map[string]credential{}, fault: map[string]*Fault{}, count: map[string]int{},
		more: make(chan struct{}), seen: map[string]bool{}}
	var err error
	if s.tls, err = newListener(s.handler()); err != nil {
		return nil, err
	}
	s.tls.clients = o.Clients
	return s, nil
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+agent.PathRegister, s.failing(Register, s.register))
	mux.HandleFunc("POST "+agent.PathRotate, s.failing(Rotate, s.rotate))
	mux.HandleFunc("GET "+agent.PathJobs, s.failing(Jobs, s.poll))
	mux.HandleFunc("POST "+agent.PathJobs+"/{id}/ack", s.failing(Ack, s.ack))
	mux.HandleFunc("POST "+agent.PathJobs+"/{id}/status", s.failing(Status, s.accept))
	mux.HandleFunc("POST "+agent.PathJobs+"/{id}/result", s.failing(Result, s.result))
	mux.HandleFunc("POST "+agent.PathEvents, s.events)
	return mux
}

// Fail switches a fault on; the zero Fault switches it off.
func (s *Server) Fail(endpoint string, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f == (Fault{}) {
		delete(s.fault, endpoint)
		return
	}
	s.fault[endpoint] = &f
}

// failing answers by the fault that is set, or passes the request on.
func (s *Server) failing(endpoint string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.fails(w, r, endpoint, nil) {
			next(w, r)
		}
	}
}

func (s *Server) fails(w http.ResponseWriter, r *http.Request, endpoint string, heartbeat *bool) bool {
	s.mu.Lock()
	s.count[endpoint]++
	f := s.fault[endpoint]
	if f == nil {
		f = s.fault[All]
	}
	if f != nil && f.Heartbeats != nil && heartbeat != nil && *f.Heartbeats != *heartbeat {
		f = nil
	}
	if f == nil {
		s.mu.Unlock()
		return false
	}
	if f.Times > 0 {
		if f.Times--; f.Times == 0 {
			maps.DeleteFunc(s.fault, func(_ string, v *Fault) bool { return v == f })
		}
	}
	fault := *f
	s.mu.Unlock()
	switch {
	case fault.Hang:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case fault.Drop:
		panic(http.ErrAbortHandler)
	case fault.Portal:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<html>log in</html>")
	case fault.Malformed:
		w.Header().Set("Content-Type", agent.MediaType)
		fmt.Fprint(w, "<html>")
	default:
		if fault.RetryAfter != "" {
			w.Header().Set("Retry-After", fault.RetryAfter)
		}
		refuse(w, fault.Status, "fault")
	}
	return true
}

func refuse(w http.ResponseWriter, status int, code string) {
	answer(w, status, agent.Problem{Error: code, Message: http.StatusText(status), RequestID: rand.Text()})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", agent.MediaType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that is gone
}

// read decodes a body.
func read(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<20)).Decode(into); err != nil {
		refuse(w, http.StatusBadRequest, "bad_request")
		return false
	}
	return true
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var in agent.Registration
	if !read(w, r, &in) {
		return
	}
	if subtle.ConstantTimeCompare([]byte(in.RegistrationToken), []byte(s.o.BootstrapToken)) != 1 || in.ClusterID == "" {
		refuse(w, http.StatusUnauthorized, "registration_token_invalid")
		return
	}
	answer(w, http.StatusOK, s.issue(in.ClusterID))
}

// SetTTL sets the lifetime of the credentials that are issued from now on.
func (s *Server) SetTTL(ttl time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.o.TTL = ttl
}

// Accept takes over a credential that another control plane has issued.
func (s *Server) Accept(c agent.Credential) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token[c.Token] = credential{c.ClusterID, c.ExpiresAt}
}

// Revoke ends all credentials.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.token)
}

func (s *Server) issue(cluster string) agent.Credential {
	s.mu.Lock()
	defer s.mu.Unlock()
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // never fails
	c := agent.Credential{ClusterID: cluster, Token: hex.EncodeToString(raw[:]), ExpiresAt: s.o.Now().Add(s.o.TTL).UTC()}
	s.token[c.Token] = credential{cluster, c.ExpiresAt}
	s.issued = append(s.issued, c.Token)
	return c
}

// authorized returns the cluster of the bearer.
func (s *Server) authorized(w http.ResponseWriter, r *http.Request) (cluster, token string, ok bool) {
	token, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	c, known := s.token[token]
	valid := known && s.o.Now().Before(c.expires)
	s.mu.Unlock()
	if !valid {
		refuse(w, http.StatusUnauthorized, "token_invalid")
	}
	return c.cluster, token, valid
}

func (s *Server) rotate(w http.ResponseWriter, r *http.Request) {
	cluster, token, ok := s.authorized(w, r)
	if !ok {
		return
	}
	next := s.issue(cluster)
	s.mu.Lock()
	old := s.token[token]
	if end := s.o.Now().Add(s.o.Grace); end.Before(old.expires) {
		old.expires = end
		s.token[token] = old
	}
	s.mu.Unlock()
	answer(w, http.StatusOK, next)
}

func (s *Server) poll(w http.ResponseWriter, r *http.Request) {
	cluster, _, ok := s.authorized(w, r)
	if !ok {
		return
	}
	if r.URL.Query().Get("cluster") != cluster {
		refuse(w, http.StatusForbidden, "other_cluster")
		return
	}
	wait, _ := strconv.Atoi(r.URL.Query().Get("wait"))
	end := time.After(time.Duration(min(max(wait, 0), 300)) * time.Second)
	for {
		s.mu.Lock()
		var open []agent.Job
		for _, j := range s.jobs {
			if j.cluster == cluster && j.result == nil {
				open = append(open, j.Job)
			}
		}
		more := s.more
		s.mu.Unlock()
		if len(open) > 0 {
			answer(w, http.StatusOK, agent.Jobs{Jobs: open})
			return
		}
		select {
		case <-more:
		case <-end:
			answer(w, http.StatusOK, agent.Jobs{})
			return
		case <-r.Context().Done():
			return
		case <-s.tls.down():
			panic(http.ErrAbortHandler) // no answer, and not an empty one
		}
	}
}

// find returns a job of a cluster; the caller holds the lock.
func (s *Server) find(cluster, id string) *job {
	i := slices.IndexFunc(s.jobs, func(j *job) bool { return j.cluster == cluster && j.ID == id })
	if i < 0 {
		return nil
	}
	return s.jobs[i]
}

func (s *Server) ack(w http.ResponseWriter, r *http.Request) {
	cluster, _, ok := s.authorized(w, r)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch j := s.find(cluster, r.PathValue("id")); {
	case j == nil:
		refuse(w, http.StatusNotFound, "no_such_job")
	case j.acked:
		refuse(w, http.StatusConflict, "acknowledged")
	default:
		j.acked = true
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *Server) accept(w http.ResponseWriter, r *http.Request) {
	if _, _, ok := s.authorized(w, r); ok {
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *Server) result(w http.ResponseWriter, r *http.Request) {
	cluster, _, ok := s.authorized(w, r)
	var in agent.JobReport
	if !ok || !read(w, r, &in) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.find(cluster, r.PathValue("id")); j != nil && j.result == nil {
		j.result = &in
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	var in agent.Events
	if !read(w, r, &in) {
		return
	}
	heartbeat := slices.ContainsFunc(in.Events, func(e agent.Event) bool { return e.Kind == agent.ClusterHeartbeat })
	if s.fails(w, r, Events, &heartbeat) {
		return
	}
	cluster, _, ok := s.authorized(w, r)
	if !ok {
		return
	}
	if in.ClusterID != cluster || len(in.Events) > agent.Batch {
		refuse(w, http.StatusForbidden, "other_cluster")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range in.Events {
		if e.Kind == agent.ClusterHeartbeat {
			s.heartbeats++
			s.heartbeat = e
			continue
		}
		id := fmt.Sprintf("%s#%d", e.EventKey, e.Sequence)
		if s.seen[id] {
			s.duplicates++
			continue
		}
		s.seen[id] = true
		s.received = append(s.received, e)
	}
	w.WriteHeader(http.StatusNoContent)
}
