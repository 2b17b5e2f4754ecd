// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/conditions/wire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// merged is what a merge says: the fields that it decides.
func merges(c conditions.Condition) []string {
	return []string{c.Type, string(c.Status), c.Reason, c.Message}
}

// TestProfile_summary: the summary of a pass is, byte for byte, what Summarize gives with the profile of the dialect for the conditions
// that the pass leaves.
func TestProfile_summary(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, dialect := range []conditions.Dialect{conditions.DialectCAPIv1beta1} {
		t.Run(string(dialect), func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			pick := func(words ...string) string { return words[random.IntN(len(words))] }
			kind := &conditions.Kind{Group: "example.com", Kind: "Thing", Dialect: dialect, Types: []conditions.Type{
				{Name: "Ready", Polarity: conditions.Positive, Role: conditions.RoleSummary, Presence: conditions.PresenceAlways,
					Summary: &conditions.Summary{}},
				{Name: "B", Polarity: conditions.Positive, Role: conditions.RoleDependent, Presence: conditions.PresenceAlways},
				{Name: "A", Polarity: conditions.Positive, Role: conditions.RoleDependent, Presence: conditions.PresenceAlways},
				{Name: "Paused", Polarity: conditions.Negative, Role: conditions.RoleDependent, Presence: conditions.PresenceAlways},
				{Name: "Theirs", Polarity: conditions.Positive, Role: conditions.RoleDependent, Foreign: true},
			}}
			seen := map[conditions.Status]int{}
			for n := range 2000 {
				var stored []conditions.Condition
				if random.IntN(3) > 0 {
					stored = append(stored, conditions.Condition{Condition: metav1.Condition{Type: "Theirs",
						Status: metav1.ConditionStatus(pick("True", "False", "Unknown")),
						Reason: pick("X", "Y"), Message: pick("", "theirs"),
						LastTransitionTime: metav1.Time{Time: now.Add(time.Duration(random.IntN(9)-4) * time.Minute)}}})
				}
				report := func(stored []conditions.Condition, at time.Time, facts []string) conditions.Result {
					p := kind.Begin(1, stored, at)
					for i, fact := range facts {
						part := strings.Split(fact, "|")
						p.Report([]string{"B", "A", "Paused"}[i], conditions.Status(part[0]), part[1], part[2])
					}
					return p.Commit()
				}
				facts := func() (out []string) {
					for i := range 3 {
						good := []string{"True", "True", "False"}[i]
						out = append(out, pick(good, good, "True", "False", "Unknown")+"|"+pick("One", "Two")+"|"+
							pick("", "text", "* a\n* b", "a\nb", "3 * 4"))
					}
					return out
				}
				first := report(stored, now.Add(-time.Hour), facts())
				last := facts()
				result := report(first.Conditions(), now, last)
				var inputs []rollup.Input
				for i := range kind.Types[1:] {
					typ := &kind.Types[i+1]
					in := rollup.Input{Type: typ.Name, Polarity: typ.Polarity}
					if at := conditions.Find(result.Conditions(), typ.Name); at >= 0 {
						in.Condition = &result.Conditions()[at]
					}
					inputs = append(inputs, in)
				}
				want, ok := rollup.Summarize(inputs, rollup.Options{Dialect: dialect, Target: kind.Types[0]})
				if !ok {
					t.Fatal("no result")
				}
				at := conditions.Find(result.Conditions(), "Ready")
				if at < 0 || len(result.Errors) > 0 {
					t.Fatalf("case %d: no Ready, or errors: %v", n, result.Errors)
				}
				ready := result.Conditions()[at]
				seen[ready.Status]++
				if diff := cmp.Diff(merges(want.Condition), merges(ready)); diff != "" {
					t.Fatalf("case %d of %q (-Summarize +pass):\n%s", n, last, diff)
				}
				for _, c := range result.Conditions() {
					if errs := wire.Validate(&c, dialect); len(errs) > 0 {
						t.Fatalf("case %d: %v", n, errs)
					}
				}
				if again := report(result.Conditions(), now.Add(time.Hour), last); again.Changed {
					t.Fatalf("case %d: a second pass changes something: %+v", n, again.Transitions)
				}
			}
			if len(seen) != 3 {
				t.Errorf("not every status was reached: %v", seen)
			}
		})
	}
}

// TestProfile_wire: what dialects without generations write, and read again, is no change.
func TestProfile_wire(t *testing.T) {
	for _, dialect := range []conditions.Dialect{conditions.DialectCAPIv1beta1, conditions.DialectCAPIv1beta2, conditions.DialectKnative} {
		kind := &conditions.Kind{Kind: "Thing", Dialect: dialect, Types: []conditions.Type{
			{Name: "Ready", Polarity: conditions.Positive, Role: conditions.RoleSummary, Presence: conditions.PresenceAlways},
			{Name: "Up", Polarity: conditions.Positive, Role: conditions.RoleDependent, Presence: conditions.PresenceAlways},
		}}
		pass := func(raw []any) ([]any, bool) {
			stored, errs := wire.FromUnstructured(raw)
			if len(errs) > 0 {
				t.Error(dialect, errs)
			}
			p := kind.Begin(7, stored, time.Unix(100, 0))
			if p.Report("Up", conditions.True, "Works", ""); dialect.Generations() {
				p.Report("Ready", conditions.True, "Works", "")
			} else {
				p.Report("Ready", conditions.True, "", "") // needs no reason
			}
			result := p.Commit()
			var written []any
			for _, c := range result.Conditions() {
				written = append(written, wire.ToUnstructured(c, dialect))
			}
			return written, result.Changed
		}
		raw, _ := pass(nil)
		generation := map[bool]string{true: " 7", false: ""}[dialect.Generations()]
		ready := map[conditions.Dialect]string{conditions.DialectCAPIv1beta2: " Works"}[dialect]
		var got []string
		for _, entry := range raw {
			line := ""
			for _, field := range []string{"type", "reason", "observedGeneration", "severity"} {
				if v := entry.(map[string]any)[field]; v != nil {
					line += fmt.Sprint(" ", v)
				}
			}
			got = append(got, line)
		}
		if diff := cmp.Diff([]string{" Ready" + ready + generation, " Up Works" + generation}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", dialect, diff)
		}
		if _, changed := pass(raw); changed {
			t.Errorf("%s: a second pass changes something", dialect)
		}
	}
}
