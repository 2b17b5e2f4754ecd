// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"cmp"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// pod judges a Pod. What cannot heal by waiting is Failed at once: images that cannot be pulled, configuration that is missing, containers
// that crash. A pod that cannot be scheduled has the grace of the engine first. The pod of a task (restart policy Never or OnFailure, and
// no controller but one that runs to completion) is in progress while it runs, crashes included where it is restarted.
func (j *Kinds) pod() {
	j.Answer.Rule = "builtin/Pod"
	switch phase := j.Status.TextAt("phase"); phase {
	case "Succeeded":
		j.conclude(answer.Current, "Succeeded", object.Text("all containers have completed"), "phase")
	case "Failed":
		j.podFailed()
	case "Running":
		var is [2]object.Condition
		j.FindAll(is[:], "Ready", "ContainersReady")
		// The kubelet concludes ContainersReady from the statuses of the containers, which need not be read then.
		if is[0].Status == conditions.True && is[1].Status == conditions.True || !j.podStuck() {
			j.podRunning(&is[0])
		}
	case "Pending", "":
		if !j.podStuck() {
			j.podPending(phase)
		}
	case "Unknown":
		j.conclude(answer.Failed, "NodeLost", object.Text("the node has not reported on the pod"), "phase")
	default:
		j.unknownPhase(phase)
	}
}

// restarts reports whether containers that end are always started again.
func (j *Kinds) restarts() bool {
	p := j.Spec.TextAt("restartPolicy")
	return p == "" || p == "Always"
}

// podStuck looks for the first container, by kind and name, that cannot go on.
func (j *Kinds) podStuck() bool {
	return j.stuck("initContainerStatuses", object.PathInit) || j.stuck("containerStatuses", object.PathContainer)
}

func (j *Kinds) stuck(list string, at object.Place) bool {
	var worst, reason, msg object.Value
	name := ""
	exit := false
	for c := range j.Status.Get(list).Items() {
		if c.Get("ready").IsTrue() {
			continue // it neither waits nor has ended
		}
		waiting := c.Get2("state", "waiting")
		r := waiting.Get("reason")
		why := r
		switch {
		case lexicon.Hopeless(r.Text()):
			if at == object.PathContainer && r.Text() == "CrashLoopBackOff" && !j.restarts() {
				continue // tasks are expected to fail and to be tried again
			}
		case at == object.PathContainer && terminated(c).Present() && j.restarts():
			why = terminated(c).Get("reason")
		default:
			continue
		}
		if n := c.TextAt("name"); worst.Kind() == object.None || n < name {
			worst, name, reason, msg = c, n, why, waiting.Get("message")
			exit = !lexicon.Hopeless(r.Text())
		}
	}
	if worst.Kind() == object.None {
		return false
	}
	s := cmp.Or(reason.Text(), "ContainerFailed")
	m := object.Waits.Of(name, cmp.Or(msg.Text(), s))
	field := "state.waiting.reason"
	last := worst.Get2("lastState", "terminated")
	switch {
	case exit:
		t := worst.Get2("state", "terminated")
		field = "state.terminated.reason"
		if !t.Present() {
			t, field = last, "lastState.terminated.reason"
		}
		m = exitOf(name, s, t)
	case last.Present() && s == "CrashLoopBackOff":
		m = exitOf(name, last.TextAt("reason"), last)
	}
	j.conclude(answer.Failed, s, m)
	j.Answer.Prove(object.At(at, name, field, reason))
	if n := worst.Get("restartCount"); n.NumberOr(0) > 0 {
		j.Answer.Prove(object.At(at, name, "restartCount", n))
	}
	return true
}

// terminated returns how a container ended, or how it ended before it was restarted.
func terminated(c object.Value) object.Value {
	if t := c.Get2("state", "terminated"); t.Present() {
		return t
	}
	return c.Get2("lastState", "terminated")
}

// exitOf is the sentence about the end of a container.
func exitOf(container, reason string, terminated object.Value) object.Message {
	return object.Exited(container, endOf(reason, terminated), terminated.Get("exitCode").NumberOr(0))
}

// endOf is why a container ended: its last words, where the reason says nothing.
func endOf(reason string, terminated object.Value) string {
	switch reason {
	case "", "Error":
		return cmp.Or(lastWords(terminated.TextAt("message")), reason)
	case "StartError", "ContainerCannotRun": // the runtime says why, and the container has no log
		why := cmp.Or(terminated.TextAt("message"), reason)
		return why[max(strings.LastIndex(why, "exec: "), 0):]
	}
	return reason
}

// lastWords is the line of the last output of a container that says why it ended: the last one about a failure that is not part of a stack,
// or else the last one. What the kubelet keeps of an output is the file of terminationMessagePath or, if that is empty and
// terminationMessagePolicy is FallbackToLogsOnError, the end of the log: at most 4,096 bytes (k8s.io/api/core/v1, Container).
func lastWords(output string) string {
	last := ""
	for output != "" {
		i := strings.LastIndexByte(output, '\n')
		line := output[i+1:]
		output = output[:max(i, 0)]
		text := strings.TrimSpace(line)
		last = cmp.Or(last, text)
		if text != "" && line[0] != ' ' && line[0] != '\t' &&
			(lexicon.Default.MeaningOfMessage(text) == lexicon.Broken || lexicon.Default.Complains(text)) {
			return text
		}
	}
	return last
}

