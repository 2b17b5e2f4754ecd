// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"fmt"
	"time"

	"github.com/tristate/tristate/proof/world"
)

// This file is the oracle: the statuses of a tenant by the document's tables, from its facts alone. It shares nothing with the
// operator but the words of the document.

// tenant is the facts of a namespace with one object of each kind, as a test has made them. An empty string is an object that does not
// exist.
type tenant struct {
	tools  string // allow, deny: profiles; none: no profile; malformed: a profile that is no mapping
	models string // budget; none: nothing to enforce; contradictory: a month has fewer tokens than a request
	memory string // bound; none: no store; malformed: its scope
	server string // plain; key set: production mode; bad PKCE: a method that is not S256
	agent  string // good; key ends: in two hours; key ended; key twice: one kid for two keys
	graph  string // good; bad: no valid vertex
	grant  string // hour; day; no time; too long: two days; no reason
	eval   string // plain; scheduled; bad schedule; unknown corpus: a builtin that does not exist
	box    string // plain; no adapter: of its runtime; no runtime: the block of its runtime is missing

	twin               *tenant // a second sandbox that refers to tools and models; nil in the twin
	suspended, overlay bool    // of the box
	governed, bound    bool    // the box refers to tools, to memory
	outsider           bool    // its labels are not those that tools selects
	// list has the destinations of the box: inline; good: an artifact; good and inline: they differ; forged: an invalid signature; absent:
	// not in the registry.
	list   string
	strict bool // of the eval: failSandboxOnDrift

	// The past.
	publishedTools, publishedModels, publishedMemory bool   // an artifact is in force since the object exists
	store                                            string // report of the router about its store: seen, refused, missing; empty: nothing
	lastGood                                         bool   // a list was verified since the box exists
	away                                             bool   // the registry is lost
	known                                            string // list as it was when the registry was last there, or not needed
	unknown                                          bool   // list was edited since
	wasSuspended                                     bool
	asked                                            bool   // to be suspended, at a moment since it exists; the operator may have seen it
	edits                                            int    // of the box
	drift                                            string // AllowlistDrift, which stays while the artifact cannot be compared with
	settled                                          string // list when the statuses were last compared
	rendered                                         bool   // both Deployments exist, by the API server
	result                                           string // of the last run over the corpus: pass, fail
	verdict                                          string // the last one that any run gave
	effective                                        time.Time
	granted                                          time.Duration // of the grant while it was valid
	expired                                          bool
	keyEnds                                          time.Time
	issuer                                           bool                 // it serves a key set
	since                                            map[string]time.Time // when the wait of an object began
	waits                                            map[string]string    // reason of a wait
}

// budget of a wait, and how far from its end nothing is asserted.
const (
	budget = 30 * time.Minute
	margin = 4 * time.Minute
)

// cells are the conditions of an object.
type cells = world.Cells

// failed returns a failure that no row of Degraded is for: Progressing is the shared Failed (statement 13), and Degraded says nothing.
func failed(reason string) cells {
	return cells{"Ready": "False " + reason, "Progressing": "False Failed"}
}

// degraded returns a failure that is a row of Degraded.
func degraded(reason string) cells {
	c := failed(reason)
	c["Degraded"] = "True " + reason
	return c
}

// plain returns the cells of a kind whose table has no Degraded (statements 49 to 53, 56 to 60).
func plain(c cells) cells {
	delete(c, "Degraded")
	return c
}

func done(reason string) cells {
	return cells{"Ready": "True " + reason, "Progressing": "False Reconciled", "Degraded": "False Reconciled"}
}

func waiting(reason string) cells {
	return cells{"Ready": "False " + reason, "Progressing": "True " + reason, "Degraded": "False Reconciled"}
}

// unreferenced returns the cells of an artifact that nothing refers to: nothing is left to do.
func unreferenced(reason string) cells {
	c := waiting(reason)
	c["Progressing"] = "False Reconciled"
	return c
}

// wait returns the cell of a wait, with the budget of an object's wait for a key (a digest, a reason).
func (f *tenant) wait(object, reason, key string, now time.Time) cells {
	out := waiting(reason)
	if key = reason + " " + key; f.waits[object] != key {
		f.waits[object], f.since[object] = key, now
	}
	if now.Sub(f.since[object]) >= budget {
		out["Progressing"] = "False TimedOut"
	}
	return out
}

