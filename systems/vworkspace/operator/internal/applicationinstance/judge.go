// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"cmp"
	"strings"
	"time"

	"github.com/tristate/tristate/systems/vworkspace/operator/api/approval"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
)

// Facts are the facts about an instance.
type Facts struct {
	Taken int64 // the number of the last transition that the agent has

	// Deletion.
	Deleting    bool
	ReleaseLeft bool     // the HelmRelease is still there
	Children    []string // objects of the chart that are still there
	Inventory   []api.InventoryEntry

	// The blockers.
	Manual         bool      // suspended by annotation
	Window         bool      // a maintenance window is open
	Changes        time.Time // when that changes; zero: never
	Controllers    []string  // that are missing
	NoSource       string
	Denied         string
	Unapproved     string
	Rendered       string // the version that the HelmRelease was made for last
	RenderedDigest string // of the spec then
	ApprovalTo     time.Time
	Approval       *approval.Approval // what has to be approved; nil: nothing

	Source  Source
	Release Release

	// The application.
	Warnings      []string
	NoSecret      string
	NoCertificate string
	Endpoint      string // a probe that failed
	Untried       bool   // a probe has no result yet
	Drift         string
	Endpoints     []string // that were probed
	Unwritten     string   // why the API server did not write a child
	Retry         bool     // a child was not written; it is tried again
	Unpaused      string   // why the HelmRelease could not be suspended or resumed

	Grace time.Duration // how long the source may be unreachable; 0: as the catalog has it
	Now   time.Time
}

// Source is the state of the Flux source.
type Source struct {
	Exists   bool
	Fetching bool   // it works on the version that is wanted
	Failed   string // why it cannot be fetched
	Former   bool   // it has another spec than the one that is wanted
}

// Release is the state of the HelmRelease.
type Release struct {
	Exists      bool
	Suspended   bool   // its controller does not look at it
	Paused      bool   // by the operator, with the instance
	Judged      bool   // it has a status
	Version     string // that is Ready at the generation that is stored; empty: none
	Ready       bool   // it is the version that is wanted
	Progressing bool
	Failed      string // install, upgrade, rollback, test
	Unreachable string // its artifact cannot be fetched
	Before      bool   // it was released before
	Degraded    string // Released=False after a success
	Chart       string // NAME@VERSION that is released
}

// asked reports whether reconciliation is to be paused.
func (f Facts) asked() bool { return f.Manual || f.Window }

// suspended reports whether the operator applies nothing: it is asked to, or an administrator has suspended the HelmRelease.
func (f Facts) suspended() bool { return f.asked() || f.Release.Suspended && !f.Release.Paused }

// paused reports whether reconciliation is seen to be paused: an application that is not installed has no HelmRelease to suspend.
func (f Facts) paused() bool { return f.Release.Suspended || !f.Release.Exists }

// blocked reports whether reconciliation cannot proceed.
func (f Facts) blocked() bool {
	return len(f.Controllers) > 0 || f.NoSource != "" || f.Denied != "" || f.Unapproved != ""
}

// idle reports whether the operator drives nothing.
func (f Facts) idle() bool { return f.suspended() || f.blocked() || f.Deleting }

// unreachable returns why the chart cannot be fetched.
func (f Facts) unreachable() string {
	if f.Source.Failed != "" {
		return f.Source.Failed
	}
	return f.Release.Unreachable
}

func (f Facts) installing() bool {
	r := f.Release
	return r.Exists && !r.Before && !r.Ready && r.Failed == "" && r.Unreachable == ""
}

func (f Facts) upgrading() bool {
	r := f.Release
	return r.Exists && r.Before && !r.Ready && r.Failed == "" && r.Unreachable == "" && !(f.idle() && !r.Progressing)
}

