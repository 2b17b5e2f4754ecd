// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"strings"
	"time"
)

// gather walks over one object, hands each piece of evidence to the rules for it, and keeps their claims. It is reused: rules are
// called through their values, so that nothing they are given could stay on the stack.
type gather struct {
	claims claims
	spoken claim // the heaviest claim against the object that rests on a condition with a message
	walked
}

// walked is what the walk has come upon.
type walked struct {
	subject
	now      int64 // Unix seconds
	ev       evidence
	good     claim           // the heaviest claim for the object; of conditions it is completed when it decides
	summary  cond            // a summary that is True
	failing  cond            // the top-level condition, Ready or else Available, that is not True
	vouched  string          // the knowledge of the kind that calls the object Current, empty without any
	knows    knowledge       // what vouches reads these types; nil without
	without  map[string]bool // rules that are left out
	trace    *[]claim        // all claims, where they are asked for
	collect  bool            // the bad conditions are asked for
	bad      []claim         // those that rest on conditions of the object and speak against it, where they are asked for
	serving  bool            // something says that the object serves
	failsNow uint8           // the reservations of claims that call the object Failed by a condition of the present generation, a bit each
	stale    bool
	conds    bool // there are conditions
	untypeds bool // there are items of conditions without a type
	task     int8 // whether the kind is that of a task, which ends: 0 not asked yet, 1 yes, -1 no
	counted  bool // the status holds numbers of replicas
	making   bool // something is being made
	stands   bool // a state says that something is well
	finished bool // a condition or a state says that it is over
	over     bool // a condition says so in so many words
	awaited  bool // there is a list of conditions, or of things that have conditions, and it is empty
}

// conventions judges by conventions: every rule makes its claims, the one of the highest tier decides, and what serves turns a failure into an
// impairment. No claim depends on the order in which lists and maps are read.
func (j *judge) conventions() {
	if j.steady() {
		return
	}
	g := j.e.borrow(j)
	g.all()
	g.answer(&j.v)
	j.collectClaims(g.bad)
	j.e.giveBack(g)
}

// borrow takes a gather for a judgement.
func (e *Engine) borrow(j *judge) *gather {
	g, _ := e.gathers.Get().(*gather)
	if g == nil {
		g = new(gather)
	}
	g.subject, g.now, g.without = j.subject, j.now.Unix(), e.without
	g.trace, g.collect = e.trace, j.collect
	return g
}

func (e *Engine) giveBack(g *gather) {
	for i := range g.claims { // most are empty, and they are large
		if g.claims[i].tier != NoTier {
			g.claims[i] = claim{}
		}
	}
	if g.spoken.tier != NoTier {
		g.spoken = claim{}
	}
	g.walked = walked{}
	e.gathers.Put(g)
}

// all gathers the claims about the whole object.
func (g *gather) all() {
	list := node{}
	known := 0 // members of the status that need no closer look
	g.switches()
	g.notes()
	off := g.claims[Always].tier != NoTier // nobody looks at the object, so it need not have been looked at
	switch g.status.kind() {
	case kindNone, kindNull, kindOther:
		if !off && !g.bare() {
			g.noStatus("NoStatus")
		}
		return
	case kindMap, kindList:
		list = g.status.get("conditions")
		if !off && list.size() == 0 && blank(g.status) {
			g.noStatus("EmptyStatus")
			return
		}
	}
	if list.kind() != kindNone {
		known++
	}
	if g.lag() {
		known++
	}
	if g.status.kind() != kindMap {
		g.state(atPath, ".status", "", g.status)
		return
	}
	g.awaited = list.kind() == kindList && list.size() == 0
	g.conditions(list, "")
	if g.status.size() > known {
		g.fields()
	}
	if g.counted {
		g.counts()
	}
}

// bare weighs the state of an object that has neither spec nor status: some kinds have it at the top. It reports whether there is one.
func (g *gather) bare() bool {
	if g.spec.present() || g.status.kind() != kindNone {
		return false
	}
	for _, key := range [...]string{"state", "phase", "health"} {
		if n := g.obj.get(key); n.kind() == kindString {
			g.state(atObject, key, "", n)
		}
	}
	return g.pick() != nil || g.good.tier != NoTier
}

