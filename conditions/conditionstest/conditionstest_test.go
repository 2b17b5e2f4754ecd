// SPDX-License-Identifier: Apache-2.0

package conditionstest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

var kind = &conditions.Kind{Kind: "Thing", Types: []conditions.Type{
	{Name: "Ready", Polarity: conditions.Positive, Presence: conditions.PresenceAlways, Reasons: []conditions.Reason{
		{Name: "Broken", Status: conditions.False}, {Name: "Pending", Status: conditions.Unknown}, {Name: "Fine", Status: conditions.True}}},
	{Name: "Compiled", Polarity: conditions.Positive, Presence: conditions.PresenceAlways,
		Reasons: []conditions.Reason{{Name: "Done", Status: conditions.True}}},
}}

// recorder is a testing.TB that keeps its failures.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper()      {}
func (r *recorder) Failed() bool { return len(r.failures) > 0 }
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func list(pairs ...string) []conditions.Condition {
	var out []conditions.Condition
	for _, p := range pairs {
		f := strings.Fields(p)
		var c conditions.Condition
		c.Type, c.Status, c.Reason = f[0], conditions.Status(f[1]), f[2]
		c.LastTransitionTime.Time = start
		out = append(out, c)
	}
	return out
}

func TestTimeline(t *testing.T) {
	var l Timeline
	l.Observe(start, list("Ready Unknown Pending"))
	l.Observe(start.Add(5*time.Second), list("Ready True Fine"))
	l.Observe(start.Add(9*time.Second), list("Ready False Broken", "Compiled True Done"))
	l.Observe(start.Add(10*time.Second), list("Ready True Fine"))
	want := "Ready U(Pending)0s T(Fine)5s F(Broken)9s T(Fine)10s\nCompiled T(Done)9s -10s\n"
	if diff := cmp.Diff(want, l.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	r := &recorder{TB: t}
	l.Never(r, "Ready=True", "Ready=Unknown/Pending")
	l.Entered(r, "Ready=True/Fine", 2)
	if len(r.failures) != 0 {
		t.Errorf("unexpected failures: %v", r.failures)
	}
	l.Never(r, "Ready=True", "Compiled=True")
	l.Entered(r, "Ready=True", 1)
	if len(r.failures) != 2 || !strings.HasPrefix(r.failures[0], "Ready=True was seen at 5s, before Compiled=True") {
		t.Errorf("failures: %v", r.failures)
	}
}

func TestTimelineAssertions(t *testing.T) {
	var l Timeline
	l.Observe(start, list("Ready Unknown Pending"))
	l.Observe(start.Add(5*time.Second), list("Ready False Broken", "Stalled True Invalid"))
	l.Observe(start.Add(9*time.Second), list("Ready True Fine"))
	l.Observe(start.Add(12*time.Second), []conditions.Condition{{}})
	if want, got := "Ready U(Pending)0s F(Broken)5s T(Fine)9s -12s\nStalled T(Invalid)5s -9s\n ?12s\n", l.String(); want != got {
		t.Errorf("%q, want %q", got, want)
	}
	tests := map[string]struct {
		assert func(testing.TB)
		fails  string // with; "" holds
	}{
		"whenever": {func(t testing.TB) { l.Whenever(t, "Stalled=True", "Ready=False/Broken") }, ""},
		"whenever not": {func(t testing.TB) { l.Whenever(t, "Ready=False", "Stalled=Absent") },
			"Ready=False was seen at 5s without Stalled=Absent"},
		"absent":                {func(t testing.TB) { l.Whenever(t, "Ready=True", "Stalled=Absent") }, ""},
		"within":                {func(t testing.TB) { l.Within(t, "Ready=True", 9*time.Second) }, ""},
		"too late":              {func(t testing.TB) { l.Within(t, "Ready=True", 8*time.Second) }, "Ready=True was seen after 9s, want 8s"},
		"not at all":            {func(t testing.TB) { l.Within(t, "Ready=True/Other", time.Hour) }, "Ready=True/Other was never seen"},
		"never came":            {func(t testing.TB) { l.Entered(t, "Ready=True/Other", 0) }, ""},
		"a status that is none": {func(t testing.TB) { l.Never(t, "Ready=true", "Ready=False") }, `"Ready=true" is not a cell`},
		"no status":             {func(t testing.TB) { l.Entered(t, "Ready", 0) }, `"Ready" is not a cell`},
		"no reason":             {func(t testing.TB) { l.Within(t, "Ready=True/", 0) }, `"Ready=True/" is not a cell`},
		"both are looked at":    {func(t testing.TB) { l.Whenever(t, "Ready=True", "=True") }, `"=True" is not a cell`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := &recorder{TB: t}
			tt.assert(r)
			switch {
			case tt.fails == "" && len(r.failures) > 0:
				t.Errorf("fails: %v", r.failures)
			case tt.fails != "" && (len(r.failures) != 1 || !strings.HasPrefix(r.failures[0], tt.fails)):
				t.Errorf("failures %q, want one that begins with %q", r.failures, tt.fails)
			}
		})
	}
}

func TestCoverage(t *testing.T) {
	c := &Coverage{Kinds: []*conditions.Kind{kind}}
	c.Observe(kind, list("Ready True Fine", "Ready False Odd"))
	pass := kind.Begin(1, nil, start)
	pass.Report("Compiled", conditions.True, "Done", "")
	c.Commit(t, kind, pass)
	other := &conditions.Kind{Group: "example.com", Kind: "Thing"} // of the same name, and not the same
	c.Observe(other, list("Ready False Broken"))
	want := `3 of 4 declared cells written
never written: Thing Ready=False Broken
not declared:  Thing Ready=False Odd
not declared:  Thing.example.com Ready=False Broken
`
	if diff := cmp.Diff(want, c.Report().String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if !strings.Contains(string(c.Report().JSON()), `"reached": 3`) {
		t.Errorf("json: %s", c.Report().JSON())
	}
}

func TestStrictQuietCommit(t *testing.T) {
	r := &recorder{TB: t}
	pass := Strict(kind).Begin(1, nil, start)
	pass.Report("Ready", conditions.True, "Fine", "")
	Commit(r, pass)
	if len(r.failures) != 1 || !strings.Contains(r.failures[0], "Compiled") {
		t.Errorf("a type that was not reached: %v", r.failures)
	}
	r.failures = nil
	n := 0
	Quiet(r, func() conditions.Result {
		n++
		p := kind.Begin(1, nil, start) // forgets what it stored
		p.Report("Ready", conditions.True, "Fine", "")
		return p.Commit()
	})
	if n != 2 || len(r.failures) != 1 || !strings.Contains(r.failures[0], "Ready from absent to True(Fine)") {
		t.Errorf("%d runs, failures %v", n, r.failures)
	}
}

func TestTimes(t *testing.T) {
	a, b := list("Ready True Fine"), list("Ready True Fine")
	b[0].LastTransitionTime.Time = start.Add(300 * time.Millisecond)
	if cmp.Equal(a, b) || !cmp.Equal(a, b, PinTime()) {
		t.Error("parts of a second")
	}
	b[0].LastTransitionTime.Time = start.Add(time.Hour)
	if cmp.Equal(a, b, PinTime()) || !cmp.Equal(a, b, IgnoreTime()) || !cmp.Equal(wire.ToMeta(a), wire.ToMeta(b), IgnoreTime()) {
		t.Error("times are to be ignored")
	}
}
