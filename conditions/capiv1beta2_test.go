// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/conditions/wire"
)

// cond is a condition, with its time given in minutes.
func condCAPI(name string, s conditions.Status, reason, message string, minutes int) *conditions.Condition {
	c := conditions.Condition{}
	c.Type, c.Status, c.Reason, c.Message = name, s, reason, message
	c.LastTransitionTime.Time = time.Date(2026, 1, 2, 3, minutes, 0, 0, time.UTC)
	return &c
}

func TestSummarizeCAPIv1beta2(t *testing.T) {
	bad := condCAPI("B", conditions.False, "Broken", "", 1)
	list := condCAPI("L", conditions.False, "Many", "* one\n* two", 1)
	text := condCAPI("M", conditions.Unknown, "Mixed", "head\n* one", 1)
	info := condCAPI("I", conditions.True, "Fine", "as told", 1)
	bare := condCAPI("N", conditions.True, "Fine", "", 1)
	tests := map[string]struct {
		in     []*conditions.Condition
		target conditions.Type
		want   string
	}{
		"an issue without words gives its reason": {in: []*conditions.Condition{bad, info}, want: "False IssuesReported\n* B: Broken"},
		"lists are nested": {in: []*conditions.Condition{list, text},
			want: "False IssuesReported\n* L:\n  * one\n  * two\n* M:\n  * head\n    * one"},
		"unknown": {in: []*conditions.Condition{info, text},
			want: "Unknown UnknownReported\n* M:\n  * head\n    * one"},
		"healthy ones have a word": {in: []*conditions.Condition{info, bare}, want: "True InfoReported\n* I: as told"},
		"healthy negative targets say nothing": {
			in: []*conditions.Condition{info}, target: conditions.Type{Polarity: conditions.Negative}, want: "False InfoReported\n",
		},
		"not reported": {in: []*conditions.Condition{nil}, want: "Unknown UnknownReported\n* X: Condition not yet reported"},
		"reasons of the target": {
			in:     []*conditions.Condition{bad},
			target: conditions.Type{Reasons: []conditions.Reason{{Name: "Bad", Status: conditions.False}}}, want: "False Bad\n* B: Broken",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var in []rollup.Input
			for _, c := range tt.in {
				one := rollup.Input{Type: "X", Condition: c}
				if c != nil {
					one.Type = c.Type
				}
				in = append(in, one)
			}
			m, ok := rollup.Summarize(in, rollup.Options{Dialect: conditions.DialectCAPIv1beta2, Target: tt.target})
			if !ok {
				t.Fatal("want a result")
			}
			c := m.Condition
			if diff := cmp.Diff(tt.want, fmt.Sprintf("%s %s\n%s", c.Status, c.Reason, c.Message)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAggregateCAPIv1beta2(t *testing.T) {
	say := func(kind, name, message string, s conditions.Status, first bool) rollup.Input {
		return rollup.Input{
			Type: "Ready", Object: conditions.ObjectRef{Kind: kind, Name: name}, First: first, Condition: condCAPI("Ready", s, "R", message, 1),
		}
	}
	in := []rollup.Input{
		say("Machine", "a", "no key", conditions.False, false), say("Machine", "b", "no key", conditions.False, false),
		say("Machine", "c", "no key", conditions.False, false), say("Machine", "d", "no key", conditions.False, false),
		say("Machine", "z", "no key", conditions.False, true), say("Machine", "e", "slow", conditions.Unknown, false),
		say("Machine", "f", "odd", conditions.False, false), say("Machine", "g", "strange", conditions.False, false),
		say("Policy", "p", "slow", conditions.False, false), say("Policy", "q", "wrong", conditions.False, false),
		say("Policy", "r", "fine", conditions.True, false),
	}
	want := strings.Join([]string{
		"* Machines z, a, b, ... (2 more): no key", "* Machine f: odd", "* Machine g: strange", "And 1 Machine with status unknown",
		"And 2 Policies with other issues",
	}, "\n")
	o := rollup.Options{Dialect: conditions.DialectCAPIv1beta2, Target: conditions.Type{Name: "Ready"}}
	for range 2 {
		m, _ := rollup.Aggregate(in, o)
		if diff := cmp.Diff(want, m.Condition.Message); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		slices.Reverse(in) // the order does not matter
	}
}

func TestLongMessageCAPIv1beta2(t *testing.T) {
	var in []rollup.Input
	for i := range 40 {
		name := fmt.Sprintf("T%d", i)
		in = append(in, rollup.Input{Type: name, Condition: condCAPI(name, conditions.False, "R", strings.Repeat("✓", 400), 1)})
	}
	o := rollup.Options{Dialect: conditions.DialectCAPIv1beta2, Target: conditions.Type{Name: "Ready"}}
	m, _ := rollup.Summarize(in, o)
	text := m.Condition.Message
	if len(text) > wire.MaxMessageBytes || !utf8.ValidString(text) || !strings.HasSuffix(text, "✓\n* and 13 more") {
		t.Errorf("want whole entries within the limit, got %d bytes that end in %q", len(text), text[len(text)-40:])
	}
	o.Exact = true
	if m, _ := rollup.Summarize(in, o); len(m.Condition.Message) <= wire.MaxMessageBytes {
		t.Error("exact messages are cut")
	}
}

// TestAggregateOrderCAPIv1beta2: the order of the objects changes no byte, whatever they share.
func TestAggregateOrderCAPIv1beta2(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	o := rollup.Options{Dialect: conditions.DialectCAPIv1beta2, Target: conditions.Type{Name: "Ready"}}
	for range 3_000 {
		var in []rollup.Input
		for range 2 + r.IntN(10) {
			one := rollup.Input{
				Type: "Ready", Object: conditions.ObjectRef{Kind: pick("Machine", "Policy"), Namespace: pick("x", "y"), Name: pick("a", "b", "c", "d")},
			}
			one.First = one.Object.Name == "d"
			if r.IntN(6) > 0 {
				one.Condition = condCAPI("Ready", conditions.Status(pick("True", "False", "Unknown")), "R", pick("", "a", "b", "* c", "d"), r.IntN(3))
			}
			in = append(in, one)
		}
		want, _ := rollup.Aggregate(in, o)
		r.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
		if got, _ := rollup.Aggregate(in, o); !cmp.Equal(want, got) {
			t.Fatalf("another order of %+v (-want +got):\n%s", in, cmp.Diff(want, got))
		}
	}
}
