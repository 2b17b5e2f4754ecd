// SPDX-License-Identifier: Apache-2.0

package verdict

import "cmp"

const volumeClaimRule = "builtin/PersistentVolumeClaim"

// volumeClaim judges a PersistentVolumeClaim.
func (j *judgement) volumeClaim() {
	j.v.Rule = volumeClaimRule
	switch phase := j.status.getStr("phase"); phase {
	case "Bound":
		if j.concludeIfTrue(Degraded, "ControllerResizeError", "NodeResizeError", "ModifyVolumeError") {
			return
		}
		if j.concludeIfTrue(InProgress, "Resizing", "ModifyingVolume", "FileSystemResizePending") {
			j.v.Ready = true
			return
		}
		j.conclude(Current, "Bound", text("the claim is bound"), "phase")
	case "Lost":
		j.conclude(Failed, "Lost", text("the volume of the claim is gone"), "phase")
	case "Pending", "":
		j.claimPending()
	default:
		j.unknownPhase(phase)
	}
}

func (j *judgement) claimPending() {
	class := j.spec.get("storageClassName")
	notes := j.meta.get("annotations")
	started := notes.get("volume.kubernetes.io/selected-node").present() || notes.get("volume.kubernetes.io/storage-provisioner").present()
	switch {
	case class.kind() == kindString && class.Text() == "" && !j.spec.get("volumeName").present():
		j.conclude(InProgress, "NoStorageClass", text("no class is set, so only a volume made by hand can be bound"), "phase")
	case class.kind() == kindNone && !started:
		j.conclude(InProgress, "NoStorageClass", text("no class is set, and there was no default class"), "phase")
	case started:
		m := text("the volume is being provisioned")
		if by := notes.getStr("volume.kubernetes.io/storage-provisioner"); by != "" {
			m.format, m.s2 = doneBy, by
		}
		j.conclude(InProgress, "Provisioning", m, "phase")
	default:
		j.conclude(InProgress, "NotBound", text("not bound yet; it may wait for its first consumer"), "phase")
	}
	j.proveSpec("storageClassName")
}

func (j *judgement) unknownPhase(phase string) {
	j.conclude(Unknown, "UnknownPhase", message{format: fieldIs, s1: "status.phase", s2: phase}, "phase")
}

// volume judges a PersistentVolume.
func (j *judgement) volume() {
	j.v.Rule = "builtin/PersistentVolume"
	phase := j.status.getStr("phase")
	switch phase {
	case "Available", "Bound":
		j.conclude(Current, phase, message{format: fieldIs, s1: "the volume", s2: phase}, "phase")
	case "Released":
		if j.spec.getStr("persistentVolumeReclaimPolicy") == "Delete" {
			j.conclude(InProgress, phase, text("the claim is gone, the volume is to be deleted"), "phase")
		} else {
			j.conclude(Current, phase, text("the claim is gone, the volume is retained"), "phase")
			j.v.Ready = false
		}
	case "Failed":
		j.conclude(Failed, cmp.Or(j.status.getStr("reason"), phase),
			text(cmp.Or(j.status.getStr("message"), "the volume could not be reclaimed")), "phase")
	case "Pending", "":
		j.conclude(InProgress, "Pending", text("the volume is not available yet"), "phase")
	default:
		j.unknownPhase(phase)
	}
}

// attachment judges a VolumeAttachment.
func (j *judgement) attachment() {
	j.v.Rule = "builtin/VolumeAttachment"
	if j.status.get("attached").isTrue() {
		j.conclude(Current, "Attached", text("the volume is attached"), "attached")
		return
	}
	for _, f := range [...]string{"attachError", "detachError"} {
		if e := j.status.get(f); e.present() {
			j.conclude(Failed, "AttachError", text(e.getStr("message")))
			j.v.since = e.getStr("time")
			j.v.prove(fact{atStatus, f, "message", e.get("message")})
			return
		}
	}
	j.conclude(InProgress, "Attaching", text("the volume is not attached yet"), "attached")
}

// resourceClaim judges a ResourceClaim: one that no pod uses has nothing to wait for.
func (j *judgement) resourceClaim() {
	j.v.Rule = "builtin/ResourceClaim"
	switch {
	case j.status.get("allocation").present():
		j.conclude(Current, "Allocated", text("devices are allocated"))
	case j.status.get("reservedFor").size() > 0:
		j.conclude(InProgress, "Allocating", text("a pod waits for devices"))
	default:
		j.conclude(Current, "Unused", text("devices are allocated when a pod uses the claim"))
		j.v.Ready = false
	}
	j.v.prove(fact{atStatus, "allocation", "", Object{}})
}
