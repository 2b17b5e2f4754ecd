// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/systems/kars/operator/internal/a2aagent"
	"github.com/tristate/tristate/systems/kars/operator/internal/egressapproval"
	"github.com/tristate/tristate/systems/kars/operator/internal/inferencepolicy"
	"github.com/tristate/tristate/systems/kars/operator/internal/karseval"
	"github.com/tristate/tristate/systems/kars/operator/internal/karsmemory"
	"github.com/tristate/tristate/systems/kars/operator/internal/karssandbox"
	"github.com/tristate/tristate/systems/kars/operator/internal/mcpserver"
	"github.com/tristate/tristate/systems/kars/operator/internal/toolpolicy"
	"github.com/tristate/tristate/systems/kars/operator/internal/trustgraph"
)

var kinds = []*conditions.Kind{karssandbox.Kind, a2aagent.Kind, mcpserver.Kind, toolpolicy.Kind, inferencepolicy.Kind, karsmemory.Kind,
	karseval.Kind,
	trustgraph.Kind, egressapproval.Kind}

// TestRows reaches every row of the document from its real trigger, and leaves it again when the trigger goes, while the object lives on.
// It prints the rows reached.
func TestRows(t *testing.T) {
	t.Parallel()
	w := start(t)
	t.Run("kinds", func(t *testing.T) {
		for name, scenario := range scenarios {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				scenario(t, w)
			})
		}
	})
	t.Run("waits", func(t *testing.T) { waits(t, w) })
	t.Run("held", func(t *testing.T) { held(t, w) })
	t.Run("grants end", func(t *testing.T) { grantsEnd(t, w) })
	t.Run("former grants", func(t *testing.T) { formerGrants(t, w) })
	t.Run("restart", func(t *testing.T) { restart(t, w) })
	w.Left(t)
	summary, missed := w.Seen.Compare(t, catalogFile, kinds, "EgressApproval Degraded=True Expired") // "TTL exceeded, file removed (terminal)"
	if missed > 0 {
		t.Errorf("%d further cells were not reached", missed)
	}
	if page, err := os.ReadFile("../README.md"); err != nil || !strings.Contains(string(page), "\n"+summary+"\n") {
		t.Errorf("the page does not have the line %q: %v", summary, err)
	}
}
