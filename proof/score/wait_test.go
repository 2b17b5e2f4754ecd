// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/wait"
	"github.com/tristate/tristate/verdict"
)

// byDefault returns the test of `tristate wait` without flags.
func byDefault(t *testing.T) wait.Test {
	t.Helper()
	parse := func(texts ...string) (out []wait.Expression) {
		for _, text := range texts {
			e, err := wait.ParseExpression(text)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, e)
		}
		return out
	}
	return wait.Test{For: parse("verdict=Current"), Fail: parse(wait.Failures()...), FailedFor: -1}
}

// TestWaits: a wait for an object of a real cluster that is being created never gives up, and ends once the object is what it should be.
// The samples are 4 s apart; they are judged at the time at which they were read, and, as an older object would be, a day later.
func TestWaits(t *testing.T) {
	samples := slices.DeleteFunc(timeline(t), func(s sample) bool { _, known := truth(s.object); return s.stage != "prov" || !known })
	slices.SortStableFunc(samples, func(a, b sample) int { return cmp.Compare(a.file, b.file) })
	first := map[string]int{} // of each file, its place
	var begin time.Time
	for _, s := range samples {
		if _, ok := first[s.file]; !ok {
			first[s.file] = len(first)
		}
		if created, err := time.Parse(time.RFC3339, fmt.Sprint(nested.At(s.object, "metadata", "creationTimestamp"))); err == nil &&
			(begin.IsZero() || created.Before(begin)) {
			begin = created
		}
	}
	test := byDefault(t)
	for engineName, engine := range map[string]*verdict.Engine{"conventions alone": new(verdict.Engine),
		"catalogs and rule packs": pack.Default(embedded(t))} {
		for when, later := range map[string]time.Duration{"as it happened": 0, "a day later": 24 * time.Hour} {
			t.Run(engineName+", "+when, func(t *testing.T) {
				machines, ended, current := map[string]*wait.Machine{}, map[string]wait.Outcome{}, map[string]bool{}
				targets := map[string]wait.Target{}
				for _, s := range samples {
					now := begin.Add(later + time.Duration(first[s.file])*4*time.Second)
					name := fmt.Sprintf("%v/%v", s.object["kind"], nested.At(s.object, "metadata", "name"))
					m := machines[name]
					if m == nil {
						m = wait.New(wait.Goal{}, now)
						machines[name], targets[name] = m, m.Named(name)
						m.Loaded(targets[name], wait.Served, "", now)
					}
					current[name], _ = truth(s.object)
					if ended[name] != "" {
						continue
					}
					v := engine.Judge(s.object, now)
					facts, _, err := test.Facts(wait.Subject{Content: s.object, Existed: true, Now: now,
						Judgement: relation.JudgementOf(v)})
					if err != nil {
						t.Fatal(err)
					}
					m.Observe(targets[name], name, facts, now)
					if d := m.Decide(now); d.Outcome != wait.Waiting {
						ended[name] = d.Outcome
						if !current[name] {
							t.Errorf("%s: the wait ended with %s over an object that is not ready: %s, %s: %s", s.name(), d.Outcome, v.Status, v.Reason,
								v.Message)
						}
					}
				}
				waited := 0
				for name, is := range current {
					if !is {
						continue
					}
					if waited++; ended[name] == "" {
						t.Errorf("%s is what it should be at last, and the wait goes on", name)
					}
				}
				if waited == 0 {
					t.Error("no object of the stage became what it should be")
				}
				t.Logf("%d objects in %d samples, %d of them ready at last", len(current), len(samples), waited)
			})
		}
	}
}

// TestWaits_kro: a wait for an instance of kro that itself waits for a condition of its resources goes on, however long.
func TestWaits_kro(t *testing.T) {
	const file = "kro.json"
	f, err := os.Open(filepath.Join(witness(t), file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := itemsOf(t, file, f)
	i := slices.IndexFunc(all, func(s sample) bool {
		return s.object["kind"] == "WebAppRW" && nested.At(s.object, "metadata", "name") == "waits"
	})
	if i < 0 {
		t.Fatal("kro.json has no instance that waits")
	}
	test, o := byDefault(t), all[i].object
	begin, err := time.Parse(time.RFC3339, fmt.Sprint(nested.At(o, "metadata", "creationTimestamp")))
	if err != nil {
		t.Fatal(err)
	}
	for name, engine := range map[string]*verdict.Engine{"conventions alone": new(verdict.Engine),
		"catalogs and rule packs": pack.Default(embedded(t))} {
		m := wait.New(wait.Goal{}, begin)
		target := m.Named("waits")
		m.Loaded(target, wait.Served, "", begin)
		for now := begin; now.Before(begin.Add(2 * time.Hour)); now = now.Add(10 * time.Second) {
			v := engine.Judge(o, now)
			facts, _, err := test.Facts(wait.Subject{Content: o, Existed: true, Now: now,
				Judgement: relation.JudgementOf(v)})
			if err != nil {
				t.Fatal(err)
			}
			m.Observe(target, "waits", facts, now)
			if d := m.Decide(now); d.Outcome != wait.Waiting {
				t.Errorf("%s: after %s the wait ended with %s: %s, %s: %s", name, now.Sub(begin), d.Outcome, v.Status, v.Reason, v.Message)
				break
			}
		}
	}
}
