// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict"
)

// TestSemanticsPath: of many lists the worst counts, named by its element; the order of the elements does not.
func TestSemanticsPath(t *testing.T) {
	accepted := &verdict.TypeSemantics{Polarity: conditions.Positive, Role: conditions.RoleSummary, Always: true}
	resolved := &verdict.TypeSemantics{Polarity: conditions.Positive, Role: conditions.RoleDependent}
	semantics := map[string]*verdict.Semantics{
		"Route": {Path: "status.parents[*].conditions", Types: map[string]*verdict.TypeSemantics{"Accepted": accepted, "Resolved": resolved}},
		"Line":  {Path: "status.v2.conditions", Types: map[string]*verdict.TypeSemantics{"Accepted": accepted}},
		"Loose": {Path: "status.groups[*].items[*].conditions", Types: map[string]*verdict.TypeSemantics{"Resolved": resolved}},
	}
	e := &verdict.Engine{Semantics: func(_, _, kind string) *verdict.Semantics { return semantics[kind] }}
	const (
		yes  = `[{"type":"Accepted","status":"True"},{"type":"Resolved","status":"True"}]`
		no   = `[{"type":"Accepted","status":"False","reason":"NotAllowed","message":"by nobody"}]`
		half = `[{"type":"Accepted","status":"True"},{"type":"Resolved","status":"False","reason":"NoBackend"}]`
		old  = `[{"type":"Accepted","status":"True","observedGeneration":1}]`
	)
	parents := func(lists ...string) string {
		text := ""
		for i, list := range lists {
			if i > 0 {
				text += ","
			}
			text += `{"parentRef":{"name":"` + string(rune('a'+i)) + `"},"conditions":` + list + `}`
		}
		return `{"kind":"Route","metadata":{"generation":2},"status":{"parents":[` + text + `]}}`
	}
	tests := map[string]struct {
		object   string
		want     verdict.Status
		message  string
		evidence string
	}{
		"all well": {parents(yes, yes), verdict.Current, "condition Accepted is True",
			`.status.parents[*].conditions[?(@.type=="Accepted")].status`},
		"one says no": {parents(yes, no), verdict.Failed, "b: by nobody",
			`.status.parents[*].conditions[?(@.type=="Accepted")].status`},
		"the other says no": {parents(no, yes), verdict.Failed, "a: by nobody",
			`.status.parents[*].conditions[?(@.type=="Accepted")].status`},
		"a dependent is bad": {parents(yes, half), verdict.Degraded, "b: condition Resolved is False",
			`.status.parents[*].conditions[?(@.type=="Resolved")].status`},
		"one says nothing": {parents(yes, "[]", yes), verdict.InProgress, "b: conditions were not reported yet", ""},
		"a failure and silence": {parents("[]", no), verdict.Failed, "b: by nobody",
			`.status.parents[*].conditions[?(@.type=="Accepted")].status`},
		"one is older": {parents(yes, old), verdict.InProgress, "b: condition Accepted was observed at generation 1, generation is 2",
			`.status.parents[*].conditions[?(@.type=="Accepted")].status`},
		"no lists": {parents(), verdict.InProgress, "no declared condition was reported yet", ""},
		"another place": {`{"kind":"Line","status":{"conditions":` + no + `,"v2":{"conditions":` + yes + `}}}`, verdict.Current,
			"condition Accepted is True", `.status.v2.conditions[?(@.type=="Accepted")].status`},
		"another place is empty": {`{"kind":"Line","status":{"conditions":` + yes + `}}`, verdict.InProgress,
			"no declared condition was reported yet", ""},
		"elements within elements": {`{"kind":"Loose","status":{"groups":[7,{"items":[{"name":"x","conditions":` + yes +
			`},{"name":"y","conditions":` + half + `}]}]}}`,
			verdict.Failed, "y: condition Resolved is False", `.status.groups[*].items[*].conditions[?(@.type=="Resolved")].status`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			v := judgeRaw(e, []byte(tt.object), now)
			path := ""
			if evidence := v.Evidence; len(evidence) > 0 {
				path = evidence[0].Path
			}
			if v.Status != tt.want || v.Message != tt.message || path != tt.evidence {
				t.Errorf("want %s %q by %s, got %s %q by %s", tt.want, tt.message, tt.evidence, v.Status, v.Message, path)
			}
			var object map[string]any
			if err := json.Unmarshal([]byte(tt.object), &object); err != nil {
				t.Fatal(err)
			}
			decoded := e.Judge(object, now)
			if diff := cmp.Diff([]any{v.Status, v.Ready, v.Reason, v.Message}, []any{decoded.Status, decoded.Ready, decoded.Reason,
				decoded.Message}); diff != "" {
				t.Errorf("raw and decoded differ (-raw +decoded):\n%s", diff)
			}
		})
	}
}
