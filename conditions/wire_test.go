// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestFromUnstructured(t *testing.T) {
	entry := func(change map[string]any) map[string]any {
		m := map[string]any{"type": "Ready", "status": "True", "reason": "Up", "message": "text", "lastTransitionTime": "2026-01-02T03:04:05Z", "observedGeneration": int64(3)}
		for key, value := range change {
			if m[key] = value; value == nil {
				delete(m, key)
			}
		}
		return m
	}
	full := cond("Ready", True, "Up", "text", 3, t0)
	with := func(change func(*Condition)) Condition {
		c := full
		change(&c)
		return c
	}
	tests := map[string]struct {
		in     any
		want   []Condition
		errors []string
	}{
		"whole":            {entry(nil), []Condition{full}, nil},
		"severity":         {entry(map[string]any{"severity": "Warning"}), []Condition{with(func(c *Condition) { c.Severity = SeverityWarning })}, nil},
		"float generation": {entry(map[string]any{"observedGeneration": 3.0}), []Condition{full}, nil},
		"json.Number":      {entry(map[string]any{"observedGeneration": json.Number("3")}), []Condition{full}, nil},
		"no generation":    {entry(map[string]any{"observedGeneration": nil}), []Condition{with(func(c *Condition) { c.ObservedGeneration = 0 })}, nil},
		"half a generation": {entry(map[string]any{"observedGeneration": 3.5}), []Condition{with(func(c *Condition) { c.ObservedGeneration = 0 })},
			[]string{"conditions[0].observedGeneration (condition Ready): is a number, not a whole number"}},
		"no type":      {entry(map[string]any{"type": nil}), []Condition{}, []string{"conditions[0].type: is missing"}},
		"empty type":   {entry(map[string]any{"type": ""}), []Condition{}, []string{"conditions[0].type: is empty"}},
		"no status":    {entry(map[string]any{"status": nil}), []Condition{with(func(c *Condition) { c.Status = Unknown })}, []string{"conditions[0].status (condition Ready): is missing"}},
		"odd status":   {entry(map[string]any{"status": "true"}), []Condition{with(func(c *Condition) { c.Status = Unknown })}, []string{`conditions[0].status (condition Ready): "true" is not True, False or Unknown`}},
		"bool status":  {entry(map[string]any{"status": true}), []Condition{with(func(c *Condition) { c.Status = Unknown })}, []string{"conditions[0].status (condition Ready): is a boolean, not a string"}},
		"odd time":     {entry(map[string]any{"lastTransitionTime": "now"}), []Condition{with(func(c *Condition) { c.LastTransitionTime = metav1.Time{} })}, []string{`conditions[0].lastTransitionTime (condition Ready): "now" is not a time of RFC 3339`}},
		"not an entry": {"Ready", []Condition{}, []string{"conditions[0]: is a string, not an object"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, errs := FromUnstructured([]any{tt.in})
			same(t, "conditions", tt.want, got)
			same(t, "errors", tt.errors, texts(errs))
		})
	}
	none, errs := FromUnstructured(nil)
	if none != nil || errs != nil {
		t.Error("no list gives something")
	}
}

// Entries keep what nobody here knows, and their places; what the pass drops goes, what it adds comes last.
func TestListWrite(t *testing.T) {
	theirs := map[string]any{"type": "Theirs", "status": "True", "since": "yesterday"}
	ready := map[string]any{"type": "Ready", "status": "True", "reason": "Healthy", "message": "", "observedGeneration": int64(1), "lastTransitionTime": "2026-01-02T03:04:05Z", "note": "kept"}
	broken := map[string]any{"status": "True"}
	list, _ := ReadList([]any{broken, theirs, 7, ready, nil})
	same(t, "unchanged", []any{broken, theirs, 7, ready, nil}, list.Write(list.Conditions, Core))

	next := []Condition{list.Conditions[0], cond("Ready", False, "Down", "", 2, t1), cond("New", True, "X", "", 2, t1)}
	want := []any{broken, theirs, 7,
		map[string]any{"type": "Ready", "status": "False", "reason": "Down", "message": "", "observedGeneration": int64(2), "lastTransitionTime": "2026-01-02T04:04:05Z", "note": "kept"},
		map[string]any{"type": "New", "status": "True", "reason": "X", "message": "", "observedGeneration": int64(2), "lastTransitionTime": "2026-01-02T04:04:05Z"},
		nil,
	}
	same(t, "changed", want, list.Write(next, Core))
	same(t, "all gone", []any{broken, 7, nil}, list.Write(nil, Core))
}

