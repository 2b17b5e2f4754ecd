// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

var (
	notNegative = &Rule{ID: "condition/not-negative", Tier: tierNegativeHealthy, Says: answer.Current, doubt: notSummed,
		Looks: "a negative condition (True is unhealthy) that is not True",
		Why:   "Where nothing else speaks for the object, it is something that nothing is wrong.",
		Yes:   lamp(`status: {conditions: [{type: Failed, status: "False"}]}`),
		No:    lamp(`status: {conditions: [{type: Failed, status: "True"}]}`),
		match: func(*evidence, *entry) bool { return true }}
	negativeDenied = &Rule{ID: "condition/negative-denied", Tier: tierConditionBroken, Says: answer.Failed, Unless: unlessSummary,
		Looks: "a negative condition (True is unhealthy) that is False, with a reason of failure that is not its type",
		Why: "Its status and its reason contradict each other. A controller that has no Ready=False writes NotReady=False with the failure " +
			"as its reason. A summary that is True outweighs it, and a doubt stays.",
		Yes:   lamp(`status: {conditions: [{type: NotReady, status: "False", reason: InstallFailed}]}`),
		No:    lamp(`status: {conditions: [{type: NotReady, status: "False", reason: NotReady}]}`),
		match: denied}
	trueDenied = &Rule{ID: "condition/true-denied", Tier: tierImpaired, Says: answer.Degraded, Unless: unlessSummary,
		Looks: "a condition of positive type that is True, with a reason of failure that is not its type",
		Why:   "Its status and its reason contradict each other. A summary that is True outweighs it, and a doubt stays.",
		Keep:  contradictory,
		Yes:   lamp(`status: {conditions: [{type: StorageBound, status: "True", reason: ResizeFailed}]}`),
		No:    lamp(`status: {conditions: [{type: StorageBound, status: "True", reason: Resized}]}`)}
	negativeNamedGood = &Rule{ID: "condition/negative-named-good", Tier: tierConditionBroken, Says: answer.Failed, Unless: unlessSummary,
		Looks: "a negative condition (True is unhealthy) that is True, with a reason that negates a failure",
		Why:   "As for one that is False with a failure: Conflicted=True because of NoConflicts. A summary that is True outweighs it.",
		Keep:  contradictory,
		Yes:   lamp(`status: {conditions: [{type: Conflicted, status: "True", reason: NoConflicts}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "True"}, {type: Conflicted, status: "True", reason: NoConflicts}]}`),
		match: func(ev *evidence, e *entry) bool {
			reason := e.c.Reason()
			return strings.HasPrefix(reason, "No") && ev.Words.MeaningOf(reason) == lexicon.Good
		}}
	negativeOff = &Rule{ID: "condition/negative-off", Tier: tierPartOff, Says: answer.Suspended,
		Looks: "a negative condition (True is unhealthy) that is True because the object is paused or suspended",
		Why:   "It is not as it could be, on purpose.",
		Yes:   lamp(`status: {conditions: [{type: NotReady, status: "True", reason: Paused}]}`),
		No:    lamp(`status: {conditions: [{type: NotReady, status: "True", reason: PauseFailed}]}`),
		match: func(ev *evidence, e *entry) bool { return ev.Words.MeaningOf(e.c.Reason()) == lexicon.Held }}
	negativeNotYet = &Rule{ID: "condition/not-yet", Tier: tierConditionBusy, Says: answer.InProgress,
		Looks: "a condition whose type is the negation of a good one, that is True because something is under way",
		Why:   "NotReady=True means no more than Ready=False.",
		Yes:   lamp(`status: {conditions: [{type: NotReady, status: "True", reason: Creating}]}`),
		No:    lamp(`status: {conditions: [{type: NotReady, status: "True", reason: CreationFailed}]}`),
		match: func(ev *evidence, e *entry) bool {
			s := ev.Words.MeaningOf(e.c.Reason())
			return e.info.Negated() && (s == lexicon.UnderWay ||
				s <= lexicon.NotSo && ev.Words.MeaningOfMessage(e.c.Message()) == lexicon.UnderWay)
		}}
	negativeInfo = &Rule{ID: "condition/negative-info", Tier: tierConditionBusy, Says: answer.InProgress,
		Looks: "a negative condition (True is unhealthy) that is True with the severity Info",
		Why:   "Its author does not count it as a failure.",
		Keep:  ofSeverity,
		Yes:   lamp(`status: {conditions: [{type: DiskLost, status: "True", severity: Info}]}`),
		No:    lamp(`status: {conditions: [{type: DiskLost, status: "True", severity: Error}]}`),
		match: func(_ *evidence, e *entry) bool { return e.c.Severity() == conditions.SeverityInfo }}
	negative = &Rule{ID: "condition/negative", Tier: tierConditionBroken, Says: answer.Failed,
		Looks: "a negative condition (True is unhealthy) that is True; but no Failed that is older than a condition which reports success, or " +
			"that a task runs again",
		Why: "Degraded, Failed, Stalled, MemoryPressure: the type itself speaks of the failure. Some controllers append conditions and leave " +
			"the former ones True, so that those that contradict each other are read in the order of their times.",
		Yes: lamp(`status: {conditions: [{type: Failed, status: "True", lastTransitionTime: "2026-01-02T03:02:00Z"}, {type: Successful, status: "True", lastTransitionTime: "2026-01-02T03:01:00Z"}]}`),
		No:  lamp(`status: {conditions: [{type: Failed, status: "True", lastTransitionTime: "2026-01-02T03:01:00Z"}, {type: Successful, status: "True", lastTransitionTime: "2026-01-02T03:02:00Z"}]}`),
		match: func(ev *evidence, e *entry) bool {
			return !lexicon.FailTypes[e.c.Type] || e.within != "" || !ev.overtaken(&e.c)
		}}

	activityFailed = &Rule{ID: "condition/activity-failed", Tier: tierConditionBroken, Says: answer.Failed,
		Looks: "a condition about an activity that is False, with a reason of failure",
		Why:   "It is not under way any more because it failed. Of Reconciling that is False nothing follows: Stalled reports a failure.",
		Yes:   lamp(`status: {conditions: [{type: Archiving, status: "False", reason: ArchiveFailed}]}`),
		No:    lamp(`status: {conditions: [{type: Reconciling, status: "False", reason: ArchiveFailed}]}`),
		match: func(ev *evidence, e *entry) bool {
			return e.c.Type != "Reconciling" && ev.Words.MeaningOf(e.c.Reason()) == lexicon.Broken
		}}
	activityHeld = &Rule{ID: "condition/activity-held", Tier: tierStateOff, Says: answer.Suspended, Unless: unlessOver,
		Looks: "a condition about an activity that is Unknown, with a reason of being held",
		Why: "A paused Deployment, and those that follow it, say Progressing Unknown with the reason DeploymentPaused: numbers that are " +
			"short stay so.",
		Yes:   lamp(`{spec: {replicas: 3}, status: {replicas: 3, readyReplicas: 3, updatedReplicas: 1, conditions: [{type: Progressing, status: Unknown, reason: RolloutPaused}]}}`),
		No:    lamp(`{spec: {replicas: 3}, status: {replicas: 3, readyReplicas: 3, updatedReplicas: 1, conditions: [{type: Progressing, status: Unknown, reason: RolloutStarted}]}}`),
		match: func(ev *evidence, e *entry) bool { return ev.Words.MeaningOf(e.c.Reason()) == lexicon.Held }}
	activityAsks = &Rule{ID: "condition/activity-asks", Tier: tierPartOff, Says: answer.Suspended, Unless: unlessOver,
		Looks: "a condition about an activity that is False, with a reason of being held or of waiting for a person",
		Why:   "WaitingForApproval: it goes on when a person approves, and not before.",
		Yes:   lamp(`status: {conditions: [{type: Progressing, status: "False", reason: WaitingForApproval}]}`),
		No:    lamp(`status: {conditions: [{type: Progressing, status: "False", reason: AsExpected}]}`),
		match: func(ev *evidence, e *entry) bool { return e.c.Type != "Reconciling" && ev.Words.Asks(e.c.Reason()) }}
	activityStuck = &Rule{ID: "condition/activity-stuck", Tier: tierConditionBroken, Says: answer.Failed,
		Looks: "a condition about an activity that is True, with a reason of failure",
		Why:   "It is under way, and got stuck: ProgressDeadlineExceeded. A missing object, DoesNotExist, is being created.",
		Yes:   lamp(`status: {conditions: [{type: Upgrading, status: "True", reason: DrainFailed}]}`),
		No:    lamp(`status: {conditions: [{type: Upgrading, status: "True", reason: Draining}]}`),
		match: func(ev *evidence, e *entry) bool {
			return ev.Words.MeaningOf(e.c.Reason()) == lexicon.Broken && !lexicon.Missing(e.c.Reason())
		}}
	activityEnded = &Rule{ID: "condition/activity-ended", Tier: tierActivityHealthy, Says: answer.Current,
		Looks: "a condition about an activity that is True, with a reason of success, or next to a state that reports the end of the work",
		Why: "Progressing stays True after a roll-out; the reason NewReplicaSetAvailable reports its end. A step, as NewReplicaSetCreated, " +
			"is no end. Executing=True next to the phase Completed is a step that was made.",
		Yes: lamp(`status: {conditions: [{type: Progressing, status: "True", reason: NewReplicaSetAvailable}]}`),
		No:  lamp(`status: {conditions: [{type: Progressing, status: "True", reason: NewReplicaSetCreated}]}`),
		match: func(ev *evidence, e *entry) bool {
			reason := e.c.Reason()
			if rest, ok := strings.CutPrefix(reason, e.c.Type); ok && (rest == "Success" || rest == "Succeeded" || rest == "Completed") {
				return true // ContinuousArchiving: ContinuousArchivingSuccess
			}
			if m := ev.Words.MeaningOf(reason); m != lexicon.UnderWay && ev.overByState() {
				return true
			} else if m != lexicon.Good {
				return false
			}
			return !lexicon.Step(reason) && (e.c.Type == "Progressing" || reason != "AsExpected")
		}}
	activity = &Rule{ID: "condition/activity", Tier: tierConditionBusy, Says: answer.InProgress, Unless: unlessOver,
		Looks: "a condition about an activity that is True",
		Why:   "Reconciling, Updating, ScalingUp: a controller is working on it.",
		Yes:   lamp(`status: {conditions: [{type: Ready, status: "True"}, {type: ScalingUp, status: "True"}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "True"}, {type: ScalingUp, status: "False"}]}`),
		notes: func(ev *evidence, _ *entry) { ev.progressing = true },
		match: func(*evidence, *entry) bool { return true }}

	offBadly = &Rule{ID: "condition/off-badly", Tier: tierConditionBroken, Says: answer.Failed,
		Looks: "a condition that reports that the object is held or stopped, with a reason of failure",
		Why:   "It is not stopped on purpose.",
		Yes:   lamp(`status: {conditions: [{type: Stopped, status: "True", reason: Crashed}]}`),
		No:    lamp(`status: {conditions: [{type: Stopped, status: "True", reason: UserRequest}]}`),
		match: func(ev *evidence, e *entry) bool {
			return ev.Words.MeaningOf(e.c.Reason()) == lexicon.Broken && !lexicon.NotApplicable(e.c.Reason())
		}}
	offEnded = &Rule{ID: "condition/off-ended", Tier: tierNegativeHealthy, Says: answer.Current,
		Looks: "a condition that reports that the object is held or stopped, with a reason of success, or that it is not supported or " +
			"configured here",
		Why: "A finished object is stopped; and what is not used was not switched off. Disabled=UnsupportedPlatform is configuration.",
		Yes: lamp(`status: {conditions: [{type: Stopped, status: "True", reason: Completed}]}`),
		No:  lamp(`status: {conditions: [{type: Stopped, status: "True", reason: UserRequest}]}`),
		match: func(ev *evidence, e *entry) bool {
			return ev.Words.MeaningOf(e.c.Reason()) == lexicon.Good || lexicon.NotApplicable(e.c.Reason())
		}}
	offTask = &Rule{ID: "condition/task-held", Tier: tierHeldBySpec, Says: answer.Suspended, Unless: unlessOver,
		Looks: "a condition that reports that a task is held or stopped",
		Why:   "For a task that is over it means nothing that it was held once.",
		Yes:   task(`status: {conditions: [{type: Suspended, status: "True"}]}`),
		No:    task(`status: {conditions: [{type: Suspended, status: "True"}, {type: Succeeded, status: "True"}]}`),
		match: func(ev *evidence, _ *entry) bool { return ev.isTask() }}
	off = &Rule{ID: "condition/held", Tier: tierHeldBySpec, Says: answer.Suspended,
		Looks: "a condition that reports that the object is held: Paused, Suspended",
		Why:   "No controller works on it, so its other conditions may be out of date.",
		Yes:   lamp(`status: {conditions: [{type: Paused, status: "True"}, {type: Ready, status: "False", reason: Failed}]}`),
		No:    lamp(`status: {conditions: [{type: Paused, status: "False"}, {type: Ready, status: "False", reason: Failed}]}`),
		match: func(*evidence, *entry) bool { return true }}
	stepToCome = &Rule{ID: "condition/step-to-come", Tier: tierConditionBusy, Says: answer.InProgress, Unless: unlessSummary,
		Looks: "a condition about a step, that is False",
		Why:   "Initialized, RolloutStarted: the step is still to come. True would not imply that the following ones are done.",
		Yes:   lamp(`status: {conditions: [{type: RolloutStarted, status: "False"}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "True"}, {type: RolloutStarted, status: "False"}]}`),
		match: func(*evidence, *entry) bool { return true }}
)

