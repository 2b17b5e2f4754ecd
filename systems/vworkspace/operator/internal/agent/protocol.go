// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tristate/tristate/systems/vworkspace/operator/api/transition"
)

// MediaType of all bodies.
const MediaType = "application/vnd.vworkspace.agent.v1+json"

// Paths of the control plane.
const (
	PathRegister = "/api/agent/register"
	PathRotate   = "/api/agent/credentials/rotate"
	PathJobs     = "/api/agent/jobs"
	PathEvents   = "/api/agent/events"
)

// Registration is the body of a registration.
type Registration struct {
	RegistrationToken string `json:"registrationToken"`
	ClusterID         string `json:"clusterId"`
}

// Credential is the answer to a registration or rotation.
type Credential struct {
	ClusterID string    `json:"clusterId"`
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// Kinds of jobs.
const (
	JobApply  = "apply"
	JobDelete = "delete"
	JobIntent = "intent"
)

// Job is a piece of work.
type Job struct {
	ID             string          `json:"id"`
	Kind           string          `json:"kind"`
	Payload        json.RawMessage `json:"payload"`
	IdempotencyKey string          `json:"idempotencyKey"`
	CreatedAt      time.Time       `json:"createdAt"`
	ExpiresAt      time.Time       `json:"expiresAt"`

	tooLarge bool // nothing is known of it but its id
}

// Jobs is the answer to a poll.
type Jobs struct {
	Jobs []Job `json:"jobs"`
}

// Outcomes of jobs.
const (
	OutcomeSucceeded = "succeeded"
	OutcomeFailed    = "failed"
	OutcomeNoop      = "noop"
	OutcomeConflict  = "conflict"
)

// JobReport is the body of a job's status and result.
type JobReport struct {
	State   string `json:"state,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	Message string `json:"message,omitempty"`
}

// Kinds of events.
const (
	ConditionTransition = "ConditionTransition"
	CredentialRotated   = "CredentialRotated"
	ClusterHeartbeat    = "ClusterHeartbeat"
	StatusRestored      = "StatusRestored" // the status of an object was removed or replaced; its transitions go on
)

// Event is a fact about the cluster.
type Event struct {
	EventKey string `json:"eventKey"`
	Kind     string `json:"kind"`
	// Sequence numbers the transitions of an object; with the key it is the identity of the event.
	Sequence    int64        `json:"sequence,omitempty"`
	ResourceRef *ResourceRef `json:"resourceRef,omitempty"`
	Conditions  []Condition  `json:"conditions,omitempty"`
	Timestamp   time.Time    `json:"timestamp"`
}

// ResourceRef names an object.
type ResourceRef struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	UID        string `json:"uid,omitempty"`
	State      uint8  `json:"-"` // how far an operation is: 0: not started, 1: started, more: ended in one of several ways
}

// Condition is a condition in an event; an empty status means that it was removed.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// Events is the body of a post of events.
type Events struct {
	ClusterID string  `json:"clusterId"`
	Events    []Event `json:"events"`
}

// Problem is the body of a refusal.
type Problem struct {
	Error     string `json:"error"`
	Message   string `json:"message,omitempty"`
	RequestID string `json:"requestId,omitempty"`
}

// transitionEvent returns the event of a transition: its key is condition/apiVersion/kind/namespace/name/uid/type/status@generation with _
// for empty parts.
func transitionEvent(ref ResourceRef, t transition.Transition) Event {
	part := func(s string) string {
		if s == "" {
			return "_"
		}
		return s
	}
	key := strings.Join([]string{"condition", part(ref.APIVersion), part(ref.Kind), part(ref.Namespace), part(ref.Name), part(ref.UID),
		part(t.Type), part(string(t.Status))}, "/")
	return Event{EventKey: fmt.Sprintf("%s@%d", key, t.Generation), Kind: ConditionTransition, Sequence: t.Sequence, ResourceRef: &ref,
		Timestamp:  t.Time.UTC(),
		Conditions: []Condition{{Type: t.Type, Status: string(t.Status), Reason: t.Reason, Message: t.Message}}}
}