// blank reports whether a status has members but says nothing: nulls, empty strings and empty lists.
func blank(status node) bool {
	if status.kind() == kindList {
		return status.size() == 0
	}
	empty := true
	status.fields(func(key string, n node) bool {
		empty = !n.present()
		return empty
	})
	return empty
}

// answer turns the claims into the verdict.
func (g *gather) answer(v *Verdict) {
	b := g.pick()
	switch {
	case b != nil && b.tier >= Unfinished:
	case g.isTask() && g.conds && !g.finished:
		g.say(unfinished, "NotFinished", text("no condition says that the task is over"))
		if b = g.pick(); b == nil { // the rule is left out
			b = &g.good
		}
		if g.good.tier != NoTier {
			b.c, b.at, b.a, b.b, b.n = g.good.c, g.good.at, g.good.a, g.good.b, g.good.n
		}
	case g.good.tier != NoTier:
		b = &g.good
		if b.c.typ != "" {
			b.n = b.c.n.get("reason")
			b.reason, b.msg = b.n.str(), b.c.text()
			if b.reason == "" {
				b.reason = b.c.typ
			}
		}
	case b == nil:
		g.rest()
		if b = g.pick(); b == nil {
			return
		}
	}
	if b.rule == nil {
		return // every rule that has a claim is left out
	}
	says := b.status
	g.temper(b)
	if d := g.detail(b, says); d != nil {
		d.status, d.until = b.status, b.until
		b = d
	}
	v.answer(b.status, b.rule.confidence, b.rule.ID, b.reason, b.msg)
	v.rule = b.rule
	if b.rule != unfinished { // whose conditions only show what there is
		v.byClaim(b)
	}
	for r := UnlessSummary; r < reservations; r++ {
		if g.setAside(r) {
			v.setAside |= 1 << r
		}
	}
	if b.until > 0 {
		v.NextLook = time.Unix(b.until, 0).UTC()
	}
	if b.status != Current {
		v.Ready = g.serving && (b.status == Degraded || b.status == InProgress && !g.stale)
	}
	if g.failing.typ == "Ready" || g.failing.typ != "" && g.summary.typ != "Ready" {
		v.Ready = false
	}
	g.proof(v, b)
	if g.summary.typ != "" && (b.status == Degraded || b.status == Failed || b.tier >= StaleField && b.tier != Nonsense) {
		v.contradict(g.summary.typ, b.msg)
		v.prove(atCondition, g.summary.typ, "status", g.summary.n.get("status"))
	}
	if weak := &g.claims[UnlessSummary]; b.status == Current && weak.tier != NoTier && g.summary.typ != "" {
		v.contradict(g.summary.typ, weak.msg)
	}
}

// detail returns the claim that speaks for one whose condition has no message: that of another condition with the same status, which says the same of the
// object and has one. It is nil where there is none.
func (g *gather) detail(b *claim, says Status) *claim {
	d := &g.spoken
	if b.at != atCondition || b.c.typ == "" || b.c.message() != "" || d.tier == NoTier || d.c.status != b.c.status || d.status != says || g.setAside(d.rule.Unless) {
		return nil
	}
	return d
}

// temper changes what a claim says by what else is true of the object.
func (g *gather) temper(b *claim) {
	if b.status == Failed && g.making && g.passing(b) {
		b.status = InProgress
	}
	if b.status == Failed && g.young(b) {
		b.status = InProgress
	}
	if b.status == Failed && (b.c.typ != g.summary.typ || b.at == atNested) && (g.serving && !g.isTask() || g.impairs(b)) {
		b.status = Degraded
	}
}

// impairs reports whether a failure is that of a type ending in Degraded, of something of which another condition says that it is
// available or done: WebhookDegraded beside WebhookAvailable. PartiallyReady says so itself.
func (g *gather) impairs(b *claim) bool {
	if b.at != atCondition {
		return false
	}
	if strings.HasPrefix(b.c.typ, "Partially") {
		return true
	}
	part, ok := strings.CutSuffix(b.c.typ, "Degraded")
	if !ok {
		return false
	}
	if part == "" {
		return g.summary.typ != ""
	}
	it := g.status.get("conditions").items()
	for n := (node{}); it.more(&n); {
		var c cond
		if whole, ok := strings.CutSuffix(n.getStr("type"), "Available"); ok && whole == part && findIn(g.status.get("conditions"), n.getStr("type"), &c) {
			return c.status == isTrueWord
		}
	}
	return false
}

