// SPDX-License-Identifier: Apache-2.0

package trustgraph

import (
	"errors"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/conditionstest"
	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
)

// what the catalog fills in for a new generation
var laws = conditionstest.Judge[Facts]{Kind: Kind, Unreached: []string{"Progressing=True/Reconciling", "Ready=False/Reconciling"},
	Judge: func(stored []conditions.Condition, f Facts, now time.Time) conditionstest.Pass {
		p := BeginList(1, stored, now)
		Judge(p, f)
		return p
	},
	Facts: []Facts{
		{}, {Graph: Graph{Vertices: []api.TrustVertex{{}, {}}}}, {Graph: Graph{Dropped: []string{"a", "b"}}}, {WriteError: errors.New("refused")},
	}}

// TestLaws: every combination of facts has declared cells, the same ones each time, and all cells are reached.
func TestLaws(t *testing.T) { laws.Check(t) }
