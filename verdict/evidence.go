// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"strings"
	"time"

	"github.com/tristate/tristate/verdict/internal/lexicon"

	"github.com/tristate/tristate/conditions"
)

// evidence is collected in one pass over an object, which hands each condition and field to the rules for it and keeps their claims. It is
// pooled: rules are called through function values, so that their arguments would not stay on the stack.
type evidence struct {
	claims   claims
	detailed claim // the claim against the object that outranks the others whose condition has a message
	pass
}

// pass is the part of the evidence that is cleared as a whole after a judgement.
type pass struct {
	subject
	now        int64 // Unix seconds
	entry      entry
	healthy    claim           // the claim for the object that outranks the others; one about a condition is completed when it decides
	summary    Condition       // a summary that is True
	failing    Condition       // the top-level condition, Ready or otherwise Available, if it is not True
	currentBy  string          // the reason of the answer of a pack or a catalog that is compared; empty without one
	judged     Status          // its status
	known      knowledge       // its knowledge; nil without one
	without    map[string]bool // rules that are left out
	trace      *[]claim        // all claims, if they are asked for
	wantOthers bool            // the unhealthy conditions are asked for
	unhealthy  []claim         // the claims against the object that rest on its conditions, if they are asked for
	failsNow   uint8           // the reservations of claims by conditions that fail at the current generation, a bit each
	task       int8            // whether the object runs and ends: 0 not asked yet, 1 yes, -1 no

	serving          bool // something reports that the object serves
	stale            bool // something is about an older generation
	hasConditions    bool
	hasUntyped       bool // there are empty items in the list of conditions
	hasCounts        bool // the status has numbers of replicas
	progressing      bool // something is under way
	stateHealthy     bool // a state is good
	ended            bool // a condition or a state reports the end of the work
	endedByCondition bool // a condition does so, not only one like Ready
	onlyStates       bool // the search looks at fields that hold a state alone
	emptyConditions  bool // there is a list of conditions, or of things that have conditions, and it is empty
}

// conventions judges by the rules: each makes its claims, the one of the highest tier decides, and an object that serves is impaired rather
// than failed. No claim depends on the order in which lists and maps are read.
func (j *judgement) conventions() {
	if j.steady() {
		return
	}
	ev := j.e.borrow(j)
	ev.collect()
	ev.decide(&j.v)
	j.collectClaims(ev.unhealthy)
	j.e.giveBack(ev)
}

// borrow takes evidence from the pool for a judgement.
func (e *Engine) borrow(j *judgement) *evidence {
	ev, _ := e.pool.Get().(*evidence)
	if ev == nil {
		ev = new(evidence)
	}
	ev.subject, ev.now, ev.without = j.subject, j.now.Unix(), e.without
	ev.trace, ev.wantOthers = e.trace, j.wantOthers
	return ev
}

func (e *Engine) giveBack(ev *evidence) {
	for i := range ev.claims { // most are empty, and they are large
		if ev.claims[i].tier != noTier {
			ev.claims[i] = claim{}
		}
	}
	if ev.detailed.tier != noTier {
		ev.detailed = claim{}
	}
	ev.pass = pass{}
	e.pool.Put(ev)
}

// collect collects the claims about the whole object.
func (ev *evidence) collect() {
	list := Object{}
	known := 0 // members of the status that need no closer look
	ev.specSwitches()
	ev.annotations()
	off := ev.claims[always].tier != noTier // no controller works on the object, so it need not have a status
	switch ev.status.kind() {
	case kindNone, kindNull, kindOther:
		if !off && !ev.stateAtTop() {
			ev.noStatus("NoStatus")
		}
		return
	case kindMap, kindList:
		list = ev.status.get("conditions")
		if !off && list.size() == 0 && blank(ev.status) {
			ev.noStatus("EmptyStatus")
			return
		}
	}
	if list.kind() != kindNone {
		known++
	}
	if ev.lag() {
		known++
	}
	if ev.status.kind() != kindMap {
		ev.state(atPath, ".status", "", ev.status)
		return
	}
	ev.emptyConditions = list.kind() == kindList && list.size() == 0
	ev.conditions(list, "")
	if ev.status.size() > known {
		ev.fields()
	}
	if ev.hasCounts {
		ev.counts()
	}
}

