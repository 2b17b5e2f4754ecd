// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/builtin"
	"github.com/tristate/tristate/verdict/internal/convention"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

const (
	defaultBudget               = 15 * time.Minute
	unlimited     time.Duration = -1
	// longWait is how long something without a limit may be in progress before the verdict is in doubt.
	longWait = 24 * time.Hour
)

// Overdue reports whether the object has been in progress for longer than its budget: it does not go on by itself, as far as anybody can
// see. It is an attribute of InProgress, and no verdict of its own.
func (v *Verdict) Overdue(now time.Time) bool {
	return !v.Due.IsZero() && now.After(v.Due)
}

// schedule finds the beginning and the budget of a verdict of InProgress.
func (j *judgement) schedule() {
	v := &j.Answer
	if v.Status != answer.InProgress || convention.Guessed(v) {
		return
	}
	since, until := j.waits(v.Type)
	begun := object.UnixOf(since)
	if end := object.UnixOf(until); begun > 0 && end > begun {
		v.Budget = time.Duration(end-begun) * time.Second
		v.Due = time.Unix(end, 0).UTC()
		return
	}
	if begun == 0 {
		begun = j.begun()
	}
	budget := j.allowed()
	if budget <= 0 {
		if begun == 0 {
			return
		}
		if end := time.Unix(begun, 0).UTC().Add(longWait); j.Now.After(end) {
			v.Doubt("has been in progress for more than a day, and has no deadline")
		} else if v.NextLook.IsZero() || end.Before(v.NextLook) {
			v.NextLook = end
		}
		return
	}
	if v.Budget = budget; begun != 0 {
		v.Due = time.Unix(begun, 0).UTC().Add(budget)
	}
}

// retried turns a failure that a controller tries again into progress while the object is young or its spec has just changed: at a first
// installation things are not available yet, and controllers write that as an error. It lasts for the budget; then it is the failure again.
// What is declared, builtin kinds and tasks have their own knowledge of that.
func (j *judgement) retried() {
	v := &j.Answer
	if !v.Status.Broken() || Builtin(v.Rule) || lexicon.RunsToCompletion(j.Kind) || j.semantics() != nil ||
		!lexicon.Retried(v.Reason) && !lexicon.Retried(v.Message) {
		return
	}
	begun := object.UnixOf(j.written(""))
	if j.Generation <= 1 {
		begun = max(begun, object.UnixOf(j.Meta.TextAt("creationTimestamp")))
	}
	end := begun + int64(j.allowed()/time.Second)
	if now := j.Now.Unix(); begun == 0 || now < begun || now >= end {
		return
	}
	v.Status, v.NextLook = answer.InProgress, time.Unix(end, 0).UTC()
}

// begun returns the beginning of progress for which the controller has stored none, by the rules of Due in [Verdict]; 0 where no time is
// known.
func (j *judgement) begun() int64 {
	written, created := object.UnixOf(j.written("")), int64(0)
	if j.Generation <= 1 {
		created = object.UnixOf(j.Meta.TextAt("creationTimestamp"))
	}
	if j.Answer.Reason == "GenerationNotObserved" {
		return max(written, created)
	}
	begun := written
	if !j.Answer.Since.IsZero() {
		begun = max(begun, j.Answer.Since.Unix())
	}
	if begun == 0 {
		for entry := range j.Status.Get("conditions").Items() {
			begun = max(begun, object.UnixOf(entry.TextAt("lastTransitionTime")), object.UnixOf(entry.TextAt("lastUpdateTime")))
		}
		for _, key := range startFields {
			begun = max(begun, object.UnixOf(j.Status.TextAt(key)))
		}
	}
	said := false // an empty loadBalancer is nothing
	for _, v := range j.Status.Fields() {
		said = said || v.Present()
	}
	if begun == 0 && (!said || firstWords.In(j.Answer.Reason)) {
		return created
	}
	return begun
}

// firstWords are words of phases in which only a new object is.
var firstWords = lexicon.SetOf(lexicon.List("firstWords"))

// waits returns the stored beginning of the wait of a condition, and its end where the controller has set one for the object; "" if the
// controller stores none.
func (j *judgement) waits(conditionType string) (since, until string) {
	for entry := range j.Status.Get("waits").Items() {
		if conditionType != "" && entry.TextAt("type") == conditionType {
			return entry.TextAt("since"), entry.TextAt("until")
		}
	}
	return "", ""
}

