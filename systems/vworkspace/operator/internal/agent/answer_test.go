// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJobsAnswer: a job that is too large keeps no other job from being read, wherever it stands, and is known by its id.
func TestJobsAnswer(t *testing.T) {
	large := `"` + strings.Repeat(`]},{\"`, MaxBody/4) + `"`
	for text, want := range map[string]string{
		`{}`: "", `{"jobs":[]}`: "", `{"jobs":null}`: "", ` {"x":{"jobs":[1]},"jobs":[ ]}`: "",
		`{"jobs":[{"id":"a"},{"id":"b","payload":{"jobs":["]"]}} ]}`:                                               "a b",
		`{"jobs":[{"id":"a","payload":` + large + `},{"id":"b"}]}`:                                                 "a! b",
		`{"jobs":[{"id":"a"},{"payload":` + large + `,"id":"x"}]}`:                                                 "a !",
		`{"jobs":[{"id":"a"},{"kind":"apply","id":"b","payload":[{"id":"x"},` + large + `]},{"id":"c"}],"more":1}`: "a b! c",
		`{"jobs":{"id":"a"}}`: "error", `{"jobs":[{"id":"a"}`: "error", `{"jobs":[{"id":"a"},`: "error", `{"jobs":[{"id":1}]}`: "error",
		`[]`: "", `{"jobs":[{"id":"a"}}`: "error", ``: "error",
	} {
		var jobs Jobs
		err := jobs.read(strings.NewReader(text))
		var got []string
		for _, j := range jobs.Jobs {
			got = append(got, j.ID+map[bool]string{true: "!"}[j.tooLarge])
		}
		have := strings.Join(got, " ")
		if err != nil {
			have = "error"
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%.60s: %v: -want +got\n%s", text, err, diff)
		}
	}
}

// TestBufferShare: a namespace that makes more events than the buffer holds drops its own, and no event of others.
func TestBufferShare(t *testing.T) {
	event := func(namespace string, n int64) Event {
		return Event{EventKey: namespace, Sequence: n, ResourceRef: &ResourceRef{Namespace: namespace}}
	}
	b := &Buffer{Capacity: 10}
	for n := range int64(3) {
		b.Add(event("quiet", n))
	}
	dropped := 0
	for n := range int64(100) {
		dropped += b.Add(event("noisy", n))
	}
	have := map[string]int{}
	for _, e := range b.State().Events {
		have[e.EventKey]++
	}
	if diff := cmp.Diff(map[string]int{"quiet": 3, "noisy": 7}, have); diff != "" || dropped != 93 || b.State().Dropped != 93 {
		t.Errorf("%d were dropped: -want +got\n%s", dropped, diff)
	}
	sent := b.Next()
	b.Add(event("noisy", 100)) // an event that is on its way goes
	b.Delivered(sent)
	if left := b.State().Events; len(left) != 1 || left[0].Sequence != 100 {
		t.Errorf("%v are left", left)
	}
}
