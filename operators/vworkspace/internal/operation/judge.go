// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"cmp"
	"strings"
	"time"

	"github.com/tristate/tristate/operators/vworkspace/api/approval"
	api "github.com/tristate/tristate/operators/vworkspace/api/ops/v1alpha1"
	"github.com/tristate/tristate/operators/vworkspace/internal/engine"
	"github.com/tristate/tristate/operators/vworkspace/internal/kit"
)

// The phases of an operation.
const (
	Pending   = "Pending"
	Running   = "Running"
	Succeeded = "Succeeded"
	Failed    = "Failed"
	Cancelled = "Cancelled"
)

// unadmitted is the message of Accepted=True where there is no admission webhook.
const unadmitted = "validated by the operator, which runs without its admission webhook"

// VanishedGrace is how long the object of an engine may be missing.
const VanishedGrace = time.Minute

// Facts are the facts about an operation.
type Facts struct {
	Ended bool // before this pass, which looks at a spec that was edited since: there are no other facts

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
	Exists    bool      // the object of the engine
	Ran       bool      // the engine was seen to work, or has a result
	UID       string    // of that object
	Foreign   string    // the object is of another owner
	Refused   string    // the API server refused to create it
	Missing   time.Time // since when the object is missing
	Uncleaned string    // the object cannot be deleted
	Engine    engine.State
	Release   string // the HelmRelease of the target

	Grace      time.Duration      // how long the object may be missing; 0: VanishedGrace
	Timeout    time.Duration      // of the engine; 0: none
	Wait       time.Duration      // of preconditions; 0: for ever
	Waiting    time.Time          // since when preconditions are not met
	ApprovalTo time.Time          // when the approval expires
	Approval   *approval.Approval // what has to be approved; nil: nothing
	Now        time.Time
}

// blocked reports whether the operation cannot start yet.
func (f Facts) blocked() bool {
	return f.Unready != "" || f.Unapproved != "" || f.Conflict != "" || f.Dependency != ""
}

// startable reports whether the operation may start in this pass.
func (f Facts) startable() bool {
	return f.Started.IsZero() && len(f.Problems) == 0 && !f.blocked() && f.end() == ""
}

// waitsForPrecondition reports whether the time of Wait is running: the operation is blocked by its target or by another operation. An
// approval is waited for without end, also where another operation is in the way besides.
func (f Facts) waitsForPrecondition() bool {
	return f.Started.IsZero() && (f.Unready != "" || f.Conflict != "" && f.Unapproved == "")
}

// end returns the reason that the operation ends with; empty: it does not. The result of the engine wins over a cancellation or timeout of
// the same pass.
func (f Facts) end() string {
	started := !f.Started.IsZero()
	switch {
	case started && f.Engine.Phase == engine.Succeeded:
		return ReasonEngineCompleted
	case started && f.Engine.Phase == engine.Failed && f.Engine.Deadline:
		return ReasonTimeout
	case started && f.Engine.Phase == engine.Failed, f.Foreign != "", f.Refused != "":
		return ReasonEngineFailed
	case f.Cancel != "":
		return ReasonUserCancelled
	case !started && f.Superseded != "":
		return ReasonSupersededByOperation
	case started && f.Timeout > 0 && !f.Now.Before(f.Started.Add(f.Timeout)):
		return ReasonTimeout
	case started && !f.Missing.IsZero() && !f.Now.Before(f.Missing.Add(f.grace())):
		return ReasonEngineFailed
	case f.waitsForPrecondition() && f.Wait > 0 && !f.Waiting.IsZero() && !f.Now.Before(f.Waiting.Add(f.Wait)):
		return ReasonPreconditionFailed
	}
	return ""
}

// clean reports whether the object of the engine has to go with the end.
func (f Facts) clean() bool {
	switch f.end() {
	case ReasonUserCancelled:
		return true
	case ReasonTimeout:
		return !f.Engine.Deadline
	}
	return false
}

// Phase returns the phase of the operation.
func (f Facts) Phase() string {
	if f.Uncleaned != "" {
		return Running
	}
	switch f.end() {
	case ReasonEngineCompleted:
		return Succeeded
	case ReasonEngineFailed, ReasonTimeout, ReasonPreconditionFailed:
		return Failed
	case ReasonUserCancelled, ReasonSupersededByOperation:
		return Cancelled
	}
	if f.Started.IsZero() {
		return Pending
	}
	return Running
}

// again returns when time alone changes the outcome; zero: never.
func (f Facts) again() time.Time {
	if f.Uncleaned != "" {
		return f.Now.Add(5 * time.Second)
	}
	if f.end() != "" {
		return time.Time{}
	}
	var times []time.Time
	if !f.Started.IsZero() && f.Timeout > 0 {
		times = append(times, f.Started.Add(f.Timeout))
	}
	if !f.Started.IsZero() && !f.Missing.IsZero() {
		times = append(times, f.Missing.Add(f.grace()))
	}
	if !f.Started.IsZero() && !f.Exists {
		times = append(times, f.Now.Add(5*time.Second))
	}
	if f.waitsForPrecondition() && f.Wait > 0 && !f.Waiting.IsZero() {
		times = append(times, f.Waiting.Add(f.Wait))
	}
	if f.Started.IsZero() {
		times = append(times, f.ApprovalTo)
	}
	return kit.Sooner(times...)
}

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	end := f.end()
	if f.Uncleaned != "" {
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
		p.Running.EngineNotStarted("%s", f.Uncleaned)
	}
	if end == ReasonEngineCompleted {
		p.Succeeded.EngineCompleted()
	} else {
		p.Succeeded.NotYetSucceeded()
	}
	switch end {
	case ReasonEngineFailed:
		p.Failed.EngineFailed("%s", f.failure())
	case ReasonTimeout:
		p.Failed.Timeout("%s", f.timeout())
	case ReasonPreconditionFailed:
		p.Failed.PreconditionFailed("within %s: %s", f.Wait, strings.Join(nonempty(f.Unready, f.Conflict), "; "))
	case ReasonUserCancelled:
		p.Cancelled.UserCancelled("%s", f.Cancel)
	case ReasonSupersededByOperation:
		p.Cancelled.SupersededByOperation("%s", f.Superseded)
	}
	blocks(p, f, end)
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

// grace returns how long the object of the engine may be missing.
func (f Facts) grace() time.Duration { return cmp.Or(f.Grace, VanishedGrace) }

// failure returns the error of the engine.
func (f Facts) failure() string {
	for _, s := range []string{f.Refused, f.Foreign, f.Engine.Message} {
		if s != "" {
			return s
		}
	}
	return "the object of the engine is missing for " + f.grace().String()
}

func (f Facts) timeout() string {
	if f.Engine.Deadline {
		return f.Engine.Message
	}
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
