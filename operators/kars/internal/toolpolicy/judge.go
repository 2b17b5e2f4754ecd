// SPDX-License-Identifier: Apache-2.0

package toolpolicy

import (
	"strings"

	"github.com/tristate/tristate/operators/internal/reconciler"
	"github.com/tristate/tristate/operators/kars/internal/kit"
)

// Facts are what a pass finds out about a policy.
type Facts struct {
	Problems     []string // of the spec
	WriteError   error    // of the profile, or of fetching the bundle
	Profile      string   // what routers load; empty: nothing
	Digest       string   // of Profile
	JSON         string   // the compiled policy
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
	if written && f.Profile == "" {
		p.Ready.Reconciled("there is no profile that a router loads")
		p.Progressing.Reconciled("")
	}
	if written && f.Profile != "" && f.Enforced.Referrers == 0 {
		p.Ready.NoSandboxesReferencing("")
		p.Progressing.NoSandboxesReferencing("")
	}
	if written && f.Profile != "" && f.Enforced.Referrers > 0 {
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
