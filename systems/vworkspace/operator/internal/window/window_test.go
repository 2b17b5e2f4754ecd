// SPDX-License-Identifier: Apache-2.0

package window

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

func ptr(t time.Time) *time.Time { return &t }

func every(schedule, zone string, d time.Duration) Spec {
	return Spec{Schedule: schedule, TimeZone: zone, Duration: metav1.Duration{Duration: d}}
}

func TestOpen(t *testing.T) {
	saturday := every("0 2 * * 6", "Europe/Berlin", 2*time.Hour)
	night := every("30 23 * * *", "UTC", 2*time.Hour)
	type answer struct {
		Open    bool
		Changes string
	}
	tests := map[string]struct {
		windows []Spec
		at      string
		want    answer
	}{
		"before":                    {[]Spec{saturday}, "2026-01-03T00:59:59Z", answer{false, "2026-01-03T01:00:00Z"}},
		"its start":                 {[]Spec{saturday}, "2026-01-03T01:00:00Z", answer{true, "2026-01-03T03:00:00Z"}},
		"its last second":           {[]Spec{saturday}, "2026-01-03T02:59:59Z", answer{true, "2026-01-03T03:00:00Z"}},
		"its end":                   {[]Spec{saturday}, "2026-01-03T03:00:00Z", answer{false, "2026-01-10T01:00:00Z"}},
		"in summer an hour earlier": {[]Spec{saturday}, "2026-07-04T00:00:00Z", answer{true, "2026-07-04T02:00:00Z"}},
		"over midnight":             {[]Spec{night}, "2026-01-03T00:15:00Z", answer{true, "2026-01-03T01:30:00Z"}},
		"once, before": {[]Spec{{Start: ptr(at("2026-12-24T18:00:00Z")), End: ptr(at("2026-12-27T06:00:00Z"))}},
			"2026-12-24T17:00:00Z", answer{false, "2026-12-24T18:00:00Z"}},
		"once, inside": {[]Spec{{Start: ptr(at("2026-12-24T18:00:00Z")), End: ptr(at("2026-12-27T06:00:00Z"))}},
			"2026-12-25T00:00:00Z", answer{true, "2026-12-27T06:00:00Z"}},
		"once, afterwards": {[]Spec{{Start: ptr(at("2026-12-24T18:00:00Z")), End: ptr(at("2026-12-27T06:00:00Z"))}},
			"2027-01-01T00:00:00Z", answer{false, "0001-01-01T00:00:00Z"}},
		"the clock skips the start": {[]Spec{every("30 2 * * *", "Europe/Berlin", time.Hour)}, "2026-03-29T01:45:00Z",
			answer{false, "2026-03-30T00:30:00Z"}},
		"two hours over the change": {[]Spec{every("0 1 * * *", "Europe/Berlin", 2*time.Hour)}, "2026-03-29T01:59:59Z",
			answer{true, "2026-03-29T02:00:00Z"}},
		"windows that touch are one": {[]Spec{every("0 1 * * *", "", time.Hour), every("0 2 * * *", "", time.Hour)}, "2026-01-03T01:30:00Z",
			answer{true, "2026-01-03T03:00:00Z"}},
		"windows that overlap are one": {[]Spec{every("0 1 * * *", "", 2*time.Hour), every("0 2 * * *", "", 3*time.Hour)},
			"2026-01-03T01:30:00Z", answer{true, "2026-01-03T05:00:00Z"}},
		"every minute is always": {[]Spec{every("* * * * *", "", time.Hour)}, "2026-01-03T00:00:30Z",
			answer{true, "2026-01-05T16:00:00Z"}},
		"the 30th of February is never": {[]Spec{every("0 0 30 2 *", "", time.Hour)}, "2026-01-03T00:00:00Z",
			answer{false, "0001-01-01T00:00:00Z"}},
		"no window": {nil, "2026-01-03T00:00:00Z", answer{false, "0001-01-01T00:00:00Z"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var windows []Window
			for _, s := range test.windows {
				w, err := Parse(s)
				if err != nil {
					t.Fatal(err)
				}
				windows = append(windows, w)
			}
			open, changes := Open(windows, at(test.at))
			if diff := cmp.Diff(test.want, answer{open, changes.Format(time.RFC3339)}); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestParse(t *testing.T) {
	tests := map[string]Spec{
		"nothing":          {},
		"only a start":     {Start: ptr(at("2026-01-03T00:00:00Z"))},
		"end before start": {Start: ptr(at("2026-01-03T00:00:00Z")), End: ptr(at("2026-01-02T00:00:00Z"))},
		"both forms":       {Start: ptr(at("2026-01-03T00:00:00Z")), End: ptr(at("2026-01-04T00:00:00Z")), Schedule: "* * * * *"},
		"no duration":      every("0 2 * * 6", "", 0),
		"too long":         every("0 2 * * 6", "", 8*24*time.Hour),
		"unknown zone":     every("0 2 * * 6", "Mars/Base", time.Hour),
		"the local zone":   every("0 2 * * 6", "Local", time.Hour),
		"six fields":       every("0 0 2 * * 6", "", time.Hour),
		"a zone inside":    every("TZ=UTC", "", time.Hour),
	}
	for name, spec := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(spec); err == nil {
				t.Error("it was accepted")
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("0 2 * * 6", "Europe/Berlin", int64(2*time.Hour), int64(1767315845))
	f.Add("CRON_TZ=UTC 0 0 * * *", "", int64(time.Hour), int64(0))
	f.Fuzz(func(t *testing.T, schedule, zone string, d, sec int64) {
		w, err := Parse(every(schedule, zone, time.Duration(d)))
		if err != nil {
			return
		}
		now := time.Unix(sec%(1<<34), 0)
		if open, changes := Open([]Window{w}, now); !changes.IsZero() && !changes.After(now) {
			t.Errorf("%q in %q at %s: open %v changes %s", schedule, zone, now, open, changes)
		}
	})
}
