// SPDX-License-Identifier: Apache-2.0

package derive_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/derive"
	"sigs.k8s.io/yaml"
)

// crew is a catalog with a type that dwells; a summary and a rule depend on it.
const crew = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: crews.example.dev}
spec:
  for: {group: example.dev, kind: Crew}
  conditions:
  - type: Ready
    meaning: All hands work.
    derive: {summary: {of: [Rested]}}
  - type: Rested
    meaning: Nobody is tired for long.
    aliases: [Restd]
    dwell: {goBadAfter: 2m, recoverAfter: 30s}
    optional: true
    derive:
      rules:
      - {when: self.spec.hours < 10, reason: Fresh}
      - {when: self.spec.hours < 100, reason: Tired}
    reasons:
    - {reason: Fresh, status: "True", meaning: They slept.}
    - {reason: Tired, status: "False", meaning: They did not.}
  - type: Complaining
    meaning: One can hear them.
    polarity: negative
    role: informational
    derive:
      rules:
      - {when: "condition(self, 'Rested').status == 'False'", reason: Loud}
      - {reason: Quiet}
    reasons:
    - {reason: Loud, status: "True", meaning: One can.}
    - {reason: Quiet, status: "False", meaning: One cannot.}
`

// TestDerive_dwell runs one object through time: what is published, and when to look again.
func TestDerive_dwell(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"crew.yaml": []byte(crew)})
	if err != nil {
		t.Fatal(err)
	}
	good := "Ready=True Healthy,Rested=True Fresh,Complaining=False Quiet"
	bad := "Ready=False Tired,Rested=False Tired,Complaining=True Loud"
	type step struct {
		at    time.Duration
		hours int
		want  string
		next  time.Duration // from the start; 0: never
	}
	tests := map[string]struct {
		stored  string
		restart time.Duration // the memory is lost from then on
		steps   []step
	}{
		"the first pass does not wait": {steps: []step{{0, 20, bad, 0}}},
		"goes bad after a while": {steps: []step{{0, 1, good, 0}, {time.Minute, 20, good, 3 * time.Minute},
			{2 * time.Minute, 20, good, 3 * time.Minute}, {3 * time.Minute, 20, bad, 0}, {4 * time.Minute, 20, bad, 0}}},
		"recovers after a while": {steps: []step{{0, 20, bad, 0}, {time.Minute, 1, bad, 90 * time.Second}, {90 * time.Second, 1, good, 0}}},
		"a relapse starts anew": {steps: []step{{0, 1, good, 0}, {time.Minute, 20, good, 3 * time.Minute}, {2 * time.Minute, 1, good, 0},
			{150 * time.Second, 20, good, 270 * time.Second}, {3 * time.Minute, 20, good, 270 * time.Second}}},
		"coming to nothing ends the waiting": {steps: []step{{0, 1, good, 0}, {time.Minute, 20, good, 3 * time.Minute},
			{2 * time.Minute, 200, "Complaining=False Quiet", 0}, {150 * time.Second, 1, good, 0}, {3 * time.Minute, 20, good, 5 * time.Minute}}},
		"a restart waits anew": {restart: 2 * time.Minute, steps: []step{{0, 1, good, 0}, {time.Minute, 20, good, 3 * time.Minute},
			{2 * time.Minute, 20, good, 4 * time.Minute}, {4 * time.Minute, 20, bad, 0}}},
		"stored under an alias": {stored: `{type: Restd, status: "True", reason: Fresh, message: "", lastTransitionTime: "2026-01-02T00:00:00Z"}`,
			steps: []step{{0, 20, good, 2 * time.Minute}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			memory, lost := &conditions.State{}, false
			var content map[string]any
			must(t, yaml.Unmarshal(fmt.Appendf(nil, "{apiVersion: example.dev/v1, kind: Crew, metadata: {name: crew}, status: {conditions: [%s]}}",
				test.stored), &content))
			for _, s := range test.steps {
				if test.restart > 0 && s.at >= test.restart && !lost {
					memory, lost = &conditions.State{}, true
				}
				content["spec"] = map[string]any{"hours": int64(s.hours)}
				self := relation.FromContent(content)
				result := derive.Derive(derive.Input{Set: set, Kind: set.Kind(self.GroupKind), Self: self, Now: now.Add(s.at), State: memory})
				for _, err := range result.Errors {
					t.Errorf("at %s: %v", s.at, err)
				}
				var got []string
				for _, c := range result.Conditions() {
					got = append(got, fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason))
				}
				if diff := cmp.Diff(s.want, strings.Join(got, ",")); diff != "" {
					t.Errorf("at %s (-want +got):\n%s", s.at, diff)
				}
				want := time.Time{}
				if s.next > 0 {
					want = now.Add(s.next)
				}
				if !result.RequeueAt.Equal(want) {
					t.Errorf("at %s: look again: want %s, got %s", s.at, want, result.RequeueAt)
				}
				list := make([]any, len(result.Conditions()))
				for i, c := range result.Conditions() {
					list[i] = wire.ToUnstructured(c, conditions.DialectCore)
				}
				content["status"] = map[string]any{"conditions": list}
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
