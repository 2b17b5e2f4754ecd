// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

var (
	unfinished = &Rule{ID: "task/unfinished", Tier: tierUnfinished, Says: answer.InProgress,
		Looks: "the conditions of a task, none of which reports its end",
		Why:   "A task runs and ends; until a condition reports its end, it runs.",
		Yes:   task(`status: {conditions: [{type: PodsCreated, status: "True"}]}`),
		No:    task(`status: {conditions: [{type: PodsCreated, status: "True"}, {type: Succeeded, status: "True"}]}`)}
	emptyList = &Rule{ID: "conditions/empty", Tier: tierEmptyList, Says: answer.InProgress,
		Looks: "a list of conditions, or of things that have conditions, without any",
		Why:   "No controller has reported yet.",
		Yes:   lamp(`status: {address: a, conditions: []}`),
		No:    lamp(`status: {phase: Ready, conditions: []}`)}
	textBroken = &Rule{ID: "text/broken", Tier: tierBrokenText, Says: answer.Failed,
		Looks: "the reason and the message of the status, without other evidence: words of failure",
		Why:   "Some statuses are a reason and a message.",
		Yes:   lamp(`status: {message: cannot connect}`),
		No:    lamp(`status: {message: connected}`)}
	textBusy = &Rule{ID: "text/busy", Tier: tierBusyText, Says: answer.InProgress,
		Looks: "the reason and the message of the status, without other evidence: words for something that is under way",
		Why:   "Some statuses are a reason and a message.",
		Keep:  "without it an object is Current of which nothing is known but that it waits",
		Yes:   lamp(`status: {message: waiting for a node}`),
		No:    lamp(`status: {message: a node}`)}
	deepBroken = &Rule{ID: "search/broken", Tier: tierBrokenText, Says: answer.Failed,
		Looks: "fields about a state, fields for errors, and the states of containers, at any depth of the status, without other evidence than " +
			"a condition that is no summary: words of failure, errors, exit codes other than 0, and containers that cannot start",
		Why: "A status has more than the fields that are usually read, and one of them reports a failure.",
		Yes: lamp(`status: {a: {b: {c: {replicationState: Failed}}}}`),
		No:  lamp(`status: {a: {b: {c: {replicationName: Failed}}}}`)}
	deepFailed = &Rule{ID: "search/failed", Tier: tierBrokenText, Says: answer.Degraded,
		Looks: "a number of failed things next to that of active, running, ready or healthy ones, in a map below the status, without other " +
			"evidence than a condition that is no summary or a state",
		Why: "The members of a role are counted by their present states. A number of its own, or one next to things that have succeeded, may " +
			"be old.",
		Keep: "the operators of training jobs and databases count the members of a role so, and the corpora have none that serves",
		Yes:  lamp(`status: {phase: Running, roles: {worker: {active: 1, failed: 2}}}`),
		No:   lamp(`status: {phase: Running, runs: {nightly: {active: 1, succeeded: 7, failed: 2}}}`)}
	deepBusy = &Rule{ID: "search/busy", Tier: tierBusyText, Says: answer.InProgress,
		Looks: "fields about a state at any depth of the status, without other evidence: words for something that is under way",
		Why:   "A status has more than the fields that are usually read.",
		Yes:   lamp(`status: {a: {b: {c: {replicationState: Pending}}}}`),
		No:    lamp(`status: {a: {b: {c: {replicationName: Pending}}}}`)}
	taskEnded = &Rule{ID: "task/ended", Tier: tierTimesOfTask, Says: answer.Current,
		Looks: "the time at which a task ended",
		Why:   "It has ended, and nothing reports a failure.",
		Yes:   task(`status: {startTime: "2026-01-02T03:04:05Z", completionTime: "2026-01-02T03:05:05Z"}`),
		No:    task(`status: {startTime: "2026-01-02T03:04:05Z"}`)}
	taskStarted = &Rule{ID: "task/started", Tier: tierTimesOfTask, Says: answer.InProgress,
		Looks: "the time at which a task started, without one at which it ended",
		Why:   "It runs.",
		Yes:   task(`status: {startTime: "2026-01-02T03:04:05Z"}`),
		No:    lamp(`status: {startTime: "2026-01-02T03:04:05Z"}`)}
	noSummary = &Rule{ID: "conditions/no-summary", Tier: tierNoSummary, Says: answer.InProgress, doubt: noEvidence,
		Looks: "conditions, none of which is about health",
		Why:   "A controller reports on the object, and has not reported that it is healthy.",
		Yes:   lamp(`status: {conditions: [{type: LeaderElected, status: "True"}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "True"}]}`)}
	notReported = &Rule{ID: "no-status/not-reported", Tier: tierNotReported, Says: answer.InProgress,
		Looks: "the definition of the kind, which has conditions or a phase, of an object that has neither",
		Why:   "They are still to come.",
		Keep:  ofDefinitions}
	nothingKnown = &Rule{ID: "no-status/nothing-known", Tier: tierNothingKnown, Says: answer.Current, doubt: noEvidence,
		Looks: "a status that holds nothing that can be judged",
		Why:   "There is no evidence against the object and none for it, so it is in doubt.",
		Yes:   lamp(`status: {address: a}`),
		No:    lamp(`status: {addressState: lost}`)}
)

