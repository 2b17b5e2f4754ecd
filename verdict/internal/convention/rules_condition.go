// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// conditionTables has the rules for a condition of each status (False, Unknown, True, as in [statusOrder]), by the aspect of its type. The
// first that matches makes the claim.
var conditionTables = [lexicon.Aspects][3]table{
	lexicon.AspectNeutral: {{neutralComplains}, nil, nil},
	lexicon.AspectPositive: {{falseInfoSummary, falseInfo, falseNotUsed, falseBroken, falseBrokenPart, falseWaits, falseWaitsPart, falseOff,
		falseNotOver, falsePlain, falsePlainPart, falseStrange, falseStrangePart}, {silent, silentPart, lasting, lastingPart, undecided,
		undecidedPart}, {taskRuns, endedBadly, syncedOnly, truePartly, trueSummary, truePart}},
	lexicon.AspectNegative: {{negativeDenied, notNegative}, {notNegative}, {negativeOff, negativeNotYet, negativeInfo, negativeNamedGood,
		negative}},
	lexicon.AspectActivity: {{activityFailed, activityAsks}, {activityHeld}, {activityStuck, activityEnded, activity}},
	lexicon.AspectOff:      {nil, nil, {offBadly, offEnded, offTask, off}},
	lexicon.AspectStep:     {{stepToCome}, nil, nil},
}

// lasts reports whether the reason of a condition that is Unknown is one that does not pass.
func lasts(ev *evidence, e *entry) bool {
	return lexicon.LastingWords.In(lexicon.Cut(e.c.Reason(), lexicon.MaxWords)) && ev.Words.MeaningOf(e.c.Reason()) == lexicon.Broken
}

// meaningOfFalse returns the meaning of a condition that is not healthy, which is read once.
func meaningOfFalse(ev *evidence, e *entry) lexicon.Meaning {
	if e.meaning == lexicon.Unread {
		e.meaning = ev.whyFalse(&e.c)
	}
	return e.meaning
}

