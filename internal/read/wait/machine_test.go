// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var zero = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// play runs a script on virtual time and returns when and how the wait ended: "12s Met". Each line is a time, an object or target, and
// an observation: met, failed, both, pending, missing, unknown, changed; gone for a member of a selector; served, notserved, forbidden,
// trouble for a target. Names with an upper-case first letter are targets: "Pods" is a selector and its objects are "Pods/a", any
// other name is a named object and declared by its first line.
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

func TestMachine(t *testing.T) {
	sec := func(n int) time.Duration { return time.Duration(n) * time.Second }
	tests := map[string]struct {
		goal   Goal
		script string
		want   string
	}{
		"one object": {Goal{}, "0s web pending\n0s web served\n5s web met", "5s Met"},
		"superseded": {Goal{Superseded: true},
			"0s web missing\n0s web served\n1s web generation 3\n2s web generation 3\n3s web generation 4", "3s Superseded"},
		"superseded though the new one is met": {Goal{Superseded: true}, "0s web generation 3\n0s web served\n3s web met-at-generation 4",
			"3s Superseded"},
		"not superseded by an object that is new": {Goal{Superseded: true},
			"0s web generation 3\n0s web served\n1s web missing\n2s web generation 1\n3s web met-at-generation 1", "3s Met"},
		"superseded counts where it is asked for": {Goal{}, "0s web generation 3\n0s web served\n3s web met-at-generation 4", "3s Met"},
		"enough others are met": {Goal{Superseded: true, Count: 1},
			"0s a generation 1\n0s b generation 1\n0s a served\n0s b served\n1s a generation 2\n2s b met-at-generation 1", "2s Met"},
		"a failure is worse than superseded": {Goal{Superseded: true},
			"0s a generation 1\n0s b failed\n0s a served\n1s a generation 2\n1s b served", "1s Failed"},
		"for ever":           {Goal{}, "0s web pending\n0s web served", "never"},
		"timeout":            {Goal{Timeout: sec(30)}, "0s web pending\n0s web served", "30s TimedOut"},
		"met at the timeout": {Goal{Timeout: sec(30)}, "0s web served\n30s web met", "30s TimedOut"},
		"not there at all":   {Goal{Timeout: sec(30)}, "0s web missing\n0s web served", "30s NotFound"},
		"kind not there":     {Goal{Timeout: sec(30)}, "0s web missing\n0s web notserved", "30s NotFound"},
		"kind arrives": {Goal{Timeout: sec(30)}, "0s web missing\n0s web notserved\n9s web served\n10s web met",
			"10s Met"},
		"nothing tells": {Goal{Timeout: sec(30)}, "0s web unknown\n0s web served", "30s Unknown"},
		"one of two under way": {Goal{Timeout: sec(30)}, "0s a missing\n0s b pending\n0s a served\n0s b served",
			"30s TimedOut"},
		"fails at once":         {Goal{}, "0s web served\n3s web failed", "3s Failed"},
		"failure must last":     {Goal{}, "0s web served\n3s web failed 10s\n8s web pending\n9s web failed 10s", "19s Failed"},
		"failure passes":        {Goal{}, "0s web served\n3s web failed 10s\n8s web met", "8s Met"},
		"met beats failed":      {Goal{}, "0s web served\n3s web both", "3s Met"},
		"stable":                {Goal{StableFor: sec(10)}, "0s web served\n1s web met\n5s web pending\n6s web met", "16s Met"},
		"stable, timeout first": {Goal{StableFor: sec(10), Timeout: sec(9)}, "0s web served\n1s web met", "9s TimedOut"},
		"object timeout": {Goal{ObjectTimeout: sec(10), Timeout: sec(60)},
			"0s a met\n0s b pending\n0s a served\n0s b served", "10s TimedOut"},
		"late member":            {Goal{ObjectTimeout: sec(10)}, "0s Pods served\n7s Pods/a pending", "17s TimedOut"},
		"watchdog":               {Goal{NoProgress: sec(10)}, "0s web served\n4s web changed\n9s web changed", "19s Stuck"},
		"watchdog and grace":     {Goal{NoProgress: sec(10)}, "0s web served\n4s web failed 30s", "34s Failed"},
		"watchdog, stable":       {Goal{NoProgress: sec(5), StableFor: sec(20)}, "0s web served\n1s web met", "21s Met"},
		"watchdog, missing":      {Goal{NoProgress: sec(5)}, "0s web missing\n0s web served", "5s NotFound"},
		"first answer to come":   {Goal{NoProgress: sec(5)}, "0s web pending", "never"},
		"selector finds nothing": {Goal{Timeout: sec(5)}, "0s Pods served", "5s NotFound"},
		"selector finds later":   {Goal{Timeout: sec(5)}, "0s Pods served\n1s Pods/a pending\n2s Pods/a met", "2s Met"},
		"selector still loading": {Goal{}, "0s Pods/a met\n3s Pods served", "3s Met"},
		"member leaves":          {Goal{}, "0s Pods/a met\n0s Pods/b pending\n0s Pods served\n4s Pods/b gone", "4s Met"},
		"last member leaves":     {Goal{Timeout: sec(9)}, "0s Pods/b pending\n0s Pods served\n4s Pods/b gone", "9s NotFound"},
		"member arrives": {Goal{StableFor: sec(5)}, "0s Pods/a met\n0s Pods served\n4s Pods/b pending\n6s Pods/b met",
			"11s Met"},
		"any": {Goal{Count: 1}, "0s a failed\n0s b pending\n0s a served\n0s b served\n4s b met", "4s Met"},
		"any, all failed": {Goal{Count: 1}, "0s a failed\n0s b pending\n0s a served\n0s b served\n4s b failed",
			"4s Failed"},
		"any, one recovers": {Goal{Count: 1}, "0s a failed\n0s b pending\n0s a served\n0s b served\n4s a met", "4s Met"},
		"count cannot be":   {Goal{Count: 2}, "0s a failed\n0s b pending\n0s a served\n0s b served", "0s Failed"},
		"count may come": {Goal{Count: 2, Timeout: sec(9)}, "0s P served\n0s P/a failed\n1s P/b met\n2s P/c met",
			"2s Met"},
		"count does not come": {Goal{Count: 2, Timeout: sec(9)}, "0s P served\n0s P/a failed\n1s P/b met", "9s Failed"},
		"percent": {Goal{Percent: 60}, "0s P/a met\n0s P/b pending\n0s P/c pending\n0s P served\n3s P/c met",
			"3s Met"},
		"percent cannot be": {Goal{Percent: 60}, "0s P/a met\n0s P/b failed\n0s P/c pending\n0s P served\n3s P/c failed",
			"3s Failed"},
		"percent of nothing":    {Goal{Percent: 60, Timeout: sec(3)}, "0s P served", "3s NotFound"},
		"forbidden alone":       {Goal{}, "0s a pending\n2s a forbidden", "2s Unknown"},
		"forbidden, rest met":   {Goal{}, "0s a forbidden\n0s b served\n0s b pending\n4s b met", "4s Unknown"},
		"forbidden, rest fails": {Goal{}, "0s a forbidden\n0s b served\n0s b pending\n4s b failed", "4s Failed"},
		"forbidden then granted": {Goal{}, "0s a forbidden\n0s b served\n0s b pending\n1s a served\n2s a met\n4s b met",
			"4s Met"},
		"forbidden, any":      {Goal{Count: 1}, "0s a forbidden\n0s b served\n0s b pending\n4s b met", "4s Met"},
		"forbidden selector":  {Goal{}, "0s Pods forbidden\n0s b served\n0s b pending\n4s b met", "4s Unknown"},
		"forbidden while met": {Goal{StableFor: sec(5)}, "0s a served\n0s a met\n2s a forbidden", "2s Unknown"},
		"trouble":             {Goal{Timeout: sec(9)}, "0s a trouble", "9s Unreachable"},
		"trouble passes":      {Goal{Timeout: sec(9)}, "0s Pods trouble\n3s Pods/a met\n3s Pods served", "3s Met"},
		"no answer":           {Goal{Timeout: sec(5)}, "0s web pending", "5s Unreachable"},
		"server gone":         {Goal{Timeout: sec(9)}, "0s a pending\n0s a served\n2s a trouble", "9s Unreachable"},
		"server gone, steady": {Goal{Timeout: sec(20), StableFor: sec(5)}, "0s a met\n0s a served\n2s a trouble",
			"20s Unreachable"},
		"server back, steady": {Goal{Timeout: sec(20), StableFor: sec(5)}, "0s a met\n0s a served\n2s a trouble\n8s a served",
			"13s Met"},
		"server gone, failing": {Goal{Timeout: sec(60)}, "0s a served\n1s a failed 10s\n2s a trouble\n30s a served",
			"40s Failed"},
		"server gone, rest met": {Goal{Timeout: sec(9)},
			"0s a met\n0s b pending\n0s a served\n0s b served\n2s a trouble\n3s b met", "3s Met"},
		"failure after loading": {Goal{}, "0s a failed\n0s a served\n0s b pending\n2s b served", "2s Failed"},
		"deleted":               {Goal{Gone: true}, "0s web pending\n0s web served\n4s web deleted", "4s Met"},
		"all deleted": {Goal{Gone: true},
			"0s P/a pending\n0s P/b pending\n0s P served\n4s P/a deleted\n5s P/b deleted", "5s Met"},
		"nothing to delete": {Goal{Gone: true}, "0s P served", "0s Met"},
		"once, met":         {Goal{Once: true, StableFor: sec(9)}, "0s a met\n0s a served", "0s Met"},
		"once, failed":      {Goal{Once: true}, "0s a failed 30s\n0s a served", "0s Failed"},
		"once, not yet":     {Goal{Once: true}, "0s a pending\n0s a served", "0s TimedOut"},
		"once, missing":     {Goal{Once: true}, "0s a missing\n0s a served\n0s b met\n0s b served", "0s NotFound"},
		"once, forbidden":   {Goal{Once: true}, "0s a forbidden", "0s Unknown"},
		"once, unreadable":  {Goal{Once: true}, "0s Pods trouble", "0s Unreachable"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, play(t, test.goal, test.script)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestOrderOfObjects: objects that change at one instant may arrive in any order.
func TestOrderOfObjects(t *testing.T) {
	lines := []string{"0s Pods served", "0s Pods/a met", "0s Pods/b failed 9s", "0s Pods/c pending", "0s web met", "0s web served",
		"0s a missing", "0s a notserved"}
	goals := map[string]Goal{"all": {Timeout: 20 * time.Second}, "any": {Count: 1}, "most": {Percent: 90},
		"steady": {Percent: 40, StableFor: 3 * time.Second}}
	want := map[string]string{"all": "9s Failed", "any": "0s Met", "most": "9s Failed", "steady": "3s Met"}
	r := rand.New(rand.NewPCG(1, 2))
	for name, goal := range goals {
		for range 200 {
			shuffled := slices.Clone(lines)
			r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			if diff := cmp.Diff(want[name], play(t, goal, strings.Join(shuffled, "\n"))); diff != "" {
				t.Fatalf("%s, in the order %q: -want +got\n%s", name, shuffled, diff)
			}
		}
	}
}

// TestCounts: the counts by which the machine decides are those of the objects, after any changes.
func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		now := zero
		m := New(Goal{StableFor: time.Duration(r.IntN(3)) * time.Second, ObjectTimeout: time.Duration(r.IntN(20)) * time.Second}, now)
		open, named := m.Selected("Pods"), m.Named("web")
		for range 200 {
			now = now.Add(time.Duration(r.IntN(1500)) * time.Millisecond)
			target, key := open, string(rune('a'+r.IntN(8)))
			if r.IntN(5) == 0 {
				target, key = named, "web"
			}
			switch r.IntN(8) {
			case 0:
				m.Loaded(target, Serving(r.IntN(5)), "", now)
			case 1:
				m.Forget(open, key, now)
			default:
				m.Observe(target, key, Facts{Met: r.IntN(2) == 0, Failed: r.IntN(3) == 0, Grace: time.Duration(r.IntN(4)) * time.Second,
					Missing: r.IntN(4) == 0, Unknown: r.IntN(4) == 0}, now)
			}
			d := m.Decide(now)
			counts := map[State]int{}
			for _, s := range m.entries {
				counts[s.State]++
			}
			want := Decision{Total: len(m.entries), Needed: len(m.entries), Met: counts[Met], Failed: counts[Failed]}
			if diff := cmp.Diff(want, Decision{Total: d.Total, Needed: d.Needed, Met: d.Met, Failed: d.Failed}); diff != "" {
				t.Fatalf("-want +got\n%s", diff)
			}
			if d.Outcome == Waiting && !d.Next.IsZero() && !d.Next.After(now) {
				t.Fatalf("the next look is not in the future")
			}
		}
	}
}

func TestParseCount(t *testing.T) {
	tests := map[string]struct {
		count, percent int
		fails          bool
	}{"3": {count: 3}, "80%": {percent: 80}, "100%": {percent: 100}, "0": {fails: true}, "101%": {fails: true}, "-1": {fails: true},
		"": {fails: true}, "%": {fails: true}, "many": {fails: true}}
	for text, want := range tests {
		count, percent, err := ParseCount(text)
		if count != want.count || percent != want.percent || (err != nil) != want.fails {
			t.Errorf("ParseCount(%q) = %d, %d, %v", text, count, percent, err)
		}
	}
}

func BenchmarkObserve(b *testing.B) {
	m := New(Goal{Timeout: time.Hour, StableFor: time.Second}, zero)
	pods := m.Selected("Pods")
	keys := make([]string, 100_000)
	for i := range keys {
		keys[i] = fmt.Sprintf("default/pod-%d", i)
		m.Observe(pods, keys[i], Facts{}, zero)
	}
	m.Loaded(pods, Served, "", zero)
	i := 0
	for b.Loop() {
		m.Observe(pods, keys[i%len(keys)], Facts{Met: i%3 == 0}, zero.Add(time.Duration(i)))
		if m.Decide(zero.Add(time.Duration(i))).Outcome != Waiting {
			b.Fatal("over")
		}
		i++
	}
}
