// SPDX-License-Identifier: Apache-2.0

package verdict

const volumeClaimRule = "builtin/PersistentVolumeClaim"

// volumeClaim judges a PersistentVolumeClaim. One that waits for its first consumer is current: there is nothing to do until
// a pod uses it, and nobody should wait for that. Whether it waits is known where the binding mode of its class is.
func (j *judge) volumeClaim() {
	const rule = volumeClaimRule
	phase := j.status.get("phase").str()
	switch phase {
	case "Bound":
		j.claimBound()
	case "Lost":
		j.answer(Failed, FromBuiltin, rule, "Lost", text("the volume of the claim is gone"))
		j.proveStatus("phase")
	case "Pending", "":
		class := j.spec.get("storageClassName")
		notes := j.meta.get("annotations")
		started := notes.get("volume.kubernetes.io/selected-node").present() || notes.get("volume.kubernetes.io/storage-provisioner").present()
		mode := ""
		if j.e.BindingMode != nil && class.str() != "" && !started {
			mode = j.e.BindingMode(class.str())
		}
		switch {
		case mode == "WaitForFirstConsumer":
			j.answer(Current, FromBuiltin, rule, "WaitForFirstConsumer", text("the claim is bound when a pod uses it"))
			j.v.Ready = false
		case class.kind() == kindString && class.str() == "" && !j.spec.get("volumeName").present():
			j.answer(InProgress, FromBuiltin, rule, "NoStorageClass", text("no class is set, so only a volume made by hand can be bound"))
		case class.kind() == kindNone && !started:
			j.answer(InProgress, FromBuiltin, rule, "NoStorageClass", text("no class is set, and there was no default class"))
		case started:
			j.answer(InProgress, FromBuiltin, rule, "Provisioning", text("the volume is being provisioned"))
		default:
			j.answer(InProgress, FromBuiltin, rule, "NotBound", text("not bound yet; it may wait for its first consumer"))
		}
		j.prove(atPath, ".status.phase", "", j.status.get("phase"))
		j.proveSpec("storageClassName")
	default:
		j.answer(Unknown, FromBuiltin, rule, "UnknownPhase", message{wording: fieldIs, s1: "status.phase", s2: phase})
		j.proveStatus("phase")
	}
}

func (j *judge) claimBound() {
	const rule = volumeClaimRule
	var c cond
	for _, typ := range [...]string{"ControllerResizeError", "NodeResizeError", "ModifyVolumeError"} {
		if j.find(typ, &c) && c.status == isTrueWord {
			j.byCond(Degraded, rule, &c)
			return
		}
	}
	for _, typ := range [...]string{"Resizing", "ModifyingVolume", "FileSystemResizePending"} {
		if j.find(typ, &c) && c.status == isTrueWord {
			j.byCond(InProgress, rule, &c)
			j.v.Ready = true
			return
		}
	}
	j.answer(Current, FromBuiltin, rule, "Bound", text("the claim is bound"))
	j.proveStatus("phase")
}

// volume judges a PersistentVolume.
func (j *judge) volume() {
	const rule = "builtin/PersistentVolume"
	phase := j.status.get("phase").str()
	switch phase {
	case "Available", "Bound":
		j.answer(Current, FromBuiltin, rule, phase, message{wording: fieldIs, s1: "the volume", s2: phase})
	case "Released":
		if j.spec.get("persistentVolumeReclaimPolicy").str() == "Delete" {
			j.answer(InProgress, FromBuiltin, rule, phase, text("the claim is gone, the volume is to be deleted"))
		} else {
			j.answer(Current, FromBuiltin, rule, phase, text("the claim is gone, the volume is retained"))
			j.v.Ready = false
		}
	case "Failed":
		m := text(j.status.get("message").str())
		if m.s1 == "" {
			m = text("the volume could not be reclaimed")
		}
		reason := j.status.get("reason").str()
		if reason == "" {
			reason = "Failed"
		}
		j.answer(Failed, FromBuiltin, rule, reason, m)
	case "Pending", "":
		j.answer(InProgress, FromBuiltin, rule, "Pending", text("the volume is not available yet"))
	default:
		j.answer(Unknown, FromBuiltin, rule, "UnknownPhase", message{wording: fieldIs, s1: "status.phase", s2: phase})
	}
	j.prove(atPath, ".status.phase", "", j.status.get("phase"))
}

// attachment judges a VolumeAttachment.
func (j *judge) attachment() {
	const rule = "builtin/VolumeAttachment"
	for _, f := range [...]string{"attachError", "detachError"} {
		if e := j.status.get(f); e.present() && !j.status.get("attached").isTrue() {
			j.answer(Failed, FromBuiltin, rule, "AttachError", text(e.get("message").str()))
			j.v.since = e.get("time").str()
			j.prove(atStatus, f, "message", e.get("message"))
			return
		}
	}
	if j.status.get("attached").isTrue() {
		j.answer(Current, FromBuiltin, rule, "Attached", text("the volume is attached"))
	} else {
		j.answer(InProgress, FromBuiltin, rule, "Attaching", text("the volume is not attached yet"))
	}
	j.proveStatus("attached")
}

// resourceClaim: a claim that no pod uses has nothing to wait for.
func (j *judge) resourceClaim() {
	const rule = "builtin/ResourceClaim"
	switch {
	case j.status.get("allocation").present():
		j.answer(Current, FromBuiltin, rule, "Allocated", text("devices are allocated"))
	case j.status.get("reservedFor").size() > 0:
		j.answer(InProgress, FromBuiltin, rule, "Allocating", text("a pod waits for devices"))
	default:
		j.answer(Current, FromBuiltin, rule, "Unused", text("devices are allocated when a pod uses the claim"))
		j.v.Ready = false
	}
	j.prove(atPath, ".status.allocation", "", node{})
}