// denied reports whether a condition that is as it should be has a reason of failure, which is not just its type, and its author does not
// call it information.
func denied(ev *evidence, e *entry) bool {
	return deniedBy(ev.Words, e.c.Type, e.c.Reason()) && e.c.Severity() != conditions.SeverityInfo
}

// asIs reports whether the reason of a healthy condition takes nothing back.
func asIs(words *lexicon.Lexicon, conditionType, reason string) bool {
	return !lexicon.Partly(reason) && !deniedBy(words, conditionType, reason)
}

func deniedBy(words *lexicon.Lexicon, conditionType, reason string) bool {
	name := conditionType[strings.LastIndexByte(conditionType, '/')+1:]
	return reason != "" && reason != name && words.MeaningOf(reason) == lexicon.Broken && !strings.Contains(reason, name) &&
		!strings.Contains(name, reason)
}

// noteDenied adds a doubt about a condition that is True with a reason of failure.
func noteDenied(ev *evidence, e *entry) {
	if denied(ev, e) {
		cl := e.claimCondition(trueDenied)
		ev.claim(&cl)
	}
}

// overtaken reports whether another condition reports success, or the start of a task, and was written later.
func (ev *evidence) overtaken(c *object.Condition) bool {
	since := object.UnixOf(c.N.TextAt("lastTransitionTime"))
	for n := range ev.Status.Get("conditions").Items() {
		typ := n.TextAt("type")
		if since > 0 && (lexicon.EndingTypes[typ] || ev.isTask() && lexicon.StartTypes[typ]) &&
			object.StatusWord(n.WordAt("status")) == conditions.True && object.UnixOf(n.TextAt("lastTransitionTime")) > since {
			return true
		}
	}
	return false
}

