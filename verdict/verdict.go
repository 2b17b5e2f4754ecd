// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/object"
)

// A Verdict is the answer about one object, with its evidence. It is a value: it may be copied and kept, and keeps at most the evidence of
// the judged object alive.
type Verdict struct {
	Status Status
	// Ready reports whether the object can be used now. It may be true of a Degraded object (it serves, but impaired) and
	// of an InProgress one (a rolling update), and is false of a Suspended one.
	Ready bool
	// Type and Condition are the condition that the verdict rests on and its status; empty if it rests on something else. It is the most
	// specific one: under an unhealthy summary the worst dependent, if the declaration of the kind names them. Reason, Message, Severity and
	// the first Evidence are those of the condition.
	Type      string
	Condition conditions.Status
	// Reason is one CamelCase word: the reason of the deciding condition, or else one of this package.
	Reason string
	// Severity is that of the condition as it is written, or else the declared one.
	Severity conditions.Severity
	// Remedy describes what a person can do about it, if it is declared.
	Remedy string
	// Own reports whether the condition is declared to be about the object itself rather than derived from its children.
	Own        bool
	Confidence Confidence
	// Rule names the rule that decided, as "builtin/Deployment" or "condition/negative".
	Rule string
	// Others are the other unhealthy conditions, the worst first. A verdict of Current, Suspended or Terminating lists its doubts in
	// Contradictions instead.
	Others []Complaint
	// NextLook is when the answer changes by time alone; zero if it does not.
	NextLook time.Time

	proof answer.Proof
}

// take takes over the answer of a finished judgement.
func (v *Verdict) take(j *answer.Judgement) {
	a := &j.Answer
	v.Status, v.Ready, v.Type, v.Condition, v.Reason = Status(a.Status), a.Ready, a.Type, a.Condition, a.Reason
	v.Severity, v.Remedy, v.Own = a.Severity, a.Remedy, a.Own
	v.Confidence, v.Rule, v.NextLook, v.proof = Confidence(a.Confidence), a.Rule, a.NextLook, a.Proof
	switch v.Status {
	case Current, Suspended, Terminating:
	default:
		v.Others = j.Others
	}
}

// answer is the reverse of take.
func (v *Verdict) answer() (a answer.Answer) {
	a.Status, a.Ready, a.Type, a.Condition, a.Reason = answer.Status(v.Status), v.Ready, v.Type, v.Condition, v.Reason
	a.Severity, a.Remedy, a.Own = v.Severity, v.Remedy, v.Own
	a.Confidence, a.Rule, a.NextLook, a.Proof = answer.Confidence(v.Confidence), v.Rule, v.NextLook, v.proof
	return a
}

// Message returns one sentence for people.
func (v *Verdict) Message() string { return v.proof.Message.String() }

// Say sets the message, for packs.
func (v *Verdict) Say(sentence string) { v.proof.Message = object.Text(sentence) }

// SayIs sets the message "field is word", for packs.
func (v *Verdict) SayIs(field, word string) { v.proof.Message = object.FieldIs.Of(field, word) }

// Follow rests the verdict on a condition, for packs: its message and last transition, and its status as evidence.
func (v *Verdict) Follow(c Condition) {
	of := c.read()
	v.Type, v.Condition, v.Severity = c.Type, c.Status, of.Severity()
	v.proof.Message, v.proof.Since = of.Sentence(), ""
	v.proof.ProveCondition(of)
}

// Prove adds a field to the evidence, for packs. Only the first four are kept.
func (v *Verdict) Prove(path string, value any) {
	v.proof.ProveAt(object.PathItself, path, "", object.Of(value))
}

// Since returns the last transition of the deciding condition or, for a verdict that rests on fields without a time, the last write of the
// status, as far as managed fields have it; zero if the object has neither.
func (v *Verdict) Since() time.Time { return object.TimeOf(v.proof.Since) }

// Evidence lists the fields that the verdict rests on, the deciding one first.
func (v *Verdict) Evidence() []Evidence {
	facts := v.proof.Facts()
	if len(facts) == 0 {
		return nil
	}
	out := make([]Evidence, len(facts))
	for i := range out {
		out[i] = evidenceOf(&facts[i])
	}
	return out
}

// Contradictions lists, in a sentence each, evidence against a healthy status that the object reports.
func (v *Verdict) Contradictions() []string { return v.proof.Contradictions() }
