// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"strings"
	"time"

	"github.com/tristate/tristate/operators/vworkspace/internal/agent"
	"github.com/tristate/tristate/operators/vworkspace/internal/kit"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Times of the connection, unless the spec has others.
const (
	DisconnectWindow  = 5 * time.Minute
	RecoveryThreshold = time.Minute
)

// Facts are the facts about a cluster.
type Facts struct {
	Pull      bool
	View      agent.View
	Tolerance time.Duration // how long Connected holds after a round-trip: the heartbeat interval
	Window    time.Duration
	Recovery  time.Duration
	Missing   []kit.Controller // that are not installed
	Degraded  []string         // controllers that are not healthy, and why
	Stored    []metav1.Condition
	Now       time.Time
}

// reachable reports whether a round-trip ended well lately, and until when that holds.
func (f Facts) reachable() (ok bool, until time.Time) {
	l := f.View.Link
	until = l.LastSuccess.Add(f.Tolerance)
	ok = l.Error == "" && !l.LastSuccess.IsZero() && f.Now.Before(until)
	return ok, until
}

// stored reports whether a stored condition has a status, and since when.
func (f Facts) stored(conditionType string, status metav1.ConditionStatus) (since time.Time, ok bool) {
	c := meta.FindStatusCondition(f.Stored, conditionType)
	if c == nil || c.Status != status {
		return time.Time{}, false
	}
	return c.LastTransitionTime.Time, true
}

// lost returns when the window without a round-trip began.
func (f Facts) lost() time.Time {
	l := f.View.Link
	if !l.LastSuccess.IsZero() {
		return l.LastSuccess
	}
	if since, ok := f.stored(TypeConnected, metav1.ConditionFalse); ok && since.Before(l.Since) {
		return since // the operator was restarted meanwhile
	}
	return l.Since
}

// recovered returns when a disconnection ends, with the connection as it is now.
func (f Facts) recovered() time.Time {
	since, ok := f.stored(TypeConnected, metav1.ConditionTrue)
	if !ok {
		since = f.Now.Truncate(time.Second)
	}
	return since.Add(f.Recovery)
}

// again returns when Disconnected changes without a new fact; the zero time: it does not.
func (f Facts) again() (at time.Time) {
	if f.Pull && f.View.Link.Tried() {
		_, at = f.disconnected()
	}
	return at
}

// disconnected returns the state of Disconnected, and when it changes without a new fact.
func (f Facts) disconnected() (bool, time.Time) {
	_, was := f.stored(TypeDisconnected, metav1.ConditionTrue)
	reachable, until := f.reachable()
	end := f.lost().Add(f.Window)
	switch {
	case reachable && was:
		if at := f.recovered(); f.Now.Before(at) {
			return true, kit.Sooner(at, until)
		}
		return false, until
	case reachable:
		return false, until
	case was || !f.Now.Before(end):
		return true, time.Time{}
	}
	return false, end
}

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	if !f.Pull {
		p.Connected.Absent()
		p.Disconnected.Absent()
		p.Authenticated.Absent()
	}
	if f.Pull && f.View.Link.Tried() {
		connected(p, f)
		if off, _ := f.disconnected(); off {
			p.Disconnected.NoRecentRoundTrip("%s", f.why())
		} else {
			p.Disconnected.Connected()
		}
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

// silent reports whether no request is made, so that nothing is known about the network: the credential was rejected, or there is none to
// present.
func (f Facts) silent() bool {
	l := f.View.Link
	return l.Error == "" && (l.Auth == agent.AuthRejected || l.Auth == agent.AuthFailed)
}

// why returns why the control plane counts as unreachable, or the connection as lost.
func (f Facts) why() string {
	ok, _ := f.reachable()
	switch l := f.View.Link; {
	case ok:
		return fmt.Sprintf("the connection is back; it has to hold for %s", f.Recovery)
	case l.Error != "":
		return l.Error
	case l.Auth == agent.AuthRejected:
		return "nothing is sent since the credential was rejected"
	case f.silent():
		return "nothing is sent: " + l.AuthError
	case l.Unsure != "":
		return fmt.Sprintf("no round-trip within %s: %s", f.Tolerance, l.Unsure)
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
