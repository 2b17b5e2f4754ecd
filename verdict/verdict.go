// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/object"
)

// A Verdict is the answer about one object, with its evidence. It is a value: it may be copied and kept; its lists are read-only.
type Verdict struct {
	Status Status `json:"verdict"`
	// Ready reports whether the object can be used now. It may be true of a Degraded object (it serves, but impaired) and
	// of an InProgress one (a rolling update), and is false of a Suspended one.
	Ready bool `json:"ready"`
	// Type and Condition are the condition that the verdict rests on and its status; empty if it rests on something else. It is the most
	// specific one: under an unhealthy summary the worst dependent, if the declaration of the kind names them. Reason, Message, Severity and
	// the first Evidence are those of the condition.
	Type      string            `json:"type,omitempty"`
	Condition conditions.Status `json:"condition,omitempty"`
	// Reason is one CamelCase word: the reason of the deciding condition, or else one of this package.
	Reason string `json:"reason,omitempty"`
	// Severity is that of the condition as it is written, or else the declared one.
	Severity conditions.Severity `json:"severity,omitempty"`
	// Message is one sentence for people.
	Message string `json:"message,omitempty"`
	// Since is the last transition of the deciding condition or, for a verdict that rests on fields without a time, the last write of the
	// status, as far as managed fields have it; zero if the object has neither.
	Since time.Time `json:"since,omitzero"`
	// Remedy describes what a person can do about it, if it is declared.
	Remedy string `json:"remedy,omitempty"`
	// Own reports whether the condition is declared to be about the object itself rather than derived from its children.
	Own bool `json:"own,omitempty"`
	// Rule names the rule that decided, as "builtin/Deployment" or "condition/negative". Its first part is the knowledge that it rests on.
	Rule string `json:"rule,omitempty"`
	// Evidence lists the fields that the verdict rests on, the deciding one first, at most four.
	Evidence []Evidence `json:"evidence,omitempty"`
	// Others are the other unhealthy conditions, the worst first. A verdict of Current, Suspended or Terminating lists its doubts in
	// Contradictions instead.
	Others []Complaint `json:"others,omitempty"`
	// Contradictions lists, in a few words each, why the verdict may be wrong: evidence for another one, or no evidence. At most two are kept.
	Contradictions []string `json:"contradictions,omitempty"`
	// NextLook is when the answer changes by time alone; zero if it does not.
	NextLook time.Time `json:"nextLook,omitzero"`
	// Budget is how long the object may be in progress; 0 if it is not in progress, or waits by design.
	//
	// The first of these counts: the end that the controller has stored in status.waits for the deciding condition; a deadline of the object
	// itself (progressDeadlineSeconds, activeDeadlineSeconds, timeout), the deadline of the cell in its catalog, the deadline of its pack; no
	// limit for a wait by design and a task that has begun; 15 minutes.
	Budget time.Duration `json:"-"`
	// Due is when an object that is still in progress is overdue; zero if it never is, or if no time is known from which its budget counts. It
	// is the budget after the beginning. The first of these that is known is the beginning:
	//
	//  1. the one that the controller has stored in status.waits for the deciding condition;
	//  2. for a generation that was not observed yet, the last write of the spec, which of generation 1 is the creation;
	//  3. the last transition of the deciding condition, or the last write of the status without one, or the last write of the spec, whichever
	//     is latest;
	//  4. the newest transition or update of any condition, or the start of a task: the present phase has not begun before it, as far as
	//     anybody can see;
	//  5. the creation, if the spec was never changed and the status is empty, or the object is in a phase that only a new one has
	//     (firstWords).
	Due time.Time `json:"due,omitzero"`
}

// Evidence is one field that a verdict rests on, with its path and value.
type Evidence = answer.Evidence

// A Complaint is an unhealthy condition, with what a person can do about it if that is declared: a [conditions.Condition] with a Remedy.
type Complaint = answer.Complaint

// Confidence returns Sure, or Doubt if there are contradictions. A declared failure is sure, whatever the object claims.
func (v *Verdict) Confidence() Confidence {
	if len(v.Contradictions) > 0 && !(v.Status.Broken() && Declared(v.Rule)) {
		return Doubt
	}
	return Sure
}

// Follow rests the verdict on a condition, for packs: its message and last transition, and its status as evidence.
func (v *Verdict) Follow(c Condition) {
	of := c.read()
	v.Type, v.Condition, v.Severity = c.Type, c.Status, of.Severity()
	v.Message = of.Sentence().String()
	a := answer.Answer{Verdict: answer.Verdict(*v)}
	a.Since = time.Time{}
	a.ProveCondition(of)
	*v = Verdict(a.Verdict)
}

// Prove adds a field to the evidence, for packs. Only the first four are kept.
func (v *Verdict) Prove(path string, value any) {
	a := answer.Answer{Verdict: answer.Verdict(*v)}
	a.ProveAt(object.PathItself, path, "", object.Of(value))
	v.Evidence = a.Evidence
}
