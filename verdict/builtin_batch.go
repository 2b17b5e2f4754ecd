// SPDX-License-Identifier: Apache-2.0

package verdict

// job judges a Job. One that runs is in progress; one that is certain to fail has failed.
func (j *judgement) job() {
	j.v.Rule = "builtin/Job"
	if j.concludeIfTrue(Failed, "Failed", "FailureTarget") {
		j.proveStatus("failed")
		return
	}
	if j.concludeIfTrue(Current, "Complete") {
		if wanted := j.spec.get("completions").numOr(1); wanted > 0 && j.count("succeeded") == 0 &&
			(j.status.get("succeeded").present() || j.count("failed")+j.count("active") > 0) {
			was := j.v
			j.concludeImpossible(impossible, "NothingSucceeded", message{format: counted, s1: "completions, and the job is complete", n2: wanted})
			j.v.proveAgain(&was)
		}
		j.proveStatus("succeeded")
		return
	}
	want := j.spec.get("completions").numOr(j.spec.get("parallelism").numOr(1))
	switch {
	case j.spec.get("suspend").isTrue():
		j.conclude(Suspended, "Suspended", text("the job is suspended"))
		j.proveSpec("suspend")
	case j.status.getStr("startTime") == "":
		j.conclude(InProgress, "NotStarted", text("the job has not started"), "startTime")
	case j.count("failed") > 0:
		j.conclude(InProgress, "Retrying", message{format: counted, s1: "completions, some pods have failed", n1: j.count("succeeded"), n2: want},
			"failed", "succeeded")
	default:
		j.conclude(InProgress, "Running", message{format: counted, s1: "completions", n1: j.count("succeeded"), n2: want}, "succeeded", "active")
	}
}

// cronJob judges a CronJob. It is Degraded where the last run is over and did not succeed. One that never succeeded is not unhealthy: its
// history may be younger than its first run.
func (j *judgement) cronJob() {
	j.v.Rule = "builtin/CronJob"
	scheduled, succeeded := j.status.getStr("lastScheduleTime"), j.status.getStr("lastSuccessfulTime")
	switch {
	case j.spec.get("suspend").isTrue():
		j.conclude(Suspended, "Suspended", text("the schedule is suspended"))
		j.proveSpec("suspend")
	case j.status.get("active").size() > 0:
		j.conclude(Current, "Running", text("a job is running"), "active")
	case scheduled == "":
		j.conclude(Current, "NotScheduledYet", text("no run was due yet"), "lastScheduleTime")
	case succeeded == "":
		j.conclude(Current, "NeverSucceeded", text("no run has succeeded yet"), "lastSuccessfulTime")
		j.v.Ready = false
	case timeOf(scheduled).After(timeOf(succeeded)) && !timeOf(succeeded).IsZero():
		j.conclude(Degraded, "LastRunFailed", text("the last run did not succeed"), "lastScheduleTime", "lastSuccessfulTime")
		j.v.since = scheduled
	default:
		j.conclude(Current, "LastRunSucceeded", text("the last run succeeded"), "lastSuccessfulTime")
		j.v.since = succeeded
	}
}
