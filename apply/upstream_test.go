// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Faults of other libraries in their writes; those in their merges are in package conditions.

// TestOlderObserver: elsewhere a patch from a stale copy overwrites what a newer generation left.
func TestOlderObserver(t *testing.T) {
	k := kind("A")
	s := newServer(entry("A True", start, 1))
	object, stored := s.read(t)
	result := commit(k, stored, start.Add(time.Minute), "A False")
	s.edit(func() { s.status["conditions"] = []any{entry("A True", start, 5)} })
	if _, err := s.writer(t).Apply(t.Context(), target(k, false), object, result, nil); err != nil {
		t.Fatal(err)
	}
	_, after := s.read(t)
	diff(t, "stored", []string{"A True Good 0s"}, show(after))
	if after[0].ObservedGeneration != 5 {
		t.Errorf("observed at generation %d", after[0].ObservedGeneration)
	}
}

// TestForeignConflict: elsewhere a change of one condition of others in the meantime aborts every change of one's own.
func TestForeignConflict(t *testing.T) {
	for _, listMap := range []bool{true, false} {
		k := kind("A", "B")
		s := newServer(entry("A True", start, 1), entry("B True", start, 1), entry("Foreign True", start, 1))
		object, stored := s.read(t)
		result := commit(k, stored, start.Add(time.Minute), "A False", "B False")
		s.edit(func() {
			s.status["conditions"] = []any{entry("A True", start, 1), entry("B True", start, 1), entry("Foreign False", start, 1)}
		})
		if _, err := s.writer(t).Apply(t.Context(), target(k, listMap), object, result, nil); err != nil {
			t.Fatal(err)
		}
		_, after := s.read(t)
		diff(t, "stored", []string{"A False Bad 1m0s", "B False Bad 1m0s", "Foreign False Bad 0s"}, show(after))
	}
}

// TestReconciledGeneration: elsewhere a result that was computed for a generation is stored as observed at the one that the object
// has when it is written.
func TestReconciledGeneration(t *testing.T) {
	for _, listMap := range []bool{true, false} {
		k := kind("A")
		s := newServer(entry("A True", start, 1))
		object, stored := s.read(t)
		result := commit(k, stored, start, "A False")
		s.answer = func(write int) *metav1.Status { // the spec changes while the first attempt is on its way
			if write > 1 {
				return nil
			}
			s.generation, s.version = 2, s.version+1
			return conflict("", "the object has been modified")
		}
		if _, err := s.writer(t).Apply(t.Context(), target(k, listMap), object, result, nil); err != nil {
			t.Fatal(err)
		}
		_, after := s.read(t)
		if len(after) != 1 || after[0].Status != conditions.False || after[0].ObservedGeneration != 1 {
			t.Errorf("stored %+v", after)
		}
	}
}

// FuzzForeign: whatever stands in an atomic list, entries that are not ours stay as they are, in their order.
func FuzzForeign(f *testing.F) {
	for _, seed := range []string{`[]`, `[null, 7, "x", {}, []]`, `[{"type":"A","status":"True"},{"type":"X"},{"type":"A"}]`,
		`[{"type":7},{"type":"Aa","status":3},{"type":"B","lastTransitionTime":"never"}]`} {
		f.Add([]byte(seed))
	}
	k := kind("A", "B")
	k.Types[0].Aliases = []string{"Aa"}
	ours := map[string]bool{"A": true, "Aa": true, "B": true}
	f.Fuzz(func(t *testing.T, data []byte) {
		var list []any
		if json.Unmarshal(data, &list) != nil {
			return
		}
		s := newServer()
		s.status["conditions"] = list
		object, stored := s.read(t)
		if _, err := s.writer(t).Apply(t.Context(), target(k, false), object, commit(k, stored, start, "A True", "B False"), nil); err != nil {
			t.Fatal(err)
		}
		foreign := func(list []any) (out []string) {
			for _, e := range list {
				if !ours[typeOf(e)] {
					text, err := json.Marshal(e)
					out = append(out, fmt.Sprint(string(text), err))
				}
			}
			return out
		}
		if d := cmp.Diff(foreign(list), foreign(s.list())); d != "" {
			t.Errorf("entries of others: -before +after\n%s", d)
		}
		_, after := s.read(t)
		for _, want := range []string{"A", "B"} {
			if i := conditions.Find(after, want); i < 0 || after[i].Reason == "" {
				t.Errorf("%s is not there: %v", want, after)
			}
		}
	})
}
