// SPDX-License-Identifier: Apache-2.0

package view

import (
	"time"

	"github.com/tristate/tristate/internal/declare/nested"
)

// Clock returns the time at which objects are overdue: now, and for those of files the time of --at, or else the newest time in them, for a
// dump is as old as that at least. A time in the future counts as now.
func (v *View) Clock() time.Time {
	now := v.App.Now()
	if len(v.Files) == 0 || v.at == "now" {
		return now
	}
	for _, text := range []string{v.at, v.newest} {
		if at, err := time.Parse(time.RFC3339, text); err == nil && (text == v.at || at.Before(now)) {
			return at
		}
	}
	return now
}

// newestTime returns the newest of the times at which an object was created or written and its conditions changed, in RFC 3339 and UTC;
// empty without one.
func newestTime(content map[string]any) string {
	newest := ""
	take := func(v any) {
		if text, _ := v.(string); len(text) == len("2006-01-02T15:04:05Z") && text[len(text)-1] == 'Z' { // such times sort like their texts
			newest = max(newest, text)
		}
	}
	each := func(v any, keys ...string) {
		for _, m := range nested.Maps(v) {
			for _, key := range keys {
				take(m[key])
			}
		}
	}
	metadata := nested.Map(content, "metadata")
	take(metadata["creationTimestamp"])
	take(metadata["deletionTimestamp"])
	each(metadata["managedFields"], "time")
	each(nested.At(content, "status", "conditions"), "lastTransitionTime", "lastHeartbeatTime", "lastUpdateTime", "lastProbeTime")
	for _, key := range [...]string{"lastTimestamp", "firstTimestamp"} { // of an event
		take(content[key])
	}
	if renewed := nested.Text(content, "spec", "renewTime"); len(renewed) > 19 { // of a lease, with fractions of a second
		take(renewed[:19] + "Z")
	}
	return newest
}