// fallback makes claims from fields that are otherwise skipped, if nothing else made one.
func (ev *evidence) fallback() {
	switch {
	case ev.emptyConditions:
		ev.claimField(emptyList, "NotReported", object.Text("no condition was reported yet"), object.Fact{})
	case ev.judgeText(), ev.searchStates(), ev.noneReady():
	case ev.isTask() && ev.taskTimes():
	case ev.hasConditions:
		ev.claimField(noSummary, "NoSummary", object.Text("no condition says whether the object is healthy"),
			object.At(object.PathItself, ".status.conditions", "", ev.Status.Get("conditions")))
	case ev.hasUntyped:
		ev.claimField(impossible, "ImpossibleConditions", object.Text("no condition has a type"),
			object.At(object.PathItself, ".status.conditions", "", ev.Status.Get("conditions")))
	case ev.Expect.Known && (ev.Expect.Conditions || ev.Expect.Phase):
		ev.claimField(notReported, "NotReported", object.Text("the kind reports conditions or a phase, and this object has none yet"), object.Fact{})
	default:
		ev.claimField(nothingKnown, "NothingKnown", object.Text("the status holds nothing that can be judged"), object.Fact{})
	}
}

// judgeText hands the reason and the message of the status to their rules. It reports whether one made a claim.
func (ev *evidence) judgeText() bool {
	reason, msg := ev.Status.Get("reason"), ev.Status.Get("message")
	s, n, field := ev.Words.MeaningOf(reason.Text()), reason, "reason"
	if s <= lexicon.NotSo {
		if m := ev.Words.MeaningOfMessage(msg.Text()); m > lexicon.NotSo {
			s, n, field = m, msg, "message"
		}
	}
	name, m := reason.Text(), object.Text(msg.Text())
	if name == "" {
		name = "Message"
	} else if m.S1 == "" {
		m = object.FieldIs.Of(field, name)
	}
	switch s {
	case lexicon.Broken:
		ev.claimField(textBroken, name, m, object.InStatus(field, "", n))
	case lexicon.UnderWay:
		ev.claimField(textBusy, name, m, object.InStatus(field, "", n))
	default:
		return false
	}
	return true
}

// searchStates hands fields about a state at any depth to their rules. It reports whether one made a claim.
func (ev *evidence) searchStates() bool {
	for key, n := range ev.Status.Fields() {
		ev.searchState(key, key, n, searchDepth)
	}
	return ev.pick() != nil
}

// searchBroken searches for a failure below the status. It returns the claim about it, nil without one.
func (ev *evidence) searchBroken() *claim {
	found, was := &ev.claims[always], ev.claims[always]
	*found = claim{} // a weak claim, as a number of things that failed once
	ev.onlyStates = true
	ev.searchStates()
	ev.onlyStates = false
	if found.rule == deepBroken || found.rule == deepFailed {
		return found
	}
	*found = was
	return nil
}

const searchDepth = 6

