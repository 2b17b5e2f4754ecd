// SPDX-License-Identifier: Apache-2.0

package derive_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/read/relation"
	"github.com/tristate/tristate/internal/write/derive"
	"sigs.k8s.io/yaml"
)

const stepped = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: jobs.example.dev}
spec:
  for: {group: example.dev, kind: Job}
  conditions:
  - type: Ready
    meaning: It is done.
    derive: {summary: {of: [Fetched, Built, Disk], counterOnly: [Fetched, Built]}}
  - {type: Fetched, meaning: It is fetched., reasons: [{reason: Fetched, status: "True", meaning: Yes.}, {reason: Fetching, status: "False", meaning: No.}]}
  - {type: Built, meaning: It is built., optional: true, reasons: [{reason: Built, status: "True", meaning: Yes.}]}
  - {type: Disk, meaning: The disk has room., optional: true, reasons: [{reason: Room, status: "True", meaning: Yes.}, {reason: Full, status: "False", meaning: No.}]}
`

// TestCounterOnly: a summary counts the declared steps, all of them, as long as no other type is reported.
func TestCounterOnly(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"jobs.yaml": []byte(stepped)})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ conditions, want string }{
		"no step is reported": {`[]`, "Unknown NotReported 0 of 2 completed: Fetched(NotReported): not reported"},
		"a step of two":       {`[{type: Fetched, status: "False", reason: Fetching}]`, "False Fetching 0 of 2 completed: Fetched(Fetching)"},
		"one step done, one not": {`[{type: Fetched, status: "False", reason: Fetching}, {type: Built, status: "True", reason: Built}]`,
			"False Fetching 1 of 2 completed: Fetched(Fetching)"},
		"all steps done": {`[{type: Fetched, status: "True", reason: Fetched}, {type: Built, status: "True", reason: Built}]`,
			"True Healthy "},
		"another type is reported": {`[{type: Fetched, status: "False", reason: Fetching}, {type: Disk, status: "True", reason: Room}]`,
			"False Fetching Fetched(Fetching)"},
		"another type is not well": {`[{type: Fetched, status: "True", reason: Fetched}, {type: Disk, status: "False", reason: Full}]`,
			"False Full Disk(Full)"},
		"another type, and no steps": {`[{type: Disk, status: "True", reason: Room}]`, "Unknown NotReported Fetched(NotReported): not reported"},
	} {
		t.Run(name, func(t *testing.T) {
			var content map[string]any
			text := "{apiVersion: example.dev/v1, kind: Job, metadata: {name: j}, status: {conditions: " + tc.conditions + "}}"
			if err := yaml.Unmarshal([]byte(text), &content); err != nil {
				t.Fatal(err)
			}
			g := relation.New(set)
			g.Put(relation.FromContent(content))
			id := relation.ID{Name: "j"}
			id.Group, id.Kind = "example.dev", "Job"
			in, _ := derive.Gather(g, id, now)
			result := derive.Derive(in)
			c := result.Conditions()[conditions.Find(result.Conditions(), "Ready")]
			if diff := cmp.Diff(tc.want, string(c.Status)+" "+c.Reason+" "+c.Message); diff != "" {
				t.Errorf("(-want +got):\n%s\nproblems %v", diff, result.Problems)
			}
		})
	}
}
