// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// generic judges by conventions: every piece of evidence is weighed, the worst decides, and what serves turns a failure
// into an impairment. No piece depends on the order in which lists and maps are read.
func (j *judge) generic() {
	var g gather
	g.subject = j.subject
	list := node{}
	known := 0 // members of the status that need no closer look
	g.suspended()
	g.annotated()
	off := g.best.weight > 0 // nobody looks at the object, so it need not have been looked at
	switch g.status.kind() {
	case kindNone, kindNull, kindOther:
		if off || g.bare() {
			g.weigh(&j.v)
			return
		}
		j.noStatus("NoStatus")
		return
	case kindMap, kindList:
		list = g.status.get("conditions")
		if !off && list.size() == 0 && blank(g.status) {
			j.noStatus("EmptyStatus")
			return
		}
	}
	if list.kind() != kindNone {
		known++
	}
	if g.lag() {
		known++
	}
	if g.status.kind() == kindMap {
		g.awaited = list.kind() == kindList && list.size() == 0
		g.conditions(list, "")
		if g.status.size() > known {
			g.fields()
		}
		if g.counted {
			g.counts()
		}
	} else {
		g.scalar(atPath, ".status", "", g.status)
	}
	g.weigh(&j.v)
}

// noStatus judges an object that nobody has reported on.
func (j *judge) noStatus(reason string) {
	switch {
	case j.expect.Static():
		j.answer(Current, FromCondition, "condition/static", "Static", text("objects of this kind have no status"))
	case j.expect.Known && !j.expect.Reports():
		j.answer(Unknown, FromNothing, "none/no-status", reason, text("the kind may have a status, but declares nothing to judge by"))
	case j.expect.Known:
		j.answer(InProgress, FromCondition, "condition/no-status", reason, text("no status was reported yet"))
	case configures(j.kind) && !j.owned() && (j.status.kind() == kindNone || strings.HasSuffix(j.kind, "ProviderConfig")) && j.spec.get("replicas").kind() == kindNone:
		j.answer(Current, FromNothing, "none/configuration", "Configuration", text("objects of kinds with such a name hold configuration"))
	case !j.spec.present() && j.status.kind() == kindNone && j.carriesData():
		j.answer(Current, FromNothing, "none/data", "Data", text("the object has neither spec nor status, only data"))
		return
	default:
		j.answer(InProgress, FromNothing, "none/no-status", reason, text("no status was reported yet"))
	}
	j.prove(atPath, ".status", "", j.status)
}

// owned reports whether a controller has made the object: it is to do something with it.
func (j *judge) owned() bool {
	it := j.meta.get("ownerReferences").items()
	for o := (node{}); it.more(&o); {
		if o.get("controller").isTrue() {
			return true
		}
	}
	return false
}

// configures guesses from its name that a kind holds configuration for others and has no status.
func configures(kind string) bool {
	for _, end := range [...]string{"Config", "ConfigUsage", "Configuration", "Template", "Profile"} {
		if strings.HasSuffix(kind, end) {
			return true
		}
	}
	return false
}

// carriesData says whether the object has members of its own beside the usual ones.
func (j *judge) carriesData() bool {
	data := false
	j.obj.fields(func(key string, n node) bool {
		switch key {
		case "apiVersion", "kind", "metadata", "spec", "status":
			return true
		}
		data = true
		return false
	})
	return data
}

// bare weighs the state of an object that has neither spec nor status: some kinds have it at the top. It reports whether there is one.
func (g *gather) bare() bool {
	if g.spec.present() || g.status.kind() != kindNone {
		return false
	}
	for _, key := range [...]string{"state", "phase", "health"} {
		if n := g.obj.get(key); n.kind() == kindString {
			g.scalar(atObject, key, "", n)
		}
	}
	return g.best.weight > 0 || g.good.weight > 0
}

// blank says whether a status has members but says nothing: nulls, empty strings and empty lists.
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

