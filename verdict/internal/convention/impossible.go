// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/object"
)

// skew is by how many seconds the clock of a cluster may be ahead.
const skew = 600

var impossible = &Rule{ID: "object/impossible", Tier: tierNonsense, Says: answer.Unknown, confidence: answer.FromNothing,
	Looks: "an observedGeneration, of the status or of a summary condition, that is higher than metadata.generation or below -1, which " +
		"means none yet, or conditions without types only",
	Why:  "An impossible status was not written by the controller, or it was written for another object, as after a restore from a backup.",
	Keep: neverReal,
	Yes:  lamp(`{metadata: {generation: 2}, status: {observedGeneration: 7, phase: Ready}}`),
	No:   lamp(`{metadata: {generation: 7}, status: {observedGeneration: 7, phase: Ready}}`)}

var fromTheFuture = &Rule{ID: "object/future", Tier: tierNonsense, Says: answer.Unknown, confidence: answer.FromNothing,
	Looks: "the time of the condition that decides, where it is later than now by more than ten minutes",
	Why:   "No controller with a clock writes a time in the future; a few minutes are the difference between two clocks.",
	Keep:  neverReal,
	Yes:   lamp(`status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2999-01-01T00:00:00Z"}]}`),
	No:    lamp(`status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2020-01-01T00:00:00Z"}]}`)}

// Future turns an answer that rests on a condition with a time in the future into Unknown.
func (c *Conventions) Future(j *answer.Judgement) {
	if j.Answer.Since == "" || j.Answer.Status == answer.Terminating || c.Without[fromTheFuture.ID] {
		return
	}
	now := j.Now.Unix()
	if now <= 0 || c.limit.NotAfter(j.Answer.Since, now+skew) || object.UnixOf(j.Answer.Since) <= now+skew {
		return
	}
	was := j.Answer
	c.impossible(j, fromTheFuture, "TimeInFuture", object.FieldIs("lastTransitionTime", was.Since))
	j.Answer.ProveAgain(&was.Proof)
}

// Impossible answers that the status of an object is impossible.
func (c *Conventions) Impossible(j *answer.Judgement, reason string, m object.Message) {
	c.impossible(j, impossible, reason, m)
}

func (c *Conventions) impossible(j *answer.Judgement, r *Rule, reason string, m object.Message) {
	j.Answer, j.Others = answer.Answer{}, nil
	j.Answer.Set(r.Says, r.confidence, r.ID, reason, m)
	j.Answer.Convention = r.number
	if c.Trace != nil {
		c.Trace.claims = append(c.Trace.claims, claim{rule: r, tier: r.Tier, says: r.Says, reason: reason, msg: m})
	}
}

// FoundImpossible reports whether an answer is that the status is impossible.
func FoundImpossible(a *answer.Answer) bool { return a.Convention == impossible.number }

// Behind is the answer for a status about another generation than that of the object.
func (c *Conventions) Behind(j *answer.Judgement, confidence answer.Confidence, rule string, seen int64) {
	m := object.Generations(j.Generation, seen)
	if ImpossibleGeneration(seen, j.Generation) {
		c.Impossible(j, "ImpossibleGeneration", m)
	} else {
		j.Answer.Set(answer.InProgress, confidence, rule, "GenerationNotObserved", m)
	}
	j.ProveStatus("observedGeneration")
	j.ProveGeneration()
}

// ImpossibleGeneration reports whether no controller can have observed a generation. -1 is possible: Flux has it as the default.
func ImpossibleGeneration(seen, generation int64) bool {
	return generation >= 0 && (seen > generation || seen < -1)
}