var (
	neutralComplains = &Rule{ID: "condition/complaint", Tier: tierImpaired, Says: answer.Degraded,
		Looks: "a condition whose type is not about health, that is False, with a reason of failure",
		Why:   "Whether True is good for such a type is unknown, but a reason of failure with False leaves little doubt.",
		Yes:   lamp(`status: {conditions: [{type: GitPolling, status: "False", reason: PollFailed}]}`),
		No:    lamp(`status: {conditions: [{type: GitPolling, status: "False", reason: WebhookUsed}]}`),
		match: func(ev *evidence, e *entry) bool {
			return ev.Words.MeaningOf(e.c.Reason()) == lexicon.Broken && !lexicon.Awaits(e.c.Message())
		}}

	taskRuns = &Rule{ID: "condition/task-runs", Tier: tierConditionBusy, Says: answer.InProgress, Unless: unlessOver,
		Looks: "Running=True of a task, or with the reason Running",
		Why: "A task that runs has not ended. Operators that are written with the Ansible plugin of the Operator SDK, as those of AWX and " +
			"Pulp, report Running with the reason Running while they reconcile, and Successful afterwards.",
		Yes: lamp(`status: {conditions: [{type: Running, status: "True", reason: Running}]}`),
		No:  lamp(`status: {conditions: [{type: Running, status: "True", reason: Successful}]}`),
		match: func(ev *evidence, e *entry) bool {
			return e.c.Type == "Running" && (e.c.Reason() == "Running" || ev.isTask() && e.c.Reason() != "Successful")
		}}
	endedBadly = &Rule{ID: "condition/ended-badly", Tier: tierSummaryBroken, Says: answer.Failed,
		Looks: "a condition that reports the end of the work, with a reason of failure",
		Why:   "The end of the work may be a success or a failure; the reason shows which.",
		Yes:   lamp(`status: {conditions: [{type: Finished, status: "True", reason: BackoffLimitExceeded}]}`),
		No:    lamp(`status: {conditions: [{type: Finished, status: "True", reason: Succeeded}]}`),
		notes: noteEnd,
		match: func(ev *evidence, e *entry) bool {
			return e.info.Over() && ev.Words.MeaningOf(e.c.Reason()) == lexicon.Broken
		}}
	syncedOnly = &Rule{ID: "condition/synced-only", Tier: tierConditionBusy, Says: answer.InProgress,
		Looks: "Synced=True with the reason ReconcileSuccess, without a condition Ready, of an object whose spec has forProvider, crossplane " +
			"or resourceRefs",
		Why: "Crossplane, and the providers that are written with its runtime, report with Synced that the request was made, and with Ready " +
			"that the resource is there.",
		Yes: lamp(`{spec: {forProvider: {size: 1}}, status: {conditions: [{type: Synced, status: "True", reason: ReconcileSuccess}]}}`),
		No:  lamp(`{spec: {forProvider: {size: 1}}, status: {conditions: [{type: Synced, status: "True", reason: ReconcileSuccess}, {type: Ready, status: "True"}]}}`),
		match: func(ev *evidence, e *entry) bool {
			var c object.Condition
			return e.c.Type == "Synced" && e.c.Reason() == "ReconcileSuccess" && !ev.Find("Ready", &c) &&
				(ev.Spec.Get("forProvider").Present() || ev.Spec.Get("crossplane").Present() || ev.Spec.Get("resourceRefs").Present())
		}}
	truePartly = &Rule{ID: "condition/partly", Tier: tierImpaired, Says: answer.Degraded,
		Looks: "a condition of positive type that is True with a reason that begins with Partially",
		Why:   "Its author counts it as reached, and reports that a part is not.",
		Keep:  "a part is not as it should be under a healthy summary, too, of which condition/true-denied makes a doubt",
		Yes:   lamp(`status: {conditions: [{type: Accepted, status: "True", reason: PartiallyInvalid}]}`),
		No:    lamp(`status: {conditions: [{type: Accepted, status: "True", reason: Valid}]}`),
		notes: noteEnd,
		match: func(_ *evidence, e *entry) bool { return lexicon.Partly(e.c.Reason()) }}
	trueSummary = &Rule{ID: "condition/summary-true", Tier: tierSummaryHealthy, Says: answer.Current,
		Looks: "a summary condition that is True",
		Why:   "Ready, Available and their like are the author's own conclusion from everything else.",
		Yes:   lamp(`status: {conditions: [{type: Ready, status: "True"}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "True"}, {type: Failed, status: "True"}]}`),
		notes: func(ev *evidence, e *entry) {
			noteEnd(ev, e)
			noteDenied(ev, e)
			ev.serving = ev.serving || e.info.Serving()
			if e.info.Serving() || e.info.Over() {
				ev.keepSummary(&e.c)
			}
		},
		match: func(_ *evidence, e *entry) bool { return e.info.Summary() && e.within == "" }}
	truePart = &Rule{ID: "condition/true", Tier: tierConditionHealthy, Says: answer.Current,
		Looks: "a condition of positive type that is True",
		Why:   "Where nothing sums up, the conditions that are as they should be are all there is.",
		Yes:   lamp(`status: {conditions: [{type: StorageBound, status: "True"}]}`),
		No:    lamp(`status: {conditions: [{type: StorageLost, status: "True"}]}`),
		notes: func(ev *evidence, e *entry) { noteEnd(ev, e); noteDenied(ev, e) },
		match: func(*evidence, *entry) bool { return true }}

	silent = &Rule{ID: "condition/summary-silent", Tier: tierSummaryBroken, Says: answer.Failed,
		Looks: "a summary condition that is Unknown because its author has stopped reporting",
		Why:   "A node whose agent stopped to post its status is gone as far as anybody can see.",
		Keep:  besideSummary,
		Yes:   lamp(`status: {conditions: [{type: Ready, status: Unknown, message: the agent stopped posting}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: Unknown, message: not looked at}]}`),
		match: func(_ *evidence, e *entry) bool {
			return e.info.Summary() && (lexicon.FallsSilent(e.c.Reason()) || lexicon.FallsSilent(e.c.Message()))
		}}
	silentPart = &Rule{ID: "condition/silent", Tier: tierConditionBroken, Says: answer.Failed, Unless: unlessSummary,
		Looks: "a condition that is Unknown because its author has stopped reporting",
		Why:   "As for a summary; but a summary that is True knows better.",
		Yes:   lamp(`status: {conditions: [{type: AgentReady, status: Unknown, message: the agent stopped posting}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "True"}, {type: AgentReady, status: Unknown, message: the agent stopped posting}]}`),
		match: func(_ *evidence, e *entry) bool {
			return lexicon.FallsSilent(e.c.Reason()) || lexicon.FallsSilent(e.c.Message())
		}}
	lasting = &Rule{ID: "condition/summary-unknown-for-good", Tier: tierSummaryBroken, Says: answer.Failed,
		Looks: "a summary condition, not of a task, that is Unknown with a reason of failure; not one that is about something missing, " +
			"about the look itself, or tried again",
		Why: "Its author could not come to a conclusion, and will not without a person. InspectionFailed reports that the author could not " +
			"look, and nothing about the object.",
		Yes: lamp(`status: {conditions: [{type: Ready, status: Unknown, reason: InvalidConfiguration}]}`),
		No:  lamp(`status: {conditions: [{type: Ready, status: Unknown, reason: ValidatingConfiguration}]}`),
		match: func(ev *evidence, e *entry) bool {
			reason := e.c.Reason()
			return e.info.Summary() && (lasts(ev, e) || !ev.isTask() && ev.Words.MeaningOf(reason) == lexicon.Broken && !lexicon.Missing(reason) &&
				!lexicon.Look(reason) && !lexicon.Retried(reason) && !lexicon.Retried(e.c.Message()) && !lexicon.Awaits(e.c.Message()))
		}}
	lastingPart = &Rule{ID: "condition/unknown-for-good", Tier: tierConditionBroken, Says: answer.Failed,
		Looks: "a condition of positive type that is Unknown with such a reason",
		Why:   "As for a summary. A summary that is True at the same time turns that into Degraded.",
		Keep:  ofConclusion,
		Yes:   lamp(`status: {conditions: [{type: LicenseValid, status: Unknown, reason: LicenseRejected}]}`),
		No:    lamp(`status: {conditions: [{type: LicenseValid, status: Unknown, reason: LicensePending}]}`),
		match: lasts}
	undecided = &Rule{ID: "condition/summary-unknown", Tier: tierSummaryBusy, Says: answer.InProgress,
		Looks: "a summary condition that is Unknown",
		Why:   "Its author has not come to a conclusion yet. Knative calls everything that is under way Unknown.",
		Yes:   lamp(`status: {conditions: [{type: Ready, status: Unknown}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "True"}]}`),
		notes: func(ev *evidence, e *entry) {
			ev.progressing = ev.progressing || ev.Words.MeaningOf(e.c.Reason()) == lexicon.UnderWay
		},
		match: func(_ *evidence, e *entry) bool { return e.info.Summary() }}
	undecidedPart = &Rule{ID: "condition/unknown", Tier: tierConditionBusy, Says: answer.InProgress, Unless: unlessSummary,
		Looks: "a condition of positive type that is Unknown",
		Why:   "As for a summary; but a summary that is True knows better.",
		Yes:   lamp(`status: {conditions: [{type: StorageBound, status: Unknown}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "True"}, {type: StorageBound, status: Unknown}]}`),
		match: func(*evidence, *entry) bool { return true }}

	falseInfoSummary = &Rule{ID: "condition/summary-info", Tier: tierSummaryBusy, Says: answer.InProgress,
		Looks: "a summary condition that is False with the severity Info",
		Why:   "Cluster API v1beta1 and Knative have a severity; with Info its author does not count it as a failure.",
		Keep:  ofSeverity,
		Yes:   lamp(`status: {conditions: [{type: Ready, status: "False", severity: Info, reason: DiskFailed}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "False", severity: Error, reason: DiskFailed}]}`),
		match: func(_ *evidence, e *entry) bool { return e.c.Severity() == conditions.SeverityInfo && e.info.Summary() }}
	falseInfo = &Rule{ID: "condition/info", Tier: tierConditionBusy, Says: answer.InProgress, Unless: unlessSummary,
		Looks: "a condition that is False with the severity Info",
		Why:   "As for a summary.",
		Yes:   lamp(`status: {conditions: [{type: DiskReady, status: "False", severity: Info, reason: DiskFailed}]}`),
		No:    lamp(`status: {conditions: [{type: DiskReady, status: "False", severity: Warning, reason: DiskFailed}]}`),
		match: func(_ *evidence, e *entry) bool { return e.c.Severity() == conditions.SeverityInfo }}
	falseBroken = &Rule{ID: "condition/summary-broken", Tier: tierSummaryBroken, Says: answer.Failed,
		Looks: "a summary condition that is False, with a word of failure in its reason, or in its message where the reason only repeats " +
			"the status",
		Why:  "The author reports that the object is unhealthy because something failed, rather than that it takes time.",
		Keep: "condition/summary-unexplained would say the same; an explanation shows which of them knew the word",
		Yes:  lamp(`status: {conditions: [{type: Ready, status: "False", reason: InstallFailed}]}`),
		No:   lamp(`status: {conditions: [{type: Ready, status: "False", reason: WaitingForStartupTimeout}]}`),
		match: func(ev *evidence, e *entry) bool {
			return e.info.Summary() && meaningOfFalse(ev, e) == lexicon.Broken
		}}
	falseBrokenPart = &Rule{ID: "condition/broken", Tier: tierConditionBroken, Says: answer.Failed,
		Looks: "a condition of positive type that is False, with a word of failure",
		Why:   "A component failed. A summary that is True at the same time turns that into Degraded.",
		Yes:   lamp(`status: {conditions: [{type: BackupsStored, status: "False", reason: UploadFailed}]}`),
		No:    lamp(`status: {conditions: [{type: BackupsStored, status: "False", reason: UploadPending}]}`),
		match: func(ev *evidence, e *entry) bool { return meaningOfFalse(ev, e) == lexicon.Broken }}
	falseWaits = &Rule{ID: "condition/summary-waits", Tier: tierSummaryBusy, Says: answer.InProgress,
		Looks: "a summary condition that is False, with a reason or a message of something that is under way or not there yet, or that only " +
			"repeats the status",
		Why:   "That something is not ready is no failure: it takes time. A wait is progress whatever is waited for, a timeout too.",
		Yes:   lamp(`status: {conditions: [{type: Ready, status: "False", reason: NotReady}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "False", reason: NotReady, message: "image pull failed"}]}`),
		notes: noteWait,
		match: func(ev *evidence, e *entry) bool { return e.info.Summary() && takesTime(ev, e) }}
	falseWaitsPart = &Rule{ID: "condition/waits", Tier: tierConditionBusy, Says: answer.InProgress,
		Looks: "a condition of positive type that is False, with a reason that begins or ends with an activity, or a message that waits",
		Why:   "A component that reports an activity is not done, even if a summary is True.",
		Yes:   lamp(`status: {conditions: [{type: Ready, status: "True"}, {type: MachinesReady, status: "False", reason: NotReady, message: waiting for a node}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "True"}, {type: MachinesReady, status: "False", reason: NotReady}]}`),
		notes: noteWait,
		match: func(ev *evidence, e *entry) bool {
			return takesTime(ev, e) && (ev.Words.Ongoing(e.c.Reason()) || reportsWait(ev, e) && ev.Words.MeaningOf(e.c.Reason()) == lexicon.NotSo)
		}}
	falseNotUsed = &Rule{ID: "condition/not-used", Tier: tierNotUsed, Says: answer.Suspended,
		Looks: "a condition of positive type, no summary, that is False because something is disabled, or one about a capability " +
			"(SnapshotsSupported) because it is not supported or not configured here",
		Why: "A capability that is switched off is off, and so is an object that has nothing else.",
		Yes: lamp(`status: {conditions: [{type: MetricsReady, status: "False", reason: MetricsDisabled}]}`),
		No:  lamp(`status: {conditions: [{type: NodesReady, status: "True"}, {type: MetricsReady, status: "False", reason: MetricsDisabled}]}`),
		match: func(ev *evidence, e *entry) bool {
			reason := e.c.Reason()
			return !e.info.Summary() && (strings.HasSuffix(reason, "Disabled") && meaningOfFalse(ev, e) == lexicon.Held ||
				strings.HasSuffix(e.c.Type, "Supported") && lexicon.NotApplicable(reason))
		}}
	falseOff = &Rule{ID: "condition/off", Tier: tierSummaryOff, Says: answer.Suspended,
		Looks: "a condition of positive type that is False because the object is paused, suspended or scaled to zero",
		Why:   "It is not as it could be, on purpose.",
		Yes:   lamp(`status: {conditions: [{type: Ready, status: "False", reason: Hibernated}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "False", reason: HibernationFailed}]}`),
		match: func(ev *evidence, e *entry) bool { return meaningOfFalse(ev, e) == lexicon.Held }}
	falseNotOver = &Rule{ID: "condition/not-over", Tier: tierSummaryBusy, Says: answer.InProgress,
		Looks: "a condition about the end of the work, or a summary without reason and message, that is False",
		Why:   "Before the end of the work False is the normal state, whatever the reason; and False alone is no failure.",
		Yes:   lamp(`status: {conditions: [{type: Complete, status: "False", reason: Odd}]}`),
		No:    lamp(`status: {conditions: [{type: Complete, status: "False", reason: Failed}]}`),
		match: func(ev *evidence, e *entry) bool { return e.info.Summary() && notOver(ev, e) }}
	falsePlain = &Rule{ID: "condition/plain", Tier: tierConditionBusy, Says: answer.InProgress, Unless: unlessSummary,
		Looks: "a condition of positive type that is False without reason and message, or only repeats that it is",
		Why:   "False alone is no failure; and a capability that is not used is False and harmless, so a summary that is True outweighs it.",
		Yes:   lamp(`status: {conditions: [{type: StorageBound, status: "False"}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "True"}, {type: StorageBound, status: "False"}]}`),
		match: func(ev *evidence, e *entry) bool { return notOver(ev, e) }}
	falsePlainPart = &Rule{ID: "condition/unready", Tier: tierConditionBusy, Says: answer.InProgress, Unless: unlessSummary,
		Looks: "a condition of positive type that is False, with a reason or a message of something that is under way or not there yet, or " +
			"that only repeats the status",
		Why:   "As for one without a reason.",
		Yes:   lamp(`status: {conditions: [{type: StorageBound, status: "False", reason: NotBound}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "True"}, {type: StorageBound, status: "False", reason: NotBound}]}`),
		notes: noteWait,
		match: takesTime}
	falseStrange = &Rule{ID: "condition/summary-unexplained", Tier: tierSummaryBroken, Says: answer.Failed,
		Looks: "a summary condition that is False, with a reason or a message in words that are not known",
		Why:   "Authors who give a reason of their own for not being ready mean a failure four times out of five.",
		Yes:   lamp(`status: {conditions: [{type: Ready, status: "False", reason: MoonInTheSeventhHouse}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "False"}]}`),
		match: func(_ *evidence, e *entry) bool { return e.info.Summary() }}
	falseStrangePart = &Rule{ID: "condition/unexplained", Tier: tierConditionBroken, Says: answer.Failed, Unless: unlessSummary,
		Looks: "a condition of positive type that is False, with a reason or a message in words that are not known",
		Why:   "As for a summary; but a summary that is True outweighs it, and a doubt stays.",
		Yes:   lamp(`status: {conditions: [{type: StorageBound, status: "False", reason: MoonInTheSeventhHouse}]}`),
		No:    lamp(`status: {conditions: [{type: Ready, status: "True"}, {type: StorageBound, status: "False", reason: MoonInTheSeventhHouse}]}`),
		match: func(*evidence, *entry) bool { return true }}
)

