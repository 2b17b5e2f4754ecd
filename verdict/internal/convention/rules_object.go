// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"strings"
	"time"

	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

var (
	suspendedBySpec = &Rule{ID: "spec/suspended", Tier: tierHeldBySpec, Says: answer.Suspended,
		Looks: "a field of the spec that switches the object off: suspend, paused, stopped, disabled, enabled: false, managementState: Removed",
		Why:   "A user has switched it off, so no controller works on it, and the status may be out of date.",
		Yes:   lamp(`{spec: {suspend: true}, status: {phase: Failed}}`),
		No:    lamp(`{spec: {suspend: false}, status: {phase: Failed}}`)}
	heldRollout = &Rule{ID: "spec/rollout-paused", Tier: tierHeldRollout, Says: answer.Suspended,
		Looks: "paused: true in the update strategy of the spec",
		Why:   "The rollout is held: old replicas stay.",
		Yes:   lamp(`{spec: {strategy: {paused: true}}, status: {phase: Updating}}`),
		No:    lamp(`{spec: {strategy: {paused: false}}, status: {phase: Updating}}`)}
	heldByNote = &Rule{ID: "annotation/paused", Tier: tierHeldByNote, Says: answer.Suspended,
		Looks: "an annotation whose name ends in paused, suspended, stopped or pause-reconciliation, and is not false",
		Why:   "Users take an object away from its controller with an annotation.",
		Yes:   lamp(`{metadata: {annotations: {example.org/paused: "true"}}, status: {phase: Failed}}`),
		No:    lamp(`{metadata: {annotations: {example.org/paused: "false"}}, status: {phase: Failed}}`)}

	staleStatus = &Rule{ID: "object/generation", Tier: tierStaleStatus, Says: answer.InProgress, Unless: unlessFailsNow,
		Looks: "status.observedGeneration that is lower than metadata.generation",
		Why: "The status is about an older spec, and nothing follows for the current one. A condition may itself be about the current one: a " +
			"controller that fails to apply a change often records the generation only after the change was applied.",
		Yes: lamp(`{metadata: {generation: 2}, status: {observedGeneration: 1, conditions: [{type: Ready, status: "False", reason: InstallFailed}]}}`),
		No:  lamp(`{metadata: {generation: 2}, status: {observedGeneration: 1, conditions: [{type: Ready, status: "False", reason: InstallFailed, observedGeneration: 2}]}}`)}
	staleField = &Rule{ID: "field/generation", Tier: tierStaleField, Says: answer.InProgress, Unless: unlessFailsNow,
		Looks: "a number named after an observed, seen or evaluated generation, that is lower than metadata.generation",
		Why:   "Some operators have a name of their own for observedGeneration.",
		Yes:   lamp(`{metadata: {generation: 2}, status: {lastSeenGeneration: 1, phase: Ready}}`),
		No:    lamp(`{metadata: {generation: 2}, status: {lastSeenGeneration: 2, phase: Ready}}`)}
	notCarriedOut = &Rule{ID: "field/applied-generation", Tier: tierNotCarriedOut, Says: answer.InProgress,
		Looks: "a number named after an applied, reconciled, processed, synced or last generation, that is lower than metadata.generation",
		Why:   "The spec was not applied yet; an error may have the cause.",
		Yes:   lamp(`{metadata: {generation: 2}, status: {appliedGeneration: 1, phase: Ready}}`),
		No:    lamp(`{metadata: {generation: 2}, status: {appliedGeneration: 1, phase: Failed}}`)}
	versionLags = &Rule{ID: "field/version", Tier: tierNotCarriedOut, Says: answer.InProgress,
		Looks: "status.version that is lower than spec.version in its first or second part",
		Why:   "The version that runs is not the one that is asked for: a roll-out is under way. An error may have the cause.",
		Yes:   lamp(`{spec: {version: 8.2.1}, status: {version: 8.1.0, health: green}}`),
		No:    lamp(`{spec: {version: "8.2"}, status: {version: v8.2.1, health: green}}`)}
	noStatusStatic = &Rule{ID: "no-status/static", Tier: tierNothingKnown, Says: answer.Current,
		Looks: "the definition of the kind, which has no status",
		Why:   "There is nothing to wait for.",
		Keep:  ofDefinitions,
		match: func(ev *evidence, _ *entry) bool { return ev.Expect.Static() }}
	noStatusSilent = &Rule{ID: "no-status/silent", Tier: tierNothingKnown, Says: answer.Unknown, doubt: noEvidence,
		Looks: "the definition of the kind, which has a status, and nothing in it to judge by",
		Why:   "The status may have been written, or not.",
		Keep:  ofDefinitions,
		match: func(ev *evidence, _ *entry) bool { return ev.Expect.Known && !ev.Expect.Reports() }}
	noStatusExpected = &Rule{ID: "no-status/expected", Tier: tierNothingKnown, Says: answer.InProgress,
		Looks: "the definition of the kind, which has a status with conditions, a phase or an observedGeneration",
		Why:   "No controller has looked at the object yet.",
		Keep:  ofDefinitions,
		match: func(ev *evidence, _ *entry) bool { return ev.Expect.Known }}
	noStatusConfiguration = &Rule{ID: "no-status/configuration", Tier: tierNothingKnown, Says: answer.Current,
		Looks: "the name of the kind, which ends in Config, Configuration, Template or Profile, of an object without an owner",
		Why:   "Objects of such kinds hold configuration for others, and have no status.",
		Yes:   Example{Kind: "LampConfig", Object: `spec: {size: 1}`},
		No:    lamp(`spec: {size: 1}`),
		match: func(ev *evidence, _ *entry) bool {
			return configEnds.End(ev.Kind) && !ev.owned() && (ev.Status.Kind() == object.None || strings.HasSuffix(ev.Kind, "ProviderConfig")) &&
				ev.Spec.Get("replicas").Kind() == object.None
		}}
	noStatusData = &Rule{ID: "no-status/data", Tier: tierNothingKnown, Says: answer.Current,
		Looks: "an object with neither spec nor status, only members of its own",
		Why:   "Such an object is data, as a ConfigMap is.",
		Yes:   lamp(`rules: [a]`),
		No:    lamp(`{spec: {size: 1}, rules: [a]}`),
		match: func(ev *evidence, _ *entry) bool {
			return !ev.Spec.Present() && ev.Status.Kind() == object.None && ev.hasData()
		}}
	noStatusSchedule = &Rule{ID: "no-status/schedule", Tier: tierNothingKnown, Says: answer.Current,
		Looks: "the name of the kind, which begins with Cron, of an object without a status",
		Why:   "A schedule, as a CronJob, has nothing to report before its time has come for the first time.",
		Yes:   Example{Kind: "CronLamp", Object: `spec: {schedule: "@daily"}`},
		No:    lamp(`spec: {schedule: "@daily"}`),
		match: func(ev *evidence, _ *entry) bool {
			return strings.HasPrefix(ev.Kind, "Cron") && ev.Status.Kind() == object.None
		}}
	noStatusYet = &Rule{ID: "no-status/none", Tier: tierNothingKnown, Says: answer.InProgress, doubt: noEvidence,
		Looks: "an object without a status, of whose kind nothing is known",
		Why:   "An object with a spec should have a status; without one no controller has looked at it.",
		Yes:   lamp(`spec: {size: 1}`),
		No:    lamp(`{spec: {size: 1}, status: {phase: Ready}}`),
		match: func(*evidence, *entry) bool { return true }}
)

