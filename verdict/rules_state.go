// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// stateTable is for the word of a field that names a state.
var stateTable = table{stateImpaired, stateBroken, stateExplained, stateBusy, statePartOff, stateOff, stateUnknown, stateWell, stateStrange}

// state hands the word of a state field to its rules.
func (g *gather) state(at place, a, b string, n node) {
	value := n.str()
	if value == "" || len(value) > 200 {
		return
	}
	e := &g.ev
	e.at, e.a, e.b, e.n, e.value, e.part = at, a, b, n, value, b != ""
	e.sense = g.words.senseOfState(value, g.isTask())
	if e.sense == senseGood && b == "" && strings.EqualFold(value, "running") && workKey(a) {
		e.sense = senseBusy
	}
	r := stateTable.first(g, e)
	if r == nil {
		return
	}
	cl := e.make(r, value, message{wording: fieldIs, s1: a, s2: value})
	switch r {
	case stateWell:
		g.finished = g.finished || b == ""
		g.stands = true
		g.speakFor(&cl)
		return
	case stateExplained:
		g.words.explained(&cl, g.status)
	}
	g.claim(&cl)
}

var (
	stateImpaired = &Rule{ID: "state/impaired", Tier: Impaired, Says: Degraded, confidence: FromHeuristic,
		Looks: "a state in a word for serving all the same: Degraded, HEALTH_WARN, ONLINE_PARTIAL",
		Why:   "Partly good is worse than good and better than broken; whatever is worse decides.",
		Yes:   lamp(`status: {health: degraded}`),
		No:    lamp(`status: {health: broken}`),
		match: func(g *gather, e *evidence) bool { return e.sense == senseBad && g.words.impaired(e.value) }}
	stateBroken = &Rule{ID: "state/broken", Tier: StateBroken, Says: Failed, confidence: FromHeuristic,
		Looks: "a state in a word of failure",
		Why:   "Operators without conditions say in one word how the object is.",
		Yes:   lamp(`status: {phase: Failed}`),
		No:    lamp(`status: {phase: Failing over}`),
		match: func(_ *gather, e *evidence) bool { return e.sense == senseBad }}
	stateExplained = &Rule{ID: "state/explained", Tier: StateBroken, Says: Failed, confidence: FromHeuristic,
		Looks: "a state that only says that the object is not so, beside a reason or a message of failure",
		Why:   "Inactive may pass; inactive because of an error does not.",
		Yes:   lamp(`status: {state: Inactive, message: the graph is invalid}`),
		No:    lamp(`status: {state: Inactive, message: nobody asked}`),
		match: func(g *gather, e *evidence) bool {
			var cl claim
			return e.sense == senseVague && !e.part && g.words.explained(&cl, g.status)
		}}
	stateBusy = &Rule{ID: "state/busy", Tier: StateBusy, Says: InProgress, confidence: FromHeuristic,
		Looks: "a state in a word for something that is under way or to come",
		Why:   "Creating, Pending, IN_PROGRESS; of a task also Running.",
		Yes:   lamp(`status: {phase: Creating}`),
		No:    lamp(`status: {phase: Created}`),
		match: func(_ *gather, e *evidence) bool { return e.sense == senseVague || e.sense == senseBusy }}
	statePartOff = &Rule{ID: "state/component-off", Tier: StateOff, Says: Suspended, Unless: UnlessStateWell, confidence: FromHeuristic,
		Looks: "the state of a component that is held or off",
		Why:   "The object is off only if no component is in a good state.",
		Yes:   lamp(`status: {backend: {state: Paused}}`),
		No:    lamp(`status: {phase: Running, backend: {state: Paused}}`),
		match: func(g *gather, e *evidence) bool {
			return e.sense == senseOff && (e.part || e.at == atStatus && stateKey(e.a) == 1 && !ofWhole(e.a, g.kind))
		}}
	stateOff = &Rule{ID: "state/off", Tier: StateOff, Says: Suspended, confidence: FromHeuristic,
		Looks: "a state in a word for being held or off",
		Why:   "Off on purpose, in so many words.",
		Yes:   lamp(`status: {phase: Hibernated}`),
		No:    lamp(`status: {phase: Running}`),
		match: func(_ *gather, e *evidence) bool { return e.sense == senseOff }}
	stateUnknown = &Rule{ID: "state/unknown", Tier: UnknownState, Says: Unknown, confidence: FromHeuristic,
		Looks: "a state that says that it is not known",
		Why:   "The author does not know either.",
		Yes:   lamp(`status: {phase: Unknown}`),
		No:    lamp(`status: {phase: Ready}`),
		match: func(_ *gather, e *evidence) bool { return e.sense == senseUnknown }}
	stateWell = &Rule{ID: "state/well", Tier: StateWell, Says: Current, confidence: FromHeuristic,
		Looks: "a state in a good word",
		Why:   "Operators without conditions say in one word how the object is.",
		Yes:   lamp(`status: {phase: Running}`),
		No:    task(`status: {phase: Running}`),
		match: func(_ *gather, e *evidence) bool { return e.sense == senseGood }}
	stateStrange = &Rule{ID: "state/strange", Tier: StrangeState, Says: Unknown, confidence: FromNothing,
		Looks: "a state in a word that is not known",
		Why:   "The object says how it is, in words that are not known; everything else counts before that.",
		Yes:   lamp(`status: {phase: Purple}`),
		No:    lamp(`status: {phase: Purple, conditions: [{type: Ready, status: "True"}]}`),
		match: func(_ *gather, e *evidence) bool { return !e.part && stateKey(e.a) == 2 }}
)

// lastTable is for the state of the last run.
var lastTable = table{lastBroken}

// former hands the state of the last run to its rules.
func (g *gather) former(a, b string, n node) {
	e := &g.ev
	e.at, e.a, e.b, e.n, e.value = atStatus, a, b, n, n.str()
	e.sense = g.words.senseOfEnd(e.value)
	if r := lastTable.first(g, e); r != nil {
		cl := e.make(r, e.value, message{wording: fieldIs, s1: a, s2: e.value})
		g.claim(&cl)
	}
}

var (
	lastBroken = &Rule{ID: "last-run/broken", Tier: LastBroken, Says: Failed, confidence: FromHeuristic,
		Looks: "the state or result of the last run that is a word of failure",
		Why:   "How the last run ended says how the object is where nothing else does.",
		Yes:   lamp(`status: {lastRun: {state: Failed}}`),
		No:    lamp(`status: {phase: Ready, lastRun: {state: Failed}}`),
		match: func(_ *gather, e *evidence) bool { return e.sense == senseBad }}
)

// stateRules are the rules for states.
var stateRules = []*Rule{stateBroken, stateImpaired, stateExplained, stateBusy, stateOff, statePartOff, stateUnknown, stateWell, stateStrange,
	lastBroken}
