// SPDX-License-Identifier: Apache-2.0

package egressapproval

import "time"

// Facts are the facts about a grant.
type Facts struct {
	Reason, TTL, Ceiling string // problems of the spec; empty: none
	Blocked              string // why the sandbox does not take the grant yet; empty: it does
	Expired              bool   // now, or ever before
	Left                 string // why the file of the grant could not be written or removed; empty: it is as it should be
	Effective, Expires   time.Time
	Record               record
	Fresh                bool // it becomes effective with this pass
	Hosts                int32
	Merged               string // the digest that the router has to report
	Confirmed            bool   // it reports it
	Lag                  string // why it does not
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
		p.Failed("%s", f.Left)
		return
	}
	if f.Expired {
		p.Expired()
		return
	}
	if f.Reason != "" {
		p.ReasonInvalid("%s", f.Reason)
	}
	if f.TTL != "" {
		p.TtlInvalid("%s", f.TTL)
	}
	if f.Ceiling != "" {
		p.TtlExceedsCeiling("%s", f.Ceiling)
	}
	switch {
	case !f.valid():
	case f.Blocked != "":
		p.BlockedOnSandbox("%s", f.Blocked)
	case f.Confirmed:
		p.RouterConfirmed()
	default:
		p.Progressing.Progress(f.Merged)
		p.AwaitingRouterEcho("%s", f.Lag)
	}
}
