// SPDX-License-Identifier: Apache-2.0

package controller_test

import "testing"

// TestTrouble: related objects that are malformed, missing, deleted or made anew never stop the rest.
func TestTrouble(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.define(listMap, "Rack")
	b.define(anything, "Widget") // takes every nonsense
	c := b.run()
	for _, rack := range []string{"good", "bad", "empty"} {
		b.create("Rack", rack, "{}")
	}
	b.create("Widget", "good", "rack: good")
	b.patchStatus("Widget", "good", `{conditions: [{type: Powered, status: "True", reason: PowerOn}]}`)
	for name, status := range map[string]string{
		"text":       `just text`,
		"list":       `[1, 2]`,
		"no-list":    `{conditions: {type: Powered, status: "True"}}`,
		"no-entries": `{conditions: [3, text, null, [], {type: 4}, {status: "True"}, {type: Powered}]}`,
		"odd-values": `{conditions: [{type: Powered, status: 1, reason: [a], message: {b: c}, lastTransitionTime: yesterday, observedGeneration: many}]}`,
		"odd-status": `{conditions: [{type: Powered, status: Maybe, reason: "no reason", lastTransitionTime: "2026-01-02T03:04:05Z"}]}`,
	} {
		b.create("Widget", name, "rack: bad")
		b.patchStatus("Widget", name, status)
	}
	b.create("Widget", "nowhere", "rack: {name: 3}")
	c.quiet()
	b.eventually("Rack", "good", "Ready=True Healthy, WidgetsReady=True Healthy")
	b.eventually("Rack", "empty", "Ready=False Empty, WidgetsReady=False Empty")
	b.eventually("Rack", "bad", "Ready=Unknown DependentsUnknown, WidgetsReady=Unknown DependentsUnknown")
	for name, want := range map[string]string{ // what others wrote stays, whatever it is
		"text":       "Ready=Unknown NotReported",
		"list":       "Ready=Unknown NotReported",
		"no-list":    "Ready=Unknown NotReported",
		"no-entries": "4=<nil> <nil>, <nil>=True <nil>, Powered=<nil> <nil>, Ready=Unknown DependentsUnknown",
		"odd-values": "Powered=1 [a], Ready=Unknown DependentsUnknown",
		"odd-status": "Powered=Maybe no reason, Ready=Unknown DependentsUnknown",
		"nowhere":    "Ready=Unknown NotReported",
	} {
		b.eventually("Widget", name, want)
	}
	if got := c.Stats().Failures; got > 0 {
		t.Errorf("%d writes failed", got)
	}

	b.delete("Widget", "good") // and made anew, before or after anybody has noticed
	b.create("Widget", "good", "rack: good")
	b.patchStatus("Widget", "good", `{conditions: [{type: Powered, status: "False", reason: Cut}]}`)
	b.eventually("Rack", "good", "Ready=False Cut, WidgetsReady=False Cut")
	b.delete("Widget", "good")
	b.eventually("Rack", "good", "Ready=False Empty, WidgetsReady=False Empty")
	b.delete("Rack", "good")
	b.create("Rack", "good", "{}")
	b.eventually("Rack", "good", "Ready=False Empty, WidgetsReady=False Empty")
	c.quiet()
}
