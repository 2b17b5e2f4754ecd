// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/proof/world"
)

// This file is the oracle of Operation: the state machine and the tables of section 7. It shares nothing with the operator but the words of
// the document. Each rule names the statements of docs/systems/statements that it rests on.

// asked is the facts of an operation, as the test has made them.
type asked struct {
	name, kind, engine string
	required           bool   // an approval
	claim              string // good, and the others of claimKinds
	claimed            string // what it is for
	edits              int    // of its parameters
	claimEnds          time.Time
	requires           bool          // that the target is ready
	patience           time.Duration // of its preconditions
	timeout            time.Duration
	version            string // of an upgrade
	cancelled          bool
	state              string    // of its engine's object: "" (no work yet), running, succeeded, failed
	vanished           time.Time // since when the object is gone; zero: it is there
	foreign            bool      // the object is somebody else's
	forged             bool      // there was one of its name, with all labels of its own, before it started

	// The past.
	started, waiting time.Time
	waited           bool // Blocked was True
	ran              bool // the engine has worked
	final            world.Cells
}

// vanishedGrace is how long an engine's object may be gone.
const vanishedGrace = time.Minute

// invalid reports whether a request cannot be accepted (statement 45).
func (k *asked) invalid(p *played) bool { return !p.app.exists || p.app.leaving != "" || k.senseless() }

// senseless reports whether a request can never be carried out.
func (k *asked) senseless() bool { return k.engine == "helm" && k.kind != "Upgrade" }

// approved reports whether an approval is there, where one is required, for what would be done now (statement 61).
func (k *asked) approved(p *played, now time.Time) bool {
	return !k.required || k.claim == "good" && k.claimed == k.content(p) && now.Before(k.claimEnds)
}

// content is everything that decides what an operation does: its parameters and the target, of an upgrade also the chart.
func (k *asked) content(p *played) string {
	out := describe("%d %s", k.edits, p.app.uid)
	if k.engine == "helm" {
		out += describe(" %v", p.app.insecure)
	}
	return out
}

// groups of the kinds that engines work with; a Job is served by every cluster.
var groups = map[string]string{"velero": "velero.io", "workflow": "argoproj.io"}

// blockedBy returns the reason of Blocked, besides conflicts (statements 59, 61 to 63); empty: nothing blocks it.
func (k *asked) blockedBy(p *played, s *surroundings, now time.Time) string {
	switch group := groups[k.engine]; {
	case k.requires && p.app.exists && !p.ready:
		return "TargetNotReady"
	case !k.approved(p, now):
		return "AwaitingApproval"
	case group != "" && !s.served[group]:
		return "DependencyMissing"
	}
	return ""
}

// conflicts reports whether another operation on the target is in flight (statement 60), of whatever type: one that runs, or an older one
// that nothing else blocks.
func (k *asked) conflicts(p *played, s *surroundings, now time.Time) bool {
	for i, other := range p.tasks {
		if other == k || other.final != nil {
			continue
		}
		older := i < slices.Index(p.tasks, k)
		if !other.started.IsZero() || older && !other.invalid(p) && other.blockedBy(p, s, now) == "" {
			return true
		}
	}
	return false
}

// superseded reports whether a newer Backup by the same engine exists (statement 58).
func (k *asked) superseded(p *played) bool {
	return k.kind == "Backup" && slices.ContainsFunc(p.tasks[slices.Index(p.tasks, k)+1:],
		func(other *asked) bool {
			return other.kind == "Backup" && other.engine == k.engine && !other.senseless()
		})
}

// ends returns how an operation ends (statements 50, 53 to 55, 57); empty: it does not. The result of the engine comes first.
func (k *asked) ends(now time.Time) string {
	started := !k.started.IsZero()
	switch {
	case started && k.state == "succeeded" && !k.forged:
		return "Succeeded EngineCompleted"
	case started && k.state == "failed", k.foreign, started && k.forged: // statement 50: the engine of the operation has reported nothing
		return "Failed EngineFailed"
	case k.cancelled:
		return "Cancelled UserCancelled"
	case started && !now.Before(k.started.Add(k.timeout)):
		return "Failed Timeout"
	case started && !k.vanished.IsZero() && !now.Before(k.vanished.Add(vanishedGrace)):
		return "Failed EngineFailed"
	case !started && !k.waiting.IsZero() && !now.Before(k.waiting.Add(k.patience)):
		return "Failed PreconditionFailed"
	}
	return ""
}

