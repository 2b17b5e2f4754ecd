// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"strings"
	"testing"

	. "github.com/tristate/tristate/conditions"
	. "github.com/tristate/tristate/conditions/rollup"
)

func TestQuorum(t *testing.T) {
	in := func(statuses string) []Input {
		var out []Input
		for i, s := range statuses {
			status := map[rune]Status{'T': True, 'F': False, 'U': Unknown}[s]
			out = append(out, ofObject(string(rune('a'+i)), of("Ready", status, "", "Because", "")))
		}
		return out
	}
	tests := map[string]struct {
		in              []Input
		atLeast, atMost int
		want            string // status, message
	}{
		"enough":                   {in("TTF"), 2, 0, "True 2 of 3 completed"},
		"not enough":               {in("TFF"), 2, 0, "False Ready(Because) [b, c]"},
		"Unknown could turn it":    {in("TUF"), 2, 0, "Unknown Ready(Because) [c]; Ready(Because) [b]"},
		"Unknown could not":        {in("UFF"), 2, 0, "False Ready(Because) [b, c]; Ready(Because) [a]"},
		"at most one":              {in("TTTF"), 0, 1, "True 3 of 4 completed"},
		"at most one, two are":     {in("TTFF"), 0, 1, "False Ready(Because) [c, d]"},
		"at most one, one unknown": {in("TTFU"), 0, 1, "Unknown Ready(Because) [c]; Ready(Because) [d]"},
		"both rules hold":          {in("TTFF"), 2, 1, "False Ready(Because) [c, d]"},
		"more than there are":      {in("TT"), 3, 0, "False 2 of 3 completed"},
		"all well":                 {in("TTT"), 2, 0, "True"},
		"no rule":                  {in("TTF"), 0, 0, "False Ready(Because) [c]"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := Options{Target: Type{Name: "Ready", Imported: true}, AtLeast: tt.atLeast, AtMost: tt.atMost}
			got, _ := Aggregate(tt.in, o)
			same(t, "result", tt.want, strings.TrimSpace(string(got.Condition.Status)+" "+got.Condition.Message))
			if (got.Condition.Status == True) != (len(got.Causes) == 0) && len(tt.in) != 2 {
				t.Errorf("causes: %v", got.Causes)
			}
		})
	}
}

func TestReasonsAreRenamed(t *testing.T) {
	o := Options{
		Reasons: map[string]string{"CrashLoopBackOff": "Crashing", "OOMKilled": "Crashing"},
		Target: Type{Name: "PodsReady", Reasons: []Reason{{Name: "Crashing", Status: False}, {Name: "NotReady", Status: False},
			{Name: "Up", Status: True}}},
	}
	in := []Input{ofObject("a", of("Ready", False, "", "CrashLoopBackOff", "exit 1")), ofObject("b", of("Ready", False, "", "OOMKilled", ""))}
	got, _ := Aggregate(in, o)
	same(t, "aggregate", merged(False, "", "Crashing", "Ready(CrashLoopBackOff): exit 1 [a]; Ready(OOMKilled) [b]").Condition.Message,
		got.Condition.Message)
	same(t, "reason", "Crashing", got.Condition.Reason)
	got, _ = Mirror(in[0], o)
	same(t, "mirror", "Crashing exit 1", got.Condition.Reason+" "+got.Condition.Message)
	same(t, "cause", "CrashLoopBackOff", got.Causes[0].Reason)
	got, _ = Mirror(of("Ready", False, "", "Evicted", ""), o)
	same(t, "another reason", "NotReady Ready(Evicted)", got.Condition.Reason+" "+got.Condition.Message)
}

// One object that is offered twice with contrary polarities is malformed, and still has one answer.
func TestContraryPolaritiesHaveAnOrder(t *testing.T) {
	in := []Input{ofObject("m", of("Available", False, "", "Broken", "")), ofObject("m", negative(of("Available", True, "", "Broken", "")))}
	a, _ := Aggregate(in, Options{Target: Type{Name: "Ready"}})
	in[0], in[1] = in[1], in[0]
	b, _ := Aggregate(in, Options{Target: Type{Name: "Ready"}})
	same(t, "turned round", a, b)
}
