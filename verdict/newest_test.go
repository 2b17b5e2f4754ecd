// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

func TestNewest(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct{ object, want string }{
		"the creation": {`metadata: {creationTimestamp: "2026-05-01T08:00:00Z"}`, "2026-05-01T08:00:00Z"},
		"a nested list of conditions": {`
metadata: {creationTimestamp: "2026-05-01T08:00:00Z"}
status: {parents: [{conditions: [{type: Accepted, status: "True", lastTransitionTime: "2026-05-18T09:00:00Z"}]}]}`, "2026-05-18T09:00:00Z"},
		"fractions of a second": {`status: {conditions: [{lastTransitionTime: "2026-03-24T15:06:43.925578714Z"}, {lastTransitionTime: "2026-03-24T15:06:43Z"}]}`,
			"2026-03-24T15:06:43.925578714Z"},
		"an offset": {`status: {startTime: "2026-03-24T23:00:00+02:00", endTime: "2026-03-24T22:00:00Z"}`, "2026-03-24T22:00:00Z"},
		"a write":   {`metadata: {managedFields: [{manager: a, time: "2026-05-02T08:00:00Z", fieldsV1: {"f:spec": {}}}]}`, "2026-05-02T08:00:00Z"},
		"the end of a container": {`status: {containerStatuses: [{lastState: {terminated: {finishedAt: "2026-05-03T08:00:00Z"}}}]}`,
			"2026-05-03T08:00:00Z"},
		"an event": {`{kind: Event, lastTimestamp: "2026-05-04T08:00:00Z", firstTimestamp: "2026-05-03T08:00:00Z"}`, "2026-05-04T08:00:00Z"},
		"a lease":  {`{kind: Lease, spec: {renewTime: "2026-05-04T08:00:00.123456Z"}}`, "2026-05-04T08:00:00.123456Z"},
		"a plan and an end to come are none": {`
spec: {startAt: "2026-05-30T00:00:00Z"}
status: {notAfter: "2026-05-29T00:00:00Z", renewalTime: "2026-05-28T00:00:00Z", nextScheduleTime: "2026-05-27T00:00:00Z", lastScheduleTime: "2026-05-05T00:00:00Z",
  waits: [{since: "2026-05-04T00:00:00Z", until: "2026-05-26T00:00:00Z"}]}`, "2026-05-05T00:00:00Z"},
		"a time after now is none":  {`status: {conditions: [{lastTransitionTime: "2999-01-01T00:00:00Z"}, {lastTransitionTime: "2026-05-01T00:00:00Z"}]}`, "2026-05-01T00:00:00Z"},
		"data and labels have none": {`{metadata: {labels: {a: "2026-05-30T00:00:00Z"}}, data: {a: "2026-05-30T00:00:00Z"}}`, "0001-01-01T00:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			var object map[string]any
			if err := yaml.Unmarshal([]byte(test.object), &object); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, verdict.Newest(object, now).UTC().Format(time.RFC3339Nano)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
