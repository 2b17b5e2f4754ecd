// SPDX-License-Identifier: Apache-2.0

package convention

import "github.com/tristate/tristate/verdict/internal/answer"

// Rule is one convention: it looks at one condition or field and makes a claim about the object. A rule never decides alone: the claims
// of all rules are collected, and the claim of the highest [Tier] decides.
type Rule struct {
	// ID names the rule, as "condition/summary-broken". A verdict that the rule decided has it as its Rule.
	ID string
	// Tier ranks its claims.
	Tier Tier
	// Says is the status that it claims; empty: none.
	Says answer.Status
	// Unless sets its claims aside.
	Unless Reservation
	// Looks names what the rule looks at, and Why gives the reason for its claim in a few sentences.
	Looks, Why string
	// Yes is an object that the rule decides, No a similar one that it does not decide.
	Yes, No Example
	// Keep is the reason to keep a rule without which the verdict on no object of any corpus changes; empty for any other.
	Keep string

	doubt  string                       // why an answer by it is in doubt; empty: it is not
	match  func(*evidence, *entry) bool // nil: the pass over the object finds the field by its place and name
	notes  func(*evidence, *entry)      // what other rules must know if it matches, also where the rule is left out; nil: nothing
	number uint16                       // position in All, from 1
}

// Reasons for a doubt.
const (
	noEvidence = "rests on no evidence"
	notSummed  = "has nothing that sums up its health"
)

// An Example is an object of an unknown kind: its members except apiVersion and kind, as YAML in flow style.
type Example struct {
	Kind   string // empty: "Lamp"
	Object string
}

// Reasons to keep rules without which the verdict on no object of any corpus changes.
const (
	ofDefinitions = "it reads the definition of the kind, and the corpora have objects alone"
	ofSeverity    = "a contract of APIs: Cluster API v1beta1 and Knative write the severity Info where a condition is no failure"
	contradictory = "the corpora have few conditions whose status and reason disagree, and a status alone is half the truth of one"
	neverReal     = "the corpora have objects that controllers wrote, and none of them writes an impossible status"
	ofConclusion  = "the corpora have no condition that is Unknown for such a reason, and without it the object is in progress for ever"
	besideSummary = "a rule that differs by its reservation claims the same if no summary is True, as on all objects of the corpora"
)

// A Reservation sets the claim of a rule aside if something else is true of the object.
type Reservation uint8

// The reservations.
const (
	// always: the claim counts.
	always Reservation = iota
	// unlessSummary: the claim counts only if no summary condition is True, and no pack or catalog calls the object Current. Otherwise it is
	// a contradiction.
	unlessSummary
	// unlessOver: the claim counts only if no condition reports the end of the work.
	unlessOver
	// unlessStateHealthy: the claim counts only if no state is good.
	unlessStateHealthy
	// unlessFailsNow: the claim counts only if no condition fails at the current generation, see [answer.FailsNow].
	unlessFailsNow
	reservations
)

func (r Reservation) String() string {
	return [...]string{"always", "unless a summary is True", "unless the work is over", "unless a state is healthy",
		"unless a condition of this generation fails"}[r]
}

// A Tier is a place in the order in which claims are picked.
type Tier uint8

// The tiers, lowest first: of the claims about an object that of the highest tier decides; of two in one tier the first by its
// place in the object. Claims below tierUnfinished are for an object, those above it against it.
const (
	noTier               Tier = iota
	tierNothingKnown          // the status has nothing that can be judged
	tierNotReported           // the kind declares conditions or a phase, and the object has none
	tierNoSummary             // there are conditions, and none is about health
	tierTimesOfTask           // the times of a task
	tierBusyText              // words of activity somewhere below the status, or in its message
	tierBrokenText            // words of failure there
	tierEmptyList             // a list of conditions without any
	tierNotUsed               // something is switched off
	tierStrangeState          // a state in unknown words
	tierLastBroken            // the last run failed
	tierNegativeHealthy       // a negative condition is not True
	tierActivityHealthy       // an activity has ended with success
	tierCountHealthy          // numbers are as wanted
	tierFlagHealthy           // a flag is true
	tierStateHealthy          // a state is good
	tierConditionHealthy      // a condition is True
	tierSummaryHealthy        // a summary condition is True
	tierUnfinished            // no condition says that a task is over
	tierPartOff               // a component is off
	tierSummaryOff            // a summary says that the object is off
	tierUnknownState          // the author of the status does not know
	tierCountUnhealthy        // some of many are unhealthy
	tierFlagBusy              // a flag says that work goes on
	tierCountShort            // fewer than wanted
	tierStateBusy             // a state says that work goes on
	tierConditionBusy         // a condition says that work goes on
	tierSummaryBusy           // a summary says that work goes on
	tierNotCarriedOut         // an older generation was carried out
	tierImpaired              // it serves, but impaired
	tierFlagBroken            // a flag says that something failed
	tierErrorField            // a field for errors has one
	tierStateBroken           // a state says that something failed
	tierConditionBroken       // a condition says that something failed
	tierSummaryBroken         // a summary says that the object failed
	tierStateOff              // a state says that the object is off
	tierStaleField            // a field of the status is about an older generation
	tierStaleCondition        // a condition is about an older generation
	tierStaleStatus           // the status is about an older generation
	tierHeldByNote            // an annotation takes the object away from its controller
	tierHeldRollout           // the spec pauses its roll-out
	tierHeldBySpec            // the spec, or a condition, holds the object
	tierNonsense              // the status is impossible
	tiers
)

// String returns the name of the tier.
func (t Tier) String() string {
	if t < tiers {
		return tierNames[t]
	}
	return ""
}

var tierNames = [tiers]string{"none", "nothing-known", "not-reported", "no-summary", "times-of-task", "busy-text", "broken-text",
	"empty-list",
	"not-used", "strange-state", "last-broken", "negative-healthy", "activity-healthy", "count-healthy", "flag-healthy", "state-healthy",
	"condition-healthy", "summary-healthy", "unfinished", "part-off", "summary-off", "unknown-state", "count-unhealthy", "flag-busy", "count-short",
	"state-busy", "condition-busy", "summary-busy", "not-carried-out", "impaired", "flag-broken", "error-field", "state-broken",
	"condition-broken", "summary-broken", "state-off", "stale-field", "stale-condition", "stale-status", "held-by-note", "held-rollout",
	"held-by-spec", "nonsense"}

// table is a decision table: the first rule that matches makes the claim. A match changes nothing; what a rule notes of the object is apart
// from it, so that leaving a rule out measures its claim alone.
type table []*Rule

func (t table) first(ev *evidence, e *entry) *Rule {
	for _, r := range t {
		if !r.match(ev, e) {
			continue
		}
		if r.notes != nil {
			r.notes(ev, e)
		}
		if ev.without == nil || !ev.without[r.ID] {
			return r
		}
	}
	return nil
}

// All lists the rules of the conventions, in the order of the documentation.
var All = number(conditionRules, stateRules, fieldRules, objectRules, restRules)

func number(lists ...[]*Rule) []*Rule {
	var out []*Rule
	for _, list := range lists {
		for _, r := range list {
			out = append(out, r)
			r.number = uint16(len(out))
		}
	}
	return out
}
