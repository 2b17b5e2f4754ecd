// SPDX-License-Identifier: Apache-2.0

package inferencepolicy

import (
	"errors"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/conditionstest"
	"github.com/tristate/tristate/operators/kars/internal/kit"
)

// what the catalog fills in for a new generation
var laws = conditionstest.Judge[Facts]{Kind: Kind, Unreached: []string{"Progressing=False/TimedOut", "Progressing=True/Reconciling",
	"Ready=False/Reconciling"},
	Judge: func(stored []conditions.Condition, f Facts, now time.Time) conditionstest.Pass {
		p := BeginList(1, stored, now)
		Judge(p, f)
		return p
	},
	Facts: []Facts{
		{Publication: kit.Publication{Loads: true, Digest: "a", Enforced: kit.Enforcement{Referrers: 2, Confirmed: 2}}},
		{Publication: kit.Publication{Enforced: kit.Enforcement{Referrers: 2, Confirmed: 1, Quorum: kit.All, Laggards: []string{"x", "y"}},
			Loads: true}},
		{Publication: kit.Publication{Problems: []string{"one", "two"}}},
		{Publication: kit.Publication{Absent: []string{"McpServer a", "McpServer b"}, WriteError: errors.New("refused")}},
	}}

// TestLaws: every combination of facts has declared cells, the same ones each time, and all cells are reached.
func TestLaws(t *testing.T) { laws.Check(t) }
