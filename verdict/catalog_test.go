// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict"
)

func TestCatalogSemantics(t *testing.T) {
	semantics := &verdict.Semantics{
		Rule: "catalog/widgets.example.org",
		Types: map[string]*verdict.TypeSemantics{
			"Ready": {Polarity: conditions.Positive, Role: conditions.RoleSummary, Always: true, Cells: map[verdict.Cell]*conditions.Reason{
				{Status: "True", Reason: ""}:             {Class: conditions.ClassOK},
				{Status: "False", Reason: "Dialing"}:     {Class: conditions.ClassProgress},
				{Status: "False", Reason: "Unreachable"}: {Class: conditions.ClassTransient},
				{Status: "False", Reason: "SpecInvalid"}: {Class: conditions.ClassTerminal},
				{Status: "False", Reason: "Disabled"}:    {Class: conditions.ClassSuspended},
			}},
			"Drifted": {Polarity: conditions.Negative, Role: conditions.RoleDependent},
			"Noise":   {Polarity: conditions.Positive, Role: conditions.RoleInformational},
			"Paid": {Polarity: conditions.Positive, Role: conditions.RoleDependent, Cells: map[verdict.Cell]*conditions.Reason{
				{Status: "False", Reason: "Evicted"}: {Class: conditions.ClassTerminal},
				{Status: "False", Reason: "Late"}:    {Class: conditions.ClassProgress},
			}},
			"Clean": {Polarity: conditions.Positive, Role: conditions.RoleDependent, Cells: map[verdict.Cell]*conditions.Reason{
				{Status: "False", Reason: "Condemned"}: {Class: conditions.ClassTerminal},
			}},
		},
	}
	tests := map[string]struct {
		conditions string
		want       verdict.Status
		ready      bool
	}{
		"ok":              {`{"type":"Ready","status":"True","reason":"Serving"}`, verdict.Current, true},
		"progress":        {`{"type":"Ready","status":"False","reason":"Dialing"}`, verdict.InProgress, false},
		"transient":       {`{"type":"Ready","status":"False","reason":"Unreachable"}`, verdict.InProgress, false},
		"terminal":        {`{"type":"Ready","status":"False","reason":"SpecInvalid"}`, verdict.Failed, false},
		"suspended":       {`{"type":"Ready","status":"False","reason":"Disabled"}`, verdict.Suspended, false},
		"undeclared cell": {`{"type":"Ready","status":"False","reason":"Other"}`, verdict.Failed, false},
		"unknown":         {`{"type":"Ready","status":"Unknown"}`, verdict.InProgress, false},
		"dependent is bad": {`{"type":"Ready","status":"True"},{"type":"Drifted","status":"True","reason":"Changed","message":"by hand"}`,
			verdict.Degraded, true},
		"informational is bad": {`{"type":"Ready","status":"True"},{"type":"Noise","status":"False"}`, verdict.Current, true},
		"undeclared type":      {`{"type":"Ready","status":"True"},{"type":"BackupFailed","status":"True"}`, verdict.Degraded, true},
		"one terminal reason": {`{"type":"Ready","status":"False","reason":"Evicted"},{"type":"Paid","status":"False","reason":"Evicted"}`,
			verdict.Failed, false},
		"two are folded": {
			`{"type":"Ready","status":"False","reason":"NotReady"},{"type":"Paid","status":"False","reason":"Evicted"},{"type":"Clean","status":"False","reason":"Condemned"}`, verdict.Failed, false},
		"the worse of two": {
			`{"type":"Ready","status":"False","reason":"NotReady"},{"type":"Paid","status":"False","reason":"Late"},{"type":"Clean","status":"False","reason":"Condemned"}`, verdict.Failed, false},
		"none is terminal": {`{"type":"Ready","status":"False","reason":"NotReady"},{"type":"Paid","status":"False","reason":"Late"}`,
			verdict.InProgress, false},
		"suspended as a whole": {`{"type":"Ready","status":"False","reason":"Disabled"},{"type":"Paid","status":"False","reason":"Evicted"}`,
			verdict.Suspended, false},
		"undeclared and plain":   {`{"type":"Ready","status":"True"},{"type":"CacheBound","status":"False"}`, verdict.Current, true},
		"nothing reported":       {``, verdict.InProgress, false},
		"no summary":             {`{"type":"Drifted","status":"False"}`, verdict.InProgress, false},
		"of an older generation": {`{"type":"Ready","status":"True","observedGeneration":1}`, verdict.InProgress, false},
	}
	e := &verdict.Engine{Semantics: func(group, _, kind string) *verdict.Semantics {
		if group == "example.org" && kind == "Widget" {
			return semantics
		}
		return nil
	}}
	for name, tc := range tests {
		v := judgeRaw(e, []byte(`{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"generation":2},"status":{"conditions":[`+
			tc.conditions+`]}}`), now)
		if v.Status != tc.want || v.Ready != tc.ready || !verdict.Declared(v.Rule) && name != "undeclared type" {
			t.Errorf("%s: want %s (ready %t), got %s (ready %t) from %s: %s", name, tc.want, tc.ready, v.Status, v.Ready, v.Rule, v.Message)
		}
		if name == "dependent is bad" {
			if diff := cmp.Diff([]string{"reports Ready, but by hand"}, v.Contradictions); diff != "" {
				t.Errorf("contradictions, want (-) and got (+):\n%s", diff)
			}
		}
	}
}