// settle goes on with the operations of a tenant until nothing changes: older ones first.
func (p *played) settle(f flux, s *surroundings, now time.Time) {
	for again := true; again; {
		again = false
		for _, k := range p.tasks {
			if k.final != nil {
				continue
			}
			if !k.started.IsZero() && k.engine == "helm" {
				k.upgrade(p, f, now)
			}
			k.ran = k.ran || !k.started.IsZero() && k.state != "" && k.vanished.IsZero() && !k.foreign && !k.forged
			reason := ""
			if k.started.IsZero() {
				reason = k.reason(p, s, now)
				if waits := reason == "TargetNotReady" || reason == "ConflictingOperation"; !waits {
					k.waiting = time.Time{}
				} else if k.waiting.IsZero() {
					k.waiting = now
				}
			}
			end := k.ends(now)
			if end == "" && k.started.IsZero() && k.superseded(p) {
				end = "Cancelled SupersededByOperation"
			}
			switch {
			case end != "":
				k.final = k.cells(p, end, "")
				again = true
			case k.started.IsZero() && reason == "" && !k.invalid(p):
				k.started, again = now, true
				if k.engine == "helm" {
					p.app.version = k.version
				}
			}
			k.waited = k.waited || k.final == nil && reason != ""
		}
	}
}

// reason returns the reason of Blocked, by precedence; empty: nothing is in the way.
func (k *asked) reason(p *played, s *surroundings, now time.Time) string {
	reason := k.blockedBy(p, s, now)
	if (reason == "" || reason == "DependencyMissing") && k.conflicts(p, s, now) {
		return "ConflictingOperation"
	}
	return reason
}

// upgrade reads the state of an upgrade from the HelmRelease of its target.
func (k *asked) upgrade(p *played, f flux, now time.Time) {
	k.state = "" // statements 46 and 47: its controller has to report work on that version
	if f.release == nil {
		if k.vanished.IsZero() {
			k.vanished = now
		}
		return
	}
	k.vanished = time.Time{}
	ready, history := condition(f.release, "Ready"), releasesOf(f.release)
	of := p.app.rendered == k.version && observed(f.release) && ready.current && len(history) > 0 && history[0][0] == k.version
	switch {
	case p.app.rendered == k.version && ready.current && ready.status == "Unknown":
		k.state = "running"
	case of && ready.status == "True":
		k.state = "succeeded"
	case of && ready.status == "False" && failures[ready.reason]:
		k.state = "failed"
	}
}

// cells returns the conditions of an operation (statements 44 to 58), and its phase.
func (k *asked) cells(p *played, end, reason string) world.Cells {
	c := world.Cells{"Accepted": "True AdmissionPassed", "Running": "False EngineNotStarted", "Succeeded": "False NotYetSucceeded",
		"phase": "Pending"}
	if k.started.IsZero() && k.invalid(p) {
		c["Accepted"] = "False ValidationFailed"
	}
	if !k.started.IsZero() {
		c["phase"] = "Running"
	}
	if end != "" {
		conditionType, why, _ := strings.Cut(end, " ")
		c[conditionType], c["phase"] = "True "+why, conditionType
		if k.ran { // statement 48: one that has ended is none that has not yet started
			c["Running"] = "False EngineEnded"
		}
	} else if !k.started.IsZero() && k.state == "running" && k.vanished.IsZero() {
		c["Running"] = "True EngineStarted"
	}
	switch {
	case reason != "":
		c["Blocked"] = "True " + reason
	case k.waited:
		c["Blocked"] = "False Unblocked"
	}
	return c
}

// expect returns the conditions of an operation of a tenant that has settled.
func (k *asked) expect(p *played, s *surroundings, now time.Time) world.Cells {
	switch {
	case k.final != nil: // statements 49, 52, 56: a terminal state
		return k.final
	case k.started.IsZero():
		return k.cells(p, "", k.reason(p, s, now))
	}
	return k.cells(p, "", "")
}
