// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/flowcontrol"
)

// recorder keeps events as lines.
type recorder struct{ lines []string }

func (r *recorder) Eventf(_, _ runtime.Object, kind, reason, _, note string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf("%s %s %s", kind, reason, fmt.Sprintf(note, args...)))
}

func (r *recorder) take() []string {
	out := r.lines
	r.lines = nil
	return out
}

// TestStale: a pass over an older copy than was written writes, records and counts nothing again, and what it does change rests on what
// is stored.
func TestStale(t *testing.T) {
	for _, listMap := range []bool{true, false} {
		k := kind("A", "B")
		s := newServer(entry("A True", start, 1), entry("Foreign True", start, 1))
		r := &recorder{}
		status := &apply.Status{Target: target(k, listMap), Writer: s.writer(t), Events: &apply.Events{Recorder: r},
			Metrics: apply.NewMetrics("x")}
		old, stored := s.read(t)
		// pass is a reconcile over the old copy.
		pass := func(minute int, cells ...string) {
			t.Helper()
			if err := status.Apply(t.Context(), old, commit(k, stored, start.Add(time.Duration(minute)*time.Minute), cells...)); err != nil {
				t.Fatal(err)
			}
		}
		pass(1, "A False")
		diff(t, "events", []string{"Warning Bad A is False"}, r.take())
		s.sent()
		pass(2, "A False")
		if requests := s.sent(); len(requests) > 0 {
			t.Errorf("the same again: %v", requests)
		}
		pass(3, "A False", "B True")
		if requests := s.sent(); len(requests) != 1 {
			t.Errorf("requests %v, want one", requests)
		}
		diff(t, "events", []string{"Normal Good B is True"}, r.take())
		_, after := s.read(t)
		diff(t, "stored", []string{"A False Bad 1m0s", "B True Good 3m0s", "Foreign True Good 0s"}, sorted(show(after)))

		// the facts are what the old copy says: unchanged against that, not against what is stored
		pass(4, "A True", "B True")
		diff(t, "events", []string{"Normal Good A is True"}, r.take())
		_, after = s.read(t)
		diff(t, "stored", []string{"A True Good 1h0m0s", "B True Good 3m0s", "Foreign True Good 0s"}, sorted(show(after)))
		diff(t, "transitions", []string{"x_status_condition_transitions_total A False 1", "x_status_condition_transitions_total A True 1",
			"x_status_condition_transitions_total B True 1"}, gather(t, status.Metrics, "x_status_condition_transitions_total"))

		// once the cache has caught up, it counts
		s.edit(func() { s.status["conditions"] = []any{} })
		old, stored = s.read(t)
		s.sent()
		pass(5, "A True", "B True")
		if requests := s.sent(); len(requests) == 0 {
			t.Error("a condition that somebody removed is not written again")
		}
	}
}

// TestStale_unreported: a type of which a pass over an older copy says nothing is not put back to what the copy says. The pass fails with a
// conflict, and over the object as it is stored it keeps the type.
func TestStale_unreported(t *testing.T) {
	for name, stored := range map[string][]map[string]any{"a first pass": nil,
		"a later pass": {entry("A False", start, 1), entry("B False", start, 1)}} {
		for _, listMap := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, map=%v", name, listMap), func(t *testing.T) {
				k := kind("A", "B")
				k.Types[0].Presence, k.Types[1].Presence = conditions.PresenceAlways, conditions.PresenceAlways
				s := newServer(stored...)
				status := &apply.Status{Target: target(k, listMap), Writer: s.writer(t)}
				old, list := s.read(t)
				if err := status.Apply(t.Context(), old, commit(k, list, start, "A True", "B True")); err != nil {
					t.Fatal(err)
				}
				var failed *apply.Error
				if err := status.Apply(t.Context(), old, commit(k, list, start, "B False")); !errors.As(err, &failed) || !failed.Conflict() {
					t.Errorf("a pass over an older copy that says nothing of A: %v, want a conflict", err)
				}
				current, list := s.read(t)
				if err := status.Apply(t.Context(), current, commit(k, list, start, "B False")); err != nil {
					t.Error(err)
				}
				_, after := s.read(t)
				diff(t, "stored", []string{"A True Good 0s", "B False Bad 0s"}, sorted(show(after)))
			})
		}
	}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