// passing reports whether a failure is one that goes with something being made: what is missing is not there yet.
func (g *gather) passing(b *claim) bool {
	if b.c.typ == "" {
		return false
	}
	info := g.types.about(b.c.typ)
	switch {
	case info.aspect == aspectPositive && b.c.status == isFalseWord:
		var c cond
		return missing(b.reason) || g.words.senseOf(b.reason) == senseVague ||
			unavailable(b.reason) && info.summary() && !(findIn(g.status.get("conditions"), "Degraded", &c) && c.status == isTrueWord)
	case info.aspect == aspectNegative && b.c.status == isTrueWord:
		return g.words.senseOf(b.reason) == senseBusy
	}
	return false
}

// grace is how long what is missing may be missing before it counts as a failure, from when the object was made, or the condition
// changed last.
const grace = 60

// young reports whether a failure is that something is missing, and the object or the condition is so new that it may yet come. The claim then
// says until when.
func (g *gather) young(b *claim) bool {
	if b.c.typ == "" || !missing(b.reason) || g.now <= 0 {
		return false
	}
	since := max(unixOf(g.meta.getStr("creationTimestamp")), unixOf(b.c.n.getStr("lastTransitionTime")))
	if age := g.now - since; since == 0 || age < 0 || age >= grace {
		return false
	}
	b.until = since + grace
	return true
}

// speakFor keeps a claim for the object.
func (g *gather) speakFor(cl *claim) {
	if g.without != nil && g.without[cl.rule.ID] {
		return
	}
	if g.trace != nil {
		*g.trace = append(*g.trace, *cl)
	}
	if g.good.tier == NoTier || cl.outranks(&g.good) {
		g.good = *cl
	}
}

// fine is speakFor for the condition that is looked at. The claim is completed when it is known to decide.
func (g *gather) fine(r *Rule) {
	if g.without != nil && g.without[r.ID] {
		return
	}
	e := &g.ev
	if g.trace != nil {
		*g.trace = append(*g.trace, e.makeOf(r))
	}
	gd, c := &g.good, &e.c
	switch {
	case gd.tier > r.Tier:
		return
	case gd.tier < r.Tier:
	case gd.c.typ != c.typ:
		if gd.c.typ < c.typ {
			return
		}
	case gd.c.before(c), !c.before(&gd.c) && gd.within() <= e.within:
		return
	}
	gd.rule, gd.tier, gd.status, gd.c = r, r.Tier, Current, *c
	gd.place(c, e.within)
}

// proof adds what a claim rests on to the evidence.
func (g *gather) proof(v *Verdict, c *claim) {
	generations := c.tier >= StaleField && c.tier <= StaleStatus || c.tier == NotCarriedOut
	if c.c.typ != "" && c.at == atCondition {
		v.proveCondition(&c.c)
		if generations {
			v.prove(atCondition, c.c.typ, "observedGeneration", c.c.n.get("observedGeneration"))
			v.prove(atPath, ".metadata.generation", "", g.meta.get("generation"))
		} else if c.reason != "" && c.reason != c.c.typ {
			n := c.n
			if n.v == nil {
				n = c.c.n.get("reason")
			}
			v.prove(atCondition, c.c.typ, "reason", n)
		}
		return
	}
	if c.c.typ != "" {
		v.since = c.c.n.get("lastTransitionTime").str()
	}
	if c.a != "" {
		v.prove(c.at, c.a, c.b, c.n)
	}
	if generations {
		v.prove(atPath, ".metadata.generation", "", g.meta.get("generation"))
	}
}

// say makes a claim about the whole object.
func (g *gather) say(r *Rule, reason string, m message) {
	g.claim(&claim{rule: r, tier: r.Tier, status: r.Says, reason: reason, msg: m})
}

// sayOf makes a claim about the whole object that rests on a field.
func (g *gather) sayOf(r *Rule, reason string, m message, at place, a, b string, n node) {
	g.claim(&claim{rule: r, tier: r.Tier, status: r.Says, reason: reason, msg: m, at: at, a: a, b: b, n: n})
}
