// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions/internal/merge"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Polarity says which status of a type is good.
type Polarity string

// The polarities. A neutral type is neither good nor bad and never counts in a roll-up.
const (
	Positive Polarity = "positive" // True is good
	Negative Polarity = "negative" // True is bad
	Neutral  Polarity = "neutral"
)

// Good reports whether a status is the good one of the polarity: True of a positive type, False of a negative one. A neutral type has none.
// The empty polarity is positive.
func (p Polarity) Good(s Status) bool {
	return s == True && p != Negative && p != Neutral || s == False && p == Negative
}

// Bad reports whether a status is the bad one of the polarity: False of a positive type, True of a negative one. A neutral type has none,
// and Unknown is neither good nor bad.
func (p Polarity) Bad(s Status) bool {
	return s == False && p != Negative && p != Neutral || s == True && p == Negative
}

// Role says how a type takes part in the summary of its object.
type Role string

// The roles.
const (
	RoleSummary       Role = "summary"       // a top-level condition
	RoleDependent     Role = "dependent"     // counts in the summary
	RoleInformational Role = "informational" // does not count
)

// Presence is when a type is in the stored list.
type Presence string

// The presences.
const (
	PresenceAlways    Presence = "always"     // from the first pass on, Unknown if need be
	PresenceWhenTrue  Presence = "when-true"  // only while True
	PresenceWhenKnown Presence = "when-known" // only while True or False
	PresenceOnceTrue  Presence = "once-true"  // absent until it was True once
)

// Class is the meaning of a cell for the object.
type Class string

// The classes.
const (
	ClassOK        Class = "ok"
	ClassProgress  Class = "progress"
	ClassTransient Class = "transient" // will retry
	ClassTerminal  Class = "terminal"  // needs a person
	ClassSuspended Class = "suspended" // suspended on purpose
)

// Kind declares the conditions of one kind. It is read-only once in use and may be shared between goroutines.
type Kind struct {
	Group, Kind string
	Dialect     Dialect
	Types       []Type   // in declared order, which is the order of the owned entries in the list
	Retired     []string // types that the kind owned once and has no more: a commit takes them out of the list
	// StatusGeneration: status.observedGeneration is the generation that was reconciled last. A commit leaves it to the writer of the status,
	// as package apply, which writes it in the request of the conditions.
	StatusGeneration bool
	// StatusWaits: status.waits has the beginnings of the waits that have a deadline ([Wait]). It is read with [Pass.SetWaits] and written
	// from [Result].Waits, by package apply in the request of the conditions. Without it the last transition of a condition counts, which is
	// exact only for a deadline since the cell whose status no other reason of the type has.
	StatusWaits bool
	Phases      []Phase // the words for status.phase, the first that applies wins; empty: none follows from the conditions
}

// OwnedType returns the declared name of a type whose entries this kind writes: a declared type that is not foreign,
// under its name or an alias. For a retired type it returns the type; "" if another writer owns it.
func (k *Kind) OwnedType(conditionType string) string {
	switch i := k.find(conditionType, 0); {
	case i >= 0 && !k.Types[i].Foreign:
		return k.Types[i].Name
	case i < 0 && slices.Contains(k.Retired, conditionType):
		return conditionType
	}
	return ""
}

// Type declares one condition type.
type Type struct {
	Name       string
	Aliases    []string // misspelt or former names: read as this type, never written
	Meaning    string
	Polarity   Polarity
	Role       Role
	Presence   Presence
	Unreported Unreported
	Lifecycle  Lifecycle
	// StartHealthy: a type that is neither stored nor reported begins healthy where every stored condition of role summary is, not Unknown. A
	// type that a new version of an operator adds would otherwise make every healthy object Unknown until it is looked at. It is for types
	// that are present always; other presences cannot distinguish a new type from an absent one.
	StartHealthy bool
	// absent until it is reported, whatever Presence says; a missing one does not count as Unknown in the summary
	Optional                 bool
	Foreign                  bool     // another writer's: read, never written by a pass
	Imported                 bool     // reasons forwarded from other objects are accepted too
	Reasons                  []Reason // list order is precedence: the first that applies wins
	Summary                  *Summary
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
	Deadline *Deadline // how long the cell may last; nil: forever
	// Hold is how long the cell has to be reported without a break before it is published. Until then it counts as not reported: another cell
	// that is reported is published, or else the stored condition stays as it is; where none is stored the type is healthy. The beginning is
	// stored ([Wait]), which Kind.StatusWaits is for; a type has one held reason for each status, and then no deadlines. 0: it is published at
	// once.
	Hold time.Duration
	// Retry is how long until the controller tries again while the type has the cell: [Result].RequeueAt is not later than that. 0: when the
	// queue or its back-off says so.
	Retry   time.Duration
	Initial bool   // the first status of an object has the cell, before its facts are known
	Message string // what [Reason.Text] frames; empty: nothing
	Meaning string
	Remedy  string
}

