// SPDX-License-Identifier: Apache-2.0

package karsmemory

import (
	"strings"

	"github.com/tristate/tristate/operators/internal/reconciler"
	"github.com/tristate/tristate/operators/kars/internal/kit"
)

// Facts are what a pass finds out about a memory.
type Facts struct {
	Problems     []string // of the spec
	WriteError   error    // of the binding, or of fetching the bundle
	Binding      string   // what routers load: compact JSON; empty: nothing
	Digest       string   // of Binding
	BundleDigest string
	Enforced     kit.Enforcement
	Waiting      reconciler.Waiting
	Refused      string // a router whose store answered 401 or 403, with what it reports
	Missing      string // a router whose store answered 404
	StoreSeen    bool   // a router has had an answer from the store
}

// Judge turns facts into conditions. That nobody has asked the store yet is waiting; a 404 of the store is a failure.
func Judge(p *Pass, f Facts) {
	valid := len(f.Problems) == 0
	written := valid && f.WriteError == nil
	healthy := written && f.Refused == "" && f.Missing == ""
	if !valid {
		why := strings.Join(f.Problems, "; ")
		p.Ready.SpecInvalid(why)
		p.Progressing.Failed(why)
		p.Degraded.SpecInvalid(why)
	}
	if f.WriteError != nil {
		p.Ready.Failed(f.WriteError.Error())
		p.Progressing.Failed(f.WriteError.Error())
		p.Degraded.Failed(f.WriteError.Error())
	}
	if f.Refused != "" {
		p.Ready.AuthMisconfigured(f.Refused)
		p.Progressing.Failed(f.Refused)
		p.Degraded.AuthMisconfigured(f.Refused)
	}
	if f.Missing != "" {
		p.Ready.MemoryStoreMissing(f.Missing)
		p.Progressing.Failed(f.Missing)
		p.Degraded.MemoryStoreMissing(f.Missing)
	}
	if healthy && f.Binding == "" {
		p.Ready.Reconciled("there is nothing for a router to load")
		p.Progressing.Reconciled("")
	}
	if healthy && f.Binding != "" && f.Enforced.Referrers == 0 {
		p.Ready.NoSandboxesReferencing("")
		p.Progressing.NoSandboxesReferencing("")
	}
	if healthy && f.Binding != "" && f.Enforced.Referrers > 0 {
		text := f.Enforced.String()
		switch {
		case f.Enforced.Done() && f.StoreSeen:
			p.Ready.RouterEnforcing(text)
			p.Progressing.Reconciled("")
		case f.Enforced.Done():
			p.Ready.AwaitingFoundryProvisioning("no router has had an answer from the store yet")
			p.Progressing.AwaitingFoundryProvisioning("no router has had an answer from the store yet")
		case f.Waiting.TimedOut:
			p.Ready.AwaitingRouterEnforcement(text)
			p.Progressing.TimedOut(text)
		default:
			p.Ready.AwaitingRouterEnforcement(text)
			p.Progressing.AwaitingRouterEnforcement(text)
		}
	}
	if healthy {
		p.Degraded.Reconciled("")
	}
}