// ready reports whether the application is available.
func (f Facts) ready() bool { return f.Release.Ready && f.Endpoint == "" && !f.Untried }

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	readiness(p, f)
	progress(p, f)
	health(p, f)
	switch {
	case f.Manual && f.paused():
		p.Suspended.ManuallySuspended()
	case f.Window && f.paused():
		p.Suspended.MaintenanceWindow()
	case f.Release.Suspended:
		p.Suspended.Because(SuspendedManuallySuspended, "%s", cmp.Or(f.Unpaused, "the HelmRelease is suspended"))
	default:
		p.Suspended.Because(SuspendedActive, "%s", f.Unpaused)
	}
	if len(f.Controllers) > 0 {
		p.Blocked.MissingDependencies("not present: %s", strings.Join(f.Controllers, ", "))
	}
	if f.NoSource != "" {
		p.Blocked.MissingChartSource("%s", f.NoSource)
	}
	if f.Denied != "" {
		p.Blocked.PolicyDenied("%s", f.Denied)
	}
	if f.Unapproved != "" {
		p.Blocked.AwaitingApproval("%s", f.Unapproved)
	}
	if !f.blocked() {
		p.Blocked.Unblocked()
	}
	if f.Deleting && f.ReleaseLeft {
		p.Deleting.Uninstalling()
	}
	if f.Deleting && !f.ReleaseLeft {
		p.Deleting.WaitingForChildResources("%s", strings.Join(f.Children, ", "))
	}
}

func readiness(p *Pass, f Facts) {
	r := f.Release
	bad := false
	if why := f.unreachable(); why != "" && !r.Ready {
		p.Ready.ChartUnreachable("%s", why)
		bad = true
	}
	if r.Failed != "" {
		p.Ready.HelmReleaseFailed("%s", r.Failed)
		bad = true
	}
	if f.NoSecret != "" {
		p.Ready.WaitingForSecret("%s", f.NoSecret)
		bad = true
	}
	if f.NoCertificate != "" {
		p.Ready.WaitingForCertificate("%s", f.NoCertificate)
		bad = true
	}
	if r.Ready && f.Endpoint != "" {
		p.Ready.EndpointUnreachable("%s", f.Endpoint)
		bad = true
	}
	if !r.Exists && (f.suspended() || f.blocked()) && !f.Deleting {
		p.Ready.Because(ReadyInstalling, "nothing is installed yet")
		bad = true
	}
	if f.installing() && r.Judged {
		p.Ready.Installing()
		bad = true
	}
	if f.upgrading() && r.Judged {
		p.Ready.Upgrading()
		bad = true
	}
	switch {
	case bad:
	case !f.ready():
		p.Ready.Reconciling("%s", f.undecided())
	case len(f.Warnings) > 0:
		p.Ready.HelmReleaseReadyWithWarnings("%s", strings.Join(f.Warnings, "; "))
	default:
		p.Ready.HelmReleaseReady()
	}
}

// undecided returns why the state of the application is unknown.
func (f Facts) undecided() string {
	switch {
	case f.Unwritten != "":
		return f.Unwritten
	case f.Release.Ready:
		return "the HelmRelease is Ready, and a readiness check has no result yet"
	case !f.Release.Exists:
		return "there is no HelmRelease"
	}
	return ""
}

func progress(p *Pass, f Facts) {
	active := !f.idle() || f.Release.Progressing && !f.Deleting
	fetching := !f.idle() && f.Source.Exists && f.Source.Fetching
	if fetching {
		p.Reconciling.ChartSourceSyncing()
	}
	if active && f.installing() {
		p.Reconciling.HelmReleaseInstalling()
	}
	if active && f.upgrading() {
		p.Reconciling.HelmReleaseUpgrading()
	}
	if !fetching && !(active && (f.installing() || f.upgrading())) {
		p.Reconciling.Stable()
	}
}

func health(p *Pass, f Facts) {
	well := true
	if f.Release.Degraded != "" {
		p.Degraded.HelmReleaseDegraded("%s", f.Release.Degraded)
		well = false
	}
	if why := f.unreachable(); why != "" { // published once it has lasted
		p.Degraded.ChartUnreachable("%s", why)
		if f.Grace > 0 {
			p.Degraded.WaitFor(f.Grace)
		}
	}
	if f.Endpoint != "" {
		p.Degraded.EndpointUnreachable("%s", f.Endpoint)
		well = false
	}
	if f.Drift != "" {
		p.Degraded.Drifted("%s", f.Drift)
		well = false
	}
	if well {
		p.Degraded.Recovered()
	}
}
