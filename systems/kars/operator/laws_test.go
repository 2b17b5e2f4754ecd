// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/conditionstest"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/a2aagent"
	"github.com/tristate/tristate/systems/kars/operator/internal/egressapproval"
	"github.com/tristate/tristate/systems/kars/operator/internal/inferencepolicy"
	"github.com/tristate/tristate/systems/kars/operator/internal/karsmemory"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	"github.com/tristate/tristate/systems/kars/operator/internal/mcpserver"
	"github.com/tristate/tristate/systems/kars/operator/internal/toolpolicy"
	"github.com/tristate/tristate/systems/kars/operator/internal/trustgraph"
)

// TestLaws: every combination of a kind's facts has declared cells, the same ones each time, and all cells are reached.
func TestLaws(t *testing.T) {
	// What the catalog fills in for a new generation, and what a deadline does.
	const reconciling, synced, timedOut = "Progressing=True/Reconciling", "Ready=False/Reconciling", "Progressing=False/TimedOut"
	refused := errors.New("refused")
	published := []kit.Publication{
		{Loads: true, Digest: "a", Enforced: kit.Enforcement{Referrers: 2, Confirmed: 2}},
		{Loads: true, Enforced: kit.Enforcement{Referrers: 2, Confirmed: 1, Quorum: kit.All, Laggards: []string{"x", "y"}}},
		{Problems: []string{"one", "two"}},
		{Absent: []string{"McpServer a", "McpServer b"}, WriteError: refused},
	}
	laws(t, a2aagent.Kind, a2aagent.BeginList, a2aagent.Judge, []a2aagent.Facts{
		{}, {Problems: []string{"one", "two"}}, {Absent: []string{"A2AAgent a", "A2AAgent b"}}, {WriteError: refused}, {Missing: true},
	}, reconciling, synced)
	laws(t, egressapproval.Kind, egressapproval.BeginList, egressapproval.Judge, []egressapproval.Facts{
		{}, {Reason: "empty"}, {TTL: "-1s"}, {Ceiling: "25h"}, {Blocked: "there is no sandbox"}, {Expired: true}, {Left: "refused"},
		{Confirmed: true}, {Lag: "not reported", Merged: "a"},
	}, timedOut, synced)
	var models []inferencepolicy.Facts
	var tools []toolpolicy.Facts
	var memories []karsmemory.Facts
	for _, p := range published {
		models, tools, memories = append(models, inferencepolicy.Facts{Publication: p}), append(tools, toolpolicy.Facts{Publication: p}),
			append(memories, karsmemory.Facts{Publication: p})
	}
	laws(t, inferencepolicy.Kind, inferencepolicy.BeginList, inferencepolicy.Judge, models, timedOut, reconciling, synced)
	laws(t, toolpolicy.Kind, toolpolicy.BeginList, toolpolicy.Judge, tools, timedOut, reconciling, synced)
	laws(t, karsmemory.Kind, karsmemory.BeginList, karsmemory.Judge, append(memories,
		karsmemory.Facts{Refused: "403 of router a"}, karsmemory.Facts{NoStore: "404 of router a"}, karsmemory.Facts{StoreSeen: true}),
		timedOut, synced)
	laws(t, mcpserver.Kind, mcpserver.BeginList, mcpserver.Judge, []mcpserver.Facts{
		{}, {Problems: []string{"one", "two"}}, {Production: true, JwksError: errors.New("503")},
		{WriteError: refused, Unmirrored: []string{"a", "b"}},
	})
	laws(t, trustgraph.Kind, trustgraph.BeginList, trustgraph.Judge, []trustgraph.Facts{
		{}, {Graph: trustgraph.Graph{Vertices: []api.TrustVertex{{}, {}}}}, {Graph: trustgraph.Graph{Dropped: []string{"a", "b"}}},
		{WriteError: refused},
	}, reconciling, synced)
}

// laws checks one kind by its pass and its judge.
func laws[P conditionstest.Pass, F any](t *testing.T, kind *conditions.Kind, begin func(int64, []conditions.Condition, time.Time) P,
	judge func(P, F), facts []F, unreached ...string) {
	t.Run(kind.Kind, func(t *testing.T) {
		conditionstest.Judge[F]{Kind: kind, Unreached: unreached, Facts: facts,
			Judge: func(stored []conditions.Condition, f F, now time.Time) conditionstest.Pass {
				p := begin(1, stored, now)
				judge(p, f)
				return p
			}}.Check(t)
	})
}
