// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"testing"
	"time"

	. "github.com/tristate/tristate/conditions"
)

// Dwell: what is published follows a plain model, whatever is reported when; and the time to look again is the time at which
// the same facts are published.
func FuzzLawDwell(f *testing.F) {
	law(f, func(t *testing.T, s *source) {
		polarity := pick(s, Positive, Negative)
		bad, recover := time.Duration(s.n(4))*time.Minute, time.Duration(s.n(4))*time.Minute
		k := &Kind{Kind: "Thing", Types: []Type{{Name: "A", Polarity: polarity, GoBadAfter: bad, RecoverAfter: recover}}}
		var memory State
		var list []Condition
		published := Status("")
		var since time.Time // of the change that waits; zero: none does
		now := t0
		for range 20 {
			now = now.Add(time.Duration(s.n(6)*30) * time.Second)
			reported := pick(s, True, False, Unknown)
			is, was := polarity.Good(reported), polarity.Good(published)
			wait := recover
			if was {
				wait = bad
			}
			look := time.Time{}
			switch {
			case published == "" || is == was || wait == 0:
				published, since = reported, time.Time{}
			default:
				if since.IsZero() {
					since = now
				}
				if look = since.Add(wait); !now.Before(look) {
					published, since, look = reported, time.Time{}, time.Time{}
				}
			}
			p := k.Begin(1, list, now)
			p.SetState(&memory)
			p.Report("A", reported, "Because", "")
			got := p.Commit()
			list = got.Conditions()
			if list[0].Status != published || !got.RequeueAt.Equal(look) {
				t.Fatalf("after %s with %s reported: %s, look again %s; want %s, %s", now.Sub(t0), reported, list[0].Status, got.RequeueAt, published,
					look)
			}
		}
	})
}

// Unhealthy in turns of False and Unknown is unhealthy all the time.
func TestDwellCountsEveryKindOfBad(t *testing.T) {
	k := &Kind{Kind: "Thing", Types: []Type{{Name: "A", GoBadAfter: 2 * time.Minute}}}
	var memory State
	list := []Condition{cond("A", True, "Good", "", 1, t0)}
	for i, status := range []Status{False, Unknown, False} {
		p := k.Begin(1, list, t1.Add(time.Duration(i)*time.Minute))
		p.SetState(&memory)
		p.Report("A", status, "Bad", "")
		list = p.Commit().Conditions()
	}
	same(t, "status", False, list[0].Status)
	// the earlier of the fact's own time and the memory counts
	list = []Condition{cond("A", True, "Good", "", 1, t0)}
	p := k.Begin(1, list, t1)
	p.SetState(&memory)
	p.ReportCondition(cond("A", False, "Bad", "", 0, t1.Add(-time.Minute)))
	same(t, "look again", t1.Add(time.Minute), p.Commit().RequeueAt)
	p = k.Begin(1, list, t1.Add(time.Minute))
	p.SetState(&memory)
	p.ReportCondition(cond("A", Unknown, "Lost", "", 0, t1.Add(30*time.Second)))
	same(t, "status", Unknown, p.Commit().Conditions()[0].Status)
}
