// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// scalar weighs a word of a state field.
func (g *gather) scalar(at place, a, b string, n node) {
	value := n.str()
	if value == "" || len(value) > 200 {
		return
	}
	cl := claim{conf: FromHeuristic, rule: "heuristic/state", at: at, a: a, b: b, n: n, msg: message{wording: fieldIs, s1: a, s2: value}}
	cl.reason = value
	s := senseOfState(value, g.isTask())
	if s == senseGood && b == "" && strings.EqualFold(value, "running") && workKey(a) {
		s = senseBusy
	}
	switch s {
	case senseBad:
		cl.status, cl.weight = Failed, weightBad-1
		if impaired(value) {
			cl.status, cl.weight = Degraded, weightBad-4 // what is worse decides
		}
	case senseVague, senseBusy:
		cl.status, cl.weight = InProgress, weightBusy-1
		if s == senseVague && b == "" && cl.explained(g.status) {
			cl.status, cl.weight = Failed, weightBad-1
		}
	case senseOff:
		cl.status, cl.weight = Suspended, weightOffSaid
		if b != "" || at == atStatus && stateKey(a) == 1 && !ofWhole(a, g.kind) {
			g.partlyOff(&cl)
			return
		}
	case senseUnknown:
		cl.status, cl.weight = Unknown, weightUnknown
	case senseGood:
		cl.weight = goodState
		g.finished = g.finished || b == ""
		g.stands = true
		g.speakFor(&cl)
		return
	default:
		if b == "" && stateKey(a) == 2 {
			g.strange(&cl)
		}
		return
	}
	g.against(&cl)
}

// partlyOff keeps the state of a part that is off. It is that of the whole where no state says that something is well.
func (g *gather) partlyOff(cl *claim) {
	if g.asleep.weight == 0 || cl.heavier(&g.asleep) {
		g.asleep = *cl
	}
}

// strange keeps a state whose word tells nothing. It counts where nothing else speaks: the object says how it is, in words that
// are not known.
func (g *gather) strange(cl *claim) {
	cl.status, cl.weight, cl.conf = Unknown, weightUnknown, FromNothing
	cl.rule = "none/strange-state"
	if g.last.weight == 0 || cl.heavier(&g.last) {
		g.last = *cl
	}
}

// impaired says whether a bad state is one in which an object serves all the same: Degraded, PartiallyReady.
func impaired(state string) bool {
	w := words{text: state}
	partly, well := false, false
	for b := w.next(); b != nil; b = w.next() {
		switch string(b) {
		case "degraded", "impaired", "warn", "warning":
			return true
		case "partial", "partially":
			partly = true
			continue
		}
		switch senseOfWord(b) {
		case senseGood:
			well = true
		case senseBad:
			return false
		}
	}
	return partly && well
}

// former keeps the state of the last run. It counts where nothing else speaks.
func (g *gather) former(a, b string, n node) {
	cl := claim{conf: FromHeuristic, rule: "heuristic/last", reason: n.str(), at: atStatus, a: a, b: b, n: n, msg: message{wording: fieldIs, s1: a, s2: n.str()}}
	switch senseOfEnd(n.str()) {
	case senseBad:
		cl.status, cl.weight = Failed, weightBad
	case senseBusy:
		cl.status, cl.weight = InProgress, weightBusy
	case senseGood:
		cl.status, cl.weight = Current, goodNegative
	default:
		return
	}
	if g.last.weight == 0 || cl.heavier(&g.last) {
		g.last = cl
	}
}
