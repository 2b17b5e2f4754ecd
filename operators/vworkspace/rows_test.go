// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operators/vworkspace/internal/applicationinstance"
	"github.com/tristate/tristate/operators/vworkspace/internal/cluster"
	"github.com/tristate/tristate/operators/vworkspace/internal/operation"
)

const catalogFile = "../../catalogs/vworkspace.yaml"

var kinds = []*conditions.Kind{applicationinstance.Kind, operation.Kind, cluster.Kind}

// scenarios of objects, which run at a time.
var scenarios = map[string]func(*testing.T, *vworkspace){
	"releases": releases, "charts": charts, "integrations": integrations, "endpoints": endpoints, "policies": policies, "gates": gates,
	"operations": operations, "blocked": blocked, "velero": velero, "engines": engines,
}

// TestRows reaches every row of the document from its real trigger, and leaves it again when the trigger goes. It prints the rows reached.
func TestRows(t *testing.T) {
	w := start(t)
	for _, step := range []struct {
		name string
		run  func(*testing.T, *vworkspace)
	}{{"connection", connection}, {"credentials", credentials}, {"controllers", controllers}, {"overflow", overflow}} {
		if !t.Run(step.name, func(t *testing.T) { step.run(t, w) }) {
			t.FailNow() // the next one begins where this one ends
		}
	}
	t.Run("objects", func(t *testing.T) {
		for name, scenario := range scenarios {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				scenario(t, w)
			})
		}
	})
	t.Run("restart", func(t *testing.T) { restart(t, w) })
	t.Run("admission", func(t *testing.T) { admission(t, w) })
	summary, _ := w.Seen.Compare(t, catalogFile, kinds)
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "\n"+summary+"\n") {
		t.Errorf("the page does not have the line %q: %v", summary, err)
	}
}
