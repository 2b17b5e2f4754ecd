// SPDX-License-Identifier: Apache-2.0

package verdict

// Class is what a cell, one (type, status, reason), means for the object.
type Class string

// The classes.
const (
	ClassOK        Class = "ok"        // as it should be
	ClassProgress  Class = "progress"  // under way
	ClassTransient Class = "transient" // failed, will be tried again
	ClassTerminal  Class = "terminal"  // failed, needs a person
	ClassSuspended Class = "suspended" // suspended on purpose
)

// Polarity says which status of a type is good.
type Polarity string

// The polarities.
const (
	Positive Polarity = "positive"
	Negative Polarity = "negative"
	Neutral  Polarity = "neutral"
)

// Role says what a type is for.
type Role string

// The roles.
const (
	RoleSummary       Role = "summary"
	RoleDependent     Role = "dependent"
	RoleInformational Role = "informational"
)

// Cell is the status and reason of a condition of a given type. An empty Reason stands for any reason.
type Cell struct{ Status, Reason string }

// TypeSemantics is what a catalog declares about one condition type.
type TypeSemantics struct {
	Polarity Polarity
	Role     Role
	// Cells gives the class of each declared cell. A cell that is not declared is judged by polarity and status.
	Cells map[Cell]Class
	// Always says that the type is expected on every object that was looked at.
	Always bool
}

// Semantics is what a catalog declares about the conditions of one kind.
type Semantics struct {
	// Rule names where the declaration comes from, as "catalog/toolpolicies.kars.azure.com".
	Rule string
	// Path is where the conditions stand: names joined by dots, with "[*]" behind a list whose elements have lists of their own, as in
	// "status.listeners[*].conditions". Empty is "status.conditions". The worst of many lists counts.
	Path  string
	Types map[string]TypeSemantics
}

// Knows reports whether a condition type is declared.
func (s *Semantics) Knows(conditionType string) bool {
	_, known := s.Types[conditionType]
	return known
}

// class gives the class of a condition, by its cell, or else by polarity, status, its severity and the words of its
// reason.
func (t *TypeSemantics) class(x *lexicon, c *cond) Class {
	if len(t.Cells) > 0 {
		reason := c.reason()
		if cl, ok := t.Cells[Cell{c.status, reason}]; ok {
			return cl
		}
		if cl, ok := t.Cells[Cell{c.status, ""}]; ok {
			return cl
		}
	}
	bad := false
	switch t.Polarity {
	case Positive:
		bad = c.status == isFalseWord
	case Negative:
		bad = c.status == isTrueWord
		if c.status == isUnknownWord && t.Role != RoleSummary {
			return ClassOK
		}
	default:
		return ClassOK
	}
	if c.status == isUnknownWord {
		return ClassProgress
	}
	if !bad {
		return ClassOK
	}
	switch c.severity() { // declared by whoever wrote the reason, which came from another object
	case severityInfo:
		return ClassProgress
	case "Warning", "Error":
		return ClassTerminal
	}
	s := x.senseOf(c.reason())
	if s == senseVague { // NotReady: the message says why
		s = max(s, x.senseOfMessage(c.message()))
	}
	switch s {
	case senseBusy, senseVague:
		return ClassProgress
	case senseOff:
		return ClassSuspended
	}
	return ClassTerminal
}
