// SPDX-License-Identifier: Apache-2.0

package karssandbox

import (
	"strconv"
	"strings"
)

// Facts are the facts about a sandbox. Texts are empty where a fact does not hold.
type Facts struct {
	NoAdapter    string   // the runtime kind that no adapter is for
	Problems     []string // of the spec
	NoInference  string   // the InferencePolicy that does not exist
	NoEndpoint   bool     // the controller has no inference endpoint
	NoClass      bool     // the controller has no runtime class for the isolation
	NoToolPolicy string   // the ToolPolicy that does not exist
	Absent       []string // other siblings that do not exist, as "McpServer wiki"
	Servers      []string // the McpServers that the sandbox refers to and that allow it
	Denied       []string // those that do not
	Allowlist    Allowlist

	Generation         int64  // each one has its own time to be served
	Overlay, Suspended bool   // the spec asks for it
	Running            bool   // a Deployment has pods, or may get some
	Taken              string // whose the namespace of the sandbox is; empty: its own, or not claimed yet
	Space              bool   // the namespace exists and is its own
	Missing            bool   // the workload was never created
	WriteError         error  // of a child
	Broken             string // failure that a Deployment reports
	Routed             bool   // the router is available
	Available          bool   // it and the agent are

	Expected []Expected // artifacts that the router has to report
	Lag      []string   // those kinds that it has not
	Router   error      // why nothing is known of the router

	Unprovisioned string // the memory whose store was not seen yet
	Refused       string // the memory store answered 401 or 403
	StoreMissing  string // the memory store answered 404
	Drift         string // the evaluations that found the sandbox drifted
}

// Expected is an artifact that the router has to report.
type Expected struct{ Kind, Digest string }

// Blocked reports whether nothing may be created.
func (f Facts) Blocked() bool {
	return f.NoAdapter != "" || len(f.Problems) > 0 || f.NoInference != "" || f.NoEndpoint || f.NoClass || f.NoToolPolicy != "" ||
		len(f.Absent) > 0 || f.Allowlist.Closed
}

// paused reports whether the operator has paused the sandbox: the spec asks for it, nothing runs, and the Pod is not another controller's.
func (f Facts) paused() bool { return f.Suspended && !f.Running && !f.Overlay }

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	blockers(p, f)
	allowlist(p, f.Allowlist)
	progress(p, f)
	health(p, f)
	switch {
	case f.NoAdapter != "": // reported with the blockers
	case !f.Overlay && (!f.Blocked() || !f.Missing):
		p.RuntimeReady.Reconciled()
	default: // nothing of its own was ever rendered
		p.RuntimeReady.Absent()
	}
	if f.paused() {
		p.Suspended.SuspendedBySpec()
	} else {
		p.Suspended.Active() // absent until the sandbox was suspended once, by the declaration
	}
}

// blockers reports the failures.
func blockers(p *Pass, f Facts) {
	if f.NoAdapter != "" {
		p.AdapterMissing("%s", f.NoAdapter)
	}
	if len(f.Problems) > 0 {
		p.SpecInvalid("%s", strings.Join(f.Problems, "; "))
	}
	if f.NoInference != "" {
		p.InferencePolicyNotFound("%s", f.NoInference)
	}
	if f.NoToolPolicy != "" {
		p.ToolPolicyNotFound("%s", f.NoToolPolicy)
	}
	if len(f.Absent) > 0 {
		p.DependencyMissing("%s", strings.Join(f.Absent, ", "))
	}
	if f.Allowlist.Closed {
		p.FailedClosed("%s", f.Allowlist.Text)
	}
	for _, text := range f.failures() {
		p.Failed("%s", text)
	}
}

func (f Facts) failures() (out []string) {
	if f.Taken != "" {
		out = append(out, f.Taken)
	}
	if f.NoEndpoint {
		out = append(out, "the controller has no inference endpoint")
	}
	if f.NoClass {
		out = append(out, "the controller has no runtime class for isolation confidential")
	}
	if f.WriteError != nil {
		out = append(out, f.WriteError.Error())
	}
	if f.Broken != "" && !f.Suspended && !f.Overlay {
		out = append(out, f.Broken)
	}
	return out
}

// progress reports how far a sandbox is that nothing blocks: overlay, suspended, creating, created, awaiting, serving.
func progress(p *Pass, f Facts) {
	if f.Blocked() || len(f.failures()) > 0 {
		return
	}
	lag := "the router has not loaded: " + strings.Join(f.Lag, ", ")
	if f.Router != nil {
		lag = f.Router.Error()
	}
	token := strconv.FormatInt(f.Generation, 10)
	switch {
	case f.Overlay:
		p.OverlayMode()
	case f.paused():
		p.SuspendedBySpec()
	case f.Suspended: // it is being stopped
		p.Reconciling()
	case f.Missing:
		p.Creating()
	case !f.Available:
		p.Created()
	case len(f.Lag) > 0:
		p.AwaitingRouterEnforcement("%s", lag)
	case f.Unprovisioned != "":
		p.AwaitingFoundryProvisioning("%s", f.Unprovisioned)
		token = "" // no time runs
	case len(f.Expected) > 0:
		p.RouterEnforcing("%d artifacts", len(f.Expected))
	default:
		p.Reconciled()
	}
	p.Progressing.Progress(token)
}

// health reports Degraded: True in the document's rows, False while nothing is failing, and absent where Ready has a failure that no row of
// Degraded is for. A sandbox may be Ready and Degraded.
func health(p *Pass, f Facts) {
	p.Degraded.Absent() // any report outweighs it
	if f.Refused != "" {
		p.Degraded.AuthMisconfigured("%s", f.Refused)
	}
	if f.StoreMissing != "" {
		p.Degraded.MemoryStoreMissing("%s", f.StoreMissing)
	}
	if f.Drift != "" {
		p.Degraded.EvalDrift("%s", f.Drift)
	}
	if !f.Blocked() && len(f.failures()) == 0 && f.Refused == "" && f.StoreMissing == "" && f.Drift == "" {
		p.Degraded.Reconciled()
	}
}

// allowlist reports the three conditions of the list of destinations; none where none is declared.
func allowlist(p *Pass, a Allowlist) {
	if !a.Declared {
		p.AllowlistVerified.Absent()
		p.AllowlistAuthoritative.Absent()
	}
	if a.NoArtifact {
		p.AllowlistDrift.Absent()
	}
	p.AllowlistVerified.Because(a.Verified, "%s", a.Text)
	why := ""
	switch a.Authoritative {
	case AllowlistAuthoritativeFailedClosed, AllowlistAuthoritativeStaleLKG:
		why = a.Text
	case AllowlistAuthoritativeInlineDiffersFromArtifact:
		why = a.Differs
	case AllowlistAuthoritativeInline, AllowlistAuthoritativeVerified:
	}
	p.AllowlistAuthoritative.Because(a.Authoritative, "%s", why)
	p.AllowlistDrift.Because(a.Drift, "%s", a.Differs)
}
