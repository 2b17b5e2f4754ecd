// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"strings"

	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// stateTable has the rules for the word of a state field.
var stateTable = table{stateImpaired, stateBroken, stateExplained, stateForeign, stateBusy,
	statePartOff, stateOff, stateUnknown, stateWell, stateStrange}

// state hands the word of a state field to its rules.
func (ev *evidence) state(at object.Place, a, b string, n object.Value) {
	value := n.Text()
	if value == "" || len(value) > 200 {
		return
	}
	e := &ev.entry
	e.Place, e.A, e.B, e.N, e.value, e.component = at, a, b, n, value, b != ""
	e.meaning = ev.Words.MeaningOfState(value, ev.isTask())
	if e.meaning == lexicon.Good && b == "" && strings.EqualFold(value, "running") && begins(a, workStarts) {
		e.meaning = lexicon.UnderWay
	}
	r := stateTable.first(ev, e)
	if r == nil {
		return
	}
	cl := e.claim(r, value, object.FieldIs.Of(a, value))
	if r != stateWell && b == "" {
		if words := statusText(ev.Status); words != "" {
			cl.msg = object.Text(words)
		}
	}
	switch r {
	case stateWell:
		ev.claimHealthy(&cl)
		return
	case stateExplained:
		explained(ev.Words, &cl, ev.Status)
	}
	ev.claim(&cl)
}

var (
	stateImpaired = &Rule{ID: "state/impaired", Tier: tierImpaired, Says: answer.Degraded,
		Looks: "a state in a word for serving all the same: Degraded, HEALTH_WARN, ONLINE_PARTIAL",
		Why:   "Partly good is worse than good and better than broken; whatever is worse decides.",
		Yes:   lamp(`status: {health: degraded}`),
		No:    lamp(`status: {health: broken}`),
		match: func(ev *evidence, e *entry) bool {
			return e.meaning == lexicon.Broken && ev.Words.Impaired(e.value)
		}}
	stateBroken = &Rule{ID: "state/broken", Tier: tierStateBroken, Says: answer.Failed,
		Looks: "a state, or the result of a run, in a word of failure",
		Why: "Operators without conditions report the state of the object in one word. Next to it a list of conditions that have states and " +
			"no types is its history.",
		Yes:   lamp(`status: {phase: Failed}`),
		No:    lamp(`status: {phase: Failing over}`),
		match: func(_ *evidence, e *entry) bool { return e.meaning == lexicon.Broken }}
	stateExplained = &Rule{ID: "state/explained", Tier: tierStateBroken, Says: answer.Failed,
		Looks: "a state that only negates a good one, next to a reason or a message of failure",
		Why:   "Inactive may pass; inactive because of an error does not.",
		Yes:   lamp(`status: {state: Inactive, message: the graph is invalid}`),
		No:    lamp(`status: {state: Inactive, message: nobody asked}`),
		match: func(ev *evidence, e *entry) bool {
			var cl claim
			return e.meaning == lexicon.NotSo && !e.component && explained(ev.Words, &cl, ev.Status)
		}}
	stateForeign = &Rule{ID: "state/foreign", Tier: tierStateBusy, Says: answer.InProgress, Unless: unlessSummary,
		Looks: "such a word as for state/busy in capital letters",
		Why: "It is copied from another API, as that of a cloud, which has its own meaning: a stream that is RUNNING, a job that is NOT_STARTED. " +
			"A summary that is True outweighs it, and a doubt stays.",
		Yes: lamp(`status: {state: NOT_STARTED}`),
		No:  lamp(`status: {state: NOT_STARTED, conditions: [{type: Ready, status: "True"}]}`),
		match: func(_ *evidence, e *entry) bool {
			return (e.meaning == lexicon.NotSo || e.meaning == lexicon.UnderWay) && strings.ToUpper(e.value) == e.value
		}}
	stateBusy = &Rule{ID: "state/busy", Tier: tierStateBusy, Says: answer.InProgress,
		Looks: "a state, or the result of a run, in a word for something that is under way or to come",
		Why:   "Creating, Pending, IN_PROGRESS; of a task also Running.",
		Yes:   lamp(`status: {phase: Creating}`),
		No:    lamp(`status: {phase: Created}`),
		match: func(_ *evidence, e *entry) bool {
			return e.meaning == lexicon.NotSo || e.meaning == lexicon.UnderWay
		}}
	statePartOff = &Rule{ID: "state/component-off", Tier: tierStateOff, Says: answer.Suspended, Unless: unlessStateHealthy,
		Looks: "the state of a component that is held or off",
		Why:   "The object is off only if no component is in a good state.",
		Yes:   lamp(`status: {backend: {state: Paused}}`),
		No:    lamp(`status: {phase: Running, backend: {state: Paused}}`),
		match: func(ev *evidence, e *entry) bool {
			return e.meaning == lexicon.Held && (e.component || e.Place == object.PathStatus && stateKey(e.A) == 1 && !ofWhole(e.A, ev.Kind))
		}}
	stateOff = &Rule{ID: "state/off", Tier: tierStateOff, Says: answer.Suspended,
		Looks: "a state in a word for being held or off",
		Why:   "It is off on purpose.",
		Yes:   lamp(`status: {phase: Hibernated}`),
		No:    lamp(`status: {phase: Running}`),
		match: func(_ *evidence, e *entry) bool { return e.meaning == lexicon.Held }}
	stateUnknown = &Rule{ID: "state/unknown", Tier: tierUnknownState, Says: answer.Unknown,
		Looks: "a state that is the word unknown",
		Why:   "The author does not know either.",
		Yes:   lamp(`status: {phase: Unknown}`),
		No:    lamp(`status: {phase: Ready}`),
		match: func(_ *evidence, e *entry) bool { return e.meaning == lexicon.NotKnown }}
	stateWell = &Rule{ID: "state/well", Tier: tierStateHealthy, Says: answer.Current,
		Looks: "a state in a good word, or the result of a task in one",
		Why:   "Operators without conditions report the state of the object in one word.",
		Yes:   lamp(`status: {phase: Running}`),
		No:    task(`status: {phase: Running}`),
		notes: func(ev *evidence, e *entry) { ev.ended, ev.stateHealthy = ev.ended || !e.component, true },
		match: func(_ *evidence, e *entry) bool { return e.meaning == lexicon.Good }}
	stateStrange = &Rule{ID: "state/strange", Tier: tierStrangeState, Says: answer.Unknown, doubt: noEvidence,
		Looks: "a state in a word that is not known",
		Why:   "The state is not in the lexicon; any other evidence outweighs it.",
		Yes:   lamp(`status: {phase: Purple}`),
		No:    lamp(`status: {phase: Purple, conditions: [{type: Ready, status: "True"}]}`),
		match: func(_ *evidence, e *entry) bool { return !e.component && stateKey(e.A) == 2 }}
)

