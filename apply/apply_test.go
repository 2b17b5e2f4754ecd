// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// kind declares some positive types with the reasons Good (True), Bad (False) and Unsure.
func kind(types ...string) *conditions.Kind {
	k := &conditions.Kind{Group: "example.dev", Kind: "Thing"}
	for _, name := range types {
		k.Types = append(k.Types, conditions.Type{Name: name, Presence: conditions.PresenceWhenKnown, Reasons: []conditions.Reason{
			{Name: "Bad", Status: conditions.False, Class: conditions.ClassTerminal, Severity: conditions.SeverityError},
			{Name: "Unsure", Status: conditions.Unknown, Class: conditions.ClassProgress},
			{Name: "Good", Status: conditions.True, Class: conditions.ClassOK},
		}})
	}
	return k
}

func target(k *conditions.Kind, listMap bool) apply.Target {
	return apply.Target{Resource: schema.GroupVersionResource{Group: "example.dev", Version: "v1", Resource: "things"}, Kind: "Thing",
		Namespaced: true, ListMap: listMap, Path: apply.ParsePath(""), Own: k}
}

// entry is "Type Status" as it is stored, with reason Good, Bad or Unsure.
func entry(cell string, since time.Time, generation int64) map[string]any {
	name, status, _ := strings.Cut(cell, " ")
	return wire.ToUnstructured(conditions.Condition{Condition: metav1.Condition{Type: name, Status: conditions.Status(status),
		Reason: reasons[conditions.Status(status)], LastTransitionTime: metav1.Time{Time: since}, ObservedGeneration: generation}},
		conditions.DialectCore)
}

var reasons = map[conditions.Status]string{conditions.True: "Good", conditions.False: "Bad", conditions.Unknown: "Unsure"}

// commit is a pass that reports cells such as "A True".
func commit(k *conditions.Kind, stored []conditions.Condition, at time.Time, cells ...string) conditions.Result {
	p := k.Begin(1, stored, at)
	for _, cell := range cells {
		name, status, _ := strings.Cut(cell, " ")
		p.Report(name, conditions.Status(status), reasons[conditions.Status(status)], "")
	}
	return p.Commit()
}

// show returns a line an entry: type, status, reason, minutes since the start.
func show(list []conditions.Condition) []string {
	var out []string
	for _, c := range list {
		out = append(out, fmt.Sprintf("%s %s %s %v", c.Type, c.Status, c.Reason, c.LastTransitionTime.Sub(start)))
	}
	return out
}

func diff(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: -want +got\n%s", what, d)
	}
}

func TestRequests(t *testing.T) {
	k := kind("A", "B")
	tests := map[string]struct {
		listMap bool
		cells   []string
		fields  apply.Fields
		want    []string
	}{
		"map, unchanged":               {true, []string{"A True"}, nil, nil},
		"map, changed":                 {true, []string{"A False"}, nil, []string{"PATCH apply"}},
		"map, both changed":            {true, []string{"A False", "B True"}, apply.Fields{"url": "x"}, []string{"PATCH apply"}},
		"map, only a field changed":    {true, []string{"A True"}, apply.Fields{"url": "x"}, []string{"PATCH apply"}},
		"atomic, unchanged":            {false, []string{"A True"}, nil, nil},
		"atomic, changed":              {false, []string{"A False"}, nil, []string{"GET", "PATCH merge"}},
		"atomic, changed with a field": {false, []string{"A False"}, apply.Fields{"url": "x"}, []string{"GET", "PATCH merge"}},
		"a field that is not there":    {true, []string{"A True"}, apply.Fields{"url": nil}, nil},
		// the model's A was never applied
		"map, a type goes, nobody else": {true, []string{"A Unknown"}, nil, []string{"PATCH apply", "PATCH merge"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newServer(entry("A True", start, 1), entry("Foreign True", start, 1))
			object, stored := s.read(t)
			if _, err := s.writer(t).Apply(t.Context(), target(k, test.listMap), object, commit(k, stored, start, test.cells...),
				test.fields); err != nil {
				t.Fatal(err)
			}
			diff(t, "requests", test.want, s.sent())
			_, after := s.read(t)
			if !slices.Contains(show(after), "Foreign True Good 0s") {
				t.Errorf("the condition of another is gone: %v", show(after))
			}
		})
	}
}

