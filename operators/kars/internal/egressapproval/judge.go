// SPDX-License-Identifier: Apache-2.0

package egressapproval

import (
	"time"

	"github.com/tristate/tristate/operators/internal/reconciler"
)

// Facts are what a pass finds out about a grant.
type Facts struct {
	Reason, TTL, Ceiling string // what is wrong with the spec; empty: nothing
	Blocked              string // why the sandbox stands in the way
	Expired              bool   // now, or ever before
	Effective, Expires   time.Time
	Hosts                int32
	Merged               string // the digest that the router has to report
	Confirmed            bool
	Lag                  string // why it is not confirmed
	Waiting              reconciler.Waiting
}

// valid reports whether the spec asks for a grant that may be given.
func (f Facts) valid() bool { return f.Reason == "" && f.TTL == "" && f.Ceiling == "" }

// open reports whether the hosts are to be reachable.
func (f Facts) open() bool { return f.valid() && !f.Expired && f.Blocked == "" }

// Judge turns facts into conditions. The three carry the same reason.
func Judge(p *Pass, f Facts) {
	if f.Expired {
		p.Ready.Expired("")
		p.Progressing.Expired("")
		p.Degraded.Expired("")
	}
	if f.Reason != "" && !f.Expired {
		p.Ready.ReasonInvalid(f.Reason)
		p.Progressing.ReasonInvalid(f.Reason)
		p.Degraded.ReasonInvalid(f.Reason)
	}
	if f.TTL != "" && !f.Expired {
		p.Ready.TtlInvalid(f.TTL)
		p.Progressing.TtlInvalid(f.TTL)
		p.Degraded.TtlInvalid(f.TTL)
	}
	if f.Ceiling != "" && !f.Expired {
		p.Ready.TtlExceedsCeiling(f.Ceiling)
		p.Progressing.TtlExceedsCeiling(f.Ceiling)
		p.Degraded.TtlExceedsCeiling(f.Ceiling)
	}
	if f.valid() && !f.Expired && f.Blocked != "" {
		p.Ready.BlockedOnSandbox(f.Blocked)
		p.Progressing.BlockedOnSandbox(f.Blocked)
		p.Degraded.BlockedOnSandbox(f.Blocked)
	}
	if f.open() && f.Confirmed {
		p.Ready.RouterConfirmed("")
		p.Progressing.RouterConfirmed("")
		p.Degraded.RouterConfirmed("")
	}
	if f.open() && !f.Confirmed {
		p.Ready.AwaitingRouterEcho(f.Lag)
		p.Degraded.AwaitingRouterEcho("")
		if f.Waiting.TimedOut {
			p.Progressing.TimedOut(f.Lag)
		} else {
			p.Progressing.AwaitingRouterEcho(f.Lag)
		}
	}
}