// sinceWritten completes the time since which a verdict holds, if nothing that it rests on has one, as fields of a StatefulSet have none:
// it has held since the status was written last. A volume claim has waited or been bound since its creation, more or less.
func (j *judgement) sinceWritten() {
	v := &j.Answer
	switch {
	case !v.Since.IsZero() || convention.Guessed(v) || v.Status == answer.Unknown:
		return
	case j.Status.Present():
		v.Since = object.TimeOf(j.written("status"))
	}
	if v.Since.IsZero() && (v.Reason == "NoStatus" || v.Rule == builtin.VolumeClaimRule && v.Status != answer.Failed) {
		v.Since = object.TimeOf(j.Meta.TextAt("creationTimestamp"))
	}
}

// written returns the last time at which the status, by that subresource, or the spec, by none, was written; "" if the managed fields have
// none.
func (j *judgement) written(subresource string) string {
	last := ""
	for entry := range j.Meta.Get("managedFields").Items() {
		at := entry.TextAt("time")
		if entry.TextAt("subresource") == subresource && (subresource != "" || entry.Get2("fieldsV1", "f:spec").Kind() == object.Map) &&
			object.TimeOf(at).After(object.TimeOf(last)) {
			last = at
		}
	}
	return last
}

// allowed returns the budget of the object.
func (j *judgement) allowed() time.Duration {
	if own := j.ownDeadline(); own > 0 {
		return own
	}
	if s := j.semantics(); s != nil {
		if d := s.deadline(&j.Answer); d != 0 {
			return d
		}
	}
	if j.e.Packs != nil {
		if p := j.e.Packs(j.Group, j.Version, j.Kind); p != nil {
			if d := p.Budget(); d != 0 {
				return d
			}
		}
	}
	if designWords.In(j.Answer.Reason) || j.Answer.Rule == "builtin/CertificateSigningRequest" || j.Answer.Rule == builtin.VolumeClaimRule &&
		j.Answer.Reason != "Provisioning" || j.taskRuns() {
		return unlimited
	}
	return defaultBudget
}

// designWords are words of reasons of a wait that only a person, a schedule or another object ends.
var designWords = lexicon.SetOf(lexicon.List("designWords"))

// deploymentDeadline is the progressDeadlineSeconds of a Deployment that has none.
const deploymentDeadline = 10 * time.Minute

// ownDeadline returns the deadline that the spec of the object sets; 0 without one.
func (j *judgement) ownDeadline() time.Duration {
	for _, key := range [...]string{"progressDeadlineSeconds", "activeDeadlineSeconds", "timeoutSeconds"} {
		if n, ok := j.Spec.NumberAt(key); ok && n > 0 && n < 1<<31-1 { // the highest number means none
			return time.Duration(n) * time.Second
		}
	}
	for _, n := range [...]object.Value{j.Spec.Get("timeout"), j.Spec.Get2("timeouts", "pipeline")} {
		if text := n.Text(); text != "" && text[0] >= '0' && text[0] <= '9' {
			if d, err := time.ParseDuration(text); err == nil && d > 0 {
				return d
			}
		}
	}
	if j.Answer.Rule == "builtin/Deployment" && j.Spec.Get("progressDeadlineSeconds").Kind() == object.None {
		return deploymentDeadline
	}
	return 0
}

// startFields are fields of a status that have the time at which a task began.
var startFields = [...]string{"startTime", "startTimestamp", "startedAt", "started", "startedTime"}

// taskRuns reports whether the object runs and ends, and has begun: it takes as long as it takes.
func (j *judgement) taskRuns() bool {
	if !lexicon.RunsToCompletion(j.Kind) && j.Answer.Reason != "Running" {
		return false
	}
	for _, key := range startFields {
		if j.Status.Get(key).Present() {
			return true
		}
	}
	return false
}

// deadline returns how long the declared condition on which a verdict rests may be in progress; 0 if nothing is declared.
func (s *Semantics) deadline(v *answer.Answer) time.Duration {
	t := s.Types[v.Type]
	if t == nil {
		return 0
	}
	return t.deadline(t.Cells[Cell{string(v.Condition), v.Reason}])
}

// deadline returns how long a cell of the type may last; 0 if nothing is declared.
func (t *TypeSemantics) deadline(cell *conditions.Reason) time.Duration {
	if cell != nil && cell.Deadline != nil && cell.Deadline.After > 0 {
		return cell.Deadline.After
	}
	return 0
}
