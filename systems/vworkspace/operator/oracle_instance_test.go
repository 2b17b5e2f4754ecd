// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"strings"
	"time"

	"github.com/tristate/tristate/proof/world"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// This file is the oracle of ApplicationInstance: its status by the document's tables, from the facts alone. It shares nothing with
// the operator but the words of the document.

// surroundings are the facts that all tenants share.
type surroundings struct {
	// of the catalog: deny (1.1.0 of governed), elsewhere (charts from another registry only), garbage, window (governed, until closes),
	// approve (governed)
	policy      string
	closes      time.Time // the window
	served      map[string]bool
	velero      string // the Deployment: "", unready, ready
	trouble     string // fault of the control plane, see modes; empty: none
	controllers string // reason of ControllersHealthy
}

// app is the facts of an instance, as the test has made them.
type app struct {
	exists   bool
	uid      string
	governed bool // the catalog policy has rules for the application
	version  string

	suspended, insecure bool
	required            bool   // an approval, by annotation
	claim               string // good, and the others of claimKinds
	claimed             string // the content that it is for
	claimText           string
	claimEnds           time.Time
	wantsSecret         bool // the values are in a Secret
	hasSecret           bool
	wantsCertificate    bool
	certificate         string // "", unready, ready
	wantsExternal       bool
	external            string // ExternalSecret: "", unready, ready
	probed, sick        bool   // an endpoint, and it fails
	occupied            bool   // somebody else's HelmRelease has its name
	halted              bool   // an administrator has suspended the HelmRelease
	leaving             string // it is being deleted, held by: release (the finalizer of Helm), child

	// The past.
	rendered string    // the version that was applied last
	values   string    // the rest of the spec that was rendered
	plain    bool      // insecure, as it was rendered
	applied  string    // the content that was applied last
	ready    bool      // once
	degraded bool      // once
	unsure   bool      // it may have been degraded: the document leaves it open
	edited   edits     // by others, which stay until another spec is applied
	since    time.Time // of a source that is unreachable; zero: it is reachable
	history  []string  // of the HelmRelease, newest first: "VERSION STATUS"
	released string    // the reason and status of its condition Released: "True InstallSucceeded"
}

// edits are the intervals that somebody has set in the objects of Flux; empty: the operator's.
type edits struct{ source, release string }

// render applies the spec as it is now: another version or other values replace edits by others.
func (a *app) render() {
	if a.version != a.rendered || a.other() != a.values {
		a.edited.release = ""
	}
	if a.version != a.rendered || a.insecure != a.plain {
		a.edited.source = ""
	}
	a.rendered, a.values, a.plain, a.applied = a.version, a.other(), a.insecure, a.content()
}

// remediated returns the object whose edit by others is gone although "the operator reports; it does not auto-remediate" (statement 29);
// empty: none.
func (a *app) remediated(f flux) string {
	switch {
	case f.source != nil && a.edited.source != "" && text(f.source, "spec", "interval") != a.edited.source:
		return "source"
	case f.release != nil && a.edited.release != "" && text(f.release, "spec", "interval") != a.edited.release:
		return "release"
	}
	return ""
}

// unreachableGrace is how long a source may be unreachable.
const unreachableGrace = 5 * time.Minute

// flux are the objects of Flux as they are stored now; nil: there is none.
type flux struct{ source, release *unstructured.Unstructured }

// said is the condition of an object.
type said struct {
	status, reason string
	current        bool // of the generation that is stored
}

func condition(u *unstructured.Unstructured, conditionType string) said {
	if u == nil {
		return said{}
	}
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, entry := range list {
		if c, _ := entry.(map[string]any); c["type"] == conditionType {
			observed, _ := c["observedGeneration"].(int64)
			status, _ := c["status"].(string)
			reason, _ := c["reason"].(string)
			return said{status, reason, observed >= u.GetGeneration()}
		}
	}
	return said{}
}

func text(u *unstructured.Unstructured, path ...string) string {
	if u == nil {
		return ""
	}
	s, _, _ := unstructured.NestedString(u.Object, path...)
	return s
}

// releasesOf returns the history of a HelmRelease: versions with their outcomes.
func releasesOf(u *unstructured.Unstructured) (out [][2]string) {
	if u == nil {
		return nil
	}
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "history")
	for _, entry := range list {
		m, _ := entry.(map[string]any)
		version, _ := m["chartVersion"].(string)
		status, _ := m["status"].(string)
		version, _, _ = strings.Cut(version, "+") // Flux appends the digest
		out = append(out, [2]string{version, status})
	}
	return out
}

