// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/conditionstest"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/systems"
)

// row is a row of a document: a reason that it lists under a type of a kind. A reason may be listed without its status.
type row struct{ kind, conditionType, reason string }

// rows reads the rows of the document that a catalog is held to, and the further cells, which are the additions of its system. A cell is
// "Kind Type=Status Reason".
func rows(t *testing.T, file string) (document map[row][]string, beside []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sources, err := catalog.Parse(file, data)
	if err != nil {
		t.Fatal(err)
	}
	absolute, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	additions, err := systems.Additions(filepath.Base(filepath.Dir(absolute)))
	if err != nil {
		t.Fatal(err)
	}
	document = map[row][]string{}
	for _, s := range sources {
		for _, c := range s.Document.Spec.Conditions {
			for _, reason := range c.Reasons {
				cell := fmt.Sprintf("%s %s=%s %s", s.Document.Spec.For.Kind, c.Type, reason.Status, reason.Reason)
				if additions[cell] != "" {
					beside = append(beside, cell)
					continue
				}
				at := row{s.Document.Spec.For.Kind, c.Type, reason.Reason}
				document[at] = append(document[at], cell)
			}
		}
	}
	return document, beside
}

// Compare compares the states that were seen with the rows of the document, as a catalog file has them. Each must have
// been reached and left again, and nothing undeclared may be stored. It logs the further cells that were not reached.
// It returns their number and the line "rows of the document reached: N of N, left again: N". final are the cells that
// the document calls final, as "Kind Type=Status Reason". If they are given, a row is left only while its object lives
// on, and the line ends with ", final: N".
func (r *Recorder) Compare(t *testing.T, file string, kinds []*conditions.Kind, final ...string) (summary string, missed int) {
	t.Helper()
	document, beside := rows(t, file)
	coverage := &conditionstest.Coverage{Kinds: kinds}
	left := r.Report(coverage, len(final) > 0)
	missing := map[string]bool{}
	report := coverage.Report()
	for _, cell := range report.Missing {
		missing[fmt.Sprintf("%s %s=%s %s", cell.Kind, cell.Type, cell.Status, cell.Reason)] = true
	}
	for _, cell := range report.Undeclared {
		t.Errorf("stored and not declared: %s", cell)
	}
	reached, returned, ended := 0, 0, 0
	for at, cells := range document {
		switch {
		case slices.ContainsFunc(cells, func(c string) bool { return !missing[c] && slices.Contains(final, c) }):
			reached++
			ended++
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
	var unseen []string
	for _, cell := range beside {
		if missing[cell] {
			unseen = append(unseen, cell)
		}
	}
	summary = fmt.Sprintf("rows of the document reached: %d of %d, left again: %d", reached, len(document), returned)
	if len(final) > 0 {
		summary += fmt.Sprintf(", final: %d", ended)
	}
	t.Logf("%s\nfurther cells reached: %d of %d\n%s", summary, len(beside)-len(unseen), len(beside), strings.Join(unseen, "\n"))
	return summary, len(unseen)
}
