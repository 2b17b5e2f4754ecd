// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// errorField hands a field for errors to its rule.
func (ev *evidence) errorField(a, b string, n object.Value) {
	if !holdsError(n) {
		return
	}
	m := object.FieldIs.Of(a, "set")
	if text := errorText(n); text != "" {
		m = object.Text(text)
	}
	ev.claimField(errorField, "Error", m, object.InStatus(a, b, n))
}

// errorText returns the text of a field for errors: itself, its message or its description, or that of the first entry of a list with the
// number of the others; empty if it has none.
func errorText(n object.Value) string {
	if n.Kind() != object.List {
		return cmp.Or(n.Text(), n.TextAt("message"), n.TextAt("description"))
	}
	first, more := "", 0
	for entry := range n.Items() {
		if entry.Kind() == object.List {
			continue
		}
		switch text := errorText(entry); {
		case text == "":
		case first == "":
			first = text
		default:
			more++
		}
	}
	if more > 0 {
		first += fmt.Sprintf(" (and %d more)", more)
	}
	return first
}

// statusText returns the words in which a status explains its state: its message, or that of the first field for errors in alphabetical
// order.
func statusText(status object.Value) string {
	if text := status.TextAt("message"); text != "" {
		return text
	}
	name, text := "", ""
	for key, value := range status.Fields() {
		if errorFields[key] && (name == "" || key < name) && holdsError(value) {
			if found := errorText(value); found != "" {
				name, text = key, found
			}
		}
	}
	return text
}

// result hands a field with the result of a run to the rules of states. Only a failure and an awaited result count; in a task also success.
func (ev *evidence) result(a, b string, n object.Value) {
	if s := ev.Words.MeaningOfHead(n.Text()); s == lexicon.Broken || s == lexicon.UnderWay || s == lexicon.Good && ev.isTask() {
		ev.state(object.PathStatus, a, b, n)
	}
}

// kopfHandlers hands the progress of handlers, by name, to their rules.
func (ev *evidence) kopfHandlers(n object.Value) {
	for name, v := range n.Fields() {
		if v.Kind() != object.Map || v.Get("success").IsTrue() {
			continue
		}
		r, reason := handlerBusy, "Handling"
		if v.Get("failure").IsTrue() {
			r, reason = handlerFailed, "HandlerFailed"
		}
		ev.claimField(r, reason, object.Listed.Of(name, v.TextAt("message")),
			object.InStatus("kopf.progress", name, v.Get("message")))
	}
}

// flagTable has the rules for a boolean of the status, or a word like "False", by the meaning of its name.
var flagTable = table{flagNegative, flagBusyRule, flagTrue, flagFailed, flagLightFailed, flagWaiting, flagLightWaiting}

// flag hands a boolean of the status to its rules.
func (ev *evidence) flag(key string, n object.Value) {
	e := &ev.entry
	e.Place, e.A, e.B, e.N, e.key, e.beside, e.component = object.PathStatus, key, "", n, key, ev.Status, false
	ev.judgeFlag()
}

// componentFlag hands a flag of a component to its rules. If it is true that is weaker than a flag of the object.
func (ev *evidence) componentFlag(a, b, key string, n, part object.Value) {
	e := &ev.entry
	e.Place, e.A, e.B, e.N, e.key, e.beside, e.component = object.PathStatus, a, b, n, key, part, true
	ev.judgeFlag()
}

func (ev *evidence) judgeFlag() {
	e := &ev.entry
	e.flagTrue, _ = truth(e.N)
	e.flag = ev.flagKind(e.key)
	switch {
	case e.flag == flagOther && (!e.flagTrue || e.component || e.N.Kind() != object.Bool || e.key == "warning" ||
		ev.Types.About(e.key).Aspect != lexicon.AspectNegative),
		e.flag == flagWork && (!e.flagTrue || e.component):
		return // the name has no meaning, or the value is the normal one
	}
	r := flagTable.first(ev, e)
	if r == nil { // its rules are left out
		return
	}
	m := object.FieldIs.Of(e.key, "false")
	if e.flagTrue {
		m.S2 = "true"
	}
	cl := e.claim(r, e.key, m)
	if e.component && e.B != e.key {
		cl.N = e.beside // the path names the component
	}
	switch r {
	case flagTrue:
		if e.component {
			cl.tier = tierCountHealthy
		}
		ev.claimHealthy(&cl)
		return
	case flagFailed, flagLightFailed:
		explained(ev.Words, &cl, e.beside)
	}
	ev.claim(&cl)
}

