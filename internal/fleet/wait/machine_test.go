// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestOneObject: a wait for one object ends when its goal is met, when it has failed for as long as its grace, or at a time limit.
func TestOneObject(t *testing.T) {
	plays{
		"one object": {
			script: `
				0s  web    pending
				0s  web    served
				5s  web    met`,
			want: "5s Met",
		},
		"for ever": {
			script: `
				0s  web    pending
				0s  web    served`,
			want: "never",
		},
		"timeout": {
			goal: Goal{Timeout: 30 * time.Second},
			script: `
				0s  web    pending
				0s  web    served`,
			want: "30s TimedOut",
		},
		"met at the timeout": {
			goal: Goal{Timeout: 30 * time.Second},
			script: `
				0s  web    served
				30s web    met`,
			want: "30s TimedOut",
		},
		"missing": {
			goal: Goal{Timeout: 30 * time.Second},
			script: `
				0s  web    missing
				0s  web    served`,
			want: "30s NotFound",
		},
		"a kind that is not served": {
			goal: Goal{Timeout: 30 * time.Second},
			script: `
				0s  web    missing
				0s  web    notserved`,
			want: "30s NotFound",
		},
		"a kind that is served later": {
			goal: Goal{Timeout: 30 * time.Second},
			script: `
				0s  web    missing
				0s  web    notserved
				9s  web    served
				10s web    met`,
			want: "10s Met",
		},
		"nothing is known": {
			goal: Goal{Timeout: 30 * time.Second},
			script: `
				0s  web    unknown
				0s  web    served`,
			want: "30s Unknown",
		},
		"fails at once": {
			script: `
				0s  web    served
				3s  web    failed`,
			want: "3s Failed",
		},
		"failure must last": {
			script: `
				0s  web    served
				3s  web    failed 10s
				8s  web    pending
				9s  web    failed 10s`,
			want: "19s Failed",
		},
		"failure passes": {
			script: `
				0s  web    served
				3s  web    failed 10s
				8s  web    met`,
			want: "8s Met",
		},
		"met beats failed": {
			script: `
				0s  web    served
				3s  web    both`,
			want: "3s Met",
		},
		"stable": {
			goal: Goal{StableFor: 10 * time.Second},
			script: `
				0s  web    served
				1s  web    met
				5s  web    pending
				6s  web    met`,
			want: "16s Met",
		},
		"stable, timeout first": {
			goal: Goal{StableFor: 10 * time.Second, Timeout: 9 * time.Second},
			script: `
				0s  web    served
				1s  web    met`,
			want: "9s TimedOut",
		},
		"object timeout": {
			goal: Goal{ObjectTimeout: 10 * time.Second, Timeout: 60 * time.Second},
			script: `
				0s  a      met
				0s  b      pending
				0s  a      served
				0s  b      served`,
			want: "10s TimedOut",
		},
		"watchdog": {
			goal: Goal{NoProgress: 10 * time.Second},
			script: `
				0s  web    served
				4s  web    changed
				9s  web    changed`,
			want: "19s Stuck",
		},
		"watchdog and grace": {
			goal: Goal{NoProgress: 10 * time.Second},
			script: `
				0s  web    served
				4s  web    failed 30s`,
			want: "34s Failed",
		},
		"watchdog, stable": {
			goal: Goal{NoProgress: 5 * time.Second, StableFor: 20 * time.Second},
			script: `
				0s  web    served
				1s  web    met`,
			want: "21s Met",
		},
		"watchdog, missing": {
			goal: Goal{NoProgress: 5 * time.Second},
			script: `
				0s  web    missing
				0s  web    served`,
			want: "5s NotFound",
		},
		"first answer to come": {
			goal: Goal{NoProgress: 5 * time.Second},
			script: `
				0s  web    pending`,
			want: "never",
		},
		"failure after loading": {
			script: `
				0s  a      failed
				0s  a      served
				0s  b      pending
				2s  b      served`,
			want: "2s Failed",
		},
	}.run(t)
}

