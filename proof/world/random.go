// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// This file is for tests by random steps: a test makes steps, computes every status with an oracle of its own, and waits until the stored
// ones agree.

// Number returns an environment variable as a number.
func Number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Cells are conditions as "Status Reason", by type; a type that is not there is absent. In expected cells several values may be right: see
// [Open].
type Cells map[string]string

// Open returns an expected cell that has one of several values; an empty one is absence. quotation is the sentence of the document that
// leaves the choice open. proof/statement lists all of them, and refuses a choice that is made in another way.
func Open(_ string, values ...string) string { return strings.Join(values, "|") }

// Differ returns where stored cells are not the expected ones.
func (c Cells) Differ(have Cells) (wrong []string) {
	all := maps.Clone(c)
	maps.Copy(all, have)
	for _, conditionType := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(strings.Split(c[conditionType], "|"), have[conditionType]) {
			wrong = append(wrong, fmt.Sprintf("%s: want %q, have %q", conditionType, c[conditionType], have[conditionType]))
		}
	}
	return wrong
}

// CellsOf returns the conditions of an object. Where the condition of a type is of an older generation, its cell names that generation.
func CellsOf(o *unstructured.Unstructured, observed string) Cells {
	raw, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	have := Cells{}
	for _, entry := range raw {
		c, ok := entry.(map[string]any)
		if !ok {
			continue
		}
		conditionType := fmt.Sprint(c["type"])
		have[conditionType] = fmt.Sprint(c["status"], " ", c["reason"])
		if conditionType == observed && c["observedGeneration"] != o.GetGeneration() {
			have[conditionType] += fmt.Sprintf(" of generation %v, not %d", c["observedGeneration"], o.GetGeneration())
		}
	}
	return have
}

// Objects returns all objects of a kind as they are stored now.
func (w *World) Objects(t *testing.T, gvk schema.GroupVersionKind) []unstructured.Unstructured {
	t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := w.API.List(t.Context(), list); err != nil {
		t.Fatalf("list %s: %v", gvk.Kind, err)
	}
	return list.Items
}

// Settle looks until look reports that everything is as expected, at most [Patience]. wake, where it is not nil, is called every second: it
// is for facts that no watch reports.
func Settle(t *testing.T, look func() bool, wake func()) bool {
	t.Helper()
	defer Slow(t, time.Now())
	woken := time.Time{}
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if wake != nil && time.Since(woken) > time.Second {
			wake()
			woken = time.Now()
		}
		if look() {
			return true
		}
	}
	return false
}

// Pick returns another state than the present one; the first ones are likelier.
func Pick(random *rand.Rand, is string, states ...string) string {
	for {
		i := min(random.IntN(len(states)), random.IntN(len(states)+1))
		if next := states[i]; next != is {
			return next
		}
	}
}

// Set creates, edits or deletes an object so that it is in a state; the empty one is that it does not exist.
func Set[T client.Object](t *testing.T, w *World, object T, was, is string, spec func(T)) {
	t.Helper()
	switch {
	case is == "" && was == "":
	case is == "":
		w.Remove(t, object)
		w.Gone(t, object)
	case was == "":
		spec(object)
		w.Create(t, object)
	default:
		Edit(t, w, object, spec)
	}
}
