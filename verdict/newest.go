// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"strings"
	"time"

	"github.com/tristate/tristate/verdict/internal/object"
)

// Newest returns the newest time at which something happened to an object; zero if it has no time. It reads the creation, the deletion, the
// writes and every time in the status, with fractions of a second and in any zone. A time after now does not count. A time under a key for
// the future, as notAfter or nextRunTime, does not count either, nor one in the spec, except the renewal of a Lease.
//
// The newest time of all objects of a dump is a lower bound of the time at which the dump was made. No time that a verdict rests on is
// later, unless it is after now.
func Newest(content map[string]any, now time.Time) time.Time {
	newest := newestTime{now: now}
	for key, value := range content {
		switch key {
		case "spec":
			if spec, _ := value.(map[string]any); content["kind"] == "Lease" {
				newest.take("renewTime", spec["renewTime"])
			}
		case "data", "stringData", "binaryData":
		default:
			newest.take(key, value)
		}
	}
	return newest.found
}

type newestTime struct{ now, found time.Time }

// take looks for times in the value of a key.
func (n *newestTime) take(key string, value any) {
	switch value := value.(type) {
	case string:
		if t := object.TimeIn(value); t.After(n.found) && !t.After(n.now) && !liesAhead(key) {
			n.found = t
		}
	case map[string]any:
		for k, v := range value {
			switch k {
			case "annotations", "labels", "fieldsV1": // of the metadata, and of a pod's template in a status
			default:
				n.take(k, v)
			}
		}
	case []any:
		for _, v := range value {
			n.take(key, v)
		}
	}
}

// aheadWords are parts of keys of times at which something is going to happen.
var aheadWords = [...]string{"next", "until", "after", "before", "expir", "renewal", "deadline", "effective", "schedule"}

// liesAhead reports whether a key names a time at which something is going to happen.
func liesAhead(key string) bool {
	key = strings.ToLower(key)
	if strings.HasPrefix(key, "last") {
		return false
	}
	for _, word := range aheadWords {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}
