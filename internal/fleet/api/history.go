// SPDX-License-Identifier: Apache-2.0

package api

import (
	"time"

	"github.com/tristate/tristate/verdict"
)

// History is the answer of /api/v1/history: how the conditions and the verdict of an object changed.
type History struct {
	ID    string    `json:"id"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Lanes []Lane    `json:"lanes"`
	Gaps  []Gap     `json:"gaps,omitempty"`
	Store *Store    `json:"store,omitempty"`
	// Marks are what events about the object, and its managed fields, report of the time; MarksError is why events are missing.
	Marks      []Mark `json:"marks,omitempty"`
	MarksError string `json:"marksError,omitempty"`
}

// Mark is a moment that was not watched: an event about the object, or the last write of one of its managers.
type Mark struct {
	At      time.Time  `json:"at"`
	Until   *time.Time `json:"until,omitempty"` // of an event that came several times: the last time
	Source  string     `json:"source"`          // event or managedFields
	Warning bool       `json:"warning,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	Message string     `json:"message,omitempty"`
	Count   int64      `json:"count,omitempty"`   // of an event
	Manager string     `json:"manager,omitempty"` // who wrote
	Part    string     `json:"part,omitempty"`    // what was written: spec, status, another subresource, or metadata
}

// Lane is one condition, or the verdict, over time.
type Lane struct {
	Name     string `json:"name"` // the type of the condition; Verdict for the verdict
	Verdict  bool   `json:"verdict,omitempty"`
	Spans    []Span `json:"spans"` // in order; time between two spans is not known
	Flapping bool   `json:"flapping,omitempty"`
	Flips    int    `json:"flips"` // changes of status within the last ten minutes of the lane's busiest time
}

// Span is a time in which a condition did not change.
type Span struct {
	From time.Time  `json:"from"`
	To   *time.Time `json:"to,omitempty"` // absent: it lasts
	// Status is that of a condition, or the word of a verdict.
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Class colours the span: ok, progress, bad, unknown or suspended.
	Class string `json:"class"`
	// Source is how the beginning is known: seen (by a watch), condition (its lastTransitionTime), managedFields (the last write of the
	// status) or gap (seen after a gap: it began within it, or before).
	Source string `json:"source"`
}

// Gap is a time in which nothing was watched.
type Gap struct {
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Reason string    `json:"reason"` // restarted, unreachable or limit (older records were deleted)
}

// Changes is the answer of /api/v1/changes: the verdicts that changed within a time, the newest first.
type Changes struct {
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Total   int       `json:"total"`
	Offset  int       `json:"offset"`
	Changes []Change  `json:"changes"`
	Gaps    []Gap     `json:"gaps,omitempty"`
	Hidden  []Hidden  `json:"hidden,omitempty"`
	// Known is the time from which on changes are known; earlier ones may be missing.
	Known *time.Time `json:"known,omitempty"`
}

// Subject names the object that something is about.
type Subject struct {
	ID        string `json:"id"`
	Cluster   string `json:"cluster,omitempty"`
	Kind      string `json:"kind"` // Kind.group
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// Change is a change of the verdict of an object.
type Change struct {
	At time.Time `json:"at"`
	Subject
	Was   State  `json:"was"`
	Now   State  `json:"now"`
	Trend string `json:"trend"` // worse, better, same, new or gone
}

// State is a verdict with its reason.
type State struct {
	Verdict verdict.Status `json:"verdict,omitempty"` // empty: the object was not there, or not watched
	Reason  string         `json:"reason,omitempty"`
	Message string         `json:"message,omitempty"`
}

// Moment is the answer of /api/v1/at: what was unhealthy at a time, worst first.
type Moment struct {
	Time      time.Time     `json:"time"`
	Known     bool          `json:"known"`             // false: nothing was watched then
	Message   string        `json:"message,omitempty"` // why it is not known, or not all of it
	Unhealthy int           `json:"unhealthy"`
	Offset    int           `json:"offset"`
	Objects   []MomentState `json:"objects"`
	Hidden    []Hidden      `json:"hidden,omitempty"`
	// Events are warnings around the time, where nothing was watched then. An object with one was not necessarily unhealthy.
	Events      []MomentEvent `json:"events,omitempty"`
	EventsError string        `json:"eventsError,omitempty"` // why some are missing
}

// MomentEvent is a warning about an object around a time.
type MomentEvent struct {
	Subject
	Reason  string    `json:"reason"`
	Message string    `json:"message,omitempty"`
	Count   int64     `json:"count"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
}

// MomentState is the verdict of an object at a time.
type MomentState struct {
	Subject
	Verdict verdict.Status `json:"verdict"`
	Reason  string         `json:"reason,omitempty"`
	Message string         `json:"message,omitempty"`
	Since   time.Time      `json:"since"`
	Until   *time.Time     `json:"until,omitempty"` // when it changed; absent: it lasts
	// Source is how Since is known, as that of a span.
	Source string `json:"source"`
}
