// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/builtin"
	"github.com/tristate/tristate/verdict/internal/object"
)

// written returns the last time at which the status was written, "" if the managed fields have none. A verdict that rests on fields without
// a time, as those of a StatefulSet or a PersistentVolumeClaim, has held since then: the status has not changed.
func (j *judgement) written() string {
	last := ""
	it := j.Meta.Get("managedFields").Items()
	for entry := (object.Value{}); it.More(&entry); {
		if entry.TextAt("subresource") == "status" {
			last = max(last, entry.TextAt("time")) // in UTC, to the second
		}
	}
	return last
}

// sinceWritten completes the time since which a verdict holds, if nothing that it rests on has one. A volume claim has waited or been bound
// since its creation, more or less.
func (j *judgement) sinceWritten() {
	v := &j.Answer
	switch {
	case v.Since != "" || v.Confidence == answer.FromNothing || v.Status == answer.Unknown:
		return
	case j.Status.Present():
		v.Since = j.written()
	}
	if v.Since == "" && (v.Reason == "NoStatus" || v.Rule == builtin.VolumeClaimRule && v.Status != answer.Failed) {
		v.Since = j.Meta.TextAt("creationTimestamp")
	}
}
