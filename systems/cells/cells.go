// SPDX-License-Identifier: Apache-2.0

// Package cells lets the operator of a document leave out the conditions that the document's tables do not have.
//
//	host.Leave, err = choice.Leave("kars/catalog.yaml")
package cells

import (
	"fmt"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/systems"
)

// Choice says which conditions an operator writes.
type Choice string

// The choices.
const (
	Complete Choice = "complete" // the default: also cells beyond the tables of the document, where a type would otherwise say something untrue
	Document Choice = "document" // the rows of the document and no other; a type without one is absent
)

// Parse reads a choice.
func Parse(text string) (Choice, error) {
	if c := Choice(text); c == Complete || c == Document {
		return c, nil
	}
	return "", fmt.Errorf("conditions %q are neither complete nor document", text)
}

// Leave returns the cells that are not written, by the name of a file of [systems.Catalogs]: those that the catalog marks as additions to
// the tables. A cell that a sentence of the document mentions is the document's. nil: all are written.
func (c Choice) Leave(file string) (func(kind string, c conditions.Condition) bool, error) {
	if c != Document {
		return nil, nil
	}
	set, err := catalog.LoadFS(systems.Catalogs, file)
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