// Reading never panics, whatever stands in the list, and writing back what was read changes nothing.
// TestListWrite_long: a list takes time in proportion to its entries, in whatever order the conditions come. With time in proportion to their
// square this test would not end.
func TestListWrite_long(t *testing.T) {
	const n = 200_000
	raw := make([]any, n)
	for i := range raw {
		raw[i] = map[string]any{"type": "T" + strconv.Itoa(i), "status": "True", "theirs": "kept"}
	}
	list, errs := ReadList(raw)
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	next := slices.Clone(list.Conditions)
	slices.Reverse(next)
	next[0].Status = False
	out := list.Write(next, Core)
	if len(out) != n {
		t.Fatalf("%d entries of %d", len(out), n)
	}
	for i, entry := range out {
		m := entry.(map[string]any)
		if want := "T" + strconv.Itoa(n-1-i); m["type"] != want || m["theirs"] != "kept" {
			t.Fatalf("entry %d: want %s with what others wrote, got %v", i, want, m)
		}
	}
}

func FuzzReadList(f *testing.F) {
	f.Add([]byte(`[{"type":"Ready","status":"True","reason":"Up","message":"","lastTransitionTime":"2026-01-02T03:04:05Z","observedGeneration":3}, 7, null, [], {"type":3}]`))
	f.Add([]byte(`[{"type":"A","status":"Maybe","severity":5,"observedGeneration":1e99},{"type":"A","lastTransitionTime":"x"}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var raw []any
		if json.Unmarshal(data, &raw) != nil || len(raw) == 0 {
			return
		}
		list, errs := ReadList(raw)
		if len(list.Conditions) < len(raw) && len(errs) == 0 {
			t.Error("an entry is left out without an error")
		}
		same(t, "written back", raw, list.Write(list.Conditions, Core))
		p := thing().Begin(1, list.Conditions, t1)
		p.Report("Synced", True, "UpToDate", "")
		got := p.Commit()
		out := list.Write(got.Conditions, Core)
		for i := range got.Owned {
			if Find(list.Conditions, got.Owned[i].Type) < 0 {
				same(t, "an entry of ours", 0, len(Validate(&got.Owned[i], Core)))
			}
		}
		again, _ := ReadList(out)
		p = thing().Begin(1, again.Conditions, t2)
		p.Report("Synced", True, "UpToDate", "")
		if p.Commit().Changed {
			t.Errorf("a second pass over %s has something to write", data)
		}
	})
}

// A list of a hundred thousand entries that comes back in another order is written in the time of a walk, not of a walk for each entry.
func TestWriteLongList(t *testing.T) {
	const n = 100_000
	raw := make([]any, 0, n+2)
	raw = append(raw, "not an object")
	for i := range n {
		raw = append(raw, map[string]any{"type": fmt.Sprint("Type", i), "status": "True", "note": "kept"})
	}
	raw = append(raw, 7)
	l, _ := ReadList(raw)
	next := slices.Clone(l.Conditions)
	slices.Reverse(next)
	next[0].Message = "changed"
	start := time.Now()
	out := l.Write(next, Core)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("%d entries took %s", n, took)
	}
	same(t, "length", len(raw), len(out))
	same(t, "the first one", any("not an object"), out[0])
	same(t, "the changed one", any("kept"), out[1].(map[string]any)["note"])
	same(t, "in the order of the result", any(fmt.Sprint("Type", n-2)), out[2].(map[string]any)["type"])
}

// Of a repeated type the entries are written back in their order, whatever stands between.
func TestWriteRepeatedType(t *testing.T) {
	entry := func(typ, note string) map[string]any {
		return map[string]any{"type": typ, "status": "True", "note": note}
	}
	l, _ := ReadList([]any{entry("A", "1"), entry("B", "2"), "odd", entry("A", "3")})
	next := []Condition{l.Conditions[1], l.Conditions[0], l.Conditions[2], cond("C", True, "New", "", 0, t0)}
	var got []string
	for _, e := range l.Write(next, Core) {
		if m, ok := e.(map[string]any); ok {
			got = append(got, fmt.Sprint(m["type"], m["note"]))
		} else {
			got = append(got, fmt.Sprint(e))
		}
	}
	same(t, "entries", []string{"B2", "A1", "odd", "A3", "C<nil>"}, got)
}