// near reports whether a wait, a key or a grant is about to end, so that nothing can be asserted.
func (f *tenant) near(now time.Time) bool {
	at := func(t time.Time) bool { return !t.IsZero() && now.Sub(t).Abs() < margin }
	if f.twin != nil && f.twin.near(now) {
		return true
	}
	for _, since := range f.since {
		if at(since.Add(budget)) {
			return true
		}
	}
	return at(f.keyEnds) || !f.effective.IsZero() && !f.expired && at(f.effective.Add(f.granted))
}

// blocked returns the first step of the order of judgement that fails; empty: none.
func (f *tenant) blocked() string {
	switch {
	case f.box == "no adapter":
		return "AdapterMissing"
	case f.box == "no runtime":
		return "SpecInvalid"
	case f.models == "":
		return "InferencePolicyNotFound"
	case f.governed && f.tools == "":
		return "ToolPolicyNotFound"
	case f.governed && (f.tools == "none" || f.outsider): // statement 14: semantic validation past the schema
		return "SpecInvalid"
	case f.bound && f.memory == "": // statement 15: a referenced sibling CR is absent
		return "DependencyMissing"
	case f.closed():
		return "FailedClosed"
	}
	return ""
}

// closed reports that the list cannot be trusted and no verified one is in force. It is so whatever else blocks the box: what runs is
// closed down.
func (f *tenant) closed() bool { return (f.list == "forged" || f.list == "absent") && !f.lastGood }

// runs reports whether the router of the box runs and is asked.
func (f *tenant) runs() bool { return f.box != "" && f.blocked() == "" && !f.suspended && !f.overlay }

// expect returns the settled conditions of every object, by kind.
func (f *tenant) expect(now time.Time) map[string]cells {
	if f.agent == "key ends" && !now.Before(f.keyEnds) {
		f.agent = "key ended"
	}
	out := map[string]cells{}
	f.twin.share(f)
	memory := f.expectMemory()
	box := f.expectBox(now, memory)
	put := func(kind, exists string, c cells) {
		if exists != "" {
			out[kind] = c
		} else {
			delete(f.since, kind)
			delete(f.waits, kind)
		}
	}
	refer, confirm := f.box != "" || f.twin.box != "", f.runs() || f.twin.runs()
	tools := done("RouterEnforcing")
	switch {
	case f.tools == "malformed":
		tools = failed("SpecInvalid")
	case f.tools == "none":
		tools = done("Reconciled")
	case (f.box == "" || !f.governed) && f.twin.box == "": // statement 65: compiled but no consumer
		tools = unreferenced("NoSandboxesReferencing")
	case !(f.runs() && f.governed) && !f.twin.runs(): // statement 72: at least one; none can, so that no wait loop has a budget (statement 16)
		tools = waiting("AwaitingRouterEnforcement")
	}
	f.ended("ToolPolicy", tools)
	models := done("RouterEnforcing")
	switch {
	case f.models == "contradictory":
		models = failed("SpecInvalid")
	case f.models == "none":
		models = done("Reconciled")
	case !refer: // statement 74
		models = unreferenced("NoSandboxesReferencing")
	case !confirm: // statement 80: as statement 72
		models = waiting("AwaitingRouterEnforcement")
	}
	f.ended("InferencePolicy", models)
	server := done("Reconciled")
	switch {
	case f.server == "bad PKCE":
		server = failed("SpecInvalid")
	case f.server == "key set" && !f.issuer:
		server = failed("DependencyMissing")
	}
	agent := done("Reconciled")
	if f.agent == "key twice" || f.agent == "key ended" {
		agent = failed("SpecInvalid")
	}
	graph := done("Reconciled")
	if f.graph == "bad" { // statement 112
		graph = degraded("SpecInvalid")
	}
	put("KarsMemory", f.memory, memory)
	put("KarsSandbox", f.box, box)
	if f.twin.box != "" {
		out[twinOf] = f.twin.expectBox(now, memory)
	}
	put("ToolPolicy", f.tools, tools)
	put("InferencePolicy", f.models, models)
	put("McpServer", f.server, plain(server))
	put("A2AAgent", f.agent, plain(agent))
	put("TrustGraph", f.graph, graph)
	put("KarsEval", f.eval, f.expectEval(box))
	put("EgressApproval", f.grant, f.expectGrant(now, box))
	return out
}

