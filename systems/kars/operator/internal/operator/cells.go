// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"fmt"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/systems"
)

// Cells says which conditions the operator writes.
type Cells string

// The choices.
const (
	Complete Cells = "complete" // the default: also cells beyond the tables of the document, where a type would otherwise say something untrue
	Document Cells = "document" // the rows of the document and no other; a type without one is absent
)

// ParseCells reads a choice.
func ParseCells(text string) (Cells, error) {
	if c := Cells(text); c == Complete || c == Document {
		return c, nil
	}
	return "", fmt.Errorf("conditions %q are neither complete nor document", text)
}

// leave returns the cells that are not written: those that the catalog marks as additions to the tables. A cell that a sentence of the
// document mentions is the document's.
func (c Cells) leave() (func(kind string, c conditions.Condition) bool, error) {
	if c != Document {
		return nil, nil
	}
	set, err := catalog.LoadFS(systems.Catalogs, "kars/catalog.yaml")
	if err != nil {
		return nil, err
	}
	type cell struct{ kind, name, status, reason string }
	beyond := map[cell]bool{}
	for _, k := range set.Kinds() {
		for _, t := range k.Source.Spec.Conditions {
			for _, r := range t.Reasons {
				if r.Addition != "" && r.Addition != "mentioned" {
					beyond[cell{k.For.Kind, t.Type, r.Status, r.Reason}] = true
				}
			}
		}
	}
	return func(kind string, c conditions.Condition) bool {
		return beyond[cell{kind, c.Type, string(c.Condition.Status), c.Reason}]
	}, nil
}
