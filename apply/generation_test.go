// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tristate/tristate/apply"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// typed is an object of an operator with Go types.
type typed struct {
	metav1.ObjectMeta
	Status struct{ ObservedGeneration int64 }
}

// TestStatusGeneration: of a kind that records the generation in its status, each pass over a new generation writes it, also one that changes no condition
// and one without any; the same generation is written once, and a newer one that is stored stays.
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
