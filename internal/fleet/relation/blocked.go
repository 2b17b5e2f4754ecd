// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"regexp"
	"slices"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Blocker is an object below another one that does not do its part as long as the specs stay as they are.
type Blocker struct {
	ID
	Reason, Message string
}

// Blocked returns the first object below another one, by owners, that waiting does not mend; nil if there is none. It is one of these:
//
//   - a pod with a container whose image cannot be pulled or has an invalid name, or that the runtime cannot create
//   - a pod with a container that has failed and was restarted at least [loopRestarts] times, and is not ready
//   - a workload whose next pod the API server refuses: by a quota, by limits, or as invalid
//
// Pods and ReplicaSets of an earlier revision, and objects that are being deleted, do not count. Neither does a quota while pods of an
// earlier revision may still make room.
func (v *View) Blocked(o *Object) *Blocker {
	v.refresh()
	return v.blocked(o, map[ID]bool{})
}

// BlockedBy returns the kinds whose objects Blocked reads for an object of a kind; none for the kinds of Kubernetes that own no pods.
func BlockedBy(gk schema.GroupKind) []schema.GroupKind {
	switch {
	case gk == deploymentKind:
		return []schema.GroupKind{replicaSetKind, podKind}
	case gk == replicaSetKind:
		return []schema.GroupKind{podKind}
	case gk == statefulSetKind, gk == daemonSetKind, gk == jobKind: // whose refusals are in events only
		return []schema.GroupKind{podKind, eventKind, quotaKind}
	case catalog.OfKubernetes(gk.Group):
		return nil
	}
	return []schema.GroupKind{deploymentKind, replicaSetKind, statefulSetKind, daemonSetKind, jobKind, podKind, eventKind, quotaKind}
}

// loopRestarts is the number of restarts from which a container that fails is in a crash loop.
const loopRestarts = 5

var (
	eventKind = schema.GroupKind{Kind: "Event"}
	quotaKind = schema.GroupKind{Kind: "ResourceQuota"}
)

// refusals are texts of the API server about a pod that it refuses, whatever time passes.
var refusals = regexp.MustCompile(`exceeded quota: |failed quota: | usage per (Container|Pod)|limit to request ratio| is invalid: `)

func (v *View) blocked(o *Object, seen map[ID]bool) *Blocker {
	if o == nil || o.Deleting || seen[o.ID] || behindSpec(o) {
		return nil
	}
	seen[o.ID] = true
	switch o.GroupKind {
	case podKind:
		return stuckPod(o)
	case replicaSetKind, statefulSetKind, daemonSetKind, jobKind:
		if text := v.refusal(o); refusals.MatchString(text) {
			return &Blocker{o.ID, "FailedCreate", text}
		}
	}
	items := v.owned(o)
	for _, item := range items {
		switch {
		case !ofRevision(o, item):
		case item.GroupKind == replicaSetKind &&
			nested.Number(o.Content, "status", "replicas") > nested.Number(item.Content, "status", "replicas"):
			for _, pod := range v.owned(item) { // an earlier revision has pods, which may make room
				if b := v.blocked(pod, seen); b != nil {
					return b
				}
			}
		default:
			if b := v.blocked(item, seen); b != nil {
				return b
			}
		}
	}
	return nil
}

// behindSpec returns true if the status of an object is about an earlier spec.
func behindSpec(o *Object) bool {
	seen := nested.Map(o.Content, "status")["observedGeneration"]
	return seen != nil && nested.Number(o.Content, "status", "observedGeneration") < nested.Number(o.Content, "metadata", "generation")
}

// ofRevision returns false if an item was made from an earlier template of its workload.
func ofRevision(workload, item *Object) bool {
	want, its := "", ""
	switch workload.GroupKind {
	case deploymentKind:
		const revision = "deployment.kubernetes.io/revision"
		want, its = workload.mark("annotations", revision), item.mark("annotations", revision)
	case statefulSetKind:
		want, its = nested.Text(workload.Content, "status", "updateRevision"), item.mark("labels", "controller-revision-hash")
	case daemonSetKind:
		want, its = workload.mark("annotations", "deprecated.daemonset.template.generation"), item.mark("labels", "pod-template-generation")
	}
	return want == "" || its == "" || want == its
}

// refusal returns why the API server refuses the next pod of a workload, by its condition or its events; empty if it does not.
func (v *View) refusal(o *Object) string {
	for _, c := range nested.Maps(nested.Map(o.Content, "status"), "conditions") {
		if c["type"] == "ReplicaFailure" && c["status"] == "True" {
			return nested.Text(c, "message")
		}
	}
	if j := v.judge(o); j.Type == "Admitted" && j.Verdict.Broken() {
		return j.Message
	}
	return ""
}

// stuckPod returns the container of a pod that does not start as long as the pod stays as it is.
func stuckPod(o *Object) *Blocker {
	status := nested.Map(o.Content, "status")
	always := slices.Contains([]string{"", "Always"}, nested.Text(o.Content, "spec", "restartPolicy"))
	for _, list := range []string{"initContainerStatuses", "containerStatuses"} {
		for _, c := range nested.Maps(status, list) {
			if c["ready"] == true {
				continue
			}
			waiting := nested.Map(c, "state", "waiting")
			ended := nested.Map(c, "lastState", "terminated")
			switch reason := nested.Text(waiting, "reason"); {
			case reason == "ErrImagePull", reason == "ImagePullBackOff", reason == "InvalidImageName", reason == "ErrImageNeverPull",
				reason == "CreateContainerError":
				return &Blocker{o.ID, reason, nested.Text(waiting, "message")}
			case always && nested.Number(c, "restartCount") >= loopRestarts &&
				(reason == "CrashLoopBackOff" || nested.Number(ended, "exitCode") != 0):
				return &Blocker{o.ID, "CrashLoopBackOff", nested.Text(waiting, "message")}
			}
		}
	}
	return nil
}