// TestNoEventWithoutWrite: a write that failed is nothing that happened.
func TestNoEventWithoutWrite(t *testing.T) {
	k, s, r := kind("A"), newServer(), &recorder{}
	status := &apply.Status{Target: target(k, true), Writer: s.writer(t), Events: &apply.Events{Recorder: r}, Metrics: apply.NewMetrics("x")}
	s.answer = func(write int) *metav1.Status {
		if write > 1 {
			return nil
		}
		return &metav1.Status{Status: "Failure", Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError,
			Message: "etcd is away"}
	}
	object, stored := s.read(t)
	if err := status.Apply(t.Context(), object, commit(k, stored, start, "A False")); err == nil {
		t.Error("no error")
	}
	diff(t, "events", []string(nil), r.take())
	diff(t, "metrics", []string(nil), gather(t, status.Metrics, ""))
	if err := status.Apply(t.Context(), object, commit(k, stored, start, "A False")); err != nil {
		t.Error(err)
	}
	diff(t, "events", []string{"Warning Bad A is False"}, r.take())
}

func TestEvents(t *testing.T) {
	to := func(status conditions.Status, severity conditions.Severity, class conditions.Class, reason, message string) conditions.Transition {
		c := conditions.Condition{Condition: metav1.Condition{Type: "A", Status: status, Reason: reason, Message: message}}
		return conditions.Transition{Type: "A", To: c, Severity: severity, Class: class}
	}
	tests := map[string]struct {
		transition conditions.Transition
		want       []string
	}{
		"error":   {to(conditions.False, conditions.SeverityError, "", "Bad", "why"), []string{"Warning Bad A is False: why"}},
		"warning": {to(conditions.False, conditions.SeverityWarning, "", "Bad", ""), []string{"Warning Bad A is False"}},
		"info": {to(conditions.False, conditions.SeverityInfo, conditions.ClassTransient, "Bad", ""),
			[]string{"Normal Bad A is False"}},
		"terminal, Unknown": {to(conditions.Unknown, "", conditions.ClassTerminal, "Lost", ""), []string{"Warning Lost A is Unknown"}},
		"progress, Unknown": {to(conditions.Unknown, "", conditions.ClassProgress, "Waiting", ""),
			[]string{"Normal Waiting A is Unknown"}},
		"healthy":                  {to(conditions.True, "", conditions.ClassOK, "Good", ""), []string{"Normal Good A is True"}},
		"without a reason":         {to(conditions.True, "", "", "", ""), []string{"Normal ATrue A is True"}},
		"a condition that is gone": {conditions.Transition{Type: "A"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := &recorder{}
			record(kind("A"), nil, &apply.Events{Recorder: r}, test.transition)
			diff(t, "events", test.want, r.take())
		})
	}
	r := &recorder{}
	limited := &apply.Events{Recorder: r, Limit: flowcontrol.NewFakeNeverRateLimiter()}
	m := apply.NewMetrics("op")
	for range 2 {
		record(kind("A"), m, limited, to(conditions.True, "", "", "Good", ""), conditions.Transition{Type: "B"})
	}
	diff(t, "over the limit", []string(nil), r.take())
	diff(t, "events that were dropped", []string{"op_status_condition_events_dropped_total   2"},
		gather(t, m, "op_status_condition_events"))
	limited.Warn(target(kind("A"), true), &unstructured.Unstructured{}, "Refused", "Write", "why")
	diff(t, "a warning has no limit", []string{"Warning Refused why"}, r.take())
	record(kind("A"), nil, nil, to(conditions.True, "", "", "Good", ""))
	apply.Outcome{}.Record(target(kind("A"), true), nil, m, &apply.Events{Recorder: r})
}