// refused reports whether a flag that is false is a failure: by its name, or by the words next to it.
func refused(ev *evidence, e *entry) bool {
	failed := e.flag == flagFails
	if e.flag == flagResult {
		for _, key := range [...]string{"finished", "completed", "done"} {
			failed = failed || e.beside.Get(key).IsTrue()
		}
	}
	var cl claim
	return failed || explained(ev.Words, &cl, e.beside)
}

// explained reports whether the message or the reason next to a field is about a failure, and adds it to the claim.
func explained(l *lexicon.Lexicon, cl *claim, beside object.Value) bool {
	if text := beside.Get("message").Text(); text != "" && (l.MeaningOfMessage(text) == lexicon.Broken || l.Complains(text)) {
		cl.msg = object.Text(text)
		return true
	}
	if reason := beside.Get("reason").Text(); reason != "" &&
		(l.MeaningOf(reason) == lexicon.Broken || l.MeaningOfMessage(reason) == lexicon.Broken) {
		cl.reason = reason
		return true
	}
	return false
}

var (
	errorField = &Rule{ID: "field/error", Tier: tierErrorField, Says: answer.Failed,
		Looks: "a field for errors, as errorMessage or lastError, that is not empty and holds no word for nothing",
		Why: "Fields with such names are filled when something failed, and emptied afterwards. One that names the run, as " +
			"lastBackupError, is about that run and does not count.",
		Yes: lamp(`status: {phase: Ready, errorMessage: no disk}`),
		No:  lamp(`status: {phase: Ready, errorMessage: none}`)}
	handlerBusy = &Rule{ID: "field/handler", Tier: tierConditionBusy, Says: answer.InProgress,
		Looks: "a handler in status.kopf.progress without success",
		Why: "Operators that are written with Kopf, as those of MySQL (Oracle), CrateDB and Dask, keep the handlers that are under way there " +
			"until they are through.",
		Yes: lamp(`status: {kopf: {progress: {create: {message: retrying}}}}`),
		No:  lamp(`status: {phase: Ready, kopf: {progress: {create: {success: true}}}}`)}
	handlerFailed = &Rule{ID: "field/handler-failed", Tier: tierConditionBroken, Says: answer.Failed,
		Looks: "a handler in status.kopf.progress with failure: true",
		Why:   "Kopf gives up on a handler that failed for good, and keeps it until another one of the object is through.",
		Keep:  "the framework of three vendors' operators has it together with field/handler, and an object that it gave up on is not under way",
		Yes:   lamp(`status: {kopf: {progress: {create: {failure: true}}}}`),
		No:    lamp(`status: {kopf: {progress: {create: {failure: false}}}}`)}

	flagNegative = &Rule{ID: "flag/negative", Tier: tierFlagBroken, Says: answer.Failed,
		Looks: "a boolean of the status with a name of negative meaning that is true",
		Why:   "failed, degraded, hasErrors: the name itself speaks of the failure.",
		Yes:   lamp(`status: {degraded: true}`),
		No:    lamp(`status: {degraded: false}`),
		match: func(_ *evidence, e *entry) bool { return e.flag == flagOther }}
	flagBusyRule = &Rule{ID: "flag/busy", Tier: tierFlagBusy, Says: answer.InProgress,
		Looks: "a boolean of the status that is named after an activity, and is true",
		Why:   "updating, isDeleting: a controller is working on it.",
		Yes:   lamp(`status: {updating: true}`),
		No:    lamp(`status: {updating: false}`),
		match: func(_ *evidence, e *entry) bool { return e.flag == flagWork }}
	flagTrue = &Rule{ID: "flag/true", Tier: tierFlagHealthy, Says: answer.Current,
		Looks: "a boolean that is true on a healthy object, and is true",
		Why:   "Operators without conditions report health by flags: ready, healthy, synced. A flag of a component is weaker.",
		Yes:   lamp(`status: {ready: true}`),
		No:    lamp(`status: {ready: true, phase: Failed}`),
		match: func(_ *evidence, e *entry) bool { return e.flagTrue }}
	flagFailed = &Rule{ID: "flag/failed", Tier: tierFlagBroken, Says: answer.Failed,
		Looks: "a boolean that is true on a healthy object, and is false: one about acceptance, one about the result of a finished run, or one " +
			"next to words of failure",
		Why:   "valid: false has no other reading; ready: false has, unless the message next to it is about a failure.",
		Keep:  besideSummary,
		Yes:   lamp(`status: {valid: false}`),
		No:    lamp(`status: {ready: false}`),
		match: func(ev *evidence, e *entry) bool { return !e.component && e.flag != flagLight && refused(ev, e) }}
	flagLightFailed = &Rule{ID: "flag/light-failed", Tier: tierFlagBroken, Says: answer.Failed, Unless: unlessSummary,
		Looks: "such a boolean of a component, or one whose name may be about a component",
		Why:   "As for one of the object; but a summary that is True outweighs it.",
		Yes:   lamp(`status: {bound: false, message: the claim is invalid}`),
		No:    lamp(`status: {bound: false, message: the claim is invalid, conditions: [{type: Ready, status: "True"}]}`),
		match: func(ev *evidence, e *entry) bool { return refused(ev, e) }}
	flagWaiting = &Rule{ID: "flag/waits", Tier: tierFlagBusy, Says: answer.InProgress,
		Looks: "a boolean that is true on a healthy object, and is false",
		Why:   "It is not so yet.",
		Keep:  besideSummary,
		Yes:   lamp(`status: {ready: false}`),
		No:    lamp(`status: {ready: true}`),
		match: func(_ *evidence, e *entry) bool { return !e.component && e.flag != flagLight }}
	flagLightWaiting = &Rule{ID: "flag/light-waits", Tier: tierFlagBusy, Says: answer.InProgress, Unless: unlessSummary,
		Looks: "such a boolean of a component, or one whose name may be about a component",
		Why:   "As for one of the object; but a summary that is True outweighs it.",
		Yes:   lamp(`status: {backend: {ready: false}}`),
		No:    lamp(`status: {backend: {ready: false}, conditions: [{type: Ready, status: "True"}]}`),
		match: func(*evidence, *entry) bool { return true }}

	countShort = &Rule{ID: "count/replicas-short", Tier: tierCountShort, Says: answer.InProgress,
		Looks: "the usual numbers of replicas, nodes, instances or members, that are lower than wanted",
		Why:   "Workloads report how many replicas are ready, available and up to date, and the spec has the wanted number.",
		Yes:   lamp(`{spec: {replicas: 3}, status: {replicas: 3, readyReplicas: 2}}`),
		No:    lamp(`{spec: {replicas: 3}, status: {replicas: 3, readyReplicas: 3}}`)}
	countUnwritten = &Rule{ID: "count/unwritten", Tier: tierCountShort, Says: answer.InProgress, Unless: unlessSummary,
		Looks: "the usual numbers of replicas, nodes, instances or members, if all of them are 0",
		Why:   "A controller that counts nothing leaves them so. A summary that is True knows better.",
		Yes:   lamp(`{spec: {replicas: 3}, status: {readyReplicas: 0}}`),
		No:    lamp(`{spec: {replicas: 3}, status: {readyReplicas: 0, conditions: [{type: Available, status: "True"}]}}`)}
	countWell = &Rule{ID: "count/replicas", Tier: tierCountHealthy, Says: answer.Current, doubt: notSummed,
		Looks: "the usual numbers of replicas, nodes, instances or members, that are as wanted",
		Why:   "As many as the spec asks for are there.",
		Yes:   lamp(`{spec: {replicas: 3}, status: {replicas: 3, readyReplicas: 3}}`),
		No:    lamp(`{spec: {replicas: 3}, status: {phase: Failed, readyReplicas: 3}}`)}
	pairShort = &Rule{ID: "count/short", Tier: tierCountShort, Says: answer.InProgress, Unless: unlessSummary,
		Looks: "a number of things that are ready, healthy or available, next to a higher one of those that are desired or expected; or " +
			"of things that are ready or healthy, next to that of all there are",
		Why: "The names of the numbers show the pairs; a summary outweighs them, and in a task, which ends, they mean nothing. What is not " +
			"available may be in use.",
		Yes: lamp(`status: {readyShards: 1, totalShards: 3}`),
		No:  lamp(`status: {readyShards: 3, totalShards: 3}`)}
	pairUnwell = &Rule{ID: "count/unwell", Tier: tierCountUnhealthy, Says: answer.Degraded, Unless: unlessSummary,
		Looks: "a number of unhealthy things, above zero",
		Why:   "podsUnhealthy: 2 is unhealthy, and the others may be healthy.",
		Yes:   lamp(`status: {podsUnhealthy: 2}`),
		No:    lamp(`status: {podsUnhealthy: 0}`)}
	countFailed = &Rule{ID: "count/failed", Tier: tierLastBroken, Says: answer.Degraded,
		Looks: "a number of things that failed, above zero",
		Why:   "Such a number may be old, so that any other evidence outweighs it; without other evidence it is no sign of health.",
		Yes:   lamp(`status: {total: 3, failed: 2}`),
		No:    lamp(`status: {phase: Ready, total: 3, failed: 2}`)}
	listFailed = &Rule{ID: "list/failed", Tier: tierImpaired, Says: answer.Failed, Unless: unlessSummary,
		Looks: "a list with a name for failed items, that is not empty",
		Why:   "failedNodes holds nodes that failed.",
		Yes:   lamp(`status: {failedNodes: [a]}`),
		No:    lamp(`status: {phase: Ready, failedNodes: []}`)}
	listUnhealthy = &Rule{ID: "list/unhealthy", Tier: tierCountUnhealthy, Says: answer.Degraded, Unless: unlessSummary,
		Looks: "a list with a name for unhealthy items, that is not empty",
		Why:   "Some items are unhealthy, and the others are not.",
		Keep:  "without it an object that lists unhealthy items is Current",
		Yes:   lamp(`status: {unhealthyNodes: [a]}`),
		No:    lamp(`status: {phase: Ready, unhealthyNodes: []}`)}
	listUnready = &Rule{ID: "list/unready", Tier: tierFlagBusy, Says: answer.InProgress, Unless: unlessSummary,
		Looks: "a list with a name for items that are not ready or not available, that is not empty",
		Why:   "Some are not ready yet.",
		Keep:  "without it an object that lists unhealthy items is Current",
		Yes:   lamp(`status: {unreadyNodes: [a]}`),
		No:    lamp(`status: {phase: Ready, unreadyNodes: []}`)}
)