// claim is one piece of evidence that speaks against Current, or for it.
type claim struct {
	status Status
	weight int8 // of two claims the heavier one decides
	rule   string
	reason string
	msg    message
	at     place
	a, b   string
	n      node // the field
	c      cond // the condition, where there is one
	conf   Confidence
}

// The weights, in steps of ten; within a step the summary comes first.
const (
	weightOff     int8 = 20
	weightUnknown int8 = 30
	weightBusy    int8 = 40
	weightBad     int8 = 80
	weightOffSaid int8 = 90 // off on purpose, in so many words
	weightStale   int8 = 100
	weightStopped int8 = 110 // off on purpose, by the spec: nobody looks at the object
)

// The weights of what speaks for an object. Those of conditions and of fields differ.
const (
	goodNegative int8 = 10
	goodActivity int8 = 20
	goodCount    int8 = 21
	goodFlag     int8 = 31
	goodState    int8 = 41
	goodPositive int8 = 50
	goodSummary  int8 = 80
)

// gather collects the claims about one object. It is large, and apart from the judgement, so that only the conventions pay for it.
type gather struct {
	subject
	serving  bool  // something says that the object serves
	best     claim // against
	good     claim // for
	vague    claim // against, if no summary speaks for the object
	last     claim // for or against, if nothing else speaks
	doing    claim // against, if nothing says that all is over
	asleep   claim // against, if no state says that something is well
	summary  cond  // a summary that is True
	stale    bool
	conds    bool // there are conditions
	task     int8 // whether the kind is that of a task, which ends: 0 not asked yet, 1 yes, -1 no
	counted  bool // the status holds numbers of replicas
	making   bool // something is under way
	stands   bool // a state says that something is well
	finished bool // a condition or a state says that it is over
	over     bool // a condition says so in so many words
	awaited  bool // there is a list of conditions, or of things that have conditions, and it is empty
}

// heavier orders claims totally, so that the order of lists and maps cannot matter.
func (c *claim) heavier(o *claim) bool {
	if c.weight != o.weight {
		return c.weight > o.weight
	}
	if c.a != o.a {
		return c.a < o.a
	}
	if c.b != o.b {
		return c.b < o.b
	}
	if c.reason != o.reason {
		return c.reason < o.reason
	}
	if c.msg.s1 != o.msg.s1 || c.msg.s2 != o.msg.s2 {
		return c.msg.s1 < o.msg.s1 || c.msg.s1 == o.msg.s1 && c.msg.s2 < o.msg.s2
	}
	if c.msg.n1 != o.msg.n1 {
		return c.msg.n1 < o.msg.n1
	}
	if c.rule != o.rule {
		return c.rule < o.rule
	}
	if c.c.typ != "" && o.c.typ != "" {
		return c.c.beforeRaw(&o.c)
	}
	return c.c.typ < o.c.typ
}

func (g *gather) against(c *claim) {
	if g.best.weight == 0 || c.heavier(&g.best) {
		g.best = *c
	}
}

// perhaps keeps a claim that counts only where no summary says that all is well.
func (g *gather) perhaps(c *claim) {
	if g.vague.weight == 0 || c.heavier(&g.vague) {
		g.vague = *c
	}
}

func (g *gather) speakFor(c *claim) {
	if g.good.weight == 0 || c.heavier(&g.good) {
		g.good = *c
	}
}

