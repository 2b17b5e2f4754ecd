// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// Cell is the status and reason of a condition of a given type. An empty Reason matches any reason.
type Cell struct{ Status, Reason string }

// TypeSemantics is the declaration of one condition type by a catalog.
type TypeSemantics struct {
	// Name is the declared name of an alias; empty: the type is not an alias.
	Name string
	// Position is the place of the type in the declaration: of conditions that are equally bad the first explains the object.
	Position int
	Polarity conditions.Polarity
	Role     conditions.Role
	// Cells are the declared cells: class, severity, remedy, and the name of the reason where the cell is that of an alias. A cell that is
	// not declared is judged by polarity and status.
	Cells map[Cell]*conditions.Reason
	// Always reports whether the type is expected on every object that a controller has looked at.
	Always bool
	// Own reports whether the condition is about the object itself, while others of the kind are derived from its children.
	Own bool
}

// Semantics is the declaration of the conditions of one kind by a catalog.
type Semantics struct {
	// Rule names the source of the declaration, as "catalog/toolpolicies.kars.azure.com".
	Rule string
	// Path leads to the conditions: names joined by dots, with "[*]" behind a list whose elements have lists of their own, as in
	// "status.listeners[*].conditions". Empty is "status.conditions". The worst of many lists counts.
	Path  string
	Types map[string]*TypeSemantics
}

// Knows reports whether a condition type is declared. Conditions of lists that are not declared are not about the object.
func (s *Semantics) Knows(within, conditionType, _, _ string) bool {
	_, known := s.Types[conditionType]
	return known || within != ""
}

// cell returns the declaration of a condition's cell: that of its reason, or of any reason; nil where there is none.
func (t *TypeSemantics) cell(c *object.Condition) *conditions.Reason {
	if len(t.Cells) == 0 {
		return nil
	}
	cell, ok := t.Cells[Cell{string(c.Status), c.Reason()}]
	if !ok {
		cell = t.Cells[Cell{string(c.Status), ""}]
	}
	return cell
}

// Reads reports that fields of the status are not compared with what the conditions say.
func (s *Semantics) Reads(string, string) bool { return true }

// class returns the class of a condition: that of its cell or, where none is declared, that of its polarity, status and severity and of the
// words of its reason.
func (t *TypeSemantics) class(x *lexicon.Lexicon, c *object.Condition, cell *conditions.Reason) conditions.Class {
	if cell != nil {
		return cell.Class
	}
	status := c.Status
	switch {
	case t.Polarity.Good(status), t.Polarity == conditions.Neutral:
		return conditions.ClassOK
	case status == conditions.Unknown && t.Polarity == conditions.Negative && t.Role != conditions.RoleSummary:
		return conditions.ClassOK
	case status == conditions.Unknown:
		return conditions.ClassProgress
	}
	// from the author of the reason, which was imported from another object, or which another version of the controller writes
	severity := c.Severity()
	switch severity {
	case conditions.SeverityInfo:
		return conditions.ClassProgress
	case conditions.SeverityError:
		return conditions.ClassTerminal
	}
	s := x.MeaningOf(c.Reason())
	if s == lexicon.NotSo { // NotReady: the message has the cause
		s = max(s, x.MeaningOfMessage(c.Message()))
	}
	switch {
	case s == lexicon.UnderWay, s == lexicon.NotSo && severity == "":
		return conditions.ClassProgress
	case s == lexicon.Held && severity == "":
		return conditions.ClassSuspended
	}
	return conditions.ClassTerminal
}

// classes lists the classes, the worst last.
var classes = [...]conditions.Class{conditions.ClassOK, conditions.ClassSuspended, conditions.ClassProgress, conditions.ClassTransient,
	conditions.ClassTerminal}

// rankOf returns the rank of a class; an unknown one ranks as that of a healthy condition.
func rankOf(class conditions.Class) int {
	for i, c := range classes {
		if c == class {
			return i
		}
	}
	return 0
}

// statusOf returns the verdict of a class by itself. A failure that is retried is under way.
func statusOf(class conditions.Class) answer.Status {
	switch class {
	case conditions.ClassSuspended:
		return answer.Suspended
	case conditions.ClassProgress, conditions.ClassTransient:
		return answer.InProgress
	case conditions.ClassTerminal:
		return answer.Failed
	}
	return answer.Current
}