// stateAtTop judges the state of an object that has neither spec nor status: some kinds have it at the top. It reports whether there is
// one.
func (ev *evidence) stateAtTop() bool {
	if ev.spec.present() || ev.status.kind() != kindNone {
		return false
	}
	for _, key := range [...]string{"state", "phase", "health"} {
		if n := ev.obj.get(key); n.kind() == kindString {
			ev.state(atObject, key, "", n)
		}
	}
	return ev.pick() != nil || ev.healthy.tier != noTier
}

// blank reports whether a status has only nulls, empty strings and empty lists.
func blank(status Object) bool {
	if status.kind() == kindList {
		return status.size() == 0
	}
	empty := true
	status.fields(func(key string, n Object) bool {
		empty = !n.present()
		return empty
	})
	return empty
}

// decide turns the claims into the verdict.
func (ev *evidence) decide(v *Verdict) {
	b := ev.pick()
	switch {
	case b != nil && b.tier >= tierUnfinished:
		if b.says == InProgress && b.tier <= tierSummaryBusy && ev.status.size() > 1 && !ev.isTask() {
			if deep := ev.searchBroken(); deep != nil && (deep.b == "exitCode" || deep.b == waitingReason) {
				b = deep // a container that cannot start is no progress
			}
		}
	case ev.isTask() && ev.hasConditions && !ev.ended:
		ev.claimField(unfinished, "NotFinished", text("no condition says that the task is over"), fact{})
		if b = ev.pick(); b == nil { // the rule is left out
			b = &ev.healthy
		}
		if ev.healthy.tier != noTier {
			b.c, b.fact = ev.healthy.c, ev.healthy.fact
		}
	case ev.healthy.tier != noTier:
		if ev.healthy.tier <= tierConditionHealthy && !ev.isTask() {
			if b = ev.searchBroken(); b != nil {
				break // one harmless condition does not outweigh a failure below
			}
		}
		b = &ev.healthy
		if b.c.Type != "" {
			b.n = b.c.n.get("reason")
			b.reason, b.msg = b.n.Text(), b.c.text()
			if b.reason == "" {
				b.reason = b.c.Type
			}
		}
	case b == nil:
		ev.fallback()
		if b = ev.pick(); b == nil {
			return
		}
	}
	if b.rule == nil {
		return // every rule that has a claim is left out
	}
	says := b.says
	ev.soften(b)
	if d := ev.claimWithMessage(b, says); d != nil {
		d.says, d.until = b.says, b.until
		b = d
	}
	v.byRule(b)
	if b.rule == unfinished { // its condition only shows what there is
		v.Type, v.Condition, v.Severity = "", "", ""
	}
	for r := unlessSummary; r < reservations; r++ {
		if ev.setAside(r) {
			v.setAside |= 1 << r
		}
	}
	if b.until > 0 {
		v.NextLook = time.Unix(b.until, 0).UTC()
	}
	if b.says != Current {
		v.Ready = ev.serving && (b.says == Degraded || b.says == InProgress && !ev.stale)
	}
	if ev.failing.Type == "Ready" || ev.failing.Type != "" && ev.summary.Type != "Ready" {
		v.Ready = false
	}
	ev.prove(v, b)
	if ev.summary.Type != "" && (b.says == Degraded || b.says == Failed || b.tier >= tierStaleField && b.tier != tierNonsense) {
		v.contradict(ev.summary.Type, b.msg)
		v.prove(fact{atCondition, ev.summary.Type, "status", ev.summary.n.get("status")})
	}
	if weak := &ev.claims[unlessSummary]; b.says == Current && weak.tier != noTier && ev.summary.Type != "" {
		v.contradict(ev.summary.Type, weak.msg)
	}
}

// byRule answers with the claim of a rule.
func (v *Verdict) byRule(cl *claim) {
	v.answer(cl.says, cl.rule.confidence, cl.rule.ID, cl.reason, cl.msg)
	v.rule = cl.rule
	if cl.c.Type != "" && cl.at == atCondition {
		v.restOn(&cl.c)
	}
}