// TestMay: a writer that may not write, as one whose lease has run out, sends nothing that writes, and says why.
func TestMay(t *testing.T) {
	k := kind("A", "B")
	for _, listMap := range []bool{true, false} {
		s := newServer(entry("A True", start, 1))
		object, stored := s.read(t)
		w, lost := s.writer(t), errors.New("the lease was not renewed")
		w.May = func() error { return lost }
		if _, err := w.Apply(t.Context(), target(k, listMap), object, commit(k, stored, start, "A False"), nil); !errors.Is(err, lost) {
			t.Errorf("list map %v: %v", listMap, err)
		}
		if sent := s.sent(); slices.ContainsFunc(sent, func(r string) bool { return r != "GET" }) {
			t.Errorf("list map %v: %v", listMap, sent)
		}
	}
}

// TestConflict: after a conflict the change is put on top of what is stored.
func TestConflict(t *testing.T) {
	k := kind("A", "B")
	tests := map[string]struct {
		meanwhile []map[string]any // what is stored when the first attempt is refused
		want      []string
		requests  int // of each kind of list
		turns     []string
	}{
		"the same": {[]map[string]any{entry("A True", start, 1)}, []string{"A False Bad 10m0s"}, 3,
			[]string{"A True False"}},
		"a status that is stored keeps its time": {[]map[string]any{entry("A False", start.Add(5*time.Minute), 0)}, []string{"A False Bad 5m0s"},
			3, nil},
		"nothing is left": {[]map[string]any{entry("A False", start.Add(5*time.Minute), 1)}, []string{"A False Bad 5m0s"},
			2, nil},
		"a newer generation stays": {[]map[string]any{entry("A True", start, 9)}, []string{"A True Good 0s"}, 2, nil},
		"a newer generation of another type stays": {[]map[string]any{entry("A True", start, 1), entry("B True", start, 9)},
			[]string{"A False Bad 10m0s", "B True Good 0s"}, 3, []string{"A True False"}},
		"a later change": {[]map[string]any{entry("A Unknown", start.Add(20*time.Minute), 1)}, []string{"A False Bad 1h0m0s"}, 3,
			[]string{"A Unknown False"}},
		"others": {[]map[string]any{entry("X False", start, 1), entry("A True", start, 1)},
			[]string{"X False Bad 0s", "A False Bad 10m0s"}, 3, []string{"A True False"}},
	}
	for name, test := range tests {
		for _, listMap := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/map=%v", name, listMap), func(t *testing.T) {
				s := newServer(entry("A True", start, 1))
				object, stored := s.read(t)
				s.answer = func(write int) *metav1.Status {
					if write > 1 {
						return nil
					}
					var list []any
					for _, e := range test.meanwhile {
						list = append(list, e)
					}
					s.status["conditions"] = list
					s.version++
					return conflict("", "the object has been modified")
				}
				out, err := s.writer(t).Apply(t.Context(), target(k, listMap), object, commit(k, stored, start.Add(10*time.Minute), "A False"), nil)
				if err != nil {
					t.Fatal(err)
				}
				_, after := s.read(t)
				diff(t, "stored", test.want, show(after))
				requests := test.requests
				if !listMap {
					requests++ // its first read
				}
				if got := s.sent(); len(got) != requests {
					t.Errorf("requests %v, want %d", got, requests)
				}
				var turns []string
				for _, tr := range out.Transitions {
					turns = append(turns, fmt.Sprintf("%s %s %s", tr.Type, tr.From.Status, tr.To.Status))
				}
				diff(t, "transitions", test.turns, turns)
			})
		}
	}
}

