// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"strings"
	"time"
)

// pod: what cannot heal by waiting is Failed at once: images that cannot be pulled, configuration that is missing,
// containers that crash. A pod that cannot be scheduled is given the engine's grace first. The pod of a task (restart
// policy Never or OnFailure) is in progress while it runs, crashes included where it is restarted.
func (j *judge) pod() {
	const rule = "builtin/Pod"
	phase := j.status.get("phase").str()
	switch phase {
	case "Succeeded":
		j.answer(Current, FromBuiltin, rule, "Succeeded", text("all containers have completed"))
		j.proveStatus("phase")
	case "Failed":
		j.podFailed()
	case "Running":
		var is [2]cond
		j.findAll(is[:], "Ready", "ContainersReady")
		// The kubelet concludes ContainersReady from the statuses of the containers, which need not be read then.
		if is[0].status == isTrueWord && is[1].status == isTrueWord || !j.podStuck() {
			j.podRunning(&is[0])
		}
	case "Pending", "":
		if !j.podStuck() {
			j.podPending(phase)
		}
	case "Unknown":
		j.answer(Failed, FromBuiltin, rule, "NodeLost", text("the node has not reported on the pod"))
		j.proveStatus("phase")
	default:
		j.answer(Unknown, FromBuiltin, rule, "UnknownPhase", message{wording: fieldIs, s1: "status.phase", s2: phase})
		j.proveStatus("phase")
	}
}

// restarts says whether containers that end are always started again.
func (j *judge) restarts() bool {
	p := j.spec.get("restartPolicy").str()
	return p == "" || p == "Always"
}

// hopeless says whether a reason of a waiting container does not heal by waiting.
func hopeless(reason string) bool {
	return strings.HasPrefix(reason, "Err") || strings.HasPrefix(reason, "Invalid") ||
		strings.HasSuffix(reason, "Error") || strings.HasSuffix(reason, "BackOff") || reason == "RegistryUnavailable" || reason == "ErrImageNeverPull"
}

// podStuck looks for the first container, by kind and name, that cannot go on.
func (j *judge) podStuck() bool {
	return j.stuck("initContainerStatuses", atInit) || j.stuck("containerStatuses", atContainer)
}

func (j *judge) stuck(list string, at place) bool {
	var worst, reason, msg node
	name := ""
	exit := false
	it := j.status.get(list).items()
	for c := (node{}); it.more(&c); {
		if c.get("ready").isTrue() {
			continue // what is ready neither waits nor has ended
		}
		waiting := c.get2("state", "waiting")
		r := waiting.get("reason")
		why := r
		switch {
		case hopeless(r.str()):
			if at == atContainer && r.str() == "CrashLoopBackOff" && !j.restarts() {
				continue // tasks are expected to fail and to be tried again
			}
		case at == atContainer && j.stopped(c) && j.restarts():
			why = c.get3("lastState", "terminated", "reason")
			if t := c.get2("state", "terminated"); t.present() {
				why = t.get("reason")
			}
		default:
			continue
		}
		if n := c.get("name").str(); worst.kind() == kindNone || n < name {
			worst, name, reason, msg = c, n, why, waiting.get("message")
			exit = !hopeless(r.str())
		}
	}
	if worst.kind() == kindNone {
		return false
	}
	s := reason.str()
	if s == "" {
		s = "ContainerFailed"
	}
	m := message{wording: waits, s1: name, s2: s}
	if msg.str() != "" {
		m.s2 = msg.str()
	}
	field := "state.waiting.reason"
	if exit {
		t := worst.get2("state", "terminated")
		field = "state.terminated.reason"
		if !t.present() {
			t, field = worst.get2("lastState", "terminated"), "lastState.terminated.reason"
		}
		m = message{wording: exited, s1: name, s2: s, n1: t.get("exitCode").numOr(0)}
	} else if last := worst.get2("lastState", "terminated"); last.present() && s == "CrashLoopBackOff" {
		m = message{wording: exited, s1: name, s2: last.get("reason").str(), n1: last.get("exitCode").numOr(0)}
	}
	j.answer(Failed, FromBuiltin, "builtin/Pod", s, m)
	j.prove(at, name, field, reason)
	if n := worst.get("restartCount"); n.numOr(0) > 0 {
		j.prove(at, name, "restartCount", n)
	}
	return true
}

// stopped says whether a container is or was terminated with an error.
func (j *judge) stopped(c node) bool {
	if t := c.get2("state", "terminated"); t.present() {
		return true
	}
	return c.get2("lastState", "terminated").present()
}

