// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
)

const dwelling = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: widgets.example.com}
spec:
  for: {group: example.com, kind: Widget}
  conditions:
  - type: Powered
    meaning: It has power.
    reasons: [{reason: PowerOn, status: "True", meaning: "On."}, {reason: Cut, status: "False", meaning: "Off."}]
---
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: racks.example.com}
spec:
  for: {group: example.com, kind: Rack}
  relations:
    widgets: {kind: Widget.example.com, owned: true}
  conditions:
  - type: Ready
    meaning: The rack can be used.
    derive: {summary: {of: [WidgetsPowered]}}
  - type: WidgetsPowered
    meaning: All widgets have power, but for flickers.
    dwell: {goBadAfter: 2m, recoverAfter: 1m}
    derive: {aggregate: {of: widgets, type: Powered}}
`

// TestDwell: a flicker is not published; a change that lasts is published when its time has come, without any other event.
func TestDwell(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"dwelling.yaml": []byte(dwelling)})
	must(t, err)
	_, err = run(t, set, `
apply objects.yaml
report Widget/w Powered=True
settle
expect Rack/r Ready=True
report Widget/w Powered=False
settle
quiet
expect Rack/r WidgetsPowered=True
sleep 1m
report Widget/w Powered=True
settle
sleep 5m
writes 1
report Widget/w Powered=False
settle
sleep 119s
expect Rack/r Ready=True
sleep 1s
expect Rack/r WidgetsPowered=False Cut
expect Rack/r Ready=False Cut
report Widget/w Powered=True
settle
expect Rack/r Ready=False
sleep 1m
expect Rack/r Ready=True
writes 2
-- objects.yaml --
apiVersion: example.com/v1
kind: Rack
metadata: {name: r}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, ownerReferences: [{apiVersion: example.com/v1, kind: Rack, name: r}]}
`)
	if err != nil {
		t.Errorf("\n%v", err)
	}
}