// unhealthyList hands a list with a name for unhealthy items to its rule. It reports whether the name is one.
func (ev *evidence) unhealthyList(a, b string, list object.Value) bool {
	name := a
	if b != "" {
		name = b
	}
	var r *Rule
	switch {
	case startsWithWord(name, "failed"):
		r = listFailed
	case startsWithWord(name, "unhealthy"):
		r = listUnhealthy
	case startsWithWord(name, "unready"), startsWithWord(name, "notReady"), startsWithWord(name, "unavailable"):
		r = listUnready
	default:
		return false
	}
	if list.Size() > 0 && !historyKey(name) {
		ev.claimField(r, "SomeNotWell", object.ListedIn.Count(name, int64(list.Size()), 0), object.InStatus(a, b, list))
	}
	return true
}

// fieldRules are the rules about errors, flags, counts and lists.
var fieldRules = []*Rule{errorField, handlerBusy, handlerFailed, flagNegative, flagBusyRule, flagTrue, flagFailed, flagLightFailed,
	flagWaiting,
	flagLightWaiting, countShort, countUnwritten, countWell, pairShort, pairUnwell, countFailed, listFailed, listUnhealthy, listUnready}

// workFlag reports whether a boolean is true during an activity, by its name: isUpdating.
func workFlag(ev *evidence, key string) bool {
	return strings.HasPrefix(key, "is") && len(key) > 2 && lexicon.IsUpper(key[2]) && ev.Types.About(key).Aspect == lexicon.AspectActivity
}
