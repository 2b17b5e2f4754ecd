// SPDX-License-Identifier: Apache-2.0

package inferencepolicy

import (
	"strings"

	"github.com/tristate/tristate/operators/internal/reconciler"
	"github.com/tristate/tristate/operators/kars/internal/kit"
)

// Facts are what a pass finds out about a policy.
type Facts struct {
	Problems     []string // of the spec
	WriteError   error    // of the profile, or of fetching the bundle
	Enforceable  bool     // whether there is anything that a router enforces
	Profile      string   // what routers load: compact JSON
	Digest       string   // of Profile
	BundleDigest string
	Enforced     kit.Enforcement
	Waiting      reconciler.Waiting
}

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	valid := len(f.Problems) == 0
	written := valid && f.WriteError == nil
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
	if written && !f.Enforceable {
		p.Ready.Reconciled("there is no budget, safety or preference that a router enforces")
		p.Progressing.Reconciled("")
	}
	if written && f.Enforceable && f.Enforced.Referrers == 0 {
		p.Ready.NoSandboxesReferencing("")
		p.Progressing.NoSandboxesReferencing("")
	}
	if written && f.Enforceable && f.Enforced.Referrers > 0 {
		text := f.Enforced.String()
		switch {
		case f.Enforced.Done():
			p.Ready.RouterEnforcing(text)
			p.Progressing.Reconciled("")
		case f.Waiting.TimedOut:
			p.Ready.AwaitingRouterEnforcement(text)
			p.Progressing.TimedOut(text)
		default:
			p.Ready.AwaitingRouterEnforcement(text)
			p.Progressing.AwaitingRouterEnforcement(text)
		}
	}
	if written {
		p.Degraded.Reconciled("")
	}
}
