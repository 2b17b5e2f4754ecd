// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"strings"
	"sync"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
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
	answer.Subject
	now       int64 // Unix seconds
	entry     entry
	healthy   claim               // the claim for the object that outranks the others; one about a condition is completed when it decides
	summary   object.Condition    // a summary that is True
	failing   object.Condition    // the top-level condition, Ready or otherwise Available, if it is not True
	currentBy string              // the reason of the answer of a pack or a catalog that is compared; empty without one
	judged    answer.Status       // its status
	decidedBy string              // the type of the condition that it rests on
	known     Knowledge           // its knowledge; nil without one
	without   map[string]bool     // rules that are left out
	trace     *Trace              // all claims, if they are asked for
	unhealthy []claim             // the claims against the object that rest on its conditions
	said      [reservations]uint8 // the statuses that claims against the object say, a bit each, by their reservation
	failsNow  uint8               // the reservations of claims by conditions that fail at the current generation, a bit each
	task      int8                // whether the object runs and ends: 0 not asked yet, 1 yes, -1 no

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

// Conventions are the rules as an engine applies them. The zero value is ready to use, and must not be copied.
type Conventions struct {
	Without map[string]bool // rules that are left out
	Trace   *Trace          // all claims, if they are asked for

	pool sync.Pool
}

// Judge judges by the rules: each makes its claims, the one of the highest tier decides, and an object that serves is impaired rather than
// failed. No claim depends on the order in which lists and maps are read.
func (c *Conventions) Judge(j *answer.Judgement) {
	if c.steady(j) {
		return
	}
	ev := c.borrow(j)
	ev.collect()
	ev.decide(&j.Answer)
	collectClaims(j, ev.unhealthy)
	c.giveBack(ev)
}

// borrow takes evidence from the pool for a judgement.
func (c *Conventions) borrow(j *answer.Judgement) *evidence {
	ev, _ := c.pool.Get().(*evidence)
	if ev == nil {
		ev = new(evidence)
	}
	ev.Subject, ev.now, ev.without = j.Subject, j.Now.Unix(), c.Without
	ev.trace = c.Trace
	return ev
}

func (c *Conventions) giveBack(ev *evidence) {
	for i := range ev.claims { // most are empty, and they are large
		if ev.claims[i].tier != noTier {
			ev.claims[i] = claim{}
		}
	}
	if ev.detailed.tier != noTier {
		ev.detailed = claim{}
	}
	ev.pass = pass{}
	c.pool.Put(ev)
}

// collect collects the claims about the whole object.
func (ev *evidence) collect() {
	list := object.Value{}
	known := 0 // members of the status that need no closer look
	ev.specSwitches()
	ev.annotations()
	off := ev.claims[always].tier != noTier // no controller works on the object, so it need not have a status
	switch ev.Status.Kind() {
	case object.None, object.Null, object.Other:
		if !off && !ev.stateAtTop() {
			ev.noStatus("NoStatus")
		}
		return
	case object.Map, object.List:
		list = ev.Status.Get("conditions")
		if !off && list.Size() == 0 && blank(ev.Status) {
			ev.noStatus("EmptyStatus")
			return
		}
	}
	if list.Kind() != object.None {
		known++
	}
	if ev.lag() {
		known++
	}
	if ev.Status.Kind() != object.Map {
		ev.state(object.PathItself, ".status", "", ev.Status)
		return
	}
	ev.emptyConditions = list.Kind() == object.List && list.Size() == 0
	ev.conditions(list, "")
	if ev.Status.Size() > known {
		ev.fields()
	}
	if ev.hasCounts {
		ev.counts()
	}
}

// stateAtTop judges the state of an object that has neither spec nor status: some kinds have it at the top. It reports whether there is
// one.
func (ev *evidence) stateAtTop() bool {
	if ev.Spec.Present() || ev.Status.Kind() != object.None {
		return false
	}
	for _, key := range [...]string{"state", "phase", "health"} {
		if n := ev.Obj.Get(key); n.Kind() == object.String {
			ev.state(object.PathObject, key, "", n)
		}
	}
	return ev.pick() != nil || ev.healthy.tier != noTier
}

// blank reports whether a status has only nulls, empty strings and empty lists.
func blank(status object.Value) bool {
	if status.Kind() == object.List {
		return status.Size() == 0
	}
	for _, n := range status.Fields() {
		if n.Present() {
			return false
		}
	}
	return true
}

