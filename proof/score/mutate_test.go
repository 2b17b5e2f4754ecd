// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"encoding/json"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/verdict"
)

// answer has all parts of a verdict.
type answer struct {
	Status         verdict.Status
	Ready          bool
	Type           string
	Condition      conditions.Status
	Reason         string
	Severity       conditions.Severity
	Remedy         string
	Message        string
	Rule           string
	Since, Look    time.Time
	Evidence       []verdict.Evidence
	Contradictions []string
}

func answerOf(v verdict.Verdict) answer {
	return answer{v.Status, v.Ready, v.Type, v.Condition, v.Reason, v.Severity, v.Remedy, v.Message, v.Rule, v.Since,
		v.NextLook, v.Evidence, v.Contradictions}
}

// everything reads every fifth object that is part of the project, and all objects of the corpus where it is there.
func everything(t *testing.T, now time.Time) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	dir := filepath.Join("..", "..", "..", "shared", "corpus")
	packs, conventions, _ := own(t)
	for i, row := range append(packs, conventions...) {
		if i%5 == 0 {
			out[row.ID] = row.Object
		}
	}
	if _, err := os.Stat(dir); err != nil {
		return out
	}
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".yaml") {
			out[path] = readObject(t, path, now)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestMutations: over all objects of the corpus, mutated, nothing panics, and the order of lists does not matter.
func TestMutations(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	packs, err := pack.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	engines := map[string]*verdict.Engine{"tristate": {}, "generic": {Generic: true}, "packs": pack.Engine(embedded(t), packs)}
	seed := int64(1)
	if testing.Short() {
		seed = 2
	}
	r := rand.New(rand.NewSource(seed))
	failures := 0
	objects := everything(t, now)
	for _, path := range slices.Sorted(maps.Keys(objects)) {
		object := objects[path]
		for round := range 12 {
			m := object
			if round > 0 {
				m = mutate(r, clone(object), 1+r.Intn(4)).(map[string]any)
			}
			raw, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range slices.Sorted(maps.Keys(engines)) {
				e := engines[name]
				plain := answerOf(e.Judge(m, now))
				if err := consistent(e, m, now); err != nil {
					t.Errorf("%s: %s: %v\n%s", path, name, err, raw)
					failures++
				}
				shuffled := shuffle(r, clone(m)).(map[string]any)
				if diff := cmp.Diff(sorted(plain), sorted(answerOf(e.Judge(shuffled, now)))); diff != "" {
					t.Errorf("%s: %s: another order of lists (+) changes the answer:\n%s\n%s", path, name, diff, raw)
					failures++
				}
			}
			if failures > 5 {
				t.Fatal("too many failures")
			}
		}
	}
}

// sorted forgets the value of evidence: a whole list, as evidence, is in another order.
func sorted(a answer) answer {
	for i := range a.Evidence {
		switch a.Evidence[i].Value.(type) {
		case []any, map[string]any:
			a.Evidence[i].Value = "..."
		}
	}
	return a
}

func clone(v any) map[string]any {
	raw, _ := json.Marshal(v)
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		panic(err)
	}
	return numbers(out).(map[string]any)
}

func numbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = numbers(x)
		}
	case []any:
		for i, x := range v {
			v[i] = numbers(x)
		}
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, _ := v.Float64()
		return f
	}
	return v
}

// shuffle changes the order of all lists that hold objects. Plain values are in the order of their author: the first of several errors is
// quoted.
func shuffle(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			v[k] = shuffle(r, v[k])
		}
	case []any:
		objects := true
		for i, x := range v {
			v[i] = shuffle(r, x)
			_, ok := x.(map[string]any)
			objects = objects && ok
		}
		if !objects {
			return v
		}
		r.Shuffle(len(v), func(i, k int) { v[i], v[k] = v[k], v[i] })
	}
	return v
}

// mutate drops, retypes, swaps and doubles values at random places.
func mutate(r *rand.Rand, v any, times int) any {
	for range times {
		v = mutateOnce(r, v, 0)
	}
	if _, ok := v.(map[string]any); !ok {
		return map[string]any{"kind": v}
	}
	return v
}

var oddValues = []any{
	nil, true, false, int64(0), int64(-1), int64(3), 1.5, "", "True", "False", "Unknown", "true", "7", "Failed", "Pending", "0/1",
	map[string]any{}, []any{}, []any{nil}, []any{"x", map[string]any{"type": "Ready", "status": "False"}},
	map[string]any{"type": "Ready", "status": "True"}, "2026-01-02T03:04:05Z", "\u00e9\"\\\n",
}

func odd(r *rand.Rand) any { return clone(map[string]any{"v": oddValues[r.Intn(len(oddValues))]})["v"] }

func mutateOnce(r *rand.Rand, v any, depth int) any {
	if depth > 0 && r.Intn(6) == 0 {
		return odd(r)
	}
	switch v := v.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		if len(keys) == 0 {
			return v
		}
		// Prefer what engines read.
		k := keys[r.Intn(len(keys))]
		if _, ok := v["status"]; ok && r.Intn(2) == 0 {
			k = "status"
		}
		if _, ok := v["conditions"]; ok && r.Intn(2) == 0 {
			k = "conditions"
		}
		switch r.Intn(8) {
		case 0:
			delete(v, k)
		case 1:
			v[[]string{"phase", "state", "paused", "error", "ready", "observedGeneration", "replicas"}[r.Intn(7)]] = odd(r)
		default:
			v[k] = mutateOnce(r, v[k], depth+1)
		}
		return v
	case []any:
		if len(v) == 0 {
			return append(v, odd(r))
		}
		i := r.Intn(len(v))
		switch r.Intn(6) {
		case 0:
			return append(v[:i:i], v[i+1:]...)
		case 1:
			return append(v, clone(map[string]any{"v": v[i]})["v"])
		case 2:
			return append(v, odd(r))
		}
		v[i] = mutateOnce(r, v[i], depth+1)
		return v
	}
	return odd(r)
}