// podFailed finds the container whose end explains the failure.
func (j *judge) podFailed() {
	const rule = "builtin/Pod"
	if r := j.status.get("reason").str(); r != "" {
		m := text(j.status.get("message").str())
		if m.s1 == "" {
			m = message{wording: fieldIs, s1: "status.reason", s2: r}
		}
		j.answer(Failed, FromBuiltin, rule, r, m)
		j.proveStatus("reason")
		return
	}
	for _, list := range [...]string{"initContainerStatuses", "containerStatuses"} {
		var worst node
		name := ""
		it := j.status.get(list).items()
		for c := (node{}); it.more(&c); {
			t := c.get2("state", "terminated")
			n := c.get("name").str()
			if t.get("exitCode").numOr(0) != 0 && (worst.kind() == kindNone || n < name) {
				worst, name = t, n
			}
		}
		if worst.kind() == kindNone {
			continue
		}
		at := atContainer
		if list[0] == 'i' {
			at = atInit
		}
		reason := worst.get("reason").str()
		if reason == "" {
			reason = "Error"
		}
		m := message{wording: exited, s1: name, s2: reason, n1: worst.get("exitCode").numOr(0)}
		if s := worst.get("message").str(); s != "" {
			m.s2 = s
		}
		j.answer(Failed, FromBuiltin, rule, reason, m)
		j.prove(at, name, "state.terminated.exitCode", worst.get("exitCode"))
		j.v.since = worst.get("finishedAt").str()
		return
	}
	m := text(j.status.get("message").str())
	if m.s1 == "" {
		m = text("the pod has failed")
	}
	j.answer(Failed, FromBuiltin, rule, "Failed", m)
	j.proveStatus("phase")
}

// A pod that Argo CD would take for a task says with this annotation that it is a service.
const ignoreRestartPolicy = "argocd.argoproj.io/ignore-restart-policy"

func (j *judge) podRunning(c *cond) {
	const rule = "builtin/Pod"
	task := !j.restarts()
	if task {
		notes := j.meta.get("annotations")
		task = notes.get(ignoreRestartPolicy).str() != "true" || notes.get("argocd.argoproj.io/hook").present()
	}
	ready := c.typ != ""
	switch {
	case task:
		j.answer(InProgress, FromBuiltin, rule, "Running", text("the task is running"))
		j.proveStatus("phase")
		j.proveSpec("restartPolicy")
		j.v.Ready = ready && c.status == isTrueWord
	case ready && c.status == isTrueWord:
		j.answer(Current, FromBuiltin, rule, "Ready", text("the pod is ready"))
		j.proveCondition(c)
	case ready && c.status == isUnknownWord:
		j.byCond(Failed, rule, c)
	case ready:
		j.byCond(InProgress, rule, c)
	default:
		j.answer(InProgress, FromBuiltin, rule, "NotReady", text("the pod is running but not ready"))
		j.proveStatus("phase")
	}
}

func (j *judge) podPending(phase string) {
	const rule = "builtin/Pod"
	var c cond
	if j.find("PodScheduled", &c) && c.status == isFalseWord {
		switch c.reason() {
		case "Unschedulable":
			since := c.n.get("lastTransitionTime").str()
			if since == "" {
				since = j.meta.get("creationTimestamp").str()
			}
			j.grace(rule, &c, since)
			return
		case "SchedulingGated":
			j.byCond(Suspended, rule, &c)
			return
		}
		j.byCond(InProgress, rule, &c)
		return
	}
	if phase == "" {
		j.answer(InProgress, FromBuiltin, rule, "NotObserved", text("the pod has no phase yet"))
		j.prove(atPath, ".status.phase", "", j.status.get("phase"))
		return
	}
	// The first container that waits says for what.
	name, reason := "", node{}
	it := j.status.get("containerStatuses").items()
	for n := (node{}); it.more(&n); {
		r := n.get3("state", "waiting", "reason")
		if s := n.get("name").str(); r.present() && (name == "" || s < name) {
			name, reason = s, r
		}
	}
	if reason.present() {
		j.answer(InProgress, FromBuiltin, rule, reason.str(), message{wording: waits, s1: name, s2: reason.str()})
		j.prove(atContainer, name, "state.waiting.reason", reason)
		return
	}
	j.answer(InProgress, FromBuiltin, rule, "Pending", text("the pod is pending"))
	j.proveStatus("phase")
}

// grace returns the autoscaler time to help: InProgress first, with the time to look again, Failed after.
func (j *judge) grace(rule string, c *cond, since string) {
	grace := j.e.SchedulingGrace
	if grace == 0 {
		grace = time.Minute
	}
	j.byCond(Failed, rule, c)
	if t, err := time.Parse(time.RFC3339, since); err == nil {
		if end := t.Add(grace); j.now.Before(end) {
			j.v.Status, j.v.NextLook = InProgress, end
		}
	}
}
