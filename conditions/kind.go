// SPDX-License-Identifier: Apache-2.0

package conditions

import "time"

// Polarity says which status of a type is good.
type Polarity string

// The polarities. A neutral type is neither good nor bad and never counts in a roll-up.
const (
	Positive Polarity = "positive" // True is good
	Negative Polarity = "negative" // True is bad
	Neutral  Polarity = "neutral"
)

// Role says how a type takes part in the summary of its object.
type Role string

// The roles.
const (
	RoleSummary       Role = "summary"       // a top-level condition
	RoleDependent     Role = "dependent"     // counts in the summary
	RoleInformational Role = "informational" // does not count
)

// Presence says when a type stands in the stored list.
type Presence string

// The presences.
const (
	Always    Presence = "always"     // from the first pass on, Unknown if need be
	WhenTrue  Presence = "when-true"  // only while True
	WhenKnown Presence = "when-known" // only while True or False
	OnceTrue  Presence = "once-true"  // absent until it was True once
)

// Class is what a cell means for the object.
type Class string

// The classes.
const (
	ClassOK        Class = "ok"
	ClassProgress  Class = "progress"
	ClassTransient Class = "transient" // will retry
	ClassTerminal  Class = "terminal"  // needs a person
	ClassOff       Class = "off"       // suspended on purpose
)

// NotReached says what Commit does with an owned type about which nothing was reported in this pass.
type NotReached string

// The policies for types that a pass did not reach.
const (
	NotReachedKeep    NotReached = "keep"    // the stored condition stays as it is, an absent one follows Presence
	NotReachedUnknown NotReached = "unknown" // becomes Unknown
	NotReachedFail    NotReached = "fail"    // Unknown, and an error in the result; for tests
)

// Dialect is a named profile of defaults and rules.
type Dialect string

// The dialects.
const (
	Core        Dialect = "core"
	Kstatus     Dialect = "kstatus"
	Knative     Dialect = "knative"
	CAPIv1beta1 Dialect = "capi-v1beta1"
	CAPIv1beta2 Dialect = "capi-v1beta2"
	OpenShift   Dialect = "openshift"
	Gateway     Dialect = "gateway"
)

// Kind declares the conditions of one kind. It is read-only once in use and may be shared between goroutines.
type Kind struct {
	Group, Kind string
	Dialect     Dialect
	Types       []Type // in declared order, which is the order of the owned entries in the list
}

// Type declares one condition type.
type Type struct {
	Name                     string
	Aliases                  []string // misspelt or former names: read as this type, never written
	Meaning                  string
	Polarity                 Polarity
	Role                     Role
	Presence                 Presence
	NotReached               NotReached
	Optional                 bool     // a missing one does not count as Unknown in the summary
	Foreign                  bool     // written by somebody else: read, never written by a pass
	Imported                 bool     // reasons forwarded from other objects are accepted besides the declared ones
	Reasons                  []Reason // list order is precedence: the first that applies wins
	Summary                  *SummaryRule
	GoBadAfter, RecoverAfter time.Duration // dwell: how long a change for the worse or better must last before it is published
}

// Reason declares one cell: a reason of the type with the status it goes with. A reason that goes with two statuses
// is listed twice.
type Reason struct {
	Name     string
	Aliases  []string
	Status   Status
	Class    Class
	Severity Severity
	Meaning  string
	Remedy   string
}

// SummaryRule makes Commit compute the type from others of the same object.
type SummaryRule struct {
	Of      []string // types in order of importance; empty: every dependent type in declared order
	Counter bool     // message "x of y completed" while unhealthy
	Missing Missing  // what a type that is not reported counts as; "" is the dialect's default
}

// find gives the position of the type with the name or alias, or -1. It begins at the hint: facts and stored lists
// mostly come in declared order.
func (k *Kind) find(name string, hint int) int {
	n := len(k.Types)
	for i := range n {
		j := hint + i
		if j >= n {
			j -= n
		}
		if k.Types[j].Name == name {
			return j
		}
	}
	for i := range k.Types {
		for _, alias := range k.Types[i].Aliases {
			if alias == name {
				return i
			}
		}
	}
	return -1
}

// reason gives the position of the cell, or -1.
func (t *Type) reason(name string, s Status) int {
	for i := range t.Reasons {
		if r := &t.Reasons[i]; r.Status == s && r.named(name) {
			return i
		}
	}
	return -1
}

func (r *Reason) named(name string) bool {
	if r.Name == name {
		return true
	}
	for _, alias := range r.Aliases {
		if alias == name {
			return true
		}
	}
	return false
}
