// SPDX-License-Identifier: Apache-2.0

package egressapproval

import (
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/conditionstest"
)

// what the catalog fills in for a new generation
var laws = conditionstest.Judge[Facts]{Kind: Kind, Unreached: []string{"Progressing=False/TimedOut", "Ready=False/Reconciling"},
	Judge: func(stored []conditions.Condition, f Facts, now time.Time) conditionstest.Pass {
		p := BeginList(1, stored, now)
		Judge(p, f)
		return p
	},
	Facts: []Facts{
		{}, {Reason: "empty"}, {TTL: "-1s"}, {Ceiling: "25h"}, {Blocked: "there is no sandbox"}, {Expired: true}, {Left: "refused"},
		{Confirmed: true},
		{Lag: "not reported", Merged: "a"},
	}}

// TestLaws: every combination of facts has declared cells, the same ones each time, and all cells are reached.
func TestLaws(t *testing.T) { laws.Check(t) }