// statedRules has the rule for a condition without a status.
var statedRules = table{statedBroken}

var (
	statedBroken = &Rule{ID: "condition/without-status", Tier: tierConditionBroken, Says: answer.Failed,
		Looks: "a negative condition (True is unhealthy) that has no status",
		Why:   "A Failed without a status is there because something failed. A status in other words than the three is read like a state.",
		Yes:   lamp(`status: {conditions: [{type: Failed}]}`),
		No:    lamp(`status: {conditions: [{type: Failed, status: Unknown}]}`),
		match: func(_ *evidence, e *entry) bool {
			return e.rawStatus == "" && e.info.Aspect == lexicon.AspectNegative && e.c.N.Get("status").Kind() == object.None
		}}

	staleCondition = &Rule{ID: "condition/generation", Tier: tierStaleCondition, Says: answer.InProgress, Unless: unlessFailsNow,
		Looks: "the observedGeneration of a condition that is lower than the generation of the object",
		Why:   "It is about another spec. That a condition reports that the object is not held is no reason to wait.",
		Yes:   lamp(`{metadata: {generation: 2}, status: {conditions: [{type: Ready, status: "True", observedGeneration: 1}]}}`),
		No:    lamp(`{metadata: {generation: 2}, status: {conditions: [{type: Ready, status: "True", observedGeneration: 2}]}}`)}
)

// conditionRules are the rules about conditions.
var conditionRules = []*Rule{trueSummary, truePart, falseBroken, falseBrokenPart, falseWaits, falseWaitsPart, falseInfoSummary, falseInfo,
	falseNotUsed, falseOff, falseNotOver, falsePlain, falsePlainPart, falseStrange, falseStrangePart, silent, silentPart, lasting, lastingPart,
	undecided, undecidedPart,
	endedBadly, syncedOnly, truePartly, trueDenied, taskRuns, negative, negativeDenied,
	negativeNamedGood, negativeOff, negativeNotYet, negativeInfo,
	notNegative, activity, activityEnded,
	activityFailed,
	activityHeld, activityAsks, activityStuck, off, offBadly, offEnded, offTask, stepToCome, neutralComplains,
	statedBroken, staleCondition}
