// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"fmt"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/approval"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
)

// The phases of an operation.
const (
	Pending = "Pending" // those of the end are in the catalog
	Running = "Running"
)

// unadmitted is the message of Accepted=True where there is no admission webhook.
const unadmitted = "validated by the operator, which runs without its admission webhook"

// VanishedGrace is how long the object of an engine may be missing.
const VanishedGrace = time.Minute

// Facts are the facts about an operation.
type Facts struct {
	Taken int64  // the number of the last transition that the agent has
	Lost  string // the reason of its end by the journal: its status was removed, or replaced by one of before
	Ended bool   // before this pass, which looks at a spec that was edited since: there are no other facts

	NoWebhook bool // no webhook has validated the request

	Problems   []string // of the request
	Unready    string   // why the target is not ready, where it has to be
	Unapproved string   // why no approval counts, where one is required
	Conflict   string   // the operation in the way
	Dependency string   // the controller that is missing

	Cancel     string // who cancelled it
	Superseded string // by which operation

	Started   time.Time // when it was handed to the engine; zero: not yet
	Starting  bool      // in this pass
	Resumed   bool      // it had started by the journal, and its status does not say so
	Exists    bool      // the object of the engine
	Ran       bool      // the engine was seen to work, or has a result
	UID       string    // of that object
	Foreign   string    // the object is of another owner
	Refused   string    // the API server refused to create it
	Missing   bool      // the object is not there, and the operation has started before this pass
	Unwritten string    // why the object was not created or deleted; it is tried again
	Engine    engine.State
	Release   string // the HelmRelease of the target

	Grace      time.Duration      // how long the object may be missing
	Timeout    time.Duration      // of the engine; 0: none
	Wait       time.Duration      // of preconditions; 0: for ever
	Overdue    Overdue            // what has lasted longer
	ApprovalTo time.Time          // when the approval expires
	Approval   *approval.Approval // what has to be approved; nil: nothing
	Now        time.Time
}

// Overdue are the waits of an operation that are over, by what is stored.
type Overdue struct{ Engine, Missing, Preconditions bool }

// blocked reports whether the operation cannot start yet.
func (f Facts) blocked() bool {
	return f.Unready != "" || f.Unapproved != "" || f.Conflict != "" || f.Dependency != ""
}

// startable reports whether the operation may start in this pass.
func (f Facts) startable() bool {
	return f.Started.IsZero() && len(f.Problems) == 0 && !f.blocked() && f.end() == ""
}

// waitsForPrecondition reports whether the time of Wait is running: the operation is blocked by its target or by another operation. An
// approval is waited for without end, also where another operation is in the way besides. In the catalog that is the cell of Blocked.
func (f Facts) waitsForPrecondition() bool {
	return f.Started.IsZero() && (f.Unready != "" || f.Conflict != "" && f.Unapproved == "")
}

// end returns the reason that the operation ends with; empty: it does not. The result of the engine wins over a cancellation or timeout of
// the same pass.
func (f Facts) end() string {
	started := !f.Started.IsZero()
	switch {
	case f.Lost != "":
		return f.Lost
	case started && f.Engine.Phase == engine.Succeeded:
		return ReasonEngineCompleted
	case started && f.Engine.Phase == engine.Failed, f.Foreign != "", f.Refused != "":
		return ReasonEngineFailed
	case f.Cancel != "":
		return ReasonUserCancelled
	case !started && f.Superseded != "":
		return ReasonSupersededByOperation
	case started && f.Overdue.Engine:
		return ReasonTimeout
	case started && f.Missing && f.Overdue.Missing:
		return ReasonEngineFailed
	case f.waitsForPrecondition() && f.Overdue.Preconditions:
		return ReasonPreconditionFailed
	}
	return ""
}

// clean reports whether the object of the engine has to go with the end.
func (f Facts) clean() bool {
	end := f.end()
	return end == ReasonUserCancelled || end == ReasonTimeout
}

