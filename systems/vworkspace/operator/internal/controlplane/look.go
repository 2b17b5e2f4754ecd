// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
)

// Received returns the events besides heartbeats, each once, in the order of arrival.
func (s *Server) Received() []agent.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.received)
}

// Duplicates returns how many events arrived again.
func (s *Server) Duplicates() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.duplicates
}

// Heartbeat returns the last one.
func (s *Server) Heartbeat() agent.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heartbeat
}

// Heartbeats returns how many arrived.
func (s *Server) Heartbeats() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heartbeats
}

// Tokens returns all credentials that were ever issued.
func (s *Server) Tokens() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.issued)
}

// Requests returns how many requests an endpoint had, failed ones included.
func (s *Server) Requests(endpoint string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[endpoint]
}

// Job is a job to hand out.
type Job struct {
	Kind           string          `json:"kind"`
	Payload        json.RawMessage `json:"payload"`
	IdempotencyKey string          `json:"idempotencyKey"`
	ExpiresIn      time.Duration   `json:"expiresIn"` // 0: an hour
}

// Hand queues a job for a cluster and returns its id.
func (s *Server) Hand(cluster string, in Job) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	now := s.o.Now().UTC().Truncate(time.Second)
	j := &job{cluster: cluster, Job: agent.Job{ID: fmt.Sprintf("job-%d", s.serial), Kind: in.Kind, Payload: in.Payload,
		IdempotencyKey: in.IdempotencyKey,
		CreatedAt:      now, ExpiresAt: now.Add(time.Hour)}}
	if in.ExpiresIn != 0 {
		j.ExpiresAt = now.Add(in.ExpiresIn)
	}
	if j.IdempotencyKey == "" {
		j.IdempotencyKey = j.ID
	}
	s.jobs = append(s.jobs, j)
	close(s.more)
	s.more = make(chan struct{})
	return j.ID
}

// ResultOf returns the result of a job; nil: there is none yet.
func (s *Server) ResultOf(id string) *agent.JobReport {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.jobs {
		if j.ID == id {
			return j.result
		}
	}
	return nil
}
