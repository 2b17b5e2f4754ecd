// SPDX-License-Identifier: Apache-2.0

package source

import "github.com/tristate/tristate/internal/declare/catalog"

// How is the way in which a value was found.
type How string

// The ways.
const (
	Constant  How = "constant"   // a literal or constant, possibly through variables, fields and functions
	Enum      How = "enum"       // one of the constants of a named type
	Forwarded How = "forwarded"  // the reason of another condition, passed on
	Foreign   How = "foreign"    // a string from outside of the module, passed on
	Computed  How = "computed"   // formatted or concatenated
	Open      How = "open"       // a parameter of an exported function without callers in the module
	Unknown   How = "unresolved" // none of these
)

// Value holds the possible values of an expression.
type Value struct {
	Text string
	How  How
	// Expr is the expression where the value could not be followed any further.
	Expr string
	// Sanitised reports that it went through a function that makes a valid reason of it.
	Sanitised bool
}

// Known reports whether the text is known.
func (v Value) Known() bool { return v.How == Constant || v.How == Enum }

// Site is one place where a reason is given to a condition.
type Site struct {
	Position catalog.Position
	// In names the function, as package.Function or package.(*Type).Method.
	In string
	// Kinds are named types that are at hand where the condition is written: one of them is usually the kind of the object.
	Kinds                   []string
	Types, Statuses, Reason []Value
}

// Resolved reports whether every value that the reason can have is known.
func (s *Site) Resolved() bool {
	for _, v := range s.Reason {
		if !v.Known() {
			return false
		}
	}
	return len(s.Reason) > 0
}

// Fact is another property of code that a check reads.
type Fact struct {
	What     string // one of the constants below
	Position catalog.Position
	In       string
	Text     string // what exactly
	Kinds    []string
}

// The subjects of facts.
const (
	FactGenerationConstant = "generation-constant" // observedGeneration is a literal
	FactManualTime         = "manual-time"         // lastTransitionTime is set to now, whether the status changed or not
	FactAppend             = "append"              // a condition is appended to a stored list
	FactUnboundedMessage   = "unbounded-message"   // a message is joined from a list or from errors
	FactSwitch             = "switch"              // a switch over a cell has no case for some of the type's cells, and no default
	FactPartialList        = "partial-list"        // an apply or merge patch carries a list of conditions that is not all of them
)

// Const is a constant that looks like a name of the vocabulary.
type Const struct {
	Position catalog.Position
	Name     string
	Value    string
	Of       string // named type, empty for a plain string
	Doc      string // comment
}

// Scan is the result of a scan.
type Scan struct {
	Root   string // folder or module
	Sites  []*Site
	Facts  []Fact
	Consts []Const
	Lines  int // of code that was read
	// Faults are packages or files that could not be read.
	Faults []string
}

// Count counts sites by how they were resolved.
func (s *Scan) Count() (resolved, total int, by map[How]int) {
	by = map[How]int{}
	for _, site := range s.Sites {
		total++
		how := Constant
		for _, v := range site.Reason {
			if v.How == Enum && how == Constant || !v.Known() {
				how = v.How
			}
			if !v.Known() {
				break
			}
		}
		if site.Resolved() {
			resolved++
		} else if how.known() {
			how = Unknown
		}
		by[how]++
	}
	return resolved, total, by
}

func (h How) known() bool { return h == Constant || h == Enum }
