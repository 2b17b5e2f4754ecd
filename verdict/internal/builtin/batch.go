// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/object"
)

// job judges a Job. One that runs is in progress; one that is certain to fail has failed.
func (j *Kinds) job() {
	j.Answer.Rule = "builtin/Job"
	if j.concludeIfTrue(answer.Failed, "Failed", "FailureTarget") {
		j.ProveStatus("failed")
		return
	}
	if j.concludeIfTrue(answer.Current, "Complete") {
		if wanted := j.Spec.Get("completions").NumberOr(1); wanted > 0 && j.count("succeeded") == 0 &&
			(j.Status.Get("succeeded").Present() || j.count("failed")+j.count("active") > 0) {
			was := j.Answer
			j.Conventions.Impossible(&j.Judgement, "NothingSucceeded", object.Counted.Count("completions, and the job is complete", 0, wanted))
			j.Answer.ProveAgain(&was)
		}
		j.ProveStatus("succeeded")
		return
	}
	want := j.Spec.Get("completions").NumberOr(j.Spec.Get("parallelism").NumberOr(1))
	switch {
	case j.Spec.Get("suspend").IsTrue():
		j.conclude(answer.Suspended, "Suspended", object.Text("the job is suspended"))
		j.ProveSpec("suspend")
	case j.Status.TextAt("startTime") == "":
		j.conclude(answer.InProgress, "NotStarted", object.Text("the job has not started"), "startTime")
	case j.count("failed") > 0:
		j.conclude(answer.InProgress, "Retrying", object.Counted.Count("completions, some pods have failed", j.count("succeeded"), want),
			"failed", "succeeded")
	default:
		j.conclude(answer.InProgress, "Running", object.Counted.Count("completions", j.count("succeeded"), want), "succeeded", "active")
	}
}

// cronJob judges a CronJob. It is Degraded where the last run is over and did not succeed. One that never succeeded is not unhealthy: its
// history may be younger than its first run.
func (j *Kinds) cronJob() {
	j.Answer.Rule = "builtin/CronJob"
	scheduled, succeeded := j.Status.TextAt("lastScheduleTime"), j.Status.TextAt("lastSuccessfulTime")
	switch {
	case j.Spec.Get("suspend").IsTrue():
		j.conclude(answer.Suspended, "Suspended", object.Text("the schedule is suspended"))
		j.ProveSpec("suspend")
	case j.Status.Get("active").Size() > 0:
		j.conclude(answer.Current, "Running", object.Text("a job is running"), "active")
	case scheduled == "":
		j.conclude(answer.Current, "NotScheduledYet", object.Text("no run was due yet"), "lastScheduleTime")
	case succeeded == "":
		j.conclude(answer.Current, "NeverSucceeded", object.Text("no run has succeeded yet"), "lastSuccessfulTime")
		j.Answer.Ready = false
	case object.TimeOf(scheduled).After(object.TimeOf(succeeded)) && !object.TimeOf(succeeded).IsZero():
		j.conclude(answer.Degraded, "LastRunFailed", object.Text("the last run did not succeed"), "lastScheduleTime", "lastSuccessfulTime")
		j.Answer.Since = object.TimeOf(scheduled)
	default:
		j.conclude(answer.Current, "LastRunSucceeded", object.Text("the last run succeeded"), "lastSuccessfulTime")
		j.Answer.Since = object.TimeOf(succeeded)
	}
}
