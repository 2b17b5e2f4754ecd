// SPDX-License-Identifier: Apache-2.0

package router

import (
	"encoding/json"
	"net/http"
	"sync"
)

// ScoresPath is where the scores are read, with the bearer token.
const ScoresPath = "/internal/scores"

// maxScores bounds the subjects of [Scores]; further ones are counted together.
const maxScores = 1024

// Score is how the decisions about a subject went. Score is the share of allowed ones on the scale of a TrustGraph's edges, 0 to 1000.
type Score struct {
	Allowed int64 `json:"allowed"`
	Refused int64 `json:"refused"`
	Score   int64 `json:"score"`
}

// Scores is the map of scores after decisions, by kind of call and subject, as "egress a.example.com". It is for audit only: no decision
// reads it, and it ends with the router. The zero value is ready; it is for concurrent use.
type Scores struct {
	mu   sync.Mutex
	seen map[string]*Score
}

// add counts a decision that was made.
func (s *Scores) add(kind, subject string, d Decision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := kind + " " + subject
	one := s.seen[key]
	if one == nil {
		if s.seen == nil {
			s.seen = map[string]*Score{}
		}
		if len(s.seen) >= maxScores-1 {
			key = "others"
		}
		if one = s.seen[key]; one == nil {
			one = &Score{}
			s.seen[key] = one
		}
	}
	if d.Decision == Allowed {
		one.Allowed++
	} else {
		one.Refused++
	}
	one.Score = 1000 * one.Allowed / (one.Allowed + one.Refused)
}

// serve writes the map as JSON.
func (s *Scores) serve(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	body, err := json.Marshal(s.seen)
	s.mu.Unlock()
	if err != nil { // numbers only
		panic("router: scores cannot be encoded: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body)
}