// twinOf is the kind of the second sandbox in what is expected.
const twinOf = "KarsSandbox twin"

// share gives the second sandbox the objects that it refers to.
func (f *tenant) share(of *tenant) {
	f.tools, f.models, f.governed = of.tools, of.models, true
	f.publishedTools, f.publishedModels = of.publishedTools, of.publishedModels
	f.memory, f.publishedMemory = of.memory, of.publishedMemory
}

// ended forgets the wait of an object that does not wait.
func (f *tenant) ended(object string, c cells) {
	if f.waits[object] != "" && !begins(f.waits[object], reasonOf(c["Ready"])) {
		delete(f.since, object)
		delete(f.waits, object)
	}
}

func begins(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }

// reasonOf returns the reason of "Status Reason".
func reasonOf(cell string) string {
	for i := range cell {
		if cell[i] == ' ' {
			return cell[i+1:]
		}
	}
	return ""
}

func (f *tenant) expectMemory() cells {
	c := done("RouterEnforcing")
	says := func(store string) bool {
		return f.runs() && f.bound && f.store == store || f.twin.runs() && f.twin.bound && f.twin.store == store
	}
	switch {
	case f.memory == "malformed":
		c = failed("SpecInvalid")
	case f.memory == "none":
		c = done("Reconciled")
		// statement 84: not yet present upstream, as far as the operator can know
	case !(f.box != "" && f.bound) && !(f.twin.box != "" && f.twin.bound):
		c = unreferenced("AwaitingFoundryProvisioning")
	case !(f.runs() && f.bound) && !(f.twin.runs() && f.twin.bound):
		c = waiting("AwaitingRouterEnforcement")
	case says("refused"): // statements 89 and 91: it outranks the other, whichever router observes it
		c = degraded("AuthMisconfigured")
	case says("missing"): // statements 84 and 90
		c = cells{"Ready": "False AwaitingFoundryProvisioning", "Progressing": "True Reconciling", "Degraded": "True MemoryStoreMissing"}
	case !says("seen"):
		c = cells{"Ready": "False AwaitingFoundryProvisioning", "Progressing": "True Reconciling", "Degraded": "False Reconciled"}
	}
	f.ended("KarsMemory", c)
	return c
}

// expectBox applies the table of 3.1.
func (f *tenant) expectBox(now time.Time, memory cells) cells {
	var c cells
	step := f.blocked()
	stores := f.bound && f.memory != "none"
	lag := f.governed && !f.publishedTools || f.models == "contradictory" && !f.publishedModels || stores && !f.publishedMemory
	artifacts := f.governed || f.models == "budget" || f.models == "contradictory" || stores || f.list != ""
	switch {
	case step != "":
		c = failed(step)
	case f.overlay: // statement 24
		c = done("OverlayMode")
	case f.suspended: // statement 21
		c = unreferenced("SuspendedBySpec")
	case lag:
		c = f.wait("KarsSandbox", "AwaitingRouterEnforcement", fmt.Sprint(f.edits), now)
		if c["Progressing"] != "False TimedOut" {
			c["Progressing"] = "True Reconciling"
		}
	case f.bound && memory["Ready"] == "False AwaitingFoundryProvisioning" && memory["Degraded"] != "True MemoryStoreMissing":
		c = waiting("AwaitingFoundryProvisioning")
		c["Progressing"] = "True Reconciling"
	case artifacts:
		c = done("RouterEnforcing")
	default:
		c = done("Reconciled")
	}
	f.ended("KarsSandbox", c)
	switch { // statement 10, "True means the type predicate holds": whatever Ready names, which is the first step alone
	case f.closed(): // statement 34
		c["Degraded"] = "True FailedClosed"
	case f.runs() && f.bound && f.store == "refused":
		c["Degraded"] = "True AuthMisconfigured"
	case f.runs() && f.bound && f.store == "missing":
		c["Degraded"] = "True MemoryStoreMissing"
	case f.eval != "" && f.strict && f.verdict == "fail":
		c["Degraded"] = "True EvalDrift"
	}
	switch {
	case f.box == "no adapter":
		c["RuntimeReady"] = "False AdapterMissing"
	case step == "" && !f.overlay, step != "" && f.rendered: // statement 37: False is a missing adapter; rendered is before it was blocked
		c["RuntimeReady"] = "True Reconciled"
	}
	switch {
	case f.suspended && (step != "" || !f.overlay): // statements 9 and 17: by spec.suspended, and nothing of it runs
		c["Suspended"] = "True SuspendedBySpec"
	case f.wasSuspended:
		c["Suspended"] = "False Active"
	case f.asked: // and no longer, before the statuses were compared
		c["Suspended"] = world.Open("Pairs with Suspended=False to clear a prior SuspendedBySpec.", "False Active", "")
	}
	if begins(c["Suspended"], "True") {
		f.wasSuspended = true
	}
	f.expectList(c)
	return c
}