// blockedBy returns the reason of Blocked (statements 34 to 38); empty: nothing blocks it.
func (a *app) blockedBy(s *surroundings, now time.Time) string {
	policy := s.policy
	if policy == "garbage" {
		policy = "denied"
	}
	if policy == "deny" && a.governed && a.version == "1.1.0" {
		policy = "denied"
	}
	switch {
	case a.wantsCertificate && !s.served["cert-manager.io"], a.wantsExternal && !s.served["external-secrets.io"]:
		return "MissingDependencies"
	case policy == "elsewhere":
		return "MissingChartSource"
	case policy == "denied":
		return "PolicyDenied"
	case (a.required || policy == "approve" && a.governed) && a.applied != a.content() && !a.approved(now):
		return "AwaitingApproval"
	}
	return ""
}

func (a *app) approved(now time.Time) bool {
	return a.claim == "good" && a.claimed == a.content() && now.Before(a.claimEnds)
}

// content is everything of the spec that is applied.
func (a *app) content() string {
	return describe("%s %v %v %v %v %v", a.version, a.insecure, a.wantsSecret, a.wantsCertificate, a.wantsExternal, a.governed)
}

// suspendedBy returns the reason of Suspended (statements 30 to 32); empty: it is not.
func (a *app) suspendedBy(s *surroundings, now time.Time) string {
	switch {
	case a.suspended:
		return "ManuallySuspended"
	case s.policy == "window" && a.governed && now.Before(s.closes):
		return "MaintenanceWindow"
	case a.halted: // statement 32: "an admin explicitly suspended reconciliation"
		return "ManuallySuspended"
	}
	return ""
}

// waitsForSecret reports whether the values or the ExternalSecret are missing.
func (a *app) waitsForSecret(s *surroundings) bool {
	return a.wantsSecret && !a.hasSecret || a.wantsExternal && s.served["external-secrets.io"] && a.external == "unready"
}

// other returns the parts of the spec, besides the version, that the HelmRelease is made of.
func (a *app) other() string {
	out := ""
	if a.wantsSecret {
		out += "secret "
	}
	if a.wantsCertificate {
		out += "ingress"
	}
	return out
}

// failures are the reasons of a HelmRelease that has failed.
var failures = map[string]bool{"InstallFailed": true, "UpgradeFailed": true, "RollbackFailed": true, "UninstallFailed": true,
	"TestFailed": true}

// expect returns the table of section 6; it also updates the past.
func (a *app) expect(f flux, s *surroundings, now time.Time) world.Cells {
	c := world.Cells{"Suspended": "False Active", "Blocked": "False Unblocked", "Reconciling": "False Stable"}
	suspended, blocked := a.suspendedBy(s, now), a.blockedBy(s, now)
	if suspended != "" {
		c["Suspended"] = "True " + suspended
	}
	if blocked != "" {
		c["Blocked"] = "True " + blocked
	}
	idle := suspended != "" || blocked != ""
	release := f.release
	if a.occupied {
		release = nil
	}
	wanted := a.version
	if release != nil && !idle {
		a.render()
	} else if idle && release != nil {
		wanted = a.rendered // the release that runs
	}
	r := a.helm(release, wanted)
	r.drifted = r.drifted || a.edited != edits{}
	unreachable := a.unreachable(f, now)
	a.readiness(c, r, s, idle, unreachable)
	a.progress(c, f.source, r, idle, wanted)
	a.health(c, r, idle, unreachable, now)
	return c
}

// helm is the state of a release.
type helmState struct {
	exists, judged, ready, progressing, failed, stale bool
	unreachable                                       bool
	before                                            bool // it was released before
	released                                          said
	drifted                                           bool
}

func (a *app) helm(u *unstructured.Unstructured, wanted string) helmState {
	r := helmState{exists: u != nil, before: a.ready}
	if u == nil {
		return r
	}
	history := releasesOf(u)
	for _, h := range history {
		r.before = r.before || h[1] == "deployed" || h[1] == "superseded"
	}
	ready := condition(u, "Ready")
	r.judged = ready.status != ""
	r.stale = !observed(u) || r.judged && !ready.current
	r.ready = ready.status == "True" && !r.stale && len(history) > 0 && history[0][0] == wanted
	r.progressing = ready.status == "Unknown" || condition(u, "Reconciling").status == "True"
	r.failed = ready.status == "False" && ready.current && failures[ready.reason]
	r.unreachable = ready.status == "False" && ready.current && ready.reason == "ArtifactFailed"
	r.released = condition(u, "Released")
	r.drifted = condition(u, "Drifted").status == "True"
	a.ready = a.ready || r.ready
	return r
}

