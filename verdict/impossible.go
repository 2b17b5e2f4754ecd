// SPDX-License-Identifier: Apache-2.0

package verdict

// skew is by how many seconds the clock of a cluster may be ahead.
const skew = 600

var impossible = &Rule{ID: "object/impossible", Tier: tierNonsense, Says: Unknown, confidence: FromNothing,
	Looks: "an observedGeneration, of the status or of a summary condition, that is higher than metadata.generation or below -1, which " +
		"means none yet, or conditions without types only",
	Why:  "An impossible status was not written by the controller, or it was written for another object, as after a restore from a backup.",
	Keep: neverReal,
	Yes:  lamp(`{metadata: {generation: 2}, status: {observedGeneration: 7, phase: Ready}}`),
	No:   lamp(`{metadata: {generation: 7}, status: {observedGeneration: 7, phase: Ready}}`)}

var fromTheFuture = &Rule{ID: "object/future", Tier: tierNonsense, Says: Unknown, confidence: FromNothing,
	Looks: "the time of the condition that decides, where it is later than now by more than ten minutes",
	Why:   "No controller with a clock writes a time in the future; a few minutes are the difference between two clocks.",
	Keep:  neverReal,
	Yes:   lamp(`status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2999-01-01T00:00:00Z"}]}`),
	No:    lamp(`status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2020-01-01T00:00:00Z"}]}`)}

// future turns a verdict that rests on a condition with a time in the future into Unknown.
func (j *judgement) future() {
	if j.v.since == "" || j.v.Status == Terminating || j.e.without[fromTheFuture.ID] {
		return
	}
	now := j.now.Unix()
	if now <= 0 || before(&j.e.limit, j.v.since, now+skew) || unixOf(j.v.since) <= now+skew {
		return
	}
	was := j.v
	j.concludeImpossible(fromTheFuture, "TimeInFuture", message{format: fieldIs, s1: "lastTransitionTime", s2: was.since})
	j.v.proveAgain(&was)
}

// concludeImpossible answers that the status of an object is impossible.
func (j *judgement) concludeImpossible(r *Rule, reason string, m message) {
	j.v, j.others = Verdict{}, nil
	j.v.answer(r.Says, r.confidence, r.ID, reason, m)
	j.v.rule = r
	if j.e.trace != nil {
		*j.e.trace = append(*j.e.trace, claim{rule: r, tier: r.Tier, says: r.Says, reason: reason, msg: m})
	}
}

// impossibleGeneration reports whether no controller can have observed a generation. -1 is possible: Flux has it as the default.
func impossibleGeneration(seen, generation int64) bool {
	return generation >= 0 && (seen > generation || seen < -1)
}
