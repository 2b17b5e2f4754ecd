// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// clock is a cluster under virtual time.
type clock struct {
	now  time.Time
	last conditions.Result
	link agent.Link
	view agent.View
	gone []kit.Controller
	sick []string
}

func (c *clock) judge() (cells map[string]string, again time.Duration) {
	p := BeginList(1, c.last.Conditions(), c.now)
	p.Untyped().SetWaits(c.last.Waits)
	c.view.Link, c.view.Loaded = c.link, true
	f := Facts{View: c.view, Tolerance: time.Minute, Window: DisconnectWindow, Recovery: RecoveryThreshold,
		Missing: c.gone, Degraded: c.sick, Now: c.now}
	Judge(p, f)
	r := p.Commit()
	at := kit.Sooner(f.again(), r.RequeueAt)
	c.last = r
	cells = map[string]string{}
	for _, one := range r.Conditions() {
		cells[one.Type] = string(one.Status) + " " + one.Reason
	}
	if !at.IsZero() {
		again = at.Sub(c.now)
	}
	return cells, again
}

func (c *clock) want(t *testing.T, step string, want map[string]string, again time.Duration) {
	t.Helper()
	got, at := c.judge()
	for name := range got {
		if _, ok := want[name]; !ok {
			delete(got, name)
		}
	}
	for name, cell := range want {
		if cell == "-" {
			delete(want, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || at != again {
		t.Errorf("%s: again in %s, want %s; -want +got\n%s", step, at, again, diff)
	}
}

// TestWindow: the connection is lost and comes back, on a clock of its own.
func TestWindow(t *testing.T) {
	c := &clock{now: start}
	c.want(t, "before the first attempt", map[string]string{TypeConnected: "-", TypeDisconnected: "-", TypeAuthenticated: "-",
		TypeBufferOverflow: "-", TypeControllersHealthy: "True AllControllersReady"}, 0)
	c.link = agent.Link{Since: start, LastSuccess: start, Registered: true, Auth: agent.AuthAccepted}
	c.want(t, "registered", map[string]string{TypeConnected: "True ControlPlaneReachable", TypeDisconnected: "False Connected",
		TypeAuthenticated: "True CredentialAccepted"}, time.Minute)
	c.link.Beat = true
	c.want(t, "a heartbeat", map[string]string{TypeConnected: "True RoundTripOK", TypeDisconnected: "False Connected"}, time.Minute)
	c.now = start.Add(59 * time.Second)
	c.want(t, "within the tolerance", map[string]string{TypeConnected: "True RoundTripOK"}, time.Second)
	c.now = start.Add(time.Minute)
	c.want(t, "none fresh", map[string]string{TypeConnected: "False ControlPlaneUnreachable", TypeDisconnected: "False Connected"},
		4*time.Minute)
	c.link.Error = "connection refused"
	c.now = start.Add(5*time.Minute - time.Second)
	c.want(t, "the last second of the window", map[string]string{TypeDisconnected: "False Connected",
		TypeAuthenticated: "True CredentialAccepted"}, time.Second)
	c.now = start.Add(5 * time.Minute)
	c.want(t, "the window is over", map[string]string{TypeConnected: "False ControlPlaneUnreachable",
		TypeDisconnected: "True NoRecentRoundTrip"}, 0)
	c.now = start.Add(time.Hour)
	c.link.Error, c.link.LastSuccess = "", c.now
	c.want(t, "the first answer", map[string]string{TypeConnected: "True RoundTripOK", TypeDisconnected: "True NoRecentRoundTrip"},
		time.Minute)
	c.now = c.now.Add(30 * time.Second)
	c.link.Error = "connection refused"
	c.want(t, "it did not hold", map[string]string{TypeConnected: "False ControlPlaneUnreachable", TypeDisconnected: "True NoRecentRoundTrip"},
		0)
	c.now = c.now.Add(10 * time.Second)
	c.link.Error, c.link.LastSuccess = "", c.now
	c.want(t, "back again", map[string]string{TypeDisconnected: "True NoRecentRoundTrip"}, time.Minute)
	c.now = c.now.Add(59 * time.Second)
	c.link.LastSuccess = c.now
	c.want(t, "almost", map[string]string{TypeDisconnected: "True NoRecentRoundTrip"}, time.Second)
	c.now = c.now.Add(time.Second)
	c.want(t, "it held", map[string]string{TypeConnected: "True RoundTripOK", TypeDisconnected: "False Connected"}, 59*time.Second)
}

// TestRestart: a restart while the control plane is away does not begin the window anew.
func TestRestart(t *testing.T) {
	c := &clock{now: start, link: agent.Link{Since: start, LastSuccess: start, Registered: true, Beat: true,
		Auth: agent.AuthAccepted}}
	c.judge()
	c.now = start.Add(time.Minute)
	c.link.Error = "refused"
	c.want(t, "unreachable", map[string]string{TypeConnected: "False ControlPlaneUnreachable"}, 4*time.Minute)
	c.link = agent.Link{} // another process
	c.now = start.Add(2 * time.Minute)
	c.want(t, "nothing was tried yet", map[string]string{TypeConnected: "False ControlPlaneUnreachable",
		TypeAuthenticated: "True CredentialAccepted", TypeDisconnected: "False Connected"}, 3*time.Minute)
	c.link = agent.Link{Since: c.now, Error: "refused"}
	c.want(t, "the first attempt", map[string]string{TypeDisconnected: "False Connected", TypeAuthenticated: "True CredentialAccepted"},
		3*time.Minute)
	c.now = start.Add(5 * time.Minute)
	c.want(t, "five minutes after the last round-trip", map[string]string{TypeDisconnected: "True NoRecentRoundTrip"}, 0)
}

func TestAuthenticated(t *testing.T) {
	tests := map[string]struct {
		link agent.Link
		want map[string]string
	}{
		"rejected": {agent.Link{LastSuccess: start, Auth: agent.AuthRejected, AuthError: "401"},
			map[string]string{TypeAuthenticated: "False CredentialRejected", TypeConnected: "True RoundTripOK"}},
		"failed": {agent.Link{Since: start, Auth: agent.AuthFailed, AuthError: "no Secret"},
			map[string]string{TypeAuthenticated: "False ControlPlaneAuthenticationFailed", TypeConnected: "", TypeDisconnected: "False Connected"}},
		"rejected long ago": {agent.Link{Since: start.Add(-time.Hour), LastSuccess: start.Add(-time.Hour), Auth: agent.AuthRejected,
			AuthError: "401"},
			map[string]string{TypeAuthenticated: "False CredentialRejected", TypeConnected: "", TypeDisconnected: "True NoRecentRoundTrip"}},
		"rejected, and unreachable before": {agent.Link{Since: start, Error: "refused", Auth: agent.AuthFailed, AuthError: "no Secret"},
			map[string]string{TypeConnected: "False ControlPlaneUnreachable"}},
		"expired": {agent.Link{LastSuccess: start, Auth: agent.AuthExpired, AuthError: "500"},
			map[string]string{TypeAuthenticated: "False CredentialExpired"}},
		"accepted": {agent.Link{LastSuccess: start, Auth: agent.AuthAccepted, Beat: true},
			map[string]string{TypeAuthenticated: "True CredentialAccepted"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := &clock{now: start, link: test.link}
			got, _ := c.judge()
			for conditionType, want := range test.want {
				if got[conditionType] != want {
					t.Errorf("%s is %s, want %s", conditionType, got[conditionType], want)
				}
			}
		})
	}
}

func TestControllers(t *testing.T) {
	c := &clock{now: start, gone: []kit.Controller{{Name: "velero"}}, sick: []string{"cert-manager: 0 of 1 replicas are ready"}}
	c.want(t, "missing outranks degraded", map[string]string{TypeControllersHealthy: "False ControllerMissing"}, 0)
	c.gone = nil
	c.want(t, "degraded", map[string]string{TypeControllersHealthy: "False ControllerDegraded"}, 0)
	c.sick = nil
	c.want(t, "well", map[string]string{TypeControllersHealthy: "True AllControllersReady"}, 0)
}

func TestOverflow(t *testing.T) {
	c := &clock{now: start}
	c.want(t, "never full", map[string]string{TypeBufferOverflow: "-"}, 0)
	c.view.Dropped = 3
	c.want(t, "dropped", map[string]string{TypeBufferOverflow: "True EventBufferFull"}, 0)
	c.view.Dropped, c.view.Drained = 0, true
	c.want(t, "drained", map[string]string{TypeBufferOverflow: "False BufferDrained"}, 0)
}
