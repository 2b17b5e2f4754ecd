// SPDX-License-Identifier: Apache-2.0

package story

import (
	"regexp"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// Command is the action of a step: one of the types of this file.
type Command interface{ command() }

// Ref names an object in a script.
type Ref struct {
	relation.ID
	Grouped bool // the group is written; else the kinds of the story and of the catalogs decide
}

// String returns the ref as it is written, without the default namespace.
func (r Ref) String() string {
	out := r.Kind
	if r.Grouped {
		out += "." + r.Group
	}
	if r.Namespace != DefaultNamespace {
		out += "/" + r.Namespace
	}
	return out + "/" + r.Name
}

// DefaultNamespace is the namespace of refs and objects without one.
const DefaultNamespace = "default"

// VirtualTime is the ability that [Needs] can require.
const VirtualTime = "virtual-time"

// Apply creates or replaces objects.
type Apply struct{ Files []string }

// Delete deletes an object.
type Delete struct{ Ref Ref }

// Report writes or removes a leaf condition.
type Report struct {
	Ref Ref
	conditions.Condition
	Remove bool
}

// SetStatus writes plain status fields.
type SetStatus struct {
	Ref   Ref
	Patch map[string]any // below status
}

// Set merge-patches an object.
type Set struct {
	Ref   Ref
	Patch map[string]any
}

// Observe starts an agent that observes the add-ons of a workload cluster for a control plane.
type Observe struct{ Ref Ref }

// Settle waits until no derived condition changes any more.
type Settle struct{}

// Sleep moves the clock.
type Sleep struct{ For time.Duration }

// Needs are the abilities that a world must have.
type Needs struct{ What string }

// Expect asserts a cell, or that a condition is absent.
type Expect struct {
	Ref                  Ref
	conditions.Condition // with an empty reason or severity: any
	Absent               bool
	Message              *regexp.Regexp // nil: any
}

// Gone asserts that an object does not exist.
type Gone struct{ Ref Ref }

// Tree compares the plain tree below an object with a file of the archive.
type Tree struct {
	Ref  Ref
	File string
}

// Writes asserts the number of writes since the last such command.
type Writes struct{ N int }

// Quiet asserts that another pass over all objects writes none.
type Quiet struct{}

// Note is text for people.
type Note struct{ Text string }

func (Apply) command()     {}
func (Delete) command()    {}
func (Report) command()    {}
func (SetStatus) command() {}
func (Set) command()       {}
func (Observe) command()   {}
func (Settle) command()    {}
func (Sleep) command()     {}
func (Needs) command()     {}
func (Expect) command()    {}
func (Gone) command()      {}
func (Tree) command()      {}
func (Writes) command()    {}
func (Quiet) command()     {}
func (Note) command()      {}
