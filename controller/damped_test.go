// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"strings"
	"testing"

	"github.com/tristate/tristate/controller"
)

// restless declares widgets whose condition is the opposite of what is stored: each write makes the next one necessary.
const restless = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: widgets.GROUP}
spec:
  for: {group: GROUP, kind: Widget, versions: [v1]}
  manage: {manager: tristate}
  conditions:
  - type: Ready
    meaning: It swings.
    derive:
      rules:
      - {when: "has(self.status) && has(self.status.conditions) && self.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')", reason: Off}
      - {reason: On}
    reasons:
    - {reason: "On", status: "True", meaning: It was off.}
    - {reason: "Off", status: "False", meaning: It was on.}
`

// TestDamped: an object that the controller's own writes make it write again, with nobody else changing it, is written a few times and then
// left alone until the pause is over; an event reports the pause. A change by somebody else does not open the way to more than it needs,
// and other objects are written as always.
func TestDamped(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set = b.load(restless)
	b.define(listMap, "Widget")
	w := &traffic{}
	c := b.run(w.through)
	b.create("Widget", "w", "{}")
	b.wait(func() error {
		if events := strings.Join(b.events(), "\n"); !strings.Contains(events, "WritesReverted") ||
			!strings.Contains(events, "with each write of them") {
			return &unlike{"events", events}
		}
		return nil
	})
	c.idle()
	n := w.writesOf()
	if n < 2 || n > controller.FreeRewrites+2 {
		t.Errorf("%d writes of an object that nobody else changes, want 2 to %d", n, controller.FreeRewrites+2)
	}
	stood := b.says("Widget", "w")
	c.Recheck()
	c.idle()
	b.touch("Widget", "w", 1)
	c.idle()
	if got := w.writesOf(); got != n || b.says("Widget", "w") != stood {
		t.Errorf("written %d times more during the pause", got-n)
	}
	t.Logf("%d writes", n)
}
