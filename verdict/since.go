// SPDX-License-Identifier: Apache-2.0

package verdict

// written returns the last time at which the status was written, "" if the managed fields have none. A verdict that rests on fields without
// a time, as those of a StatefulSet or a PersistentVolumeClaim, has held since then: the status has not changed.
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

// sinceWritten completes the time since which a verdict holds, if nothing that it rests on has one. A volume claim has waited or been bound
// since its creation, more or less.
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