// decide turns the claims into the verdict.
func (ev *evidence) decide(v *answer.Answer) {
	b := ev.pick()
	switch {
	case b != nil && b.tier >= tierUnfinished:
		if b.says == answer.InProgress && b.tier <= tierSummaryBusy && ev.Status.Size() > 1 && !ev.isTask() {
			if deep := ev.searchBroken(); deep != nil && (deep.B == "exitCode" || deep.B == waitingReason) {
				b = deep // a container that cannot start is no progress
			}
		}
	case ev.isTask() && ev.hasConditions && !ev.ended:
		ev.claimField(unfinished, "NotFinished", object.Text("no condition says that the task is over"), object.Fact{})
		if b = ev.pick(); b == nil { // the rule is left out
			b = &ev.healthy
		}
		if ev.healthy.tier != noTier {
			b.c, b.Fact = ev.healthy.c, ev.healthy.Fact
		}
	case ev.healthy.tier != noTier:
		if ev.healthy.tier <= tierConditionHealthy && !ev.isTask() {
			if b = ev.searchBroken(); b != nil {
				break // one harmless condition does not outweigh a failure below
			}
		}
		b = &ev.healthy
		if b.c.Type != "" {
			b.N = b.c.N.Get("reason")
			b.reason, b.msg = b.N.Text(), b.c.Sentence()
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
	byRule(v, b)
	if b.rule == unfinished { // its condition only shows what there is
		v.Type, v.Condition, v.Severity = "", "", ""
	}
	for r := unlessSummary; r < reservations; r++ {
		if ev.setAside(r) {
			v.SetAside |= 1 << r
		}
	}
	if b.until > 0 {
		v.NextLook = time.Unix(b.until, 0).UTC()
	}
	if b.says != answer.Current {
		v.Ready = ev.serving && (b.says == answer.Degraded || b.says == answer.InProgress && !ev.stale)
	}
	if ev.failing.Type == "Ready" || ev.failing.Type != "" && ev.summary.Type != "Ready" {
		v.Ready = false
	}
	ev.prove(v, b)
	if rival := ev.rival(b, says); rival != "" {
		v.Doubt("may be " + string(rival))
	}
	if ev.summary.Type != "" && (b.says == answer.Degraded || b.says == answer.Failed || b.tier >= tierStaleField && b.tier != tierNonsense) {
		v.Contradict(ev.summary.Type, b.msg)
		v.Prove(object.OfCondition(ev.summary.Type, "status", ev.summary.N.Get("status")))
	}
	if weak := &ev.claims[unlessSummary]; b.says == answer.Current && weak.tier != noTier && ev.summary.Type != "" {
		v.Contradict(ev.summary.Type, weak.msg)
	}
}

// byRule answers with the claim of a rule.
func byRule(v *answer.Answer, cl *claim) {
	v.Set(cl.says, cl.rule.ID, cl.reason, cl.msg)
	if cl.rule.doubt != "" {
		v.Doubt(cl.rule.doubt)
	}
	v.Convention = cl.rule.number
	if cl.c.Type != "" && cl.Place == object.PathCondition {
		v.RestOn(&cl.c)
	}
}

// claimWithMessage returns a claim to show for one whose condition has no message: that of another condition with the same status which
// claims the same and has one; nil without one.
func (ev *evidence) claimWithMessage(b *claim, says answer.Status) *claim {
	d := &ev.detailed
	if b.Place != object.PathCondition || b.c.Type == "" || b.c.Message() != "" || d.tier == noTier || d.c.Status != b.c.Status ||
		d.says != says || ev.setAside(d.rule.Unless) {
		return nil
	}
	return d
}

// soften makes a failure progress or an impairment, if the evidence as a whole allows it.
func (ev *evidence) soften(b *claim) {
	if b.says == answer.Failed && (ev.progressing && ev.whileProgressing(b) || ev.withinGrace(b)) {
		b.says = answer.InProgress
	}
	if b.says == answer.Failed && (b.c.Type != ev.summary.Type || b.Place == object.PathNested) &&
		(ev.serving && !ev.isTask() || ev.onlyImpairs(b)) {
		b.says = answer.Degraded
	}
}

// onlyImpairs reports whether a failure is that of XDegraded next to XAvailable=True, or of a type like PartiallyReady.
func (ev *evidence) onlyImpairs(b *claim) bool {
	if b.Place != object.PathCondition {
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
	for n := range ev.Status.Get("conditions").Items() {
		var c object.Condition
		if whole, ok := strings.CutSuffix(n.TextAt("type"), "Available"); ok && whole == component &&
			object.Find(ev.Status.Get("conditions"), n.TextAt("type"), &c) {
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
	info := ev.Types.About(b.c.Type)
	switch {
	case info.Aspect == lexicon.AspectPositive && b.c.Status == conditions.False:
		var c object.Condition
		return lexicon.Missing(b.reason) || ev.Words.MeaningOf(b.reason) == lexicon.NotSo ||
			lexicon.Unavailable(b.reason) && info.Summary() && !(object.Find(ev.Status.Get("conditions"), "Degraded", &c) && c.Status == conditions.True)
	case info.Aspect == lexicon.AspectNegative && b.c.Status == conditions.True:
		m := ev.Words.MeaningOf(b.reason)
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
	since := max(object.UnixOf(ev.Meta.TextAt("creationTimestamp")), object.UnixOf(b.c.N.TextAt("lastTransitionTime")))
	if age := ev.now - since; since == 0 || age < 0 || age >= grace {
		return false
	}
	b.until = since + grace
	return true
}

// prove adds what a claim rests on to the evidence of the verdict.
func (ev *evidence) prove(v *answer.Answer, c *claim) {
	stale := c.tier >= tierStaleField && c.tier <= tierStaleStatus || c.tier == tierNotCarriedOut
	switch {
	case c.c.Type != "" && c.Place == object.PathCondition:
		v.ProveCondition(&c.c)
		if stale {
			v.Prove(object.OfCondition(c.c.Type, "observedGeneration", c.c.N.Get("observedGeneration")))
		} else if c.reason != "" && c.reason != c.c.Type {
			n := c.N
			if n.Kind() == object.None {
				n = c.c.N.Get("reason")
			}
			v.Prove(object.OfCondition(c.c.Type, "reason", n))
		}
	case c.c.Type != "":
		v.Since = c.c.LastTransition()
		fallthrough
	default:
		if c.A != "" {
			v.Prove(c.Fact)
		}
	}
	if stale {
		v.Prove(object.At(object.PathItself, ".metadata.generation", "", ev.Meta.Get("generation")))
	}
}

// isTask reports whether objects of the kind run and end.
func (ev *evidence) isTask() bool {
	if ev.task == 0 {
		ev.task = -1
		if lexicon.RunsToCompletion(ev.Kind) {
			ev.task = 1
		}
	}
	return ev.task > 0
}
