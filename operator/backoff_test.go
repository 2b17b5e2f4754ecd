// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestBackoff: an object that fails is tried again when its deadline passes, however long its back-off is by then, and backs off as before
// afterwards; another object is not affected, and a clock that jumps over the deadline delays nothing.
func TestBackoff(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b := newBackoff(func() time.Time { return now })
	one := reconcile.Request{NamespacedName: types.NamespacedName{Name: "one"}}
	other := reconcile.Request{NamespacedName: types.NamespacedName{Name: "other"}}
	for range 30 { // both are at the longest back-off
		b.When(one)
		b.When(other)
	}
	want := func(step string, r reconcile.Request, want time.Duration) {
		t.Helper()
		if got := b.When(r); got != want {
			t.Errorf("%s: back-off of %s, want %s", step, got, want)
		}
	}
	const longest = 1000 * time.Second
	want("no deadline", one, longest)
	b.due(one, now.Add(90*time.Second))
	want("a deadline", one, 90*time.Second)
	want("another object", other, longest)
	now = now.Add(80 * time.Second)
	want("nearer", one, 10*time.Second)
	now = now.Add(10 * time.Second)
	want("it has passed", one, longest)
	b.due(one, now.Add(time.Hour))
	want("a far one", one, longest)
	now = now.Add(24 * time.Hour)
	want("the clock jumped", one, longest)
	b.due(one, now.Add(time.Second))
	b.due(one, time.Time{})
	want("dropped", one, longest)
	b.due(one, now.Add(time.Minute))
	b.Forget(one)
	if got := b.When(one); got > time.Second {
		t.Errorf("after a success the back-off is %s", got)
	}
}

// TestEnds: after a restart the deadlines are known from what is stored, before any facts are.
func TestEnds(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	k := &conditions.Kind{Types: []conditions.Type{
		{Name: "Progressing", Reasons: []conditions.Reason{{Name: "Waiting", Deadline: &conditions.Deadline{After: 30 * time.Minute}},
			{Name: "Rolling"}}},
		{Name: "Ready", Reasons: []conditions.Reason{{Name: "Pulling", Deadline: &conditions.Deadline{After: 10 * time.Minute}}}},
	}}
	wait := func(name, reason string, since time.Duration) conditions.Wait {
		return conditions.Wait{Type: name, Reason: reason, Since: metav1.Time{Time: start.Add(since)}}
	}
	tests := map[string]struct {
		waits []conditions.Wait
		now   time.Duration
		want  time.Duration // 0: none
	}{
		"none": {nil, 0, 0},
		"one":  {[]conditions.Wait{wait("Progressing", "Waiting", 0)}, time.Minute, 30 * time.Minute},
		"the first of two": {[]conditions.Wait{wait("Progressing", "Waiting", 0), wait("Ready", "Pulling", time.Minute)}, 2 * time.Minute,
			11 * time.Minute},
		"one has passed": {[]conditions.Wait{wait("Progressing", "Waiting", 0), wait("Ready", "Pulling", 0)}, 20 * time.Minute,
			30 * time.Minute},
		"a cell without one":     {[]conditions.Wait{wait("Progressing", "Rolling", 0)}, time.Minute, 0},
		"a type of others":       {[]conditions.Wait{wait("Other", "Waiting", 0)}, time.Minute, 0},
		"a clock that jumped":    {[]conditions.Wait{wait("Progressing", "Waiting", 0)}, 240 * time.Hour, 0},
		"a clock that went back": {[]conditions.Wait{wait("Progressing", "Waiting", 0)}, -time.Hour, 30 * time.Minute},
	}
	for name, test := range tests {
		got, want := ends(k, test.waits, start.Add(test.now)), time.Time{}
		if test.want != 0 {
			want = start.Add(test.want)
		}
		if !got.Equal(want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