// specSwitches hands the fields of the spec, and of the strategy of a workload, that switch an object off to their rules.
func (ev *evidence) specSwitches() {
	if m := ev.Spec.Map(); m != nil && len(m) <= len(offKeys) {
		for key, v := range m {
			if n := len(key); n >= 5 && n <= 15 && v != nil {
				ev.specSwitch(key, object.Of(v))
			}
		}
		return
	}
	for _, key := range offKeys {
		if n := ev.Spec.Get(key); n.Kind() != object.None {
			ev.specSwitch(key, n)
		}
	}
}

// offKeys are the fields of a spec that switch an object, or its rollout, off.
var offKeys = [...]string{"suspend", "suspended", "paused", "pause", "stopped", "disabled", "enabled", "enable", "managementState",
	"updateStrategy", "strategy"}

func (ev *evidence) specSwitch(key string, n object.Value) {
	r, reason, m, b := suspendedBySpec, "Suspended", object.IsTrueField.Of("spec", key), ""
	switch key {
	case "suspend", "suspended", "paused", "pause", "stopped", "disabled":
		if !n.IsTrue() {
			return
		}
	case "enabled", "enable":
		if on, ok := n.Bool(); on || !ok {
			return
		}
		m = object.FieldIs.Of(key, "false")
	case "managementState":
		// Removed and Unmanaged: the operator leaves the object alone.
		if s := n.Text(); s != "Removed" && s != "Unmanaged" {
			return
		}
		reason, m = n.Text(), object.FieldIs.Of(key, n.Text())
	case "updateStrategy", "strategy":
		if !n.Get("paused").IsTrue() && !n.Get2("rollingUpdate", "paused").IsTrue() {
			return
		}
		r, b = heldRollout, "paused"
	default:
		return
	}
	ev.claimField(r, reason, m, object.At(object.PathSpec, key, b, n))
}