// podFailed finds the container whose end explains the failure.
func (j *Kinds) podFailed() {
	msg := j.Status.TextAt("message")
	if r := j.Status.TextAt("reason"); r != "" {
		m := object.Text(msg)
		if msg == "" {
			m = object.FieldIs.Of("status.reason", r)
		}
		j.conclude(answer.Failed, r, m, "reason")
		return
	}
	for i, list := range [...]string{"initContainerStatuses", "containerStatuses"} {
		var worst object.Value
		name := ""
		for c := range j.Status.Get(list).Items() {
			t := c.Get2("state", "terminated")
			n := c.TextAt("name")
			if t.Get("exitCode").NumberOr(0) != 0 && (worst.Kind() == object.None || n < name) {
				worst, name = t, n
			}
		}
		if worst.Kind() == object.None {
			continue
		}
		reason := cmp.Or(worst.TextAt("reason"), "Error")
		j.conclude(answer.Failed, reason, exitOf(name, reason, worst))
		j.Answer.Prove(object.At([...]object.Place{object.PathInit, object.PathContainer}[i], name, "state.terminated.exitCode", worst.Get("exitCode")))
		j.Answer.Since = object.TimeOf(worst.TextAt("finishedAt"))
		return
	}
	j.conclude(answer.Failed, "Failed", object.Text(cmp.Or(msg, "the pod has failed")), "phase")
}

// A pod that Argo CD would take for a task declares with this annotation that it is a service.
const ignoreRestartPolicy = "argocd.argoproj.io/ignore-restart-policy"

func (j *Kinds) podRunning(ready *object.Condition) {
	task := !j.restarts()
	if task {
		notes := j.Meta.Get("annotations")
		task = notes.TextAt(ignoreRestartPolicy) != "true" && !j.ownedByService() || notes.Get("argocd.argoproj.io/hook").Present()
	}
	switch {
	case task:
		j.conclude(answer.InProgress, "Running", object.Text("the task is running"), "phase")
		j.ProveSpec("restartPolicy")
		j.Answer.Ready = ready.Status == conditions.True
	case ready.Status == conditions.True:
		j.conclude(answer.Current, "Ready", object.Text("the pod is ready"))
		j.Answer.ProveCondition(ready)
		j.restartLoop()
	case ready.Status == conditions.Unknown:
		j.concludeBy(answer.Failed, ready)
	case ready.Status == conditions.False:
		j.concludeBy(answer.InProgress, ready)
	default:
		j.conclude(answer.InProgress, "NotReady", object.Text("the pod is running but not ready"), "phase")
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
func (j *Kinds) restartLoop() {
	if j.Now.Unix() <= 0 || !j.Answer.Since.IsZero() && !j.Answer.Since.After(j.Now.Add(-loopMemory)) {
		return
	}
	for c := range j.Status.Get("containerStatuses").Items() {
		count := c.Get("restartCount")
		if count.NumberOr(0) < loopRestarts {
			continue
		}
		last, started := c.Get2("lastState", "terminated"), object.TimeOf(c.Get2("state", "running").TextAt("startedAt"))
		end := started.Add(loopMemory)
		if last.Get("exitCode").NumberOr(0) == 0 || started.IsZero() || !j.Now.Before(end) {
			continue
		}
		name := c.TextAt("name")
		since := j.Answer.Since
		why := endOf(cmp.Or(last.TextAt("reason"), "Error"), last)
		j.conclude(answer.Degraded, "RestartLoop", object.Restarted(name, why, count.NumberOr(0), last.Get("exitCode").NumberOr(0)))
		j.Answer.Evidence = nil
		j.Answer.Since, j.Answer.NextLook = since, end
		j.Answer.Prove(object.At(object.PathContainer, name, "restartCount", count))
		j.Answer.Prove(object.At(object.PathContainer, name, "lastState.terminated.exitCode", last.Get("exitCode")))
		return
	}
}

// ownedByService reports whether the pod has a controller that does not run to completion, such as an instance manager, a virtual machine
// or a Ray cluster, which replaces the pod itself instead of letting the kubelet restart it.
func (j *Kinds) ownedByService() bool {
	for o := range j.Meta.Get("ownerReferences").Items() {
		if o.Get("controller").IsTrue() {
			return !lexicon.RunsToCompletion(o.TextAt("kind"))
		}
	}
	return false
}

func (j *Kinds) podPending(phase string) {
	var c object.Condition
	if j.Find("PodScheduled", &c) && c.Status == conditions.False {
		switch c.Reason() {
		case "Unschedulable":
			j.unschedulable(&c)
		case "SchedulingGated":
			j.concludeBy(answer.Suspended, &c)
		default:
			j.concludeBy(answer.InProgress, &c)
		}
		return
	}
	if phase == "" {
		j.conclude(answer.InProgress, "NotObserved", object.Text("the pod has no phase yet"), "phase")
		return
	}
	// The first container that waits has the reason.
	name, reason := "", object.Value{}
	for n := range j.Status.Get("containerStatuses").Items() {
		r := n.Get2("state", "waiting").Get("reason")
		if s := n.TextAt("name"); r.Present() && (name == "" || s < name) {
			name, reason = s, r
		}
	}
	if !reason.Present() {
		j.conclude(answer.InProgress, "Pending", object.Text("the pod is pending"), "phase")
		return
	}
	j.conclude(answer.InProgress, reason.Text(), object.Waits.Of(name, reason.Text()))
	j.Answer.Prove(object.At(object.PathContainer, name, "state.waiting.reason", reason))
}

// unschedulable answers for a pod without a node: InProgress, with the time to look again, while an autoscaler may still help, and Failed
// after that.
func (j *Kinds) unschedulable(c *object.Condition) {
	j.concludeBy(answer.Failed, c)
	since := object.TimeOf(cmp.Or(c.N.TextAt("lastTransitionTime"), j.Meta.TextAt("creationTimestamp")))
	if end := since.Add(cmp.Or(j.Grace, time.Minute)); !since.IsZero() && j.Now.Before(end) {
		j.Answer.Status, j.Answer.NextLook = answer.InProgress, end
	}
}
