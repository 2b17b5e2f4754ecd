// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"cmp"

	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/object"
)

// VolumeClaimRule is the rule of volume claims.
const VolumeClaimRule = "builtin/PersistentVolumeClaim"

// volumeClaim judges a PersistentVolumeClaim.
func (j *Kinds) volumeClaim() {
	j.Answer.Rule = VolumeClaimRule
	switch phase := j.Status.TextAt("phase"); phase {
	case "Bound":
		if j.concludeIfTrue(answer.Degraded, "ControllerResizeError", "NodeResizeError", "ModifyVolumeError") {
			return
		}
		if j.concludeIfTrue(answer.InProgress, "Resizing", "ModifyingVolume", "FileSystemResizePending") {
			j.Answer.Ready = true
			return
		}
		j.conclude(answer.Current, "Bound", object.Text("the claim is bound"), "phase")
	case "Lost":
		j.conclude(answer.Failed, "Lost", object.Text("the volume of the claim is gone"), "phase")
	case "Pending", "":
		j.claimPending()
	default:
		j.unknownPhase(phase)
	}
}

func (j *Kinds) claimPending() {
	class := j.Spec.Get("storageClassName")
	notes := j.Meta.Get("annotations")
	started := notes.Get("volume.kubernetes.io/selected-node").Present() || notes.Get("volume.kubernetes.io/storage-provisioner").Present()
	switch {
	case class.Kind() == object.String && class.Text() == "" && !j.Spec.Get("volumeName").Present():
		j.conclude(answer.InProgress, "NoStorageClass", object.Text("no class is set, so only a volume made by hand can be bound"), "phase")
	case class.Kind() == object.None && !started:
		j.conclude(answer.InProgress, "NoStorageClass", object.Text("no class is set, and there was no default class"), "phase")
	case started:
		m := object.Text("the volume is being provisioned").DoneBy(notes.TextAt("volume.kubernetes.io/storage-provisioner"))
		j.conclude(answer.InProgress, "Provisioning", m, "phase")
	default:
		j.conclude(answer.InProgress, "NotBound", object.Text("not bound yet"), "phase")
	}
	j.ProveSpec("storageClassName")
}

func (j *Kinds) unknownPhase(phase string) {
	j.conclude(answer.Unknown, "UnknownPhase", object.FieldIs.Of("status.phase", phase), "phase")
}

// volume judges a PersistentVolume.
func (j *Kinds) volume() {
	j.Answer.Rule = "builtin/PersistentVolume"
	phase := j.Status.TextAt("phase")
	switch phase {
	case "Available", "Bound":
		j.conclude(answer.Current, phase, object.FieldIs.Of("the volume", phase), "phase")
	case "Released":
		if j.Spec.TextAt("persistentVolumeReclaimPolicy") == "Delete" {
			j.conclude(answer.InProgress, phase, object.Text("the claim is gone, the volume is to be deleted"), "phase")
		} else {
			j.conclude(answer.Current, phase, object.Text("the claim is gone, the volume is retained"), "phase")
			j.Answer.Ready = false
		}
	case "Failed":
		j.conclude(answer.Failed, cmp.Or(j.Status.TextAt("reason"), phase),
			object.Text(cmp.Or(j.Status.TextAt("message"), "the volume could not be reclaimed")), "phase")
	case "Pending", "":
		j.conclude(answer.InProgress, "Pending", object.Text("the volume is not available yet"), "phase")
	default:
		j.unknownPhase(phase)
	}
}

// attachment judges a VolumeAttachment.
func (j *Kinds) attachment() {
	j.Answer.Rule = "builtin/VolumeAttachment"
	if j.Status.Get("attached").IsTrue() {
		j.conclude(answer.Current, "Attached", object.Text("the volume is attached"), "attached")
		return
	}
	for _, f := range [...]string{"attachError", "detachError"} {
		if e := j.Status.Get(f); e.Present() {
			j.conclude(answer.Failed, "AttachError", object.Text(e.TextAt("message")))
			j.Answer.Since = object.TimeOf(e.TextAt("time"))
			j.Answer.Prove(object.InStatus(f, "message", e.Get("message")))
			return
		}
	}
	j.conclude(answer.InProgress, "Attaching", object.Text("the volume is not attached yet"), "attached")
}

// resourceClaim judges a ResourceClaim: one that no pod uses has nothing to wait for.
func (j *Kinds) resourceClaim() {
	j.Answer.Rule = "builtin/ResourceClaim"
	switch {
	case j.Status.Get("allocation").Present():
		j.conclude(answer.Current, "Allocated", object.Text("devices are allocated"))
	case j.Status.Get("reservedFor").Size() > 0:
		j.conclude(answer.InProgress, "Allocating", object.Text("a pod waits for devices"))
	default:
		j.conclude(answer.Current, "Unused", object.Text("devices are allocated when a pod uses the claim"))
		j.Answer.Ready = false
	}
	j.Answer.Prove(object.InStatus("allocation", "", object.Value{}))
}