// weigh turns the heaviest claim into the verdict.
func (g *gather) weigh(v *Verdict) {
	b := &g.best
	if g.doing.weight > 0 && !g.over {
		g.against(&g.doing)
	}
	if g.asleep.weight > 0 && !g.stands {
		g.against(&g.asleep)
	}
	if g.vague.weight > 0 && g.summary.typ == "" && (b.weight == 0 || g.vague.heavier(b)) {
		*b = g.vague
	}
	if b.weight == 0 {
		if g.isTask() && g.conds && !g.finished {
			g.unfinished(v)
			return
		}
		g.well(v)
		return
	}
	if b.status == Failed && g.making && g.passing(b) {
		b.status = InProgress
	}
	if b.status == Failed && (b.c.typ != g.summary.typ || b.at == atNested) && (g.serving && !g.isTask() || g.impairs(b)) {
		b.status = Degraded
	}
	v.answer(b.status, b.conf, b.rule, b.reason, b.msg)
	v.Ready = g.serving && (b.status == Degraded || b.status == InProgress && !g.stale)
	g.proof(v, b)
	if g.summary.typ != "" && (b.status == Degraded || b.status == Failed || b.weight >= weightStale) {
		v.contradict(g.summary.typ, b.msg)
		v.prove(atCondition, g.summary.typ, "status", g.summary.n.get("status"))
	}
}

// impairs says whether a failure is that of a type ending in Degraded, of something of which another condition says that it is
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

// passing says whether a failure is one that goes with something being made.
func (g *gather) passing(b *claim) bool {
	var c cond
	switch b.rule {
	case "condition/positive":
		return missing(b.reason) || senseOf(b.reason) == senseVague || unavailable(b.reason) && g.types.about(b.c.typ).summary && !(findIn(g.status.get("conditions"), "Degraded", &c) && c.status == isTrueWord)
	case "condition/negative":
		return senseOf(b.reason) == senseBusy
	}
	return false
}

// unfinished decides about a task whose conditions say nothing bad, and not that it is over.
func (g *gather) unfinished(v *Verdict) {
	v.answer(InProgress, FromCondition, "condition/unfinished", "NotFinished", text("no condition says that the task is over"))
	if g.good.weight > 0 {
		g.proof(v, &g.good)
	}
}

// well decides where nothing speaks against the object.
func (g *gather) well(v *Verdict) {
	c := &g.good
	switch {
	case c.weight > 0:
		if c.c.typ != "" {
			c.reason, c.msg = c.c.reason(), c.c.text()
			if c.reason == "" {
				c.reason = c.c.typ
			}
		}
		v.answer(Current, c.conf, c.rule, c.reason, c.msg)
		g.proof(v, c)
	case g.last.weight > 0:
		l := &g.last
		v.answer(l.status, l.conf, l.rule, l.reason, l.msg)
		g.proof(v, l)
	case g.awaited:
		v.answer(InProgress, FromCondition, "condition/awaited", "NotReported", text("no condition was reported yet"))
	case g.told(v):
	case g.conds:
		v.answer(InProgress, FromNothing, "none/no-summary", "NoSummary", text("no condition says whether the object is well"))
		v.prove(atPath, ".status.conditions", "", g.status.get("conditions"))
	case g.expect.Known && (g.expect.Conditions || g.expect.Phase):
		v.answer(InProgress, FromCondition, "condition/not-judged", "NotReported",
			text("the kind reports conditions or a phase, and this object has none yet"))
	default:
		v.answer(Current, FromNothing, "none/nothing-known", "NothingKnown", text("the status holds nothing that can be judged"))
	}
}

func (g *gather) proof(v *Verdict, c *claim) {
	if c.c.typ != "" && c.at == atCondition {
		v.proveCondition(&c.c)
		if c.rule == "condition/generation" {
			v.prove(atCondition, c.c.typ, "observedGeneration", c.c.n.get("observedGeneration"))
			v.prove(atPath, ".metadata.generation", "", g.meta.get("generation"))
		} else if c.reason != "" && c.reason != c.c.typ {
			v.prove(atCondition, c.c.typ, "reason", c.c.n.get("reason"))
		}
		return
	}
	if c.c.typ != "" {
		v.since = c.c.n.get("lastTransitionTime").str()
	}
	v.prove(c.at, c.a, c.b, c.n)
	if c.rule == "condition/generation" {
		v.prove(atPath, ".metadata.generation", "", g.meta.get("generation"))
	}
}