// phase returns the phase of the operation after a pass.
func phase(f Facts, result conditions.Result) string {
	if phase := Kind.Phase(result.Conditions()); phase != Pending || f.Started.IsZero() {
		return phase
	}
	return Running
}

// again returns when the operation is looked at again although no watch reports a change; zero: never.
func (f Facts) again() time.Time {
	started := !f.Started.IsZero()
	switch {
	case f.Unwritten != "", f.end() == "" && started && !f.Exists:
		return f.Now.Add(5 * time.Second)
	case f.end() == "" && !started:
		return f.ApprovalTo
	}
	return time.Time{}
}

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	end := f.end()
	if f.Unwritten != "" {
		end = ""
	}
	if len(f.Problems) > 0 && f.Started.IsZero() {
		p.Accepted.ValidationFailed("%s", strings.Join(f.Problems, "; "))
	} else if f.NoWebhook {
		p.Accepted.Because(AcceptedAdmissionPassed, unadmitted)
	} else {
		p.Accepted.AdmissionPassed()
	}
	if end == "" && !f.Started.IsZero() && f.Engine.Phase == engine.Running {
		p.Running.EngineStarted()
	} else if end != "" && f.Ran {
		p.Running.EngineEnded()
	} else {
		p.Running.EngineNotStarted("%s", f.Unwritten)
	}
	if end == ReasonEngineCompleted {
		p.Succeeded.EngineCompleted()
	} else {
		p.Succeeded.NotYetSucceeded()
	}
	switch end {
	case ReasonEngineFailed:
		p.Failed.EngineFailed("%s", f.text(f.failure()))
	case ReasonTimeout:
		p.Failed.Timeout("%s", f.text(f.timeout()))
	case ReasonPreconditionFailed:
		p.Failed.PreconditionFailed("%s", f.text(fmt.Sprintf("within %s: %s", f.Wait, strings.Join(nonempty(f.Unready, f.Conflict), "; "))))
	case ReasonUserCancelled:
		p.Cancelled.UserCancelled("%s", f.text(f.Cancel))
	case ReasonSupersededByOperation:
		p.Cancelled.SupersededByOperation("%s", f.text(f.Superseded))
	}
	blocks(p, f, end)
	if end == "" {
		waits(p, f)
	}
}

// text returns the message of an end.
func (f Facts) text(message string) string {
	if f.Lost != "" {
		return "the status was removed or replaced after the end, whose details are lost"
	}
	return message
}

// waits sets how long the operation may be as it is.
func waits(p *Pass, f Facts) {
	switch {
	case f.Started.IsZero():
		p.Blocked.WaitFor(f.Wait)
	default:
		p.Succeeded.WaitFor(f.Timeout)
		p.Succeeded.WaitSince(f.Started)
		if f.Missing {
			p.Running.WaitFor(f.Grace)
		}
	}
}

// blocks reports the reasons for which an operation cannot start.
func blocks(p *Pass, f Facts, end string) {
	waits := end == "" && f.Started.IsZero()
	if waits && f.Unready != "" {
		p.Blocked.TargetNotReady("%s", f.Unready)
	}
	if waits && f.Unapproved != "" {
		p.Blocked.AwaitingApproval("%s", f.Unapproved)
	}
	if waits && f.Conflict != "" {
		p.Blocked.ConflictingOperation("%s", f.Conflict)
	}
	if waits && f.Dependency != "" {
		p.Blocked.DependencyMissing("%s", f.Dependency)
	}
	if !waits || !f.blocked() {
		p.Blocked.Unblocked()
	}
}

// failure returns the error of the engine.
func (f Facts) failure() string {
	for _, s := range []string{f.Refused, f.Foreign, f.Engine.Message} {
		if s != "" {
			return s
		}
	}
	return "the object of the engine is missing for " + f.Grace.String()
}

func (f Facts) timeout() string {
	return "the engine ran longer than " + f.Timeout.String()
}

func nonempty(list ...string) (out []string) {
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// terminal reports whether an operation has ended: no edit changes its outcome.
func terminal(o *api.Operation) bool { return o.Status.FinishedAt != nil }
