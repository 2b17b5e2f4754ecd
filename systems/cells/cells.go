// SPDX-License-Identifier: Apache-2.0

// Package cells lets the operator of a document leave out the conditions that the document's tables do not have.
//
//	host.Leave, err = choice.Leave("kars")
package cells

import (
	"fmt"

	"github.com/tristate/tristate/conditions"
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

// Leave returns the cells of a system that are not written: the additions of its catalog to the tables. A cell that a sentence of the
// document mentions is the document's. nil: all are written.
func (c Choice) Leave(system string) (func(kind string, c conditions.Condition) bool, error) {
	if c != Document {
		return nil, nil
	}
	additions, err := systems.Additions(system)
	if err != nil {
		return nil, err
	}
	return func(kind string, c conditions.Condition) bool {
		why := additions[kind+" "+c.Type+"="+string(c.Condition.Status)+" "+c.Reason]
		return why != "" && why != "mentioned"
	}, nil
}