// TestSeveralObjects: of several objects and of the members of a selector all have to meet the goal, or as many as are asked for.
func TestSeveralObjects(t *testing.T) {
	plays{
		"one of two under way": {
			goal: Goal{Timeout: 30 * time.Second},
			script: `
				0s  a      missing
				0s  b      pending
				0s  a      served
				0s  b      served`,
			want: "30s TimedOut",
		},
		"the time limit of a member that comes late": {
			goal: Goal{ObjectTimeout: 10 * time.Second},
			script: `
				0s  Pods   served
				7s  Pods/a pending`,
			want: "17s TimedOut",
		},
		"selector finds nothing": {
			goal: Goal{Timeout: 5 * time.Second},
			script: `
				0s  Pods   served`,
			want: "5s NotFound",
		},
		"selector finds later": {
			goal: Goal{Timeout: 5 * time.Second},
			script: `
				0s  Pods   served
				1s  Pods/a pending
				2s  Pods/a met`,
			want: "2s Met",
		},
		"selector still loading": {
			script: `
				0s  Pods/a met
				3s  Pods   served`,
			want: "3s Met",
		},
		"member leaves": {
			script: `
				0s  Pods/a met
				0s  Pods/b pending
				0s  Pods   served
				4s  Pods/b gone`,
			want: "4s Met",
		},
		"last member leaves": {
			goal: Goal{Timeout: 9 * time.Second},
			script: `
				0s  Pods/b pending
				0s  Pods   served
				4s  Pods/b gone`,
			want: "9s NotFound",
		},
		"member arrives": {
			goal: Goal{StableFor: 5 * time.Second},
			script: `
				0s  Pods/a met
				0s  Pods   served
				4s  Pods/b pending
				6s  Pods/b met`,
			want: "11s Met",
		},
		"any": {
			goal: Goal{Count: 1},
			script: `
				0s  a      failed
				0s  b      pending
				0s  a      served
				0s  b      served
				4s  b      met`,
			want: "4s Met",
		},
		"any, all failed": {
			goal: Goal{Count: 1},
			script: `
				0s  a      failed
				0s  b      pending
				0s  a      served
				0s  b      served
				4s  b      failed`,
			want: "4s Failed",
		},
		"any, one recovers": {
			goal: Goal{Count: 1},
			script: `
				0s  a      failed
				0s  b      pending
				0s  a      served
				0s  b      served
				4s  a      met`,
			want: "4s Met",
		},
		"count cannot be": {
			goal: Goal{Count: 2},
			script: `
				0s  a      failed
				0s  b      pending
				0s  a      served
				0s  b      served`,
			want: "0s Failed",
		},
		"count may come": {
			goal: Goal{Count: 2, Timeout: 9 * time.Second},
			script: `
				0s  P      served
				0s  P/a    failed
				1s  P/b    met
				2s  P/c    met`,
			want: "2s Met",
		},
		"count does not come": {
			goal: Goal{Count: 2, Timeout: 9 * time.Second},
			script: `
				0s  P      served
				0s  P/a    failed
				1s  P/b    met`,
			want: "9s Failed",
		},
		"percent": {
			goal: Goal{Percent: 60},
			script: `
				0s  P/a    met
				0s  P/b    pending
				0s  P/c    pending
				0s  P      served
				3s  P/c    met`,
			want: "3s Met",
		},
		"percent cannot be": {
			goal: Goal{Percent: 60},
			script: `
				0s  P/a    met
				0s  P/b    failed
				0s  P/c    pending
				0s  P      served
				3s  P/c    failed`,
			want: "3s Failed",
		},
		"percent of nothing": {
			goal: Goal{Percent: 60, Timeout: 3 * time.Second},
			script: `
				0s  P      served`,
			want: "3s NotFound",
		},
	}.run(t)
}

// TestServer: what a server does not say is no answer: a target that cannot be listed is Unknown or Unreachable.
func TestServer(t *testing.T) {
	plays{
		"forbidden alone": {
			script: `
				0s  a      pending
				2s  a      forbidden`,
			want: "2s Unknown",
		},
		"forbidden, rest met": {
			script: `
				0s  a      forbidden
				0s  b      served
				0s  b      pending
				4s  b      met`,
			want: "4s Unknown",
		},
		"forbidden, rest fails": {
			script: `
				0s  a      forbidden
				0s  b      served
				0s  b      pending
				4s  b      failed`,
			want: "4s Failed",
		},
		"forbidden then granted": {
			script: `
				0s  a      forbidden
				0s  b      served
				0s  b      pending
				1s  a      served
				2s  a      met
				4s  b      met`,
			want: "4s Met",
		},
		"forbidden, any": {
			goal: Goal{Count: 1},
			script: `
				0s  a      forbidden
				0s  b      served
				0s  b      pending
				4s  b      met`,
			want: "4s Met",
		},
		"forbidden selector": {
			script: `
				0s  Pods   forbidden
				0s  b      served
				0s  b      pending
				4s  b      met`,
			want: "4s Unknown",
		},
		"forbidden while met": {
			goal: Goal{StableFor: 5 * time.Second},
			script: `
				0s  a      served
				0s  a      met
				2s  a      forbidden`,
			want: "2s Unknown",
		},
		"trouble": {
			goal: Goal{Timeout: 9 * time.Second},
			script: `
				0s  a      trouble`,
			want: "9s Unreachable",
		},
		"trouble passes": {
			goal: Goal{Timeout: 9 * time.Second},
			script: `
				0s  Pods   trouble
				3s  Pods/a met
				3s  Pods   served`,
			want: "3s Met",
		},
		"no answer": {
			goal: Goal{Timeout: 5 * time.Second},
			script: `
				0s  web    pending`,
			want: "5s Unreachable",
		},
		"server gone": {
			goal: Goal{Timeout: 9 * time.Second},
			script: `
				0s  a      pending
				0s  a      served
				2s  a      trouble`,
			want: "9s Unreachable",
		},
		"server gone, steady": {
			goal: Goal{Timeout: 20 * time.Second, StableFor: 5 * time.Second},
			script: `
				0s  a      met
				0s  a      served
				2s  a      trouble`,
			want: "20s Unreachable",
		},
		"server back, steady": {
			goal: Goal{Timeout: 20 * time.Second, StableFor: 5 * time.Second},
			script: `
				0s  a      met
				0s  a      served
				2s  a      trouble
				8s  a      served`,
			want: "13s Met",
		},
		"server gone, failing": {
			goal: Goal{Timeout: 60 * time.Second},
			script: `
				0s  a      served
				1s  a      failed 10s
				2s  a      trouble
				30s a      served`,
			want: "40s Failed",
		},
		"server gone, rest met": {
			goal: Goal{Timeout: 9 * time.Second},
			script: `
				0s  a      met
				0s  b      pending
				0s  a      served
				0s  b      served
				2s  a      trouble
				3s  b      met`,
			want: "3s Met",
		},
	}.run(t)
}