// annotations hands the annotations that take an object away from its controller to their rule.
func (ev *evidence) annotations() {
	notes := ev.Meta.Get("annotations")
	for key, n := range notes.Fields() {
		if pausing(key) && n.Text() != "false" {
			ev.claimField(heldByNote, "Paused", object.Listed.Of("paused by annotation", key), object.At(object.PathAnnotation, key, "", n))
		}
	}
}

// pausing reports whether an annotation is a usual one for pausing, whatever its prefix.
func pausing(key string) bool {
	name := key[strings.LastIndexByte(key, '/')+1:]
	switch name {
	case "paused", "pause", "pause-reconciliation", "suspend", "suspended", "stop", "stopped":
		return len(name) < len(key)
	}
	return strings.HasSuffix(name, "-paused") || strings.HasSuffix(name, "-stopped")
}

// lag compares the observed generation of the status with that of the object, and reports whether the status has one.
func (ev *evidence) lag() bool {
	n := ev.Status.Get("observedGeneration")
	seen, ok := n.Number()
	if ok && seen != ev.Generation && !ev.reads("observedGeneration") {
		ev.behind("observedGeneration", n, staleStatus)
	}
	return ok
}

// behind hands a generation of the status that is not the one of the object to its rule.
func (ev *evidence) behind(key string, n object.Value, r *Rule) {
	seen, ok := n.Number()
	if ev.Generation < 0 || !ok || seen == ev.Generation {
		return
	}
	if seen > ev.Generation {
		if n.Kind() == object.String || r != staleStatus {
			return // a hash of the spec, written in digits, or a count of something else
		}
		r = impossible
	} else if r == staleStatus && ImpossibleGeneration(seen, ev.Generation) {
		r = impossible
	}
	ev.stale = ev.stale || r.Tier >= tierStaleField
	reason := "GenerationNotObserved"
	if r == impossible {
		reason = "ImpossibleGeneration"
	}
	ev.claimField(r, reason, object.Generations.Count("", ev.Generation, seen), object.InStatus(key, "", n))
}

// version compares the version that the status reports with the one of the spec: one that is lower in its first or second part lags. A
// higher one, and another patch, may come from an image that is set elsewhere.
func (ev *evidence) version(n object.Value) {
	major, minor, ok := release(n.Text())
	if wantMajor, wantMinor, asked := release(ev.Spec.TextAt("version")); ok && asked &&
		(major < wantMajor || major == wantMajor && minor < wantMinor) {
		ev.claimField(versionLags, "VersionLags", object.FieldIs.Of("version", n.Text()), object.InStatus("version", "", n))
	}
}

// release returns the first two parts of a version: v1.34.2 is 1 and 34.
func release(version string) (major, minor int64, ok bool) {
	first, rest, found := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	second, _, _ := strings.Cut(rest, ".")
	major, okMajor := object.ParseNumber(first)
	minor, okMinor := object.ParseNumber(second)
	return major, minor, found && okMajor && okMinor
}

// generationRule returns the rule for a field that has an older generation; nil for any other.
func generationRule(key string) *Rule {
	if len(key) < len("lastGeneration") || !strings.HasSuffix(key, "eneration") {
		return nil
	}
	switch key {
	case "observed_generation", "lastEvaluatedGeneration", "lastSeenGeneration":
		return staleField
	case "lastGeneration", "reconciledGeneration", "lastReconciledGeneration", "lastSyncGeneration", "lastSyncedGeneration",
		"syncedGeneration",
		"appliedGeneration", "lastAppliedGeneration", "processedGeneration", "lastProcessedGeneration":
		return notCarriedOut
	}
	if strings.HasSuffix(key, "ObservedGeneration") {
		return staleField
	}
	return nil
}

// noStatusTable has the rules for an object without a status.
var noStatusTable = table{noStatusStatic, noStatusSilent, noStatusExpected, noStatusConfiguration, noStatusSchedule, noStatusData,
	noStatusYet}

// noStatus hands an object without a status to its rules. reason is that of an object of an unknown kind.
func (ev *evidence) noStatus(reason string) {
	r := noStatusTable.first(ev, &ev.entry)
	sentence := ""
	switch r {
	case noStatusStatic:
		reason, sentence = "Static", "objects of this kind have no status"
	case noStatusSilent:
		sentence = "the kind may have a status, but declares nothing to judge by"
	case noStatusConfiguration:
		reason, sentence = "Configuration", "objects of kinds with such a name hold configuration"
	case noStatusSchedule:
		reason, sentence = "NotYetRun", "a schedule has nothing to report before its first run"
	case noStatusData:
		ev.claimField(noStatusData, "Data", object.Text("the object has neither spec nor status, only data"), object.Fact{})
		return
	case nil:
		return
	default:
		sentence = "no status was reported yet"
	}
	ev.claimField(r, reason, object.Text(sentence), object.At(object.PathItself, ".status", "", ev.Status))
}

