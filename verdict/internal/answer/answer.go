// SPDX-License-Identifier: Apache-2.0

package answer

import (
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
	Unknown     Status = "Unknown"
)

// Broken reports whether a person has to look.
func (s Status) Broken() bool { return s == Degraded || s == Failed }

// Confidence is the kind of knowledge that an answer rests on.
type Confidence string

// The confidences, best first.
const (
	FromCatalog   Confidence = "catalog"
	FromBuiltin   Confidence = "builtin"
	FromCondition Confidence = "condition"
	FromHeuristic Confidence = "heuristic"
	FromNothing   Confidence = "none"
)

// Answer is a verdict while it is found. Its fields are those of a verdict.
type Answer struct {
	Status     Status
	Ready      bool
	Type       string
	Condition  conditions.Status
	Reason     string
	Severity   conditions.Severity
	Remedy     string
	Own        bool
	Confidence Confidence
	Rule       string
	NextLook   time.Time
	Proof
}

// Set sets the answer.
func (v *Answer) Set(s Status, c Confidence, rule, reason string, m object.Message) {
	v.Status, v.Confidence, v.Rule, v.Reason, v.Message = s, c, rule, reason, m
	v.Ready = s == Current || s == Degraded
}

// RestOn makes a condition the one that an answer rests on.
func (v *Answer) RestOn(c *object.Condition) {
	v.Type, v.Condition, v.Severity = c.Type, c.Status, c.Severity()
}

const (
	maxFacts          = 4
	maxContradictions = 2
)

// Proof is what an answer rests on, in parts: texts are composed when they are asked for.
type Proof struct {
	Message object.Message
	Since   string
	Begun   int64         // when the progress began, in Unix seconds
	Budget  time.Duration // how long it may last; 0: for ever
	// Convention is the number of the rule of the conventions that decided; 0: none did.
	Convention uint16
	SetAside   uint8 // the reservations that held, a bit each

	nfacts, ncontras int8
	facts            [maxFacts]object.Fact
	contras          [maxContradictions]contradiction
}

// contradiction is a healthy status that the object reports (a condition of type claim, True) and the evidence against it.
type contradiction struct {
	claim   string
	against object.Message
}

// Prove adds a field to the evidence while there is room.
func (p *Proof) Prove(f object.Fact) { p.ProveAt(f.Place, f.A, f.B, f.N) }

// ProveAt is Prove without a copy of the fact: most judgements need it once or twice.
func (p *Proof) ProveAt(at object.Place, a, b string, n object.Value) {
	if int(p.nfacts) < maxFacts {
		f := &p.facts[p.nfacts]
		f.Place, f.A, f.B, f.N = at, a, b, n
		p.nfacts++
	}
}

// ProveAgain adds the facts of another answer behind its own.
func (p *Proof) ProveAgain(was *Proof) {
	for i := range was.nfacts {
		p.Prove(was.facts[i])
	}
}

// ProveCondition adds the status of a condition, and its last transition if the answer has no time yet.
func (p *Proof) ProveCondition(c *object.Condition) {
	p.ProveAt(object.PathCondition, c.Type, "status", c.N.Get("status"))
	if p.Since == "" {
		p.Since = c.N.TextAt("lastTransitionTime")
	}
}

// Disprove removes all facts.
func (p *Proof) Disprove() { p.nfacts = 0 }

// Facts returns the evidence, the deciding field first.
func (p *Proof) Facts() []object.Fact { return p.facts[:p.nfacts] }

// Contradict adds evidence against a healthy status while there is room.
func (p *Proof) Contradict(claim string, against object.Message) {
	if int(p.ncontras) < maxContradictions {
		p.contras[p.ncontras] = contradiction{claim, against}
		p.ncontras++
	}
}

// Agree removes all contradictions.
func (p *Proof) Agree() { p.ncontras = 0 }

// Contradictions returns, in a sentence each, evidence against a healthy status that the object reports.
func (p *Proof) Contradictions() []string {
	var out []string
	for _, c := range p.contras[:p.ncontras] {
		out = append(out, "claims "+c.claim+", but "+c.against.String())
	}
	return out
}