// expectList applies the table of 3.1.3.
func (f *tenant) expectList(c cells) {
	f.lastGood = f.lastGood || f.list == "good" || f.list == "good and inline"
	if !f.away || f.list == "" || f.list == "inline" { // these two need no registry
		f.known, f.unknown = f.list, false
	}
	f.unknown = f.unknown || f.list != f.known
	switch f.list {
	case "", "inline":
		f.drift = ""
	case "good":
		if f.drift != "" { // statement 47
			f.drift = "False InlineCleared"
		}
	case "good and inline":
		f.drift = "True InlineDiffersFromArtifact"
	}
	if f.drift != "" {
		c["AllowlistDrift"] = f.drift
	}
	switch f.list {
	case "inline":
		c["AllowlistVerified"], c["AllowlistAuthoritative"] = "False Unsigned", "False Inline"
	case "good":
		c["AllowlistVerified"], c["AllowlistAuthoritative"] = "True Verified", "True Verified"
	case "good and inline":
		c["AllowlistVerified"], c["AllowlistAuthoritative"] = "True Verified", "True InlineDiffersFromArtifact"
	case "forged", "absent":
		c["AllowlistVerified"], c["AllowlistAuthoritative"] = "False FailedClosed", "False FailedClosed"
		if f.list == "forged" && !f.unknown { // of a list that was edited while the registry is lost no signature is known
			c["AllowlistVerified"] = "False Unsigned"
		}
		if f.lastGood {
			c["AllowlistAuthoritative"] = "False StaleLKG"
		}
	}
}

func (f *tenant) expectEval(box cells) cells {
	var out cells
	switch {
	case f.eval == "bad schedule": // statement 100
		out = degraded("SpecInvalid")
	case f.box == "": // statement 101
		out = degraded("TargetSandboxMissing")
	case f.eval == "unknown corpus": // statement 105
		out = degraded("CorpusBuiltinMissing")
	case !begins(box["Ready"], "True") || f.overlay: // statement 102
		out = degraded("TargetSandboxNotReady")
	case f.result == "fail": // statement 96: the report was read, and not every case passed
		out = unreferenced("RunReportRead")
	case f.result == "pass": // statement 97
		out = done("AllPassed")
	case f.eval == "scheduled": // statement 94
		out = waiting("Scheduled")
	default: // statement 93: nothing has asked for a run
		out = done("CorpusResolved")
	}
	if f.verdict != "" { // statement 108
		out["ConformanceDrift"] = map[string]string{"pass": "False AllPassed", "fail": "True DriftDetected"}[f.verdict]
	}
	return out
}

func (f *tenant) expectGrant(now time.Time, box cells) cells {
	row := func(progressing, reason string) cells { // statements 121 to 125: the reason is a row of Degraded
		return cells{"Ready": "False " + reason, "Progressing": progressing, "Degraded": "True " + reason}
	}
	ready := f.box != "" && begins(box["Ready"], "True")
	if ttl := map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour}[f.grant]; ttl > 0 && !f.expired {
		f.granted = ttl
		if f.effective.IsZero() && ready {
			f.effective = now
		}
	}
	if !f.effective.IsZero() && !now.Before(f.effective.Add(f.granted)) {
		f.expired = true
	}
	var c cells
	switch {
	case f.expired:
		c = row("False Reconciled", "Expired")
	case f.grant == "no reason":
		c = row("False Failed", "ReasonInvalid")
	case f.grant == "no time":
		c = row("False Failed", "TtlInvalid")
	case f.grant == "too long":
		c = row("False Failed", "TtlExceedsCeiling")
	case !ready:
		c = row("True Reconciling", "BlockedOnSandbox")
	case f.overlay:
		c = f.wait("EgressApproval", "AwaitingRouterEcho", "", now)
	default:
		c = done("RouterConfirmed")
	}
	f.ended("EgressApproval", c)
	return c
}
