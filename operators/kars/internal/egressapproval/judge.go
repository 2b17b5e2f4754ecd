// SPDX-License-Identifier: Apache-2.0

package egressapproval

import (
	"time"

	"github.com/tristate/tristate/operator"
)

// Facts are the facts about a grant.
type Facts struct {
	Reason, TTL, Ceiling string // problems of the spec; empty: none
	Blocked              string // why the sandbox does not take the grant yet; empty: it does
	Expired              bool   // now, or ever before
	Left                 string // why the file of a grant that is over or invalid could not be removed; empty: it is gone
	Effective, Expires   time.Time
	Fresh                bool // it becomes effective with this pass
	Hosts                int32
	Merged               string // the digest that the router has to report
	Confirmed            bool   // it reports it
	Lag                  string // why it does not
	Waiting              operator.Waiting
}

// valid reports whether the spec has no problem.
func (f Facts) valid() bool { return f.Reason == "" && f.TTL == "" && f.Ceiling == "" }

// open reports whether the hosts have to be reachable.
func (f Facts) open() bool { return f.valid() && !f.Expired && f.Blocked == "" }

// published reports whether the file is there: while a sandbox is not ready the file of a grant that is effective stays.
func (f Facts) published() bool { return f.valid() && !f.Expired && !f.Effective.IsZero() }

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	if f.Left != "" {
		operator.Report(f.Left, p.Ready.Failed, p.Progressing.Failed, p.Degraded.Failed)
		return
	}
	if f.Expired {
		operator.Report("", p.Ready.Expired, p.Progressing.Reconciled, p.Degraded.Expired)
		return
	}
	if f.Reason != "" {
		operator.Report(f.Reason, p.Ready.ReasonInvalid, p.Progressing.Failed, p.Degraded.ReasonInvalid)
	}
	if f.TTL != "" {
		operator.Report(f.TTL, p.Ready.TtlInvalid, p.Progressing.Failed, p.Degraded.TtlInvalid)
	}
	if f.Ceiling != "" {
		operator.Report(f.Ceiling, p.Ready.TtlExceedsCeiling, p.Progressing.Failed, p.Degraded.TtlExceedsCeiling)
	}
	switch {
	case !f.valid():
	case f.Blocked != "":
		operator.Report(f.Blocked, p.Ready.BlockedOnSandbox, p.Progressing.Reconciling, p.Degraded.BlockedOnSandbox)
	case f.Confirmed:
		operator.Report("", p.Ready.RouterConfirmed, p.Progressing.Reconciled, p.Degraded.Reconciled)
	case f.Waiting.TimedOut:
		operator.Report(f.Lag, p.Ready.AwaitingRouterEcho, p.Progressing.TimedOut)
		p.Degraded.Reconciled("")
	default:
		operator.Report(f.Lag, p.Ready.AwaitingRouterEcho, p.Progressing.AwaitingRouterEcho)
		p.Degraded.Reconciled("")
	}
}