// overByState reports whether the phase or the state of the object is a word for the end of its work.
func (ev *evidence) overByState() bool {
	return overStates[ev.Status.TextAt("phase")] || overStates[ev.Status.TextAt("state")]
}

var overStates = lexicon.SetOf(lexicon.List("overStates"))

// lastTable has the rule for the state of the last run.
var lastTable = table{lastBroken}

// lastRun hands the state of the last run to its rule.
func (ev *evidence) lastRun(a, b string, n object.Value) {
	e := &ev.entry
	e.Place, e.A, e.B, e.N, e.value = object.PathStatus, a, b, n, n.Text()
	e.meaning = ev.Words.MeaningOfHead(e.value)
	if r := lastTable.first(ev, e); r != nil {
		cl := e.claim(r, e.value, object.FieldIs.Of(a, e.value))
		ev.claim(&cl)
	}
}

var (
	lastBroken = &Rule{ID: "last-run/broken", Tier: tierLastBroken, Says: answer.Failed,
		Looks: "the state or result of the last run that is a word of failure",
		Why:   "Without other evidence the result of the last run is the state of the object.",
		Yes:   lamp(`status: {lastRun: {state: Failed}}`),
		No:    lamp(`status: {phase: Ready, lastRun: {state: Failed}}`),
		match: func(_ *evidence, e *entry) bool { return e.meaning == lexicon.Broken }}
)

// stateRules are the rules about states.
var stateRules = []*Rule{stateBroken, stateImpaired, stateExplained, stateForeign, stateBusy, stateOff,
	statePartOff, stateUnknown, stateWell,
	stateStrange,
	lastBroken}
