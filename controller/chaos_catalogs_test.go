// SPDX-License-Identifier: Apache-2.0

package controller_test

import "strings"

// The catalogs of chaos. Widgets have leaves that others report and are declared in a file; racks aggregate the widgets that name them, and
// rows mirror the rack that they name: both are declared by ConditionCatalog objects, which chaos edits. GROUP is the group of the test.
const (
	chaosWidgets = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: widgets.GROUP}
spec:
  for: {group: GROUP, kind: Widget, versions: [v1]}
  manage: {manager: tristate, adopt: true}
  paused: "has(self.spec.paused) && self.spec.paused"
  conditions:
  - type: Ready
    meaning: It works.
    derive: {summary: {of: [Powered, Cooled, Burning]}}
  - type: Powered
    meaning: It has power.
    reasons: [{reason: PowerOn, status: "True", meaning: Yes.}, {reason: Cut, status: "False", meaning: No.}]
  - type: Cooled
    meaning: It is cool.
    optional: true
    reasons:
    - {reason: Cool, status: "True", meaning: Yes.}
    - {reason: Hot, status: "False", severity: Warning, meaning: No.}
    - {reason: Measuring, status: Unknown, meaning: Soon.}
  - type: Burning
    meaning: It is on fire.
    polarity: negative
    presence: when-true
    reasons: [{reason: Flames, status: "True", meaning: Yes.}, {reason: NoFlames, status: "False", meaning: No.}]
`
	chaosRacks = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: racks.GROUP}
spec:
  for: {group: GROUP, kind: Rack, versions: [v1]}
  manage: {manager: tristate, adopt: true}
  relations:
    widgets: {kind: Widget.GROUP, where: item.spec.rack == self.metadata.name}
  conditions:
  - type: Ready
    meaning: All widgets work, and there is room.
    derive: {summary: {of: [WidgetsReady, Space]}}
  - type: WidgetsReady
    meaning: All widgets work.
    derive:
      aggregate: {of: widgets, counter: true}
      rules: [{reason: Empty}]
    reasons: [{reason: Empty, status: "False", meaning: There is none.}]
  - type: Space
    meaning: There is room for another widget.
    derive:
      rules:
      - {when: size(related.widgets) > self.spec.slots, reason: Overfull, message: "string(size(related.widgets)) + ' widgets in ' + string(self.spec.slots) + ' slots'"}
      - {when: size(related.widgets) == self.spec.slots, reason: Full}
      - {reason: Room}
    reasons:
    - {reason: Overfull, status: "False", meaning: More widgets than slots.}
    - {reason: Full, status: "True", meaning: As many widgets as slots.}
    - {reason: Room, status: "True", meaning: Fewer widgets than slots.}
`
	chaosRows = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: rows.GROUP}
spec:
  for: {group: GROUP, kind: Row, versions: [v1]}
  manage: {manager: tristate, adopt: true}
  relations:
    rack: {kind: Rack.GROUP, ref: self.spec.rack}
  conditions:
  - type: Ready
    meaning: The rack works.
    derive: {summary: {of: [RackReady]}}
  - type: RackReady
    meaning: The rack works.
    derive: {mirror: {of: rack, type: Ready, missing: unknown}}
`
)

// variant is a form of a catalog that chaos edits.
type variant string

// The forms that a catalog may have. Every one but broken and gone is in force once it is accepted.
const (
	asDeclared  variant = "as declared"
	withNames   variant = "names instead of a count" // racks
	withoutRoom variant = "without Space"            // racks
	ofWidgets   variant = "mirrors WidgetsReady"     // rows
	broken      variant = "broken"
	gone        variant = "gone"
)

var variants = map[string][]variant{
	"Rack": {asDeclared, withNames, withoutRoom, broken, gone},
	"Row":  {asDeclared, ofWidgets, broken, gone},
}

// catalogAs returns a catalog in one of its forms.
func catalogAs(kind string, as variant) string {
	text := map[string]string{"Rack": chaosRacks, "Row": chaosRows}[kind]
	change := func(from, to string) string {
		if !strings.Contains(text, from) {
			panic("no " + from)
		}
		return strings.Replace(text, from, to, 1)
	}
	switch as {
	case withNames:
		return change("{of: widgets, counter: true}", "{of: widgets}")
	case withoutRoom:
		text = change("[WidgetsReady, Space]", "[WidgetsReady]")
		return text[:strings.Index(text, "  - type: Space")]
	case ofWidgets:
		return change("type: Ready, missing", "type: WidgetsReady, missing")
	case broken:
		return change("{of: "+map[string]string{"Rack": "widgets", "Row": "rack"}[kind]+",", "{of: nothing,")
	}
	return text
}