// unreachable reports whether the chart cannot be fetched, and since when.
func (a *app) unreachable(f flux, now time.Time) bool {
	failed, ready := condition(f.source, "FetchFailed"), condition(f.source, "Ready")
	artifact := condition(f.release, "Ready")
	is := failed.status == "True" && failed.current || ready.status == "False" && ready.current ||
		!a.occupied && artifact.status == "False" && artifact.current && artifact.reason == "ArtifactFailed"
	switch {
	case !is:
		a.since = time.Time{}
	case a.since.IsZero():
		a.since = now
	}
	return is
}

// undecided is the row of Ready=Unknown.
const undecided = "The operator has not yet observed enough of the downstream state to decide. Usually transient."

// readiness applies the rows of Ready (statements 7 to 17), in the order of their precedence.
func (a *app) readiness(c world.Cells, r helmState, s *surroundings, idle, unreachable bool) {
	creates := a.occupied && !idle && !a.waitsForSecret(s) // the creation of the release fails
	switch {
	case unreachable && !r.ready: // a release that is ready runs on
		c["Ready"] = "False ChartUnreachable"
	case r.failed || creates:
		c["Ready"] = "False HelmReleaseFailed"
	case a.waitsForSecret(s):
		c["Ready"] = "False WaitingForSecret"
	case a.wantsCertificate && a.certificate != "ready":
		c["Ready"] = "False WaitingForCertificate"
	case r.ready && a.probed && a.sick:
		c["Ready"] = "False EndpointUnreachable" // statements 7 and 8: the checks do not pass
	case r.ready && a.insecure:
		c["Ready"] = "True HelmReleaseReadyWithWarnings"
	case r.ready:
		c["Ready"] = "True HelmReleaseReady"
	case !r.exists && idle:
		c["Ready"] = "False Installing" // statement 8
	case !r.exists, !r.judged:
		c["Ready"] = "Unknown Reconciling"
	case !r.progressing && (r.stale || idle): // somebody else's edit is no upgrade, and while nothing is applied nobody works on one
		c["Ready"] = world.Open(undecided, "Unknown Reconciling", "False Upgrading", "False Installing")
	case r.before:
		c["Ready"] = "False Upgrading"
	default:
		c["Ready"] = "False Installing"
	}
}

// progress applies the rows of Reconciling (statements 18 to 22).
func (a *app) progress(c world.Cells, source *unstructured.Unstructured, r helmState, idle bool, wanted string) {
	tag, _, _ := strings.Cut(text(source, "status", "artifact", "revision"), "@")
	fetching := source != nil && (tag != wanted || !observed(source) || condition(source, "Reconciling").status == "True")
	working := r.exists && !r.ready && !r.failed && !r.unreachable && (!idle || r.progressing)
	switch {
	case !idle && fetching:
		c["Reconciling"] = "True ChartSourceSyncing"
	case working && !r.judged:
		c["Reconciling"] = world.Open(undecided, "True HelmReleaseInstalling", "True HelmReleaseUpgrading")
	case working && r.before:
		c["Reconciling"] = "True HelmReleaseUpgrading"
	case working:
		c["Reconciling"] = "True HelmReleaseInstalling"
	}
}

// health applies the rows of Degraded (statements 23 to 29).
func (a *app) health(c world.Cells, r helmState, idle, unreachable bool, now time.Time) {
	changed := idle && (a.version != a.rendered || a.other() != a.values) // the rendered version is not the wanted one, and nothing is applied
	switch {
	case r.released.status == "False" && r.before:
		c["Degraded"] = "True HelmReleaseDegraded"
	case unreachable && !now.Before(a.since.Add(unreachableGrace)):
		c["Degraded"] = "True ChartUnreachable"
	case a.probed && a.sick && (r.before || r.ready):
		c["Degraded"] = "True EndpointUnreachable"
	case r.drifted && changed: // the document leaves open which version it is compared with
		a.unsure = true
		c["Degraded"] = world.Open("Drift detection found a mismatch between desired and live state.", "True Drifted", "False Recovered", "")
		return
	case r.drifted:
		c["Degraded"] = "True Drifted"
	case a.degraded:
		c["Degraded"] = "False Recovered"
	case a.unsure:
		c["Degraded"] = world.Open("The condition cleared.", "False Recovered", "")
	}
	a.degraded = a.degraded || strings.HasPrefix(c["Degraded"], "True")
}