// record records transitions of a written object, whose metrics are left as they are.
func record(k *conditions.Kind, m *apply.Metrics, e *apply.Events, transitions ...conditions.Transition) {
	apply.Outcome{Object: &unstructured.Unstructured{}, Transitions: transitions}.Record(target(k, true), nil, m, e)
}

func TestMetrics(t *testing.T) {
	k := kind("A", "B")
	list := func(cells ...string) []conditions.Condition {
		return commit(k, nil, start, cells...).Conditions()
	}
	name := func(s string) types.NamespacedName { return types.NamespacedName{Namespace: "n", Name: s} }
	m := apply.NewMetrics("op")
	m.Now = func() time.Time { return start.Add(90 * time.Second) }
	m.Observe(k, name("one"), list("A True", "B False"))
	m.Observe(k, name("two"), append(list("A True"), conditions.Condition{Condition: metav1.Condition{Type: "Foreign", Status: "True"}},
		conditions.Condition{Condition: metav1.Condition{Type: "B", Status: "perhaps"}}))
	diff(t, "two objects", []string{
		"op_status_condition_count A True 2", "op_status_condition_count B False 1", "op_status_condition_count B Unknown 1",
		"op_status_condition_current_status_seconds A True 90", "op_status_condition_current_status_seconds B False 90",
	}, gather(t, m, ""))
	before := list("A True")
	m.Observe(k, name("one"), list("A False"))
	record(k, m, nil, commit(k, before, start.Add(time.Minute), "A False", "B True").Transitions...)
	m.Forget(k, name("two"))
	diff(t, "changed and gone", []string{
		"op_status_condition_count A False 1", "op_status_condition_current_status_seconds A False 90",
		"op_status_condition_transition_seconds A True 1 of 60", "op_status_condition_transitions_total A False 1",
		"op_status_condition_transitions_total B True 1",
	}, gather(t, m, ""))
	m.Forget(k, name("one"))
	diff(t, "none left", []string(nil), gather(t, m, "op_status_condition_c"))
}

// gather returns the metrics whose names begin with the prefix, as lines: name, type, status, value.
func gather(t *testing.T, m *apply.Metrics, prefix string) []string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(m); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, family := range families {
		if len(family.GetName()) < len(prefix) || family.GetName()[:len(prefix)] != prefix {
			continue
		}
		for _, one := range family.GetMetric() {
			labels := map[string]string{}
			for _, l := range one.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			line := fmt.Sprintf("%s %s %s", family.GetName(), labels["type"], labels["status"])
			switch {
			case one.GetHistogram() != nil:
				line += fmt.Sprintf(" %d of %v", one.GetHistogram().GetSampleCount(), one.GetHistogram().GetSampleSum())
			case one.GetCounter() != nil:
				line += fmt.Sprintf(" %v", one.GetCounter().GetValue())
			default:
				line += fmt.Sprintf(" %v", one.GetGauge().GetValue())
			}
			out = append(out, line)
		}
	}
	return sorted(out)
}

// TestUnchangedAllocatesNothing: an operator may end every pass with Apply.
func TestUnchangedAllocatesNothing(t *testing.T) {
	k, s := kind("A", "B"), newServer(entry("A True", start, 1), entry("B False", start, 1))
	status := &apply.Status{Target: target(k, true), Writer: s.writer(t), Metrics: apply.NewMetrics("x")}
	object, stored := s.read(t)
	result := commit(k, stored, start, "A True", "B False")
	if result.Changed {
		t.Fatalf("changed: %v", result.Transitions)
	}
	if n := testing.AllocsPerRun(50, func() {
		if err := status.Apply(t.Context(), object, result); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
