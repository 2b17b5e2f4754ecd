// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/transition"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
)

// TestRestored: a status that was removed, or replaced by an earlier one, loses no transition that comes afterwards, and is an event of its
// own. A record that has dropped its oldest entries is no such status.
func TestRestored(t *testing.T) {
	record := func(numbers ...int64) (out []transition.Transition) {
		for _, n := range numbers {
			out = append(out, transition.Transition{Sequence: n, Type: "Suspended", Status: "True", Reason: "ManuallySuspended"})
		}
		return out
	}
	full := func(from int64) (out []int64) {
		for n := from; n < from+transition.Length; n++ {
			out = append(out, n)
		}
		return out
	}
	for name, test := range map[string]struct {
		records [][]int64
		want    []int64 // numbers of the events; 0: the status was restored
		lost    int64
	}{
		"it goes on":                        {[][]int64{{1, 2}, {1, 2, 3}}, []int64{1, 2, 3}, 0},
		"removed":                           {[][]int64{{1, 2}, nil, {3}, {3, 4}}, []int64{1, 2, 0, 3, 4}, 0},
		"removed, and seen once it is back": {[][]int64{{1, 2}, {3, 4}}, []int64{1, 2, 0, 3, 4}, 0},
		"replaced by the one of before":     {[][]int64{{1, 2, 3}, {1, 2}, {1, 2, 4}}, []int64{1, 2, 3, 0, 4}, 0},
		"the oldest are dropped":            {[][]int64{{1}, full(2)}, append([]int64{1}, full(2)...), 0},
		"some were dropped before":          {[][]int64{{1}, full(4)}, append([]int64{1}, full(4)...), 2},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			for _, numbers := range test.records {
				b.Take(agent.ResourceRef{Kind: "ApplicationInstance", Namespace: "team", Name: "shop", UID: "u"}, record(numbers...))
			}
			var got []int64
			state := b.Buffer.State()
			for _, e := range state.Events {
				if got = append(got, e.Sequence); (e.Kind == agent.StatusRestored) != (e.Sequence == 0) {
					t.Errorf("%+v", e)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" || state.Dropped != test.lost {
				t.Errorf("%d are lost, want %d; -want +got\n%s", state.Dropped, test.lost, diff)
			}
		})
	}
}

// TestMark: the state of an operation never goes back, also where there is no control plane. A journal of an earlier version has numbers
// alone.
func TestMark(t *testing.T) {
	b := newBench(t)
	b.Configure(agent.Config{}, false)
	for _, state := range []uint8{0, 1, 3, 0, 1} {
		b.Take(agent.ResourceRef{UID: "u", State: state}, nil)
	}
	if m := b.Mark(t.Context(), "u"); m.State != 3 {
		t.Errorf("%+v", m)
	}
	var marks map[string]agent.Mark
	if err := json.Unmarshal([]byte(`{"a":7,"b":[8,2]}`), &marks); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]agent.Mark{"a": {Sequence: 7}, "b": {Sequence: 8, State: 2}}, marks); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	data, err := json.Marshal(marks)
	if err != nil || string(data) != `{"a":7,"b":[8,2]}` {
		t.Errorf("%s, %v", data, err)
	}
}
