// SPDX-License-Identifier: Apache-2.0

package answer

import (
	"slices"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/object"
)

// Status is the verdict on an object, in one word; package verdict describes and orders them.
type Status string

// The statuses.
const (
	Current     Status = "Current"
	InProgress  Status = "InProgress"
	Degraded    Status = "Degraded"
	Failed      Status = "Failed"
	Suspended   Status = "Suspended"
	Terminating Status = "Terminating"
	NotFound    Status = "NotFound"
	Unknown     Status = "Unknown"
)

// Statuses lists all statuses, the best first.
var Statuses = []Status{Current, Suspended, InProgress, Terminating, Unknown, Degraded, NotFound, Failed}

// Broken reports whether a person has to look: the status is Degraded or Failed.
func (s Status) Broken() bool { return s == Degraded || s == Failed }

// Worse reports whether s outranks o when statuses are combined.
func (s Status) Worse(o Status) bool { return s.Rank() > o.Rank() }

// Rank returns the position of a status in [Statuses]: the worse, the higher. It is -1 for any other word.
func (s Status) Rank() int { return slices.Index(Statuses, s) }

// Verdict has the fields of verdict.Verdict, which describes them: each converts to the other.
type Verdict struct {
	Status         Status
	Ready          bool
	Type           string
	Condition      conditions.Status
	Reason         string
	Severity       conditions.Severity
	Message        string
	Since          time.Time
	Remedy         string
	Own            bool
	Rule           string
	Evidence       []Evidence
	Others         []Complaint
	Contradictions []string
	NextLook       time.Time
	Budget         time.Duration
	Due            time.Time
}

// Evidence is one field that a verdict rests on.
type Evidence struct {
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// Answer is a verdict while it is found.
type Answer struct {
	Verdict
	// Convention is the number of the rule of the conventions that decided; 0: none did.
	Convention uint16
	SetAside   uint8 // the reservations that held, a bit each
}

// Set sets the answer.
func (v *Answer) Set(s Status, rule, reason string, m object.Message) {
	v.Status, v.Rule, v.Reason, v.Message = s, rule, reason, m.String()
	v.Ready = s == Current || s == Degraded
}

// RestOn makes a condition the one that an answer rests on.
func (v *Answer) RestOn(c *object.Condition) {
	v.Type, v.Condition, v.Severity = c.Type, c.Status, c.Severity()
}

const (
	maxEvidence       = 4
	maxContradictions = 2
)

// Prove adds a field to the evidence while there is room.
func (v *Answer) Prove(f object.Fact) { v.add(Evidence{f.Path(), f.N.Interface()}) }

// ProveAt is [Answer.Prove] for the parts of a fact.
func (v *Answer) ProveAt(at object.Place, a, b string, n object.Value) {
	v.Prove(object.At(at, a, b, n))
}

// ProveAgain adds the evidence of another answer behind its own.
func (v *Answer) ProveAgain(was *Answer) {
	for _, e := range was.Evidence {
		v.add(e)
	}
}

func (v *Answer) add(e Evidence) {
	if v.Evidence == nil {
		v.Evidence = make([]Evidence, 0, maxEvidence)
	}
	if len(v.Evidence) < maxEvidence {
		v.Evidence = append(v.Evidence, e)
	}
}

// ProveCondition adds the status of a condition, and its last transition if the answer has no time yet.
func (v *Answer) ProveCondition(c *object.Condition) {
	v.ProveAt(object.PathCondition, c.Type, "status", c.N.Get("status"))
	if v.Since.IsZero() {
		v.Since = c.LastTransition()
	}
}

// Contradict adds evidence against a healthy status that the object reports, a condition of type claim that is True, while there is room.
func (v *Answer) Contradict(claim string, against object.Message) {
	v.Doubt("reports " + claim + ", but " + against.String())
}

// Doubt adds a reason why the answer may be wrong, while there is room.
func (v *Answer) Doubt(why string) {
	if len(v.Contradictions) < maxContradictions {
		v.Contradictions = append(v.Contradictions, why)
	}
}
