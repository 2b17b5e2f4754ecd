// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
)

// pod judges a Pod. What cannot heal by waiting is Failed at once: images that cannot be pulled, configuration that is missing, containers
// that crash. A pod that cannot be scheduled has the grace of the engine first. The pod of a task (restart policy Never or OnFailure, and
// no controller but one that runs to completion) is in progress while it runs, crashes included where it is restarted.
func (j *judgement) pod() {
	j.v.Rule = "builtin/Pod"
	switch phase := j.status.getStr("phase"); phase {
	case "Succeeded":
		j.conclude(Current, "Succeeded", text("all containers have completed"), "phase")
	case "Failed":
		j.podFailed()
	case "Running":
		var is [2]Condition
		j.findAll(is[:], "Ready", "ContainersReady")
		// The kubelet concludes ContainersReady from the statuses of the containers, which need not be read then.
		if is[0].Status == conditions.True && is[1].Status == conditions.True || !j.podStuck() {
			j.podRunning(&is[0])
		}
	case "Pending", "":
		if !j.podStuck() {
			j.podPending(phase)
		}
	case "Unknown":
		j.conclude(Failed, "NodeLost", text("the node has not reported on the pod"), "phase")
	default:
		j.unknownPhase(phase)
	}
}

// restarts reports whether containers that end are always started again.
func (j *judgement) restarts() bool {
	p := j.spec.getStr("restartPolicy")
	return p == "" || p == "Always"
}

// hopeless reports whether a container that waits for a reason will not start by waiting.
func hopeless(reason string) bool {
	return strings.HasPrefix(reason, "Err") || strings.HasPrefix(reason, "Invalid") ||
		strings.HasSuffix(reason, "Error") || strings.HasSuffix(reason, "BackOff") || reason == "RegistryUnavailable"
}

// podStuck looks for the first container, by kind and name, that cannot go on.
func (j *judgement) podStuck() bool {
	return j.stuck("initContainerStatuses", atInit) || j.stuck("containerStatuses", atContainer)
}

func (j *judgement) stuck(list string, at pathKind) bool {
	var worst, reason, msg Object
	name := ""
	exit := false
	it := j.status.get(list).items()
	for c := (Object{}); it.more(&c); {
		if c.get("ready").isTrue() {
			continue // it neither waits nor has ended
		}
		waiting := c.get2("state", "waiting")
		r := waiting.get("reason")
		why := r
		switch {
		case hopeless(r.Text()):
			if at == atContainer && r.Text() == "CrashLoopBackOff" && !j.restarts() {
				continue // tasks are expected to fail and to be tried again
			}
		case at == atContainer && terminated(c).present() && j.restarts():
			why = terminated(c).get("reason")
		default:
			continue
		}
		if n := c.getStr("name"); worst.kind() == kindNone || n < name {
			worst, name, reason, msg = c, n, why, waiting.get("message")
			exit = !hopeless(r.Text())
		}
	}
	if worst.kind() == kindNone {
		return false
	}
	s := cmp.Or(reason.Text(), "ContainerFailed")
	m := message{format: waits, s1: name, s2: cmp.Or(msg.Text(), s)}
	field := "state.waiting.reason"
	last := worst.get2("lastState", "terminated")
	switch {
	case exit:
		t := worst.get2("state", "terminated")
		field = "state.terminated.reason"
		if !t.present() {
			t, field = last, "lastState.terminated.reason"
		}
		m = exitOf(name, s, t)
	case last.present() && s == "CrashLoopBackOff":
		why := last.getStr("reason")
		if why == "StartError" || why == "ContainerCannotRun" { // the runtime says why, and the container has no log
			why = cmp.Or(last.getStr("message"), why)
			why = why[max(strings.LastIndex(why, "exec: "), 0):]
		}
		m = exitOf(name, why, last)
	}
	j.conclude(Failed, s, m)
	j.v.prove(fact{at, name, field, reason})
	if n := worst.get("restartCount"); n.numOr(0) > 0 {
		j.v.prove(fact{at, name, "restartCount", n})
	}
	return true
}

// terminated returns how a container ended, or how it ended before it was restarted.
func terminated(c Object) Object {
	if t := c.get2("state", "terminated"); t.present() {
		return t
	}
	return c.get2("lastState", "terminated")
}

// exitOf is the sentence about the end of a container.
func exitOf(container, reason string, terminated Object) message {
	m := message{format: exitedBecause, s1: container, s2: reason, n1: terminated.get("exitCode").numOr(0)}
	if reason == "" {
		m.format = exited
	}
	return m
}

// podFailed finds the container whose end explains the failure.
func (j *judgement) podFailed() {
	msg := j.status.getStr("message")
	if r := j.status.getStr("reason"); r != "" {
		m := text(msg)
		if msg == "" {
			m = message{format: fieldIs, s1: "status.reason", s2: r}
		}
		j.conclude(Failed, r, m, "reason")
		return
	}
	for i, list := range [...]string{"initContainerStatuses", "containerStatuses"} {
		var worst Object
		name := ""
		it := j.status.get(list).items()
		for c := (Object{}); it.more(&c); {
			t := c.get2("state", "terminated")
			n := c.getStr("name")
			if t.get("exitCode").numOr(0) != 0 && (worst.kind() == kindNone || n < name) {
				worst, name = t, n
			}
		}
		if worst.kind() == kindNone {
			continue
		}
		reason := cmp.Or(worst.getStr("reason"), "Error")
		j.conclude(Failed, reason, exitOf(name, cmp.Or(worst.getStr("message"), reason), worst))
		j.v.prove(fact{[...]pathKind{atInit, atContainer}[i], name, "state.terminated.exitCode", worst.get("exitCode")})
		j.v.since = worst.getStr("finishedAt")
		return
	}
	j.conclude(Failed, "Failed", text(cmp.Or(msg, "the pod has failed")), "phase")
}

