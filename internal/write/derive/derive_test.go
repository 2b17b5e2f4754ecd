// SPDX-License-Identifier: Apache-2.0

package derive_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/derive"
	"sigs.k8s.io/yaml"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

const fleet = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: fleets.example.dev}
spec:
  for: {group: example.dev, kind: Fleet}
  dialect: %s
  variables: {upgrading: self.spec.version != self.status.version}
  relations:
    ships: {kind: Ship.example.dev, where: item.spec.fleet == self.metadata.name}
    flag: {kind: Ship.example.dev, ref: self.spec.flagship}
  conditions:
  - type: Ready
    meaning: The fleet can sail.
    derive: {summary: {of: [ShipsReady, FlagReady, Upgraded], counter: true}}
  - type: ShipsReady
    meaning: Every ship is ready.
    derive:
      aggregate:
        of: ships
        counter: true
        tolerate: [{while: variables.upgrading, items: has(item.metadata.deletionTimestamp), max: 1}]
    reasons: [{reason: ShipsNotReady, status: "False", meaning: Some are not.}]
  - type: FlagReady
    meaning: The flagship is ready.
    derive:
      mirror: {of: flag, type: Ready}
      rules: [{when: has(self.spec.flagship) && !has(related.flag), reason: FlagMissing, message: "'no ship ' + self.spec.flagship"}]
    reasons: [{reason: FlagMissing, status: "False", severity: Error, meaning: It is not there.}]
  - type: Upgraded
    meaning: The last upgrade ended.
    aliases: [Upgradded]
    optional: true
    lifecycle: per-run
    run: variables.upgrading
    derive:
      rules:
      - {when: "related.ships.all(s, s.spec.version == self.spec.version)", reason: Done}
      - {when: "after(self.metadata.annotations.started, duration('10m'))", reason: Slow}
      - {reason: Upgrading, message: "string(related.ships.filter(s, s.spec.version == self.spec.version).size()) + ' of ' + string(size(related.ships))"}
    reasons:
    - {reason: Done, status: "True", meaning: It ended.}
    - {reason: Slow, status: "False", severity: Warning, meaning: It takes long.}
    - {reason: Upgrading, status: "False", severity: Info, meaning: It is on.}
---
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: ships.example.dev}
spec:
  for: {group: example.dev, kind: Ship}
  dialect: %[1]s
  conditions:
  - type: Ready
    meaning: It floats.
    aliases: [Reddy]
    reasons: [{reason: Floats, status: "True", meaning: It does.}, {reason: Leak, status: "False", severity: Warning, meaning: It does not.}]