// Where no declared condition was reported, conventions may find the object unhealthy or suspended, and never healthy.
func TestCatalogSemantics_unreported(t *testing.T) {
	e := &verdict.Engine{Semantics: func(string, string, string) *verdict.Semantics {
		return &verdict.Semantics{Types: map[string]*verdict.TypeSemantics{"Ready": {Polarity: conditions.Positive, Role: conditions.RoleSummary,
			Always: true}}}
	}}
	for object, want := range map[string]verdict.Status{
		`{"kind":"Widget","status":{"phase":"Running"}}`:                                                      verdict.InProgress,
		`{"kind":"Widget","status":{"phase":"Failed"}}`:                                                       verdict.Failed,
		`{"kind":"Widget","spec":{"paused":true}}`:                                                            verdict.Suspended,
		`{"kind":"Widget","status":{"conditions":[{"type":"DiskFailed","status":"True"}]}}`:                   verdict.Failed,
		`{"kind":"Widget","spec":{"paused":true},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`: verdict.Current,
	} {
		if v := judgeRaw(e, []byte(object), now); v.Status != want {
			t.Errorf("%s: want %s, got %s by %s", object, want, v.Status, v.Rule)
		}
	}
}

// An object without conditions is healthy if its generation was observed and each declared condition is bad when True and may be absent.
func TestCatalogSemantics_without(t *testing.T) {
	stalled := &verdict.TypeSemantics{Polarity: conditions.Negative}
	for object, want := range map[string]map[bool]verdict.Status{
		`{"kind":"Foo","metadata":{"generation":2}}`:                                   {false: verdict.InProgress, true: verdict.InProgress},
		`{"kind":"Foo","metadata":{"generation":2},"status":{"observedGeneration":1}}`: {false: verdict.InProgress, true: verdict.InProgress},
		`{"kind":"Foo","metadata":{"generation":2},"status":{"observedGeneration":2}}`: {false: verdict.Current, true: verdict.InProgress},
	} {
		for ready, want := range want {
			types := map[string]*verdict.TypeSemantics{"Stalled": stalled}
			if ready {
				types["Ready"] = &verdict.TypeSemantics{Polarity: conditions.Positive, Role: conditions.RoleSummary}
			}
			e := &verdict.Engine{Semantics: func(string, string, string) *verdict.Semantics { return &verdict.Semantics{Types: types} }}
			if v := judgeRaw(e, []byte(object), now); v.Status != want {
				t.Errorf("%s, with Ready %t: want %s, got %s by %s", object, ready, want, v.Status, v.Rule)
			}
		}
	}
}

// An object without a status is judged by the promises of the definition of its kind.
func TestExpectation(t *testing.T) {
	for name, tc := range map[string]struct {
		known, subresource bool
		properties         []string
		want               verdict.Expectation
		verdict            verdict.Status
	}{
		"conditions and a phase": {true, true, []string{"conditions", "observedGeneration", "phase"},
			verdict.Expectation{Known: true, Status: true, Conditions: true, Phase: true, ObservedGeneration: true}, verdict.InProgress},
		"no status":                      {true, false, nil, verdict.Expectation{Known: true}, verdict.Current},
		"a status without properties":    {true, true, nil, verdict.Expectation{Known: true, Status: true}, verdict.Unknown},
		"properties that report nothing": {true, false, []string{"address"}, verdict.Expectation{Known: true, Status: true}, verdict.Unknown},
		"not known":                      {false, false, nil, verdict.Expectation{}, verdict.InProgress},
	} {
		got := verdict.ExpectationOf(tc.known, tc.subresource, tc.properties)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: want (-) and got (+):\n%s", name, diff)
		}
		e := &verdict.Engine{Expect: func(string, string) verdict.Expectation { return got }}
		v := judgeRaw(e, []byte(`{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"generation":1},"spec":{"x":1}}`), now)
		if v.Status != tc.verdict {
			t.Errorf("%s: want %s of an object without status, got %s: %s", name, tc.verdict, v.Status, v.Message)
		}
	}
}