// owned reports whether the object has an owner, which uses it.
func (ev *evidence) owned() bool {
	owners := ev.Meta.Get("ownerReferences")
	return owners.Kind() == object.List && owners.Size() > 0
}

// configEnds are the ends of names of kinds that hold configuration for others and have no status.
var configEnds = lexicon.SuffixesOf(lexicon.List("configEnds"))

// hasData reports whether the object has members other than the usual ones.
func (ev *evidence) hasData() bool {
	for key := range ev.Obj.Fields() {
		switch key {
		case "apiVersion", "kind", "metadata", "spec", "status":
		default:
			return true
		}
	}
	return false
}

// skew is by how much the clock of a cluster may be ahead.
const skew = 10 * time.Minute

var impossible = &Rule{ID: "object/impossible", Tier: tierNonsense, Says: answer.Unknown, doubt: noEvidence,
	Looks: "an observedGeneration, of the status or of a summary condition, that is higher than metadata.generation or below -1, which " +
		"means none yet, or conditions without types only",
	Why:  "An impossible status was not written by the controller, or it was written for another object, as after a restore from a backup.",
	Keep: neverReal,
	Yes:  lamp(`{metadata: {generation: 2}, status: {observedGeneration: 7, phase: Ready}}`),
	No:   lamp(`{metadata: {generation: 7}, status: {observedGeneration: 7, phase: Ready}}`)}

var fromTheFuture = &Rule{ID: "object/future", Tier: tierNonsense, Says: answer.Unknown, doubt: noEvidence,
	Looks: "the time of the condition that decides, where it is later than now by more than ten minutes",
	Why:   "No controller with a clock writes a time in the future; a few minutes are the difference between two clocks.",
	Keep:  neverReal,
	Yes:   lamp(`status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2999-01-01T00:00:00Z"}]}`),
	No:    lamp(`status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2020-01-01T00:00:00Z"}]}`)}

// Future turns an answer that rests on a condition with a time after the object was read into Unknown.
func (c *Conventions) Future(j *answer.Judgement, read time.Time) {
	if j.Answer.Since.IsZero() || j.Answer.Status == answer.Terminating || c.Without[fromTheFuture.ID] {
		return
	}
	if read.Unix() <= 0 || !j.Answer.Since.After(read.Add(skew)) {
		return
	}
	was := j.Answer
	c.impossible(j, fromTheFuture, "TimeInFuture", object.FieldIs.Of("lastTransitionTime", was.Since.Format(time.RFC3339Nano)))
	j.Answer.ProveAgain(&was)
}

// Impossible answers that the status of an object is impossible.
func (c *Conventions) Impossible(j *answer.Judgement, reason string, m object.Message) {
	c.impossible(j, impossible, reason, m)
}

func (c *Conventions) impossible(j *answer.Judgement, r *Rule, reason string, m object.Message) {
	j.Answer = answer.Answer{}
	byRule(&j.Answer, &claim{rule: r, says: r.Says, reason: reason, msg: m})
	if c.Trace != nil {
		c.Trace.claims = append(c.Trace.claims, claim{rule: r, tier: r.Tier, says: r.Says, reason: reason, msg: m})
	}
}

// FoundImpossible reports whether an answer is that the status is impossible.
func FoundImpossible(a *answer.Answer) bool { return a.Convention == impossible.number }

// Behind is the answer for a status about another generation than that of the object.
func (c *Conventions) Behind(j *answer.Judgement, rule string, seen int64) {
	m := object.Generations.Count("", j.Generation, seen)
	if ImpossibleGeneration(seen, j.Generation) {
		c.Impossible(j, "ImpossibleGeneration", m)
	} else {
		j.Answer.Set(answer.InProgress, rule, "GenerationNotObserved", m)
	}
	j.ProveStatus("observedGeneration")
	j.Answer.Prove(object.At(object.PathItself, ".metadata.generation", "", j.Meta.Get("generation")))
}

// ImpossibleGeneration reports whether no controller can have observed a generation. -1 is possible: Flux has it as the default.
func ImpossibleGeneration(seen, generation int64) bool {
	return generation >= 0 && (seen > generation || seen < -1)
}

// objectRules are the rules about the spec, the metadata and generations, and objects without a status.
var objectRules = []*Rule{suspendedBySpec, heldRollout, heldByNote, staleStatus, staleField, notCarriedOut, versionLags, impossible,
	fromTheFuture, noStatusStatic,
	noStatusSilent, noStatusExpected, noStatusConfiguration, noStatusData, noStatusSchedule, noStatusYet}
