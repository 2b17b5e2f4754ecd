// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var zero = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// plays are waits on virtual time, by what they show. A line of a script is a moment, an object and what is observed of it:
//
//	pending, met, failed, unknown, missing   its state; failed may have a grace: failed 10s
//	both                                     met and failed
//	deleted                                  missing, which is the goal
//	changed                                  pending, with progress
//	generation N, met-at-generation N        pending and met, at a generation
//	gone                                     the member of a selector has left it
//	served, notserved, forbidden, trouble    what the server answers about the object or selector
//
// A name with an upper-case first letter is a selector, and Pods/a a member of it. All targets are declared at the start.
type plays map[string]struct {
	goal   Goal
	script string
	want   string // when the wait ends, and how: "12s Met"; "never"
}

func (tests plays) run(t *testing.T) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, play(t, test.goal, test.script)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// play runs a script of [plays] and returns when and how the wait ended.
func play(t *testing.T, goal Goal, script string) string {
	t.Helper()
	m := New(goal, zero)
	targets := map[string]Target{}
	of := func(name string) Target {
		head, _, _ := strings.Cut(name, "/")
		if _, ok := targets[head]; !ok {
			if head[0] >= 'A' && head[0] <= 'Z' {
				targets[head] = m.Selected(head)
			} else {
				targets[head] = m.Named(head)
			}
		}
		return targets[head]
	}
	lines := strings.Split(strings.TrimSpace(script), "\n")
	for _, line := range lines {
		of(strings.Fields(line)[1])
	}
	progress := uint64(0)
	now := zero
	step := func(until time.Time) (string, bool) { // lets time pass, by the alarms of the machine only
		for {
			d := m.Decide(now)
			if d.Outcome != Waiting {
				return fmt.Sprintf("%s %s", now.Sub(zero), d.Outcome), true
			}
			if d.Next.IsZero() || !until.IsZero() && d.Next.After(until) {
				return "never", false
			}
			if !d.Next.After(now) {
				t.Fatalf("at %s the next look is at %s", now.Sub(zero), d.Next.Sub(zero))
			}
			now = d.Next
		}
	}
	for i, line := range lines {
		words := strings.Fields(line)
		after, err := time.ParseDuration(words[0])
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && zero.Add(after).After(now) {
			if out, done := step(zero.Add(after)); done {
				return out
			}
		}
		now = zero.Add(after)
		target, key := of(words[1]), words[1]
		observe := func(f Facts) {
			f.Progress = progress
			m.Observe(target, key, f, now)
		}
		switch words[2] {
		case "met":
			observe(Facts{Met: true})
		case "failed":
			grace := time.Duration(0)
			if len(words) > 3 {
				grace, _ = time.ParseDuration(words[3])
			}
			observe(Facts{Failed: true, Grace: grace})
		case "both":
			observe(Facts{Met: true, Failed: true})
		case "pending":
			observe(Facts{})
		case "changed":
			progress++
			observe(Facts{})
		case "missing":
			observe(Facts{Missing: true})
		case "deleted":
			observe(Facts{Missing: true, Met: true})
		case "unknown":
			observe(Facts{Unknown: true})
		case "generation", "met-at-generation": // with a number
			n, err := strconv.ParseInt(words[3], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			observe(Facts{Met: words[2] != "generation", Generation: n})
		case "gone":
			m.Forget(target, key, now)
		case "served":
			m.Loaded(target, Served, "", now)
		case "notserved":
			m.Loaded(target, NotServed, "", now)
		case "forbidden":
			m.Loaded(target, Forbidden, "verb list is missing", now)
		case "trouble":
			m.Loaded(target, Trouble, "connection refused", now)
		default:
			t.Fatalf("verb %q", words[2])
		}
	}
	out, _ := step(time.Time{})
	return out
}
