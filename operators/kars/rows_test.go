// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditionstest"
	"github.com/tristate/tristate/operators/kars/internal/a2aagent"
	"github.com/tristate/tristate/operators/kars/internal/egressapproval"
	"github.com/tristate/tristate/operators/kars/internal/inferencepolicy"
	"github.com/tristate/tristate/operators/kars/internal/karseval"
	"github.com/tristate/tristate/operators/kars/internal/karsmemory"
	"github.com/tristate/tristate/operators/kars/internal/karssandbox"
	"github.com/tristate/tristate/operators/kars/internal/mcpserver"
	"github.com/tristate/tristate/operators/kars/internal/toolpolicy"
	"github.com/tristate/tristate/operators/kars/internal/trustgraph"
)

var kinds = []*conditions.Kind{karssandbox.Kind, a2aagent.Kind, mcpserver.Kind, toolpolicy.Kind, inferencepolicy.Kind, karsmemory.Kind, karseval.Kind,
	trustgraph.Kind, egressapproval.Kind}

// row is a row of the document: a reason that it lists under a type of a kind. A reason may be listed without its status.
type row struct{ kind, conditionType, reason string }

// rows reads the rows of the document, and the cells beside them, from the catalog, which is held to the document.
func rows(t *testing.T) (document map[row][]string, partners map[string]bool) {
	t.Helper()
	data, err := os.ReadFile("../../catalogs/kars.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := catalog.Parse("kars.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	document, partners = map[row][]string{}, map[string]bool{}
	for _, s := range sources {
		for _, c := range s.Document.Spec.Conditions {
			for _, reason := range c.Reasons {
				cell := fmt.Sprintf("%s %s=%s %s", s.Document.Spec.For.Kind, c.Type, reason.Status, reason.Reason)
				if reason.Addition != "" {
					partners[cell] = true
					continue
				}
				at := row{s.Document.Spec.For.Kind, c.Type, reason.Reason}
				document[at] = append(document[at], cell)
			}
		}
	}
	return document, partners
}

// TestRows reaches every row of the document from its real trigger, and leaves it again when the trigger goes. It prints the rows reached.
func TestRows(t *testing.T) {
	w := start(t)
	t.Run("kinds", func(t *testing.T) {
		for name, scenario := range scenarios {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				scenario(t, w)
			})
		}
	})
	t.Run("restart", func(t *testing.T) { restart(t, w) })
	w.compare(t)
}

// compare holds what was seen to the document.
func (w *world) compare(t *testing.T) {
	t.Helper()
	document, partners := rows(t)
	coverage := &conditionstest.Coverage{Kinds: kinds}
	left := w.seen.report(coverage)
	missing := map[string]bool{}
	report := coverage.Report()
	for _, cell := range report.Missing {
		missing[fmt.Sprintf("%s %s=%s %s", cell.Kind, cell.Type, cell.Status, cell.Reason)] = true
	}
	for _, cell := range report.Undeclared {
		t.Errorf("written and not declared: %s", cell)
	}
	reached, returned, beside := 0, 0, 0
	for at, cells := range document {
		switch {
		case slices.ContainsFunc(cells, func(c string) bool { return left[c] }):
			reached++
			returned++
		case slices.ContainsFunc(cells, func(c string) bool { return !missing[c] }):
			reached++
			t.Errorf("reached and never left: %v", at)
		default:
			t.Errorf("never reached: %v", at)
		}
	}
	for cell := range partners {
		if !missing[cell] {
			beside++
		} else {
			t.Logf("a cell beside the rows that was not reached: %s", cell)
		}
	}
	summary := fmt.Sprintf("rows of the document reached: %d of %d, left again: %d", reached, len(document), returned)
	t.Logf("%s\ncells beside them reached: %d of %d", summary, beside, len(partners))
	if page, err := os.ReadFile("../../docs/systems/kars.md"); err != nil || !strings.Contains(string(page), "\n"+summary+"\n") {
		t.Errorf("the page does not have the line %q: %v", summary, err)
	}
}