// takesTime reports whether a condition is False because of something that is under way or not there yet, or only repeats its status.
func takesTime(ev *evidence, e *entry) bool {
	s := meaningOfFalse(ev, e)
	return s == lexicon.UnderWay || s == lexicon.NotSo || s == lexicon.Good
}

// reportsWait reports whether a condition that is False names what it waits for.
func reportsWait(ev *evidence, e *entry) bool {
	return meaningOfFalse(ev, e) == lexicon.UnderWay && lexicon.Awaits(e.c.Message())
}

// noteWait records that something is under way, if a summary or a condition that waits reports it.
func noteWait(ev *evidence, e *entry) {
	ev.progressing = ev.progressing || reportsWait(ev, e) || e.info.Summary() && e.meaning == lexicon.UnderWay
}

// notOver reports whether False is the normal state of a condition before the end of the work, as far as its words show.
func notOver(ev *evidence, e *entry) bool {
	if meaningOfFalse(ev, e) != lexicon.None && meaningOfFalse(ev, e) != lexicon.NotKnown {
		return false
	}
	return e.info.Over() || lexicon.Nothing(e.c.Reason()) && lexicon.Nothing(e.c.Message())
}

// noteEnd records the end of the work, if a True condition of positive type reports it.
func noteEnd(ev *evidence, e *entry) {
	if !ev.endedByCondition && (e.info.Over() || ev.isTask() && lexicon.Finishes(e.c.Type)) {
		ev.ended = true
		ev.endedByCondition = e.within == "" && !lexicon.LastingTypes[e.c.Type]
	}
}

func lamp(object string) Example { return Example{Object: object} }

func task(object string) Example { return Example{Kind: "LampJob", Object: object} }
