// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"cmp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Rules holds the merge rules of one library. The zero value means the native rules.
type Rules struct {
	// Merge computes a summary or an aggregate; false: there is no result. Nil: the native rules.
	Merge func(*Merge) (Result, bool)
	// Decides reports whether item a decides rather than b, where one item alone decides: then a merge that returns no causes keeps no
	// other. Unless the merge is exact, an item never decides rather than one of smaller weight. Nil: all items count.
	Decides func(m *Merge, a, b *Item) bool
	// Mirror copies the condition of an item under the name of the target; false: there is no result. Nil: the native mirror.
	Mirror func(*Merge, *Item) (c metav1.Condition, severity string, ok bool)

	SkipMissing     bool     // a missing condition does not count, unless the caller wants it to
	EmptyIsAbsent   bool     // a summary of nothing is no condition
	NoGenerations   bool     // conditions have no observedGeneration
	BareHealthy     bool     // a healthy condition needs no reason
	BareReason      bool     // no condition needs one
	NoReason        string   // of a condition that is read without a reason
	Lists           []string // paths of conditions lists that are read in place of status.conditions
	DefaultSeverity string   // of an unhealthy condition without one
	Severities      []string // those that are written; nil: none
	Limits          *Limits  // nil: the limits of metav1.Condition
}

// Weight says how much an item matters: the heavier, the smaller.
type Weight uint8

// The weights.
const (
	Unhealthy Weight = iota
	Unknown
	Healthy
)

// Object names an object. It has the fields of conditions.ObjectRef, so that one converts to the other.
type Object struct{ Group, Kind, Namespace, Name string }

// Compare orders by kind, group, namespace, name.
func (o *Object) Compare(other *Object) int {
	if c := strings.Compare(o.Kind, other.Kind); c != 0 {
		return c
	}
	if c := strings.Compare(o.Group, other.Group); c != 0 {
		return c
	}
	if c := strings.Compare(o.Namespace, other.Namespace); c != 0 {
		return c
	}
	return strings.Compare(o.Name, other.Name)
}

// Source is the part of an item that the items of a fleet have in common.
type Source struct {
	Type     string
	Object   Object  // without the name
	Declared string  // severity declared for the reason
	Negative bool    // True is bad
	Neutral  bool    // neither is; such an item counts in a mirror only
	Stale    bool    // counts as Unknown
	Causes   []Cause // of the condition, where the caller knows them; rules do not read them
}

// Item is one input of a merge that counts. It is small, because a fleet has many of them.
type Item struct {
	*Source
	Name      string            // of the object
	Condition *metav1.Condition // nil: missing
	Severity  string            // of the condition itself
	Index     int32             // position among the inputs; rules may change it
	Weight    Weight            // a missing or stale condition is Unknown
	Rank      uint8             // of the severity of an unhealthy item, the worst is 0
}

// Stock reasons, used where the target declares none that fits.
const (
	ReasonHealthy     = "Healthy"             // every dependent is healthy
	ReasonUnhealthy   = "DependentsUnhealthy" // several dependents are unhealthy, for different reasons
	ReasonUnknown     = "DependentsUnknown"   // several dependents are Unknown, for different reasons
	ReasonNotReported = "NotReported"         // the condition does not exist
	ReasonStale       = "Stale"               // the condition was observed at an older generation
)

// Missing reports whether there is no condition.
func (i *Item) Missing() bool { return i.Condition == nil }

// Ref names the object of the item.
func (i *Item) Ref() Object {
	o := i.Object
	o.Name = i.Name
	return o
}

// Reason returns the reason of the item, a stock one for a missing or stale condition.
func (i *Item) Reason() string {
	switch {
	case i.Condition == nil:
		return ReasonNotReported
	case i.Stale:
		return ReasonStale
	}
	return i.Condition.Reason
}

// Message returns the message of the item, a stock one for a missing or stale condition.
func (i *Item) Message() string {
	switch {
	case i.Condition == nil:
		return "not reported"
	case i.Stale:
		return "observed at an older generation"
	}
	return i.Condition.Message
}

// Status returns the status that counts.
func (i *Item) Status() metav1.ConditionStatus {
	if i.Weight == Unknown {
		return metav1.ConditionUnknown
	}
	return i.Condition.Status
}

// Merge is one merge: its items, in the order of the inputs, and its options. Its memory is used again.
type Merge struct {
	Items   []*Item
	Grouped bool // over many objects, whose order does not matter
	// Counted is the number of healthy inputs that have no item, as in a merge that is not exact. Offered is the number
	// of all inputs. Reported says that a condition exists.
	Counted, Offered int
	Reported         bool

	Negative bool // polarity of the target

	Counter   bool   // the message counts completed steps
	Total     int    // number of steps; 0: the inputs
	SourceRef bool   // the reason names the object
	Object    Object // that the result is for
	Exact     bool   // byte for byte as the library
	Stored    string
	Buffer    []byte
}

// Result is the result of a merge.
type Result struct {
	Weight                    Weight
	Severity, Reason, Message string
}

// Text is the message in the buffer; it is the stored one, and costs no memory, where the two are equal.
func (m *Merge) Text() string {
	if string(m.Buffer) == m.Stored {
		return m.Stored
	}
	return string(m.Buffer)
}

// CompareContent orders items of equal weight: by type, object, reason and message, and then by what else a result can hold, since an
// object may be given twice.
func CompareContent(a, b *Item) int {
	if c := strings.Compare(a.Type, b.Type); c != 0 {
		return c
	}
	if c := CompareObjects(a, b); c != 0 {
		return c
	}
	if c := strings.Compare(a.Reason(), b.Reason()); c != 0 {
		return c
	}
	if c := strings.Compare(a.Message(), b.Message()); c != 0 {
		return c
	}
	return cmp.Or(strings.Compare(a.Severity, b.Severity), strings.Compare(a.Declared, b.Declared))
}

// CompareObjects orders items by their objects.
func CompareObjects(a, b *Item) int {
	if a.Source == b.Source {
		return strings.Compare(a.Name, b.Name)
	}
	x, y := a.Ref(), b.Ref()
	return x.Compare(&y)
}

// Opposite turns True and False over.
func Opposite(s metav1.ConditionStatus) metav1.ConditionStatus {
	switch s {
	case metav1.ConditionTrue:
		return metav1.ConditionFalse
	case metav1.ConditionFalse:
		return metav1.ConditionTrue
	}
	return s
}