// claimWithMessage returns a claim to show for one whose condition has no message: that of another condition with the same status which
// claims the same and has one; nil without one.
func (ev *evidence) claimWithMessage(b *claim, says Status) *claim {
	d := &ev.detailed
	if b.at != atCondition || b.c.Type == "" || b.c.Message() != "" || d.tier == noTier || d.c.Status != b.c.Status || d.says != says ||
		ev.setAside(d.rule.Unless) {
		return nil
	}
	return d
}

// soften makes a failure progress or an impairment, if the evidence as a whole allows it.
func (ev *evidence) soften(b *claim) {
	if b.says == Failed && (ev.progressing && ev.whileProgressing(b) || ev.withinGrace(b)) {
		b.says = InProgress
	}
	if b.says == Failed && (b.c.Type != ev.summary.Type || b.at == atNested) && (ev.serving && !ev.isTask() || ev.onlyImpairs(b)) {
		b.says = Degraded
	}
}

// onlyImpairs reports whether a failure is that of XDegraded next to XAvailable=True, or of a type like PartiallyReady.
func (ev *evidence) onlyImpairs(b *claim) bool {
	if b.at != atCondition {
		return false
	}
	if strings.HasPrefix(b.c.Type, "Partially") {
		return true
	}
	component, ok := strings.CutSuffix(b.c.Type, "Degraded")
	if !ok {
		return false
	}
	if component == "" {
		return ev.summary.Type != ""
	}
	it := ev.status.get("conditions").items()
	for n := (Object{}); it.more(&n); {
		var c Condition
		if whole, ok := strings.CutSuffix(n.getStr("type"), "Available"); ok && whole == component &&
			findIn(ev.status.get("conditions"), n.getStr("type"), &c) {
			return c.Status == conditions.True
		}
	}
	return false
}

// whileProgressing reports whether a failure is normal while something is under way: it is missing because it is not there yet.
func (ev *evidence) whileProgressing(b *claim) bool {
	if b.c.Type == "" {
		return false
	}
	info := ev.types.About(b.c.Type)
	switch {
	case info.Aspect == lexicon.AspectPositive && b.c.Status == conditions.False:
		var c Condition
		return lexicon.Missing(b.reason) || ev.words.MeaningOf(b.reason) == lexicon.NotSo ||
			lexicon.Unavailable(b.reason) && info.Summary() && !(findIn(ev.status.get("conditions"), "Degraded", &c) && c.Status == conditions.True)
	case info.Aspect == lexicon.AspectNegative && b.c.Status == conditions.True:
		m := ev.words.MeaningOf(b.reason)
		return m == lexicon.UnderWay || m == lexicon.NotSo && info.Negated()
	}
	return false
}

// grace is for how many seconds something may be missing before it counts as a failure, from the creation of the object or the last
// transition of the condition.
const grace = 60

// withinGrace reports whether a failure is that something is missing, and the object or the condition is so new that it may still come. The
// claim then has the time at which that ends.
func (ev *evidence) withinGrace(b *claim) bool {
	if b.c.Type == "" || !lexicon.Missing(b.reason) || ev.now <= 0 {
		return false
	}
	since := max(unixOf(ev.meta.getStr("creationTimestamp")), unixOf(b.c.n.getStr("lastTransitionTime")))
	if age := ev.now - since; since == 0 || age < 0 || age >= grace {
		return false
	}
	b.until = since + grace
	return true
}

// prove adds what a claim rests on to the evidence of the verdict.
func (ev *evidence) prove(v *Verdict, c *claim) {
	stale := c.tier >= tierStaleField && c.tier <= tierStaleStatus || c.tier == tierNotCarriedOut
	switch {
	case c.c.Type != "" && c.at == atCondition:
		v.proveCondition(&c.c)
		if stale {
			v.prove(fact{atCondition, c.c.Type, "observedGeneration", c.c.n.get("observedGeneration")})
		} else if c.reason != "" && c.reason != c.c.Type {
			n := c.n
			if n.v == nil {
				n = c.c.n.get("reason")
			}
			v.prove(fact{atCondition, c.c.Type, "reason", n})
		}
	case c.c.Type != "":
		v.since = c.c.n.getStr("lastTransitionTime")
		fallthrough
	default:
		if c.a != "" {
			v.prove(c.fact)
		}
	}
	if stale {
		v.prove(fact{atPath, ".metadata.generation", "", ev.meta.get("generation")})
	}
}
