// SPDX-License-Identifier: Apache-2.0

package window

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MaxDuration bounds a window that repeats.
const MaxDuration = 7 * 24 * time.Hour

// Spec is a window as it is written.
type Spec struct {
	Schedule string          `json:"schedule,omitempty"`
	Duration metav1.Duration `json:"duration,omitzero"`
	TimeZone string          `json:"timeZone,omitempty"`
	Start    *time.Time      `json:"start,omitempty"`
	End      *time.Time      `json:"end,omitempty"`
}

// Window is a window that was parsed.
type Window struct {
	schedule   cron.Schedule
	zone       *time.Location
	duration   time.Duration
	start, end time.Time
}

// Parse checks a window.
func Parse(s Spec) (Window, error) {
	once := s.Start != nil || s.End != nil
	switch {
	case once && (s.Schedule != "" || s.TimeZone != "" || s.Duration.Duration != 0):
		return Window{}, errors.New("start and end stand alone")
	case once && (s.Start == nil || s.End == nil || !s.Start.Before(*s.End)):
		return Window{}, errors.New("a window has a start and a later end")
	case once:
		return Window{start: *s.Start, end: *s.End}, nil
	case s.Schedule == "":
		return Window{}, errors.New("a window has a schedule, or start and end")
	case s.Duration.Duration < time.Minute || s.Duration.Duration > MaxDuration:
		return Window{}, fmt.Errorf("duration %s is not between 1m and %s", s.Duration.Duration, MaxDuration)
	}
	zone, err := time.LoadLocation(s.TimeZone)
	if err != nil || s.TimeZone == "Local" {
		return Window{}, fmt.Errorf("time zone %q is not known", s.TimeZone)
	}
	if strings.Contains(s.Schedule, "=") { // the parser would read TZ=..., and panics where nothing follows it
		return Window{}, fmt.Errorf("schedule %q: the time zone has a field of its own", s.Schedule)
	}
	schedule, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(s.Schedule)
	if err != nil {
		return Window{}, fmt.Errorf("schedule %q: %w", s.Schedule, err)
	}
	return Window{schedule: schedule, zone: zone, duration: s.Duration.Duration}, nil
}

// open returns the end of the window if it contains t, and otherwise when it opens next; zero: never.
func (w Window) open(t time.Time) (end, next time.Time) {
	if w.schedule == nil {
		switch {
		case t.Before(w.start):
			return time.Time{}, w.start
		case t.Before(w.end):
			return w.end, time.Time{}
		}
		return time.Time{}, time.Time{}
	}
	// The latest start that is not after t, if one is within the duration: starts come in order, so the last one has the last end.
	at := w.schedule.Next(t.In(w.zone).Add(-w.duration))
	for !at.IsZero() && !at.After(t) {
		end = at.Add(w.duration)
		at = w.schedule.Next(at)
	}
	if !end.IsZero() {
		return end, time.Time{}
	}
	return time.Time{}, at
}

// Open reports whether one of the windows contains t, and when that changes; zero: never.
func Open(windows []Window, t time.Time) (open bool, changes time.Time) {
	at := t
	for range maxChain {
		var until, next time.Time
		for _, w := range windows {
			end, start := w.open(at)
			if end.After(until) {
				until = end
			}
			if !start.IsZero() && (next.IsZero() || start.Before(next)) {
				next = start
			}
		}
		if until.IsZero() {
			if at.Equal(t) {
				return false, utc(next)
			}
			return true, at.UTC() // the end of the chain
		}
		at = until
	}
	return true, at.UTC() // looked at again then
}

// maxChain bounds how many windows that touch are followed to find the end.
const maxChain = 64

func utc(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC()
}
