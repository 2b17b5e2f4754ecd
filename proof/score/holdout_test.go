// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

// unseen is an object with its verdict, written by an author who did not know the rules.
type unseen struct {
	Name    string           `json:"name"`
	Object  map[string]any   `json:"object"`
	Verdict verdict.Status   `json:"verdict"`
	Also    []verdict.Status `json:"also"`
}

func readUnseen(t *testing.T, file string, data []byte) []unseen {
	t.Helper()
	var list []unseen
	if err := yaml.UnmarshalStrict(data, &list); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return list
}

// marks counts the answers of an engine about unseen objects: how many are right, how many broken ones it calls Current, and how many that
// are under way, well or off it calls Failed.
type marks struct{ right, green, red int }

// writtenTime is the time at which those objects are judged.
var writtenTime = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

// mark judges unseen objects.
func mark(engine *verdict.Engine, list []unseen, miss func(unseen, verdict.Verdict)) (m marks) {
	for _, x := range list {
		v := engine.Judge(x.Object, writtenTime)
		switch {
		case v.Status == x.Verdict || slices.Contains(x.Also, v.Status):
			m.right++
			continue
		case v.Status == verdict.Current && x.Verdict.Broken():
			m.green++
		case v.Status == verdict.Failed && !x.Verdict.Broken():
			m.red++
		}
		miss(x, v)
	}
	return m
}

// TestHoldout judges, by conventions alone, 300 objects of 114 kinds that were written with their verdicts by somebody who did not know the
// rules. They measure what conventions are worth for kinds that nobody has looked at: no rule is to be made from them. What they are right
// for may not become less. Half of them is sealed: it stands in a compressed file that no search finds, and only the counts of it are
// printed, so that no rule can be made from what is missed.
func TestHoldout(t *testing.T) {
	t.Run("open", func(t *testing.T) {
		const leastRight, mostGreen = 135, 2 // of 150
		list := readOpen(t, "holdout")
		m := mark(new(verdict.Engine), list, func(x unseen, v verdict.Verdict) {
			t.Logf("%s: want %s, got %s by %s: %s", x.Name, x.Verdict, v.Status, v.Rule, v.Message)
		})
		t.Logf("%d of %d right, %d broken ones called Current", m.right, len(list), m.green)
		if m.right < leastRight || m.green > mostGreen {
			t.Errorf("want at least %d right and at most %d broken ones called Current", leastRight, mostGreen)
		}
	})
	t.Run("sealed", func(t *testing.T) {
		const leastRight, mostGreen = 134, 5 // of 150
		list := readSealed(t, "holdout")
		m := mark(new(verdict.Engine), list, func(unseen, verdict.Verdict) {})
		t.Logf("%d of %d right, %d broken ones called Current", m.right, len(list), m.green)
		if m.right < leastRight || m.green > mostGreen {
			t.Errorf("want at least %d right and at most %d broken ones called Current", leastRight, mostGreen)
		}
	})
}
