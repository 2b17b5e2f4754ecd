// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"encoding/json"
	"testing"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict"
)

// TestFailsNow: while the status is about an older generation only a condition that was itself observed at the current one makes the object
// Failed, by conventions as by a catalog.
func TestFailsNow(t *testing.T) {
	declared := &verdict.Semantics{Rule: "catalog/lamps", Types: map[string]*verdict.TypeSemantics{
		"Ready": {Polarity: conditions.Positive, Role: conditions.RoleSummary, Always: true},
		"SpecValid": {Polarity: conditions.Positive, Role: conditions.RoleDependent, Cells: map[verdict.Cell]*conditions.Reason{
			{Status: "False", Reason: "InvalidSpec"}: {Class: conditions.ClassTerminal},
		}},
	}}
	engines := map[string]*verdict.Engine{"conventions": new(verdict.Engine),
		"catalog": {Semantics: func(string, string, string) *verdict.Semantics { return declared }}}
	const (
		readyOld   = `{"type":"Ready","status":"True","observedGeneration":1}`
		readyNow   = `{"type":"Ready","status":"True","observedGeneration":2}`
		failedNow  = `{"type":"Ready","status":"False","reason":"InstallFailed","observedGeneration":2}`
		failedOld  = `{"type":"Ready","status":"False","reason":"InstallFailed","observedGeneration":1}`
		failedEver = `{"type":"Ready","status":"False","reason":"InstallFailed"}`
		waitsNow   = `{"type":"Ready","status":"False","reason":"Installing","observedGeneration":2}`
		partNow    = `{"type":"SpecValid","status":"False","reason":"InvalidSpec","observedGeneration":2}`
		partOld    = `{"type":"SpecValid","status":"False","reason":"InvalidSpec","observedGeneration":1}`
	)
	tests := map[string]struct {
		status string
		want   verdict.Status
	}{
		"the summary fails now":              {`"observedGeneration":1,"conditions":[` + failedNow + `]`, verdict.Failed},
		"it failed before":                   {`"observedGeneration":1,"conditions":[` + failedOld + `]`, verdict.InProgress},
		"it does not say when":               {`"observedGeneration":1,"conditions":[` + failedEver + `]`, verdict.InProgress},
		"it waits now":                       {`"observedGeneration":1,"conditions":[` + waitsNow + `]`, verdict.InProgress},
		"it is well now":                     {`"observedGeneration":1,"conditions":[` + readyNow + `]`, verdict.InProgress},
		"a component fails now":              {`"observedGeneration":1,"conditions":[` + readyOld + `,` + partNow + `]`, verdict.Failed},
		"a component failed before":          {`"observedGeneration":1,"conditions":[` + readyOld + `,` + partOld + `]`, verdict.InProgress},
		"nothing observed yet, and it fails": {`"observedGeneration":-1,"conditions":[` + failedNow + `]`, verdict.Failed},
		"out of range":                       {`"observedGeneration":9,"conditions":[` + failedNow + `]`, verdict.Unknown},
		"another condition is old, and one fails": {`"conditions":[{"type":"Synced","status":"True","observedGeneration":1},` + failedNow + `]`,
			verdict.Failed},
	}
	for name, tc := range tests {
		for who, e := range engines {
			t.Run(name+", "+who, func(t *testing.T) {
				object := `{"apiVersion":"example.org/v1","kind":"Lamp","metadata":{"generation":2},"spec":{"size":1},"status":{` + tc.status + `}}`
				if v := judgeRaw(e, []byte(object), now); v.Status != tc.want {
					t.Errorf("want %s, got %s by %s: %s", tc.want, v.Status, v.Rule, v.Message)
				}
			})
		}
	}
}

// TestWholeFloats: a decoder that has only one type of number returns floats, and a whole one counts as an integer.
func TestWholeFloats(t *testing.T) {
	for object, want := range map[string]verdict.Status{
		`{"kind":"Lamp","metadata":{"generation":2},"spec":{"replicas":3},"status":{"observedGeneration":2,"replicas":3,"readyReplicas":1}}`: verdict.InProgress,
		`{"kind":"Lamp","spec":{"replicas":3},"status":{"readyReplicas":3,"replicas":3}}`:                                                    verdict.Current,
		`{"kind":"Lamp","metadata":{"generation":2},"spec":{"size":1},"status":{"observedGeneration":1,"phase":"Ready"}}`:                    verdict.InProgress,
		`{"kind":"Lamp","spec":{"size":1},"status":{"failed":2,"total":3}}`:                                                                  verdict.Degraded,
	} {
		var floats map[string]any
		if err := json.Unmarshal([]byte(object), &floats); err != nil {
			t.Fatal(err)
		}
		e := new(verdict.Engine)
		if got, raw := e.Judge(floats, now), judgeRaw(e, []byte(object), now); got.Status != raw.Status || got.Status != want &&
			raw.Status != want {
			t.Errorf("%s: want %s, got %s from floats and %s from integers", object, want, got.Status, raw.Status)
		}
	}
}
