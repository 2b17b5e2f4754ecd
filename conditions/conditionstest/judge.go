// SPDX-License-Identifier: Apache-2.0

package conditionstest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
)

// Judge is a function from facts to conditions under test. [Judge.Check] tests properties that every such function
// has, over combinations of the facts of a few examples. [Judge.Fuzz] does the same for as long as go test -fuzz
// runs.
//
//	var judge = conditionstest.Judge[Facts]{Kind: Kind, Facts: examples,
//		Judge: func(stored []conditions.Condition, f Facts, now time.Time) conditionstest.Pass {
//			p := BeginList(1, stored, now)
//			Judge(p, f)
//			return p
//		}}
//
//	func TestJudge(t *testing.T) { judge.Check(t) }
//	func FuzzJudge(f *testing.F) { judge.Fuzz(f) }
type Judge[F any] struct {
	Kind *conditions.Kind
	// Judge reports facts to a pass that begins with the stored conditions, and returns the pass.
	Judge func(stored []conditions.Condition, facts F, now time.Time) Pass
	// Facts are examples. A combination takes each exported field, also of a struct within a struct, from one of them. Values within a
	// field are never mixed.
	Facts []F
	// Ordered names the fields of F with a slice whose order has a meaning.
	Ordered []string
	// Unreached are the declared cells that no combination reaches, as "Type=Status/Reason": those that a clock, an earlier pass
	// or a foreign writer brings about. [Judge.Check] fails when the list lacks one, or has one that was reached.
	Unreached []string
}

// Pass is a pass, generated or of package conditions.
type Pass interface{ Commit() conditions.Result }

// combinations is how many of them Check tries.
const combinations = 2000

// Check judges the examples and 2,000 combinations of them, the same ones each time, and fails when
//
//   - a commit has an error: something undeclared, or a type that was not reached where that is to fail;
//   - the same facts get other conditions: a map's order, or a clock that is not the pass's;
//   - a second pass over the same facts, a second later, would write again;
//   - facts whose lists have another order get other cells (messages may follow the order);
//   - a declared cell is reached by none, and Unreached does not say so.
func (j Judge[F]) Check(t testing.TB) {
	t.Helper()
	coverage := &Coverage{Kinds: []*conditions.Kind{j.Kind}}
	choose := rand.New(rand.NewPCG(1, 2)).IntN
	for _, facts := range j.Facts {
		j.one(t, facts, coverage, choose)
	}
	for range combinations {
		if t.Failed() {
			return // one set of facts is enough to read
		}
		j.one(t, j.combine(choose), coverage, choose)
	}
	var missing []string
	for _, c := range coverage.Report().Missing {
		if derived := slices.IndexFunc(j.Kind.Types, func(t conditions.Type) bool { return t.Name == c.Type && t.Summary != nil }); derived < 0 {
			missing = append(missing, fmt.Sprintf("%s=%s/%s", c.Type, c.Status, c.Reason))
		}
	}
	slices.Sort(missing)
	if diff := cmp.Diff(slices.Sorted(slices.Values(j.Unreached)), missing); diff != "" {
		t.Errorf("declared cells that no facts reach: -in Unreached +found\n%s", diff)
	}
}

// Fuzz does what [Judge.Check] does, coverage aside, with combinations that the fuzzer chooses.
func (j Judge[F]) Fuzz(f *testing.F) {
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, choices []byte) {
		choose := func(n int) int { // the first one when the choices are used up
			if len(choices) == 0 {
				return 0
			}
			next := int(choices[0]) % n
			choices = choices[1:]
			return next
		}
		j.one(t, j.combine(choose), &Coverage{}, choose)
	})
}

// one holds one set of facts to the rules.
func (j Judge[F]) one(t testing.TB, facts F, coverage *Coverage, choose func(n int) int) {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	first := j.Judge(nil, facts, now).Commit()
	coverage.Observe(j.Kind, first.Owned())
	for _, err := range first.Errors {
		t.Errorf("commit: %v\nwith facts %+v", err, facts)
	}
	if diff := cmp.Diff(first.Conditions(), j.Judge(nil, facts, now).Commit().Conditions()); diff != "" {
		t.Errorf("the same facts are judged otherwise a second time:\n%s\nwith facts %+v", diff, facts)
	}
	again := j.Judge(first.Conditions(), facts, now.Add(time.Second))
	if generated, ok := again.(interface{ Untyped() *conditions.Pass }); ok {
		generated.Untyped().SetWaits(first.Waits)
	} else if plain, ok := again.(*conditions.Pass); ok {
		plain.SetWaits(first.Waits)
	}
	if second := again.Commit(); second.Changed {
		t.Errorf("a second pass over the same facts writes again: %s\nwith facts %+v", describe(second), facts)
	}
	other := reflect.New(reflect.TypeFor[F]()).Elem()
	j.shuffle(other, reflect.ValueOf(facts), "", choose)
	if diff := cmp.Diff(Cells(first), Cells(j.Judge(nil, other.Interface().(F), now).Commit())); diff != "" {
		t.Errorf("lists in another order get other cells:\n%s\nwith facts %+v", diff, facts)
	}
}

// combine takes each field from one of the examples.
func (j Judge[F]) combine(choose func(n int) int) F {
	sources := make([]reflect.Value, len(j.Facts))
	for i := range j.Facts {
		sources[i] = reflect.ValueOf(j.Facts[i])
	}
	out := reflect.New(reflect.TypeFor[F]()).Elem()
	if len(sources) > 0 {
		mix(out, sources, choose)
	}
	return out.Interface().(F)
}

func mix(out reflect.Value, sources []reflect.Value, choose func(n int) int) {
	whole := sources[choose(len(sources))]
	out.Set(whole)
	if out.Kind() != reflect.Struct {
		return
	}
	for i := range out.NumField() {
		if !out.Type().Field(i).IsExported() {
			continue // it stays as in one example; a time.Time has no other fields
		}
		fields := make([]reflect.Value, len(sources))
		for k, s := range sources {
			fields[k] = s.Field(i)
		}
		mix(out.Field(i), fields, choose)
	}
}

// shuffle copies facts with the slices in another order.
func (j Judge[F]) shuffle(out, in reflect.Value, name string, choose func(n int) int) {
	out.Set(in)
	switch {
	case in.Kind() == reflect.Slice && in.Len() > 1 && !slices.Contains(j.Ordered, name):
		out.Set(reflect.MakeSlice(in.Type(), in.Len(), in.Len()))
		reflect.Copy(out, in)
		swap := reflect.Swapper(out.Interface())
		for i := in.Len() - 1; i > 0; i-- {
			swap(i, choose(i+1))
		}
	case in.Kind() == reflect.Struct:
		for i := range in.NumField() {
			if in.Type().Field(i).IsExported() {
				j.shuffle(out.Field(i), in.Field(i), in.Type().Field(i).Name, choose)
			}
		}
	}
}

// Cells returns the owned conditions of a result as "STATUS REASON" by type, for a test that compares only decisions.
func Cells(result conditions.Result) map[string]string {
	out := map[string]string{}
	for _, c := range result.Owned() {
		out[c.Type] = string(c.Status) + " " + c.Reason
	}
	return out
}

// sorted returns the types of several results, in order of name.
func sorted(results map[string]conditions.Result) []string {
	types := map[string]bool{}
	for _, r := range results {
		for _, c := range r.Owned() {
			types[c.Type] = true
		}
	}
	return slices.Sorted(maps.Keys(types))
}
