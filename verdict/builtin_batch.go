// SPDX-License-Identifier: Apache-2.0

package verdict

import "time"

// job: a running job is in progress; one that is sure to fail has failed.
func (j *judge) job() {
	const rule = "builtin/Job"
	var c cond
	for _, typ := range [...]string{"Failed", "FailureTarget"} {
		if j.find(typ, &c) && c.status == isTrueWord {
			j.byCond(Failed, rule, &c)
			j.proveStatus("failed")
			return
		}
	}
	if j.find("Complete", &c) && c.status == isTrueWord {
		j.byCond(Current, rule, &c)
		j.proveStatus("succeeded")
		return
	}
	if j.spec.get("suspend").isTrue() {
		j.answer(Suspended, FromBuiltin, rule, "Suspended", text("the job is suspended"))
		j.proveSpec("suspend")
		return
	}
	want := j.spec.get("completions").numOr(j.spec.get("parallelism").numOr(1))
	switch {
	case j.status.get("startTime").str() == "":
		j.answer(InProgress, FromBuiltin, rule, "NotStarted", text("the job has not started"))
		j.proveStatus("startTime")
	case j.count("failed") > 0:
		j.answer(InProgress, FromBuiltin, rule, "Retrying", message{wording: counted, s1: "completions, some pods have failed", n1: j.count("succeeded"), n2: want})
		j.proveStatus("failed")
		j.proveStatus("succeeded")
	default:
		j.answer(InProgress, FromBuiltin, rule, "Running", message{wording: counted, s1: "completions", n1: j.count("succeeded"), n2: want})
		j.proveStatus("succeeded")
		j.proveStatus("active")
	}
}

// cronJob: Degraded where the last run is over and was not a success. A cron job that never succeeded is not called
// broken: its history may be younger than its first run.
func (j *judge) cronJob() {
	const rule = "builtin/CronJob"
	scheduled, succeeded := j.status.get("lastScheduleTime"), j.status.get("lastSuccessfulTime")
	switch {
	case j.spec.get("suspend").isTrue():
		j.answer(Suspended, FromBuiltin, rule, "Suspended", text("the schedule is suspended"))
		j.proveSpec("suspend")
	case j.status.get("active").size() > 0:
		j.answer(Current, FromBuiltin, rule, "Running", text("a job is running"))
		j.prove(atPath, ".status.active", "", j.status.get("active"))
	case scheduled.str() == "":
		j.answer(Current, FromBuiltin, rule, "NotScheduledYet", text("no run was due yet"))
		j.proveStatus("lastScheduleTime")
	case succeeded.str() == "":
		j.answer(Current, FromBuiltin, rule, "NeverSucceeded", text("no run has succeeded yet"))
		j.proveStatus("lastSuccessfulTime")
		j.v.Ready = false
	case laterThan(scheduled.str(), succeeded.str()):
		j.answer(Degraded, FromBuiltin, rule, "LastRunFailed", text("the last run did not succeed"))
		j.v.since = scheduled.str()
		j.proveStatus("lastScheduleTime")
		j.proveStatus("lastSuccessfulTime")
	default:
		j.answer(Current, FromBuiltin, rule, "LastRunSucceeded", text("the last run succeeded"))
		j.v.since = succeeded.str()
		j.proveStatus("lastSuccessfulTime")
	}
}

func laterThan(a, b string) bool {
	ta, errA := time.Parse(time.RFC3339, a)
	tb, errB := time.Parse(time.RFC3339, b)
	return errA == nil && errB == nil && ta.After(tb)
}
