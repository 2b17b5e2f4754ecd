// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"strings"
	"time"

	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
)

// Times of the connection, unless the spec has others.
const (
	DisconnectWindow  = 5 * time.Minute
	RecoveryThreshold = time.Minute
)

// Facts are the facts about a cluster.
type Facts struct {
	Taken     int64 // the number of the last transition that the agent has
	View      agent.View
	Tolerance time.Duration // how long Connected holds after a round-trip: the heartbeat interval
	Window    time.Duration
	Recovery  time.Duration
	Missing   []kit.Controller // that are not installed
	Degraded  []string         // controllers that are not healthy, and why
	Now       time.Time
}

// reachable reports whether a round-trip ended well lately, and until when that holds.
func (f Facts) reachable() (ok bool, until time.Time) {
	l := f.View.Link
	until = l.LastSuccess.Add(f.Tolerance)
	ok = l.Error == "" && !l.LastSuccess.IsZero() && f.Now.Before(until)
	return ok, until
}

// again returns when a round-trip counts no more; zero: none does, or it is no matter.
func (f Facts) again() time.Time {
	if ok, until := f.reachable(); ok && f.View.Link.Tried() {
		return until
	}
	return time.Time{}
}

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	if f.View.Link.Tried() {
		connected(p, f)
		disconnected(p, f)
		authenticated(p, f.View.Link)
	}
	if len(f.Missing) > 0 {
		var names []string
		for _, c := range f.Missing {
			names = append(names, c.Name)
		}
		p.ControllersHealthy.ControllerMissing("not installed: %s", strings.Join(names, ", "))
	}
	if len(f.Degraded) > 0 {
		p.ControllersHealthy.ControllerDegraded("unhealthy: %s", strings.Join(f.Degraded, "; "))
	}
	if len(f.Missing)+len(f.Degraded) == 0 {
		p.ControllersHealthy.AllControllersReady()
	}
	if f.View.Loaded && f.View.Dropped > 0 {
		p.BufferOverflow.EventBufferFull("%d events were dropped; verify the connection to the control plane", f.View.Dropped)
	}
	if f.View.Loaded && f.View.Dropped == 0 && f.View.Drained {
		p.BufferOverflow.BufferDrained()
	}
}

func connected(p *Pass, f Facts) {
	l := f.View.Link
	switch ok, _ := f.reachable(); {
	case !ok && f.silent():
		p.Connected.Absent()
	case !ok:
		p.Connected.ControlPlaneUnreachable("%s", f.why())
	case l.Registered && !l.Beat:
		p.Connected.ControlPlaneReachable()
	default:
		p.Connected.RoundTripOK()
	}
}

// disconnected reports what Disconnected follows once it has lasted: the window since the last round-trip, or the time of recovery.
func disconnected(p *Pass, f Facts) {
	if ok, _ := f.reachable(); ok {
		p.Disconnected.Connected()
		p.Disconnected.WaitFor(f.Recovery)
		return
	}
	p.Disconnected.NoRecentRoundTrip("%s", f.why())
	p.Disconnected.WaitFor(f.Window)
	p.Disconnected.WaitSince(f.View.Link.LastSuccess)
}

// silent reports whether no request is made, so that nothing is known about the network: the credential was rejected, or there is none to
// present.
func (f Facts) silent() bool {
	l := f.View.Link
	return l.Error == "" && (l.Auth == agent.AuthRejected || l.Auth == agent.AuthFailed)
}

// why returns why the control plane counts as unreachable.
func (f Facts) why() string {
	switch l := f.View.Link; {
	case l.Error != "":
		return l.Error
	case l.Auth == agent.AuthRejected:
		return "nothing is sent since the credential was rejected"
	case f.silent():
		return "nothing is sent: " + l.AuthError
	}
	return fmt.Sprintf("no round-trip within %s", f.Tolerance)
}

func authenticated(p *Pass, l agent.Link) {
	switch l.Auth {
	case agent.AuthExpired:
		p.Authenticated.CredentialExpired("%s", l.AuthError)
	case agent.AuthRejected:
		p.Authenticated.CredentialRejected("%s", l.AuthError)
	case agent.AuthFailed:
		p.Authenticated.ControlPlaneAuthenticationFailed("%s", l.AuthError)
	case agent.AuthAccepted:
		p.Authenticated.CredentialAccepted()
	} // it was not tried: a network failure leaves the condition as it is
}