// TestSuperseded: an object whose generation grows is superseded where that is asked for.
func TestSuperseded(t *testing.T) {
	plays{
		"superseded": {
			goal: Goal{Superseded: true},
			script: `
				0s  web    missing
				0s  web    served
				1s  web    generation 3
				2s  web    generation 3
				3s  web    generation 4`,
			want: "3s Superseded",
		},
		"superseded though the new one is met": {
			goal: Goal{Superseded: true},
			script: `
				0s  web    generation 3
				0s  web    served
				3s  web    met-at-generation 4`,
			want: "3s Superseded",
		},
		"not superseded by an object that is new": {
			goal: Goal{Superseded: true},
			script: `
				0s  web    generation 3
				0s  web    served
				1s  web    missing
				2s  web    generation 1
				3s  web    met-at-generation 1`,
			want: "3s Met",
		},
		"superseded counts where it is asked for": {
			script: `
				0s  web    generation 3
				0s  web    served
				3s  web    met-at-generation 4`,
			want: "3s Met",
		},
		"enough others are met": {
			goal: Goal{Superseded: true, Count: 1},
			script: `
				0s  a      generation 1
				0s  b      generation 1
				0s  a      served
				0s  b      served
				1s  a      generation 2
				2s  b      met-at-generation 1`,
			want: "2s Met",
		},
		"a failure is worse than superseded": {
			goal: Goal{Superseded: true},
			script: `
				0s  a      generation 1
				0s  b      failed
				0s  a      served
				1s  a      generation 2
				1s  b      served`,
			want: "1s Failed",
		},
	}.run(t)
}

// TestGone: a wait for deletion is over once nothing is left.
func TestGone(t *testing.T) {
	plays{
		"deleted": {
			goal: Goal{Gone: true},
			script: `
				0s  web    pending
				0s  web    served
				4s  web    deleted`,
			want: "4s Met",
		},
		"all deleted": {
			goal: Goal{Gone: true},
			script: `
				0s  P/a    pending
				0s  P/b    pending
				0s  P      served
				4s  P/a    deleted
				5s  P/b    deleted`,
			want: "5s Met",
		},
		"nothing to delete": {
			goal: Goal{Gone: true},
			script: `
				0s  P      served`,
			want: "0s Met",
		},
	}.run(t)
}

// TestOnce: with once the first answer is the result.
func TestOnce(t *testing.T) {
	plays{
		"once, met": {
			goal: Goal{Once: true, StableFor: 9 * time.Second},
			script: `
				0s  a      met
				0s  a      served`,
			want: "0s Met",
		},
		"once, failed": {
			goal: Goal{Once: true},
			script: `
				0s  a      failed 30s
				0s  a      served`,
			want: "0s Failed",
		},
		"once, not yet": {
			goal: Goal{Once: true},
			script: `
				0s  a      pending
				0s  a      served`,
			want: "0s TimedOut",
		},
		"once, missing": {
			goal: Goal{Once: true},
			script: `
				0s  a      missing
				0s  a      served
				0s  b      met
				0s  b      served`,
			want: "0s NotFound",
		},
		"once, forbidden": {
			goal: Goal{Once: true},
			script: `
				0s  a      forbidden`,
			want: "0s Unknown",
		},
		"once, unreadable": {
			goal: Goal{Once: true},
			script: `
				0s  Pods   trouble`,
			want: "0s Unreachable",
		},
	}.run(t)
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
