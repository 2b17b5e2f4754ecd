// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"time"

	"github.com/tristate/tristate/conditions"
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
	// NextLook is when the answer changes by time alone; zero if it does not.
	NextLook time.Time

	since    string
	begun    int64         // when the progress began, in Unix seconds
	budget   time.Duration // how long it may last; 0: for ever
	message  message
	facts    [maxProofs]fact
	nfacts   int8
	ncontra  int8
	contras  [maxContradictions]contradiction
	rule     *Rule // the convention that decided, if one did
	setAside uint8 // the reservations that held, a bit each
}

// Message returns one sentence for people.
func (v *Verdict) Message() string { return v.message.String() }

// Say sets the message, for packs.
func (v *Verdict) Say(sentence string) { v.message = text(sentence) }

// SayIs sets the message "field is word", for packs.
func (v *Verdict) SayIs(field, word string) {
	v.message = message{format: fieldIs, s1: field, s2: word}
}

// Follow rests the verdict on a condition, for packs: its message and last transition, and its status as evidence.
func (v *Verdict) Follow(c Condition) {
	v.restOn(&c)
	v.message, v.since = c.text(), ""
	v.proveCondition(&c)
}

// Prove adds a field to the evidence, for packs. Only the first four are kept.
func (v *Verdict) Prove(path string, value any) { v.prove(fact{at: atPath, a: path, n: Object{value}}) }

// Since returns the last transition of the deciding condition or, for a verdict that rests on fields without a time, the last write of the
// status, as far as managed fields have it; zero if the object has neither.
func (v *Verdict) Since() time.Time { return timeOf(v.since) }

// Evidence lists the fields that the verdict rests on, the deciding one first.
func (v *Verdict) Evidence() []Evidence {
	if v.nfacts == 0 {
		return nil
	}
	out := make([]Evidence, v.nfacts)
	for i := range out {
		f := &v.facts[i]
		out[i] = Evidence{Path: f.path(), Value: f.n.Value()}
	}
	return out
}

// Contradictions lists, in a sentence each, evidence against a healthy status that the object reports.
func (v *Verdict) Contradictions() []string {
	if v.ncontra == 0 {
		return nil
	}
	out := make([]string, v.ncontra)
	for i := range out {
		out[i] = v.contras[i].String()
	}
	return out
}

const maxContradictions = 2

// contradiction is a healthy status that the object reports (a condition of type claim, True) and the evidence against it.
type contradiction struct {
	claim   string
	against message
}

func (c contradiction) String() string { return "claims " + c.claim + ", but " + c.against.String() }

// contradict adds a contradiction while there is room.
func (v *Verdict) contradict(claim string, against message) {
	if int(v.ncontra) < maxContradictions {
		v.contras[v.ncontra] = contradiction{claim, against}
		v.ncontra++
	}
}
