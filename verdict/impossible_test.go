// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict"
)

// TestImpossible: an impossible status is Unknown, for kinds of all sorts of knowledge.
func TestImpossible(t *testing.T) {
	declared := &verdict.Semantics{Types: map[string]*verdict.TypeSemantics{"Ready": {Polarity: conditions.Positive,
		Role: conditions.RoleSummary, Always: true}}}
	e := &verdict.Engine{Semantics: func(_, _, kind string) *verdict.Semantics {
		if kind == "Declared" {
			return declared
		}
		return nil
	}}
	const ready = `{"type":"Ready","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z"`
	tests := map[string]struct {
		object, reason string // empty: it is Current
	}{
		"well": {`{"kind":"Lamp","metadata":{"generation":2},"status":{"observedGeneration":2,"conditions":[` +
			ready + `}]}}`, ""},
		"a generation to come": {`{"kind":"Lamp","metadata":{"generation":2},"status":{"observedGeneration":3,"conditions":[` +
			ready + `}]}}`, "ImpossibleGeneration"},
		"declared": {`{"kind":"Declared","metadata":{"generation":2},"status":{"observedGeneration":3,"conditions":[` +
			ready + `}]}}`, "ImpossibleGeneration"},
		"of a workload": {
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":2},"status":{"observedGeneration":3,"replicas":1}}`,
			"ImpossibleGeneration"},
		"with too many digits": {
			`{"kind":"Lamp","metadata":{"generation":2},"status":{"observedGeneration":99999999999999999999999,"conditions":[` + ready + `}]}}`,
			"ImpossibleGeneration"},
		"below zero": {`{"kind":"Lamp","metadata":{"generation":2},"status":{"observedGeneration":-2,"conditions":[` +
			ready + `}]}}`, "ImpossibleGeneration"},
		"of the condition": {`{"kind":"Lamp","metadata":{"generation":2},"status":{"conditions":[` + ready +
			`,"observedGeneration":3}]}}`, "ImpossibleGeneration"},
		"of a declared condition": {`{"kind":"Declared","metadata":{"generation":2},"status":{"conditions":[` + ready +
			`,"observedGeneration":3}]}}`, "ImpossibleGeneration"},
		"of a component, which was copied": {`{"kind":"Lamp","metadata":{"generation":2},"status":{"conditions":[` + ready +
			`},{"type":"DiskReady","status":"True","observedGeneration":3}]}}`, ""},
		"an empty condition": {`{"kind":"Lamp","metadata":{"generation":2},"status":{"conditions":[{}]}}`, "ImpossibleConditions"},
		"an empty condition, declared": {`{"kind":"Declared","metadata":{"generation":2},"status":{"conditions":[{}]}}`,
			"ImpossibleConditions"},
		"a time to come": {
			`{"kind":"Lamp","status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-03T00:00:00Z"}]}}`,
			"TimeInFuture"},
		"a time to come, of a failure": {
			`{"kind":"Lamp","status":{"conditions":[{"type":"Ready","status":"False","reason":"Failed","lastTransitionTime":"2027-01-02T00:00:00+01:00"}]}}`, "TimeInFuture"},
		"a time to come, declared": {
			`{"kind":"Declared","status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2030-01-31T00:00:00Z"}]}}`,
			"TimeInFuture"},
		"a clock that is a minute ahead": {
			`{"kind":"Lamp","status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-02T03:06:00Z"}]}}`, ""},
		"a time that is none": {
			`{"kind":"Lamp","status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"soon"}]}}`, ""},
		"deletion is in the future often": {`{"kind":"Pod","apiVersion":"v1","metadata":{"deletionTimestamp":"2026-01-03T00:00:00Z"}}`,
			"Deleting"},
	}
	for name, tt := range tests {
		want := verdict.Unknown
		switch tt.reason {
		case "":
			want = verdict.Current
		case "Deleting":
			want = verdict.Terminating
		}
		v := judgeRaw(e, []byte(tt.object), now)
		if v.Status != want || tt.reason != "" && v.Reason != tt.reason || v.Ready != (want == verdict.Current) {
			t.Errorf("%s: want %s %s, got %s %s (ready: %t) by %s: %s", name, want, tt.reason, v.Status, v.Reason, v.Ready, v.Rule, v.Message)
		}
		if (want == verdict.Unknown) != (len(v.Evidence) > 0 && v.Confidence() == verdict.Doubt) {
			t.Errorf("%s: %v, %s", name, v.Evidence, v.Confidence())
		}
	}
	for _, status := range []string{`{"observedGeneration":-1}`, `{"observedGeneration":-1,"conditions":[` + ready + `}]}`} {
		for _, kind := range []string{"Lamp", "Declared"} {
			v := judgeRaw(e, []byte(`{"kind":"`+kind+`","metadata":{"generation":2},"status":`+status+`}`), now)
			if v.Status != verdict.InProgress {
				t.Errorf("%s %s: nothing was observed yet: want InProgress, got %s %s", kind, status, v.Status, v.Reason)
			}
		}
	}
	if v := judgeRaw(e, []byte(tests["a time to come"].object), time.Time{}); v.Status != verdict.Current {
		t.Errorf("without a clock no time is to come, got %s", v.Status)
	}
}