// held reports whether a cell of the type has to last before it is published.
func (t *Type) held(cell int) bool { return cell < len(t.Reasons) && t.Reasons[cell].Hold > 0 }

// holds reports whether one of the cells of the type has to.
func (t *Type) holds() bool {
	return slices.ContainsFunc(t.Reasons, func(r Reason) bool { return r.Hold > 0 })
}

// timed reports whether time alone ends a pass with the cell.
func (r *Reason) timed() bool { return r.Deadline != nil || r.Retry > 0 }

// Text returns the message of the cell about a text: Message, in which %s is the text, or the text itself if Message is empty.
func (r *Reason) Text(text string) string {
	if r.Message == "" {
		return text
	}
	if !strings.Contains(strings.ReplaceAll(r.Message, "%%", ""), "%s") {
		return strings.ReplaceAll(r.Message, "%%", "%")
	}
	return fmt.Sprintf(r.Message, text)
}

// Summary makes Commit compute the type from others of the same object.
type Summary struct {
	Of      []string // types in order of importance; empty: every dependent type in declared order
	Counter bool     // the message of an unhealthy summary begins with "x of y completed"; see rollup.Options
	// CounterOnly names the types that are steps: y is their number, and while another dependent is reported there is no counter (Cluster
	// API's WithStepCounterIfOnly). It implies Counter.
	CounterOnly []string
	Missing     string // how a type that is not reported counts: "skip" or "unknown"; "" is the default of the dialect
	Recent      bool   // of equally important dependents the one that changed last comes first
}

// find returns the position of the type with the name or alias, or -1. It begins at the hint: facts and stored lists
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

// reason returns the position of the cell, or -1.
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

// abnormal reports whether the type at the position is one of the abnormal conditions that a commit computes in dialect kstatus.
func (k *Kind) abnormal(i int) bool {
	if k.Dialect != DialectKstatus {
		return false
	}
	t := &k.Types[i]
	return (t.Name == TypeStalled || t.Name == TypeReconciling) && t.Summary == nil && !t.Foreign
}

// sums reports whether the type at position j takes part in the summary at position i without a gate.
func (k *Kind) sums(i, j int) bool {
	other := &k.Types[j]
	of := k.Types[i].Summary.Of
	switch {
	case i == j:
		return false
	case len(of) == 0:
		return other.Role == RoleDependent && !k.abnormal(j)
	}
	return slices.ContainsFunc(of, func(name string) bool { return name == other.Name || slices.Contains(other.Aliases, name) })
}

// input sets a zero input to the type at the position with the condition, which may be nil, as it counts in a summary. A negative type that
// is in the list only while True is healthy when it is absent.
func (k *Kind) input(in *merge.Input, i int, c *Condition, generation int64) {
	t := &k.Types[i]
	in.Type, in.Negative, in.Neutral = t.Name, t.Polarity == Negative, t.Polarity == Neutral
	in.Optional = t.Optional || t.Presence == PresenceWhenTrue && t.Polarity == Negative
	if c == nil {
		return
	}
	offer(in, c)
	in.Stale = k.stale(&c.Condition, generation) && !t.Lifecycle.final(c.Status, "")
	if cell := t.reason(c.Reason, c.Status); cell >= 0 {
		r := &t.Reasons[cell]
		if in.Declared = string(r.Severity); r.Name != c.Reason { // an alias is read and never written
			named := c.Condition
			named.Reason = r.Name
			in.Condition = &named
		}
	}
}

// offer sets the condition of an input.
func offer(in *merge.Input, c *Condition) {
	in.Condition, in.Severity = &c.Condition, string(c.Severity)
}

// target is the type as the target of a merge.
func (t *Type) target() merge.Target {
	return merge.Target{Name: t.Name, Negative: t.Polarity == Negative, Neutral: t.Polarity == Neutral, Imported: t.Imported,
		Cells: (*cells)(&t.Reasons)}
}

// cells are the reasons of a type for a merge.
type cells []Reason

func (c *cells) Len() int { return len(*c) }

func (c *cells) Cell(i int) (string, []string, Status) {
	r := &(*c)[i]
	return r.Name, r.Aliases, r.Status
}

// stale reports whether a condition was observed at an older generation. 0 means that the writer does not say.
func (k *Kind) stale(c *metav1.Condition, generation int64) bool {
	return c.ObservedGeneration != 0 && c.ObservedGeneration < generation && k.Dialect.Generations()
}

// canonicalReason is the declared name of a condition's reason, which may be an alias.
func (t *Type) canonicalReason(c *Condition) string {
	if cell := t.reason(c.Reason, c.Status); cell >= 0 {
		return t.Reasons[cell].Name
	}
	return c.Reason
}

// severity is the declared one of a condition's reason.
func (t *Type) severity(c *Condition) Severity {
	if cell := t.reason(c.Reason, c.Status); cell >= 0 {
		return t.Reasons[cell].Severity
	}
	return SeverityNone
}