// A pod that Argo CD would take for a task declares with this annotation that it is a service.
const ignoreRestartPolicy = "argocd.argoproj.io/ignore-restart-policy"

func (j *judgement) podRunning(ready *Condition) {
	task := !j.restarts()
	if task {
		notes := j.meta.get("annotations")
		task = notes.getStr(ignoreRestartPolicy) != "true" && !j.ownedByService() || notes.get("argocd.argoproj.io/hook").present()
	}
	switch {
	case task:
		j.conclude(InProgress, "Running", text("the task is running"), "phase")
		j.proveSpec("restartPolicy")
		j.v.Ready = ready.Status == conditions.True
	case ready.Status == conditions.True:
		j.conclude(Current, "Ready", text("the pod is ready"))
		j.v.proveCondition(ready)
		j.restartLoop()
	case ready.Status == conditions.Unknown:
		j.concludeBy(Failed, ready)
	case ready.Status == conditions.False:
		j.concludeBy(InProgress, ready)
	default:
		j.conclude(InProgress, "NotReady", text("the pod is running but not ready"), "phase")
	}
}

// A container that is started again and again is Ready in between. The kubelet waits at most five minutes before it starts one, and forgets
// the failures of one that has run for ten.
const (
	loopRestarts = 5
	loopMemory   = 10 * time.Minute
)

// restartLoop makes a ready pod Degraded of which a container has been restarted at least five times, the last time within ten minutes
// after a failure. A restart makes the pod not ready for a moment, so that one that has been ready for longer is in no loop.
func (j *judgement) restartLoop() {
	now := j.now.Unix()
	if now <= 0 || before(&j.e.recent, j.v.since, now-int64(loopMemory/time.Second)) {
		return
	}
	it := j.status.get("containerStatuses").items()
	for c := (Object{}); it.more(&c); {
		count := c.get("restartCount")
		if count.numOr(0) < loopRestarts {
			continue
		}
		last, started := c.get2("lastState", "terminated"), timeOf(c.get2("state", "running").getStr("startedAt"))
		end := started.Add(loopMemory)
		if last.get("exitCode").numOr(0) == 0 || started.IsZero() || !j.now.Before(end) {
			continue
		}
		name := c.getStr("name")
		since := j.v.since
		j.conclude(Degraded, "RestartLoop", message{format: restarted, s1: name, s2: cmp.Or(last.getStr("reason"), "Error"), n1: count.numOr(0),
			n2: last.get("exitCode").numOr(0)})
		j.v.nfacts, j.v.since, j.v.NextLook = 0, since, end
		j.v.prove(fact{atContainer, name, "restartCount", count})
		j.v.prove(fact{atContainer, name, "lastState.terminated.exitCode", last.get("exitCode")})
		return
	}
}

// ownedByService reports whether the pod has a controller that does not run to completion, such as an instance manager, a virtual machine
// or a Ray cluster, which replaces the pod itself instead of letting the kubelet restart it.
func (j *judgement) ownedByService() bool {
	it := j.meta.get("ownerReferences").items()
	for o := (Object{}); it.more(&o); {
		if o.get("controller").isTrue() {
			return !runsToCompletion(o.getStr("kind"))
		}
	}
	return false
}

func (j *judgement) podPending(phase string) {
	var c Condition
	if j.find("PodScheduled", &c) && c.Status == conditions.False {
		switch c.Reason() {
		case "Unschedulable":
			j.unschedulable(&c)
		case "SchedulingGated":
			j.concludeBy(Suspended, &c)
		default:
			j.concludeBy(InProgress, &c)
		}
		return
	}
	if phase == "" {
		j.conclude(InProgress, "NotObserved", text("the pod has no phase yet"), "phase")
		return
	}
	// The first container that waits has the reason.
	name, reason := "", Object{}
	it := j.status.get("containerStatuses").items()
	for n := (Object{}); it.more(&n); {
		r := n.get3("state", "waiting", "reason")
		if s := n.getStr("name"); r.present() && (name == "" || s < name) {
			name, reason = s, r
		}
	}
	if !reason.present() {
		j.conclude(InProgress, "Pending", text("the pod is pending"), "phase")
		return
	}
	j.conclude(InProgress, reason.Text(), message{format: waits, s1: name, s2: reason.Text()})
	j.v.prove(fact{atContainer, name, "state.waiting.reason", reason})
}

// unschedulable answers for a pod without a node: InProgress, with the time to look again, while an autoscaler may still help, and Failed
// after that.
func (j *judgement) unschedulable(c *Condition) {
	j.concludeBy(Failed, c)
	since := timeOf(cmp.Or(c.n.getStr("lastTransitionTime"), j.meta.getStr("creationTimestamp")))
	if end := since.Add(cmp.Or(j.e.SchedulingGrace, time.Minute)); !since.IsZero() && j.now.Before(end) {
		j.v.Status, j.v.NextLook = InProgress, end
	}
}
