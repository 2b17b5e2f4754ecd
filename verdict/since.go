// SPDX-License-Identifier: Apache-2.0

package verdict

// written is when the status of the object was last written, or "" where its managed fields do not say. It is since when a verdict holds that rests on fields
// without a time of their own, as those of a StatefulSet or a PersistentVolumeClaim: the status has not changed since.
func (j *judgement) written() string {
	last := ""
	it := j.meta.get("managedFields").items()
	for entry := (Object{}); it.more(&entry); {
		if entry.getStr("subresource") == "status" {
			last = max(last, entry.getStr("time")) // in UTC, to the second
		}
	}
	return last
}

// sinceWritten completes since when a verdict holds where nothing that it rests on has a time. A claim for a volume waits or is bound since it was made, give
// or take a moment.
func (j *judgement) sinceWritten() {
	v := &j.v
	switch {
	case v.since != "" || v.Confidence == FromNothing || v.Status == Unknown:
		return
	case j.status.present():
		v.since = j.written()
	}
	if v.since == "" && (v.Reason == "NoStatus" || v.Rule == volumeClaimRule && v.Status != Failed) {
		v.since = j.meta.getStr("creationTimestamp")
	}
}
