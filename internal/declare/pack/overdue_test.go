// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"testing"
	"time"

	"github.com/tristate/tristate/verdict"
)

// TestBudget: how long an object may be in progress a condition declares, or else the catalog; the deadline of the object takes precedence.
func TestBudget(t *testing.T) {
	waits := `status: {conditions: [{type: Ready, status: "False", reason: Warming, lastTransitionTime: "2025-12-31T00:00:00Z"}]}`
	states := `  states: [{condition: Ready, words: {"False": InProgress}}]`
	for name, test := range map[string]struct {
		spec, object string
		want         time.Duration
	}{
		"of the catalog":   {"  deadline: 2h\n" + states, waits, 2 * time.Hour},
		"none":             {"  deadline: 0s\n" + states, waits, 0},
		"the default":      {states, waits, 15 * time.Minute},
		"of the condition": {`  conditions: [{type: Ready, meaning: It is lit., role: summary, reasons: [{reason: Lit, status: "True", class: ok, meaning: It is lit.}, {reason: Warming, status: "False", class: progress, meaning: It warms up., deadline: {after: 1h}}]}]`, waits, time.Hour},
		"of the object":    {"  deadline: 2h\n" + states, `spec: {timeout: 5m}, ` + waits, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			v := engine(t, test.spec).Judge(lamp(t, test.object), now)
			if got := v.Budget; v.Status != verdict.InProgress || got != test.want {
				t.Errorf("want %s, got %s, %s by %s", test.want, got, v.Status, v.Rule)
			}
		})
	}
}