`

func graph(t *testing.T, dialect string, docs ...string) *relation.Graph {
	t.Helper()
	set, err := catalog.Load(map[string][]byte{"fleet.yaml": fmt.Appendf(nil, fleet, dialect)})
	if err != nil {
		t.Fatal(err)
	}
	g := relation.New(set)
	for _, doc := range docs {
		var content map[string]any
		if err := yaml.Unmarshal([]byte(doc), &content); err != nil {
			t.Fatal(err)
		}
		g.Put(relation.FromContent(content))
	}
	return g
}

func ship(name, version, metadata, conditionList string) string {
	return fmt.Sprintf(`{apiVersion: example.dev/v1, kind: Ship, metadata: {namespace: sea, name: %s%s}, spec: {fleet: home, version: %s}, status: {conditions: [%s]}}`,
		name, metadata, version, conditionList)
}

func self(spec, status string) string {
	return fmt.Sprintf(`{apiVersion: example.dev/v1, kind: Fleet, metadata: {namespace: sea, name: home, generation: 4, annotations: {started: "2026-01-02T03:00:00Z"}}, spec: {%s}, status: {%s}}`, spec, status)
}

const ready, leak = `{type: Ready, status: "True"}`, `{type: Ready, status: "False", reason: Leak, severity: Warning, message: water}`

func fleetID() relation.ID {
	id := relation.ID{Namespace: "sea", Name: "home"}
	id.Group, id.Kind = "example.dev", "Fleet"
	return id
}

func brief(list []conditions.Condition) []string {
	out := []string{}
	for _, c := range list {
		out = append(out, strings.TrimRight(fmt.Sprintf("%s=%s %s %s %s", c.Type, c.Status, c.Reason, c.Severity, c.Message), " "))
	}
	return out
}

func TestDerive_clusterAPIDialect(t *testing.T) {
	tests := map[string]struct {
		docs []string
		want []string
		next time.Time
	}{
		"nothing there": {[]string{self("version: v1", "version: v1")}, []string{}, time.Time{}},
		"all ready": {[]string{self("version: v1, flagship: a", "version: v1"), ship("a", "v1", "", ready), ship("b", "v1", "", ready)},
			[]string{"Ready=True", "ShipsReady=True", "FlagReady=True"}, time.Time{}},
		"one leaks": {[]string{self("version: v1, flagship: a", "version: v1"), ship("a", "v1", "", ready), ship("b", "v1", "", leak)},
			[]string{"Ready=False Leak Warning 1 of 2 completed", "ShipsReady=False Leak Warning 1 of 2 completed", "FlagReady=True"}, time.Time{}},
		"read under an alias": {[]string{self("version: v1, flagship: a", "version: v1"),
			ship("a", "v1", "", strings.Replace(leak, "Ready", "Reddy", 1))},
			[]string{"Ready=False Leak Warning 0 of 2 completed", "ShipsReady=False Leak Warning 0 of 1 completed",
				"FlagReady=False Leak Warning water"}, time.Time{}},
		"missing flagship": {[]string{self("version: v1, flagship: a", "version: v1")},
			[]string{"Ready=False FlagMissing Error 0 of 2 completed", "FlagReady=False FlagMissing Error no ship a"}, time.Time{}},
		"malformed ship": {[]string{self("version: v1, flagship: a", "version: v1"),
			ship("a", "v1", "", `3, {type: 4}, {type: Ready, status: "True"}`),
			`{apiVersion: example.dev/v1, kind: Ship, metadata: {namespace: sea, name: b}, spec: {fleet: home}, status: odd}`},
			[]string{"Ready=True", "ShipsReady=True", "FlagReady=True"}, time.Time{}},
		"a run resets": {[]string{self("version: v2", `version: v1, conditions: [{type: Upgraded, status: "True"}]`),
			ship("a", "v2", "", ready), ship("b", "v1", "", leak)},
			[]string{"Ready=False Leak Warning 0 of 3 completed", "ShipsReady=False Leak Warning 1 of 2 completed",
				"Upgraded=False Upgrading Info 1 of 2"}, now.Add(5*time.Minute + 55*time.Second)},
		"a run ends": {[]string{self("version: v2",
			`version: v2, conditions: [{type: Upgraded, status: "False", reason: Upgrading, severity: Info}]`),
			ship("a", "v2", "", ready)},
			[]string{"Ready=True", "ShipsReady=True", "Upgraded=True Done"}, time.Time{}},
		"between runs the outcome stands": {[]string{self("version: v2",
			`version: v2, conditions: [{type: Upgraded, status: "True", reason: Done}]`),
			ship("a", "v2", "", ready), ship("new", "v1", "", ready)},
			[]string{"Ready=True", "ShipsReady=True", "Upgraded=True Done"}, time.Time{}},
		"the outcome under its alias is written right": {[]string{self("version: v2",
			`version: v2, conditions: [{type: Upgradded, status: "True", reason: Done}]`)},
			[]string{"Ready=True", "Upgraded=True Done"}, time.Time{}},
		"tolerance holds during a run": {[]string{self("version: v2", "version: v1"),
			ship("a", "v2", `, deletionTimestamp: "2026-01-01T00:00:00Z"`, leak), ship("b", "v2", "", ready)},
			[]string{"Ready=True", "ShipsReady=True", "Upgraded=True Done"}, time.Time{}},
		"tolerance has a limit": {[]string{self("version: v2", "version: v1"),
			ship("a", "v2", `, deletionTimestamp: "2026-01-01T00:00:00Z"`, leak), ship("b", "v2", `, deletionTimestamp: "2026-01-01T00:00:00Z"`,
				leak)},
			[]string{"Ready=False Leak Warning 1 of 3 completed", "ShipsReady=False Leak Warning 0 of 1 completed", "Upgraded=True Done"},
			time.Time{}},
		"foreign conditions stay": {[]string{self("version: v1, flagship: a",
			`version: v1, conditions: [{type: Other, status: "True"}, {type: ShipsReady, status: "False"}, odd]`),
			ship("a", "v1", "", ready)},
			[]string{"Other=True", "Ready=True", "ShipsReady=True", "FlagReady=True"}, time.Time{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := graph(t, "capi-v1beta1", test.docs...)
			in, ok := derive.Gather(g, fleetID(), now)
			if !ok {
				t.Fatal("nothing gathered")
			}
			result := derive.Derive(in)
			if diff := cmp.Diff(test.want, brief(result.Conditions())); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if !result.RequeueAt.Equal(test.next) {
				t.Errorf("next look: want %s, got %s", test.next, result.RequeueAt)
			}
			if len(result.Errors) > 0 {
				t.Errorf("errors: %v", result.Errors)
			}
		})
	}
}

func TestDerive_coreDialect(t *testing.T) {
	g := graph(t, "core", self("version: v1, flagship: a", "version: v1"),
		ship("a", "v1", "", `{type: Ready, status: "False", reason: Leak, message: water}`),
		ship("b", "v1", "", `{type: Ready, status: "True", reason: Floats}`),
		ship("c", "v1", ", generation: 3", `{type: Ready, status: "True", reason: Floats, observedGeneration: 2}`))
	in, _ := derive.Gather(g, fleetID(), now)
	result := derive.Derive(in)
	t.Log(strings.Join(brief(result.Conditions()), "\n"))
	for _, c := range result.Conditions() {
		if c.Type != "Upgraded" && c.Status != conditions.False {
			t.Errorf("%s: want False over a leak, got %s", c.Type, c.Status)
		}
		if c.Reason == "" || c.ObservedGeneration != 4 {
			t.Errorf("%s: reason %q, generation %d", c.Type, c.Reason, c.ObservedGeneration)
		}
	}
	causes := result.Causes("Ready")
	if len(causes) == 0 || causes[0].Object.Name != "a" || causes[0].Reason != "Leak" {
		t.Errorf("causes of Ready: %v", causes)
	}
	in.NoCauses = true
	without := derive.Derive(in)
	if diff := cmp.Diff(brief(result.Conditions()), brief(without.Conditions())); diff != "" {
		t.Errorf("without causes, -want +got\n%s", diff)
	}
	for _, c := range without.Causes("ShipsReady") { // an aggregate without causes is its own
		if c.Type != "ShipsReady" || c.Object != (conditions.ObjectRef{}) {
			t.Errorf("without causes: %v", c)
		}
	}
}
