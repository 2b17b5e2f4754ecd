// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Position is a place in a file. Line and Column count from 1; both are 0 for an object that did not come from text.
type Position struct {
	File         string
	Line, Column int
}

// String is file:line:column.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Code names which rule of catalogs an error is about, so that no caller has to parse its message.
type Code string

// The codes. An error without one is about how the parts of a catalog, or several catalogs, fit together.
const (
	CodeParse        Code = "parse"         // syntax, keys, types and enumerations of values
	CodeTypeName     Code = "type-name"     // a condition type that the API server refuses
	CodeReasonName   Code = "reason-name"   // a reason that the API server refuses, or none where one is needed
	CodeCase         Code = "case"          // types that differ only in case
	CodeReasonStatus Code = "reason-status" // a reason with a status that its type cannot have
	CodeEmptyCell    Code = "empty-cell"    // a status that a type can have without a reason
	CodeAlias        Code = "alias"         // a name that is declared twice, as itself or as an alias
	CodeSummary      Code = "summary"       // the types of a summary
	CodeReserved     Code = "reserved"      // a retired name in use
	CodeDeprecation  Code = "deprecation"   // a successor that does not exist, or is of no use
	CodeWriter       Code = "writer"        // a writer of another kind that is not named, or writes what is not declared
	CodeExclusive    Code = "exclusive"     // types that exclude each other and cannot
	CodeMessage      Code = "message"       // a text that no call can format
	CodeProfile      Code = "profile"       // something that the dialect does not have
)

// Error is one thing wrong in a catalog.
type Error struct {
	Code       Code // empty: the parts do not fit together
	Position   Position
	Path       string // in the document, for example spec.conditions[2].derive.mirror.of
	Message    string // one sentence, lower-case
	Suggestion string // what to write instead; may be empty
}

// Error is "file:line:column: path: message; did you mean ...".
func (e *Error) Error() string {
	var b strings.Builder
	if s := e.Position.String(); s != "" {
		b.WriteString(s)
		b.WriteString(": ")
	}
	if e.Path != "" {
		b.WriteString(e.Path)
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	if e.Suggestion != "" {
		b.WriteString("; ")
		b.WriteString(e.Suggestion)
	}
	return b.String()
}

// of sets the code of an error.
func (e *Error) of(c Code) { e.Code = c }

// Errors is everything wrong with a load, ordered by position.
type Errors []*Error

// Error is one line an error.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap makes the single errors reachable for errors.As.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i, one := range e {
		out[i] = one
	}
	return out
}

// err returns e sorted as an error, or nil when it is empty.
func (e Errors) err() error {
	if len(e) == 0 {
		return nil
	}
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(
			cmp.Compare(a.Position.File, b.Position.File),
			cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Message, b.Message))
	})
	return e
}