func TestError(t *testing.T) {
	k := kind("A", "B")
	for _, listMap := range []bool{true, false} {
		s := newServer(entry("A True", start, 1))
		object, stored := s.read(t)
		s.answer = func(write int) *metav1.Status {
			s.version++
			return conflict("", fmt.Sprintf("attempt %d lost", write))
		}
		w := s.writer(t)
		_, err := w.Apply(t.Context(), target(k, listMap), object, commit(k, stored, start, "A False", "B True"), nil)
		var failed *apply.Error
		if !errors.As(err, &failed) || !failed.Conflict() || failed.Attempts != 8 || w.Conflicts() != 8 {
			t.Errorf("%v (%d conflicts)", err, w.Conflicts())
		}
		diff(t, "error", "write A, B of Thing/n/a (8 attempts): attempt 8 lost", fmt.Sprint(err))
	}
	s := newServer()
	object, stored := s.read(t)
	s.answer = func(int) *metav1.Status {
		return &metav1.Status{Status: "Failure", Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: "not allowed"}
	}
	_, err := s.writer(t).Apply(t.Context(), target(k, true), object, commit(k, stored, start, "A False"), nil)
	diff(t, "error", "write A of Thing/n/a: not allowed", fmt.Sprint(err))
	var failed *apply.Error
	if errors.As(err, &failed) && failed.Conflict() {
		t.Error("that was no conflict")
	}
}

// TestGone: an object that is not there, or not the same any more, is no error, and nothing is written to it.
func TestGone(t *testing.T) {
	k := kind("A")
	for _, listMap := range []bool{true, false} {
		for name, before := range map[string]func(*server){"not found": func(s *server) { s.uid = "" },
			"made anew": func(s *server) { s.uid = "u2" }} {
			s := newServer(entry("A True", start, 1))
			object, stored := s.read(t)
			before(s)
			out, err := s.writer(t).Apply(t.Context(), target(k, listMap), object, commit(k, stored, start, "A False"), nil)
			if err != nil || out.Object != nil || len(out.Transitions) > 0 {
				t.Errorf("%s, map=%v: %+v, %v", name, listMap, out, err)
			}
			s.uid = "u1"
			_, after := s.read(t)
			diff(t, name, []string{"A True Good 0s"}, show(after))
		}
	}
}

// TestGone_writeAlone: a write that is not found, of an object that exists, has failed: it is to be repeated.
func TestGone_writeAlone(t *testing.T) {
	k := kind("A")
	for _, listMap := range []bool{true, false} {
		s := newServer(entry("A True", start, 1))
		object, stored := s.read(t)
		s.answer = func(write int) *metav1.Status {
			if write > 1 {
				return nil
			}
			return notFound()
		}
		result := commit(k, stored, start, "A False")
		if _, err := s.writer(t).Apply(t.Context(), target(k, listMap), object, result, nil); err == nil {
			t.Errorf("map=%v: the object exists, its status is stale, and there is no error", listMap)
		}
		out, err := s.writer(t).Apply(t.Context(), target(k, listMap), object, result, nil)
		if err != nil || out.Object == nil {
			t.Errorf("map=%v: the second write: %+v, %v", listMap, out, err)
		}
	}
}

// TestAtomic: what others wrote to an atomic list stays, in its place, whatever it is.
func TestAtomic(t *testing.T) {
	k := kind("New", "A", "B")
	k.Types[1].Aliases = []string{"Aa"}
	s := newServer(entry("X True", start, 1), entry("Aa True", start, 1), map[string]any{"type": 7.0}, entry("B True", start, 1),
		entry("A False", start, 1),
		map[string]any{"type": "Y", "status": "True", "extra": "kept"})
	object, stored := s.read(t)
	if _, err := s.writer(t).Apply(t.Context(), target(k, false), object, commit(k, stored, start.Add(time.Minute), "A True", "B Unknown",
		"New True"), nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range s.list() {
		m, _ := e.(map[string]any)
		got = append(got, fmt.Sprintf("%v %v %v", m["type"], m["status"], m["extra"]))
	}
	diff(t, "list", []string{"X True <nil>", "A True <nil>", "7 <nil> <nil>", "Y True kept", "New True <nil>"}, got)
}

// TestFuture: a time that lies far ahead is corrected in lists of both kinds, also where nothing else changes.
func TestFuture(t *testing.T) {
	k := kind("A")
	for listMap, want := range map[bool]string{true: "A False Bad 10m0s", false: "A False Bad 1h0m0s"} {
		s := newServer(entry("A False", start.Add(1000*time.Hour), 1))
		object, stored := s.read(t)
		if _, err := s.writer(t).Apply(t.Context(), target(k, listMap), object, commit(k, stored, start.Add(10*time.Minute), "A False"),
			nil); err != nil {
			t.Fatal(err)
		}
		_, after := s.read(t)
		diff(t, "stored", []string{want}, show(after))
	}
}