// searchState searches below a member of the status; key is the last one of the path.
func (ev *evidence) searchState(top, key string, n object.Value, depth int) {
	if depth == 0 || key == "conditions" || historyKey(key) || formerKey(key) {
		return
	}
	switch n.Kind() {
	case object.Int:
		if code, _ := n.Number(); key == "exitCode" && code != 0 {
			ev.claimField(deepBroken, "Error", object.CountIs.Count(key, code, 0), object.At(object.PathDeep, top, key, n))
		}
	case object.String:
		if errorKey(key) && top != key {
			if holdsError(n) {
				ev.claimField(deepBroken, "Error", object.Text(n.Text()), object.At(object.PathDeep, top, key, n))
			}
			return
		}
		if !aboutState(key) || ev.onlyStates && stateKey(key) == 0 {
			return
		}
		r := deepBroken
		switch ev.Words.MeaningOfHead(n.Text()) {
		case lexicon.Broken:
		case lexicon.UnderWay, lexicon.NotSo:
			r = deepBusy
		default:
			return
		}
		ev.claimField(r, n.Text(), object.FieldIs.Of(key, n.Text()), object.At(object.PathDeep, top, key, n))
	case object.Map:
		ev.searchContainer(top, key, n)
		for k, m := range n.Fields() {
			if m.Kind() == object.String && !aboutState(k) && aboutState(key) && isWord(m.Text()) {
				k = key // health: {overall: red}
			}
			ev.searchState(top, k, m, depth-1)
		}
	case object.List:
		for m := range n.Items() {
			ev.searchState(top, key, m, depth-1)
		}
	}
}

// waitingReason is the end of the path of the reason for which a container waits.
const waitingReason = "waiting.reason"

// searchContainer hands a map below the status to the rules if it is the waiting state of a container that cannot start, or counts the
// members of a role.
func (ev *evidence) searchContainer(top, key string, n object.Value) {
	if key == "waiting" {
		if reason := n.Get("reason"); lexicon.Hopeless(reason.Text()) {
			ev.claimField(deepBroken, reason.Text(), object.Text(cmp.Or(n.TextAt("message"), reason.Text())),
				object.At(object.PathDeep, top, waitingReason, reason))
		}
		return
	}
	failed := n.Get("failed")
	if some, _ := failed.Number(); some <= 0 || failed.Kind() != object.Int || n.Get("succeeded").NumberOr(0)+n.Get("completed").NumberOr(0) > 0 ||
		ev.isTask() {
		return
	}
	for _, k := range [...]string{"active", "running", "ready", "healthy"} {
		if n.Get(k).Kind() == object.Int {
			ev.claimField(deepFailed, "SomeFailed", object.CountIs.Count(key+".failed", failed.NumberOr(0), 0),
				object.At(object.PathDeep, top, "failed", failed))
			return
		}
	}
}

// aboutState reports whether a field has to do with a state, by its name.
func aboutState(key string) bool {
	return slices.ContainsFunc(stateParts, func(word string) bool { return lexicon.ContainsFold(key, word) })
}

var stateParts = strings.Fields("state status phase health progress reason condition")

// noneReady hands a number of ready things that is 0 to its rule, where no number of wanted ones is known and none is wanted explicitly. It
// reports whether one made a claim.
func (ev *evidence) noneReady() bool {
	for _, key := range [...]string{"readyReplicas", "availableReplicas", "readyNodes", "readyInstances", "readyMembers"} {
		if n := ev.Status.Get(key); n.Kind() == object.Int && n.NumberOr(1) == 0 && !ev.wantsNone() {
			ev.claimField(countShort, "LessReplicas", object.CountIs.Count(key, 0, 0), object.InStatus(key, "", n))
			return true
		}
	}
	return false
}

// wantsNone reports whether the spec asks for nothing.
func (ev *evidence) wantsNone() bool {
	return slices.ContainsFunc(askedKeys, func(key string) bool { n, ok := ev.Spec.NumberAt(key); return ok && n == 0 })
}

// taskTimes hands the times of a task to their rules. It reports whether one made a claim.
func (ev *evidence) taskTimes() bool {
	for _, key := range [...]string{"completionTime", "completionTimestamp", "finishTime", "finishTimestamp", "endTime", "endTimestamp",
		"finishedAt", "completedAt", "endedAt"} {
		if n := ev.Status.Get(key); n.Present() {
			ev.claimField(taskEnded, "Ended", object.Text("the task has ended"), object.InStatus(key, "", n))
			return true
		}
	}
	for _, key := range [...]string{"startTime", "startTimestamp", "startedAt", "started", "startedTime"} {
		if n := ev.Status.Get(key); n.Present() {
			ev.claimField(taskStarted, "Started", object.Text("the task has started, and has no time of its end"), object.InStatus(key, "", n))
			return true
		}
	}
	return false
}

// restRules are the rules of last resort, and those about tasks.
var restRules = []*Rule{unfinished, emptyList, textBroken, textBusy, deepBroken, deepFailed, deepBusy, taskEnded, taskStarted, noSummary,
	notReported, nothingKnown}
