// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// typed is an object of an operator with Go types.
type typed struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		ObservedGeneration int64 `json:"observedGeneration"`
	} `json:"status"`
}

// TestStatusGeneration: of a kind that records the generation in its status, each pass over a new generation writes it, also one that
// changes no condition and one without any; the same generation is written once, and a newer one that is stored stays.
func TestStatusGeneration(t *testing.T) {
	for name, tt := range map[string]struct {
		stored, generation int64
		facts              []string
		fields             apply.Fields
		writes             int
		want               string
	}{
		"a new generation, and no condition changes": {1, 2, []string{"A True"}, nil, 1, "2"},
		"no conditions at all":                       {0, 1, nil, nil, 1, "1"},
		"the same generation":                        {2, 2, []string{"A True"}, nil, 0, "2"},
		"the operator has a value of its own":        {1, 2, []string{"A True"}, apply.Fields{"observedGeneration": int64(7)}, 1, "7"},
		"a newer one is stored":                      {5, 2, []string{"A False"}, nil, 1, "5"},
	} {
		for _, listMap := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				k := kind("A")
				k.StatusGeneration = true
				if tt.facts == nil {
					k.Types = nil
				}
				s := newServer()
				if tt.facts != nil {
					s.status["conditions"] = []any{entry("A True", start, 1)}
				}
				s.generation = int(tt.generation)
				if tt.stored > 0 {
					s.status["observedGeneration"] = tt.stored
				}
				_, list := s.read(t)
				result := commit(k, list, start.Add(time.Minute), tt.facts...)
				decoded := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"observedGeneration": tt.stored}}}
				decoded.SetGeneration(tt.generation)
				decoded.SetName("a")
				decoded.SetNamespace("n")
				decoded.SetUID("u1")
				w := s.writer(t)
				if _, err := w.Apply(t.Context(), target(k, listMap), decoded, result, tt.fields); err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprint(s.status["observedGeneration"]); w.Writes() != tt.writes || got != tt.want {
					t.Errorf("%d writes, generation %s; want %d, %s", w.Writes(), got, tt.writes, tt.want)
				}
			})
		}
	}
}

// TestStatusGeneration_typed: the status of a typed object is read as well, and one that cannot be read counts as up to date.
func TestStatusGeneration_typed(t *testing.T) {
	k := kind("A")
	k.StatusGeneration = true
	s := newServer(entry("A True", start, 2))
	s.generation, s.status["observedGeneration"] = 2, 1
	meta, list := s.read(t)
	object := &typed{ObjectMeta: *meta}
	object.Status.ObservedGeneration = 1
	w := s.writer(t)
	for _, one := range []metav1.Object{meta, object} {
		if _, err := w.Apply(t.Context(), target(k, true), one, commit(k, list, start, "A True"), nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(s.status["observedGeneration"]); w.Writes() != 1 || got != "2" {
		t.Errorf("%d writes, generation %s", w.Writes(), got)
	}
}

// TestStatusWaits: of a kind that stores when its waits began, they go in the request of the conditions, go when there are none, and a pass
// over an object of a cache that lags behind does not move a beginning that is stored by then.
func TestStatusWaits(t *testing.T) {
	for _, listMap := range []bool{true, false} {
		k := &conditions.Kind{Group: kind("A").Group, Kind: kind("A").Kind, StatusWaits: true,
			Types: []conditions.Type{{Name: "A", Reasons: []conditions.Reason{
				{Name: "Waiting", Status: conditions.False, Deadline: &conditions.Deadline{After: time.Hour}},
				{Name: "Done", Status: conditions.True},
			}}}}
		s := newServer()
		status := &apply.Status{Target: target(k, listMap), Writer: s.writer(t)}
		pass := func(object metav1.Object, list []conditions.Condition, waits []conditions.Wait, now time.Time, done bool) {
			t.Helper()
			p := k.Begin(object.GetGeneration(), list, now)
			p.SetWaits(waits)
			if done {
				p.Report("A", conditions.True, "Done", "")
			} else {
				p.Report("A", conditions.False, "Waiting", "")
			}
			if err := status.Apply(t.Context(), object, p.Commit()); err != nil {
				t.Fatal(err)
			}
		}
		stored := func() []conditions.Wait {
			t.Helper()
			waits, errs := wire.Waits(map[string]any{"status": s.status})
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			return waits
		}
		before, list := s.read(t)
		pass(before, list, nil, start, false)
		if got := stored(); len(got) != 1 || got[0].Reason != "Waiting" || !got[0].Since.Time.Equal(start) {
			t.Errorf("list map %t: stored %v", listMap, got)
		}
		pass(before, list, nil, start.Add(time.Minute), false) // the cache has not seen the write
		if got := stored(); len(got) != 1 || !got[0].Since.Time.Equal(start) {
			t.Errorf("list map %t: a pass over an old state moved the beginning: %v", listMap, got)
		}
		writes := status.Writer.Writes()
		after, list := s.read(t)
		pass(after, list, stored(), start.Add(2*time.Minute), false)
		if status.Writer.Writes() != writes {
			t.Errorf("list map %t: an unchanged pass wrote", listMap)
		}
		pass(after, list, stored(), start.Add(3*time.Minute), true)
		// server-side apply takes away what is not applied any more: controller.TestDeadline, on a real API server
		if got := stored(); !listMap && len(got) != 0 {
			t.Errorf("list map %t: left %v", listMap, got)
		}
	}
}
