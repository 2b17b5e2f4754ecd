// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"errors"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/conditionstest"
)

var laws = conditionstest.Judge[Facts]{Kind: Kind,
	Judge: func(stored []conditions.Condition, f Facts, now time.Time) conditionstest.Pass {
		p := BeginList(1, stored, now)
		Judge(p, f)
		return p
	},
	Facts: []Facts{
		{}, {Problems: []string{"one", "two"}}, {Production: true, JwksError: errors.New("503")},
		{WriteError: errors.New("refused"), Unmirrored: []string{"a", "b"}},
	}}

// TestLaws: every combination of facts has declared cells, the same ones each time, and all cells are reached.
func TestLaws(t *testing.T) { laws.Check(t) }
