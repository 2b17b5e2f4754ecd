// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Rules are those of one library. The zero value stands for the native rules of package conditions.
type Rules struct {
	// Merge computes a summary or an aggregate; false: there is no result. Nil: the native rules.
	Merge func(*Merge) (Result, bool)
	// Decides reports whether item a decides rather than b, where one item alone decides: then a merge whose causes nobody asks for keeps no
	// other. Unless the merge is exact, an item never decides rather than one of smaller weight. Nil: all items count.
	Decides func(m *Merge, a, b *Item) bool
	// Mirror copies the condition of an item under the name of the target; false: there is no result. Nil: the native mirror.
	Mirror func(*Merge, *Item) (Mirrored, bool)
	// Compare is the order of the types in a stored list. Nil: the declared order.
	Compare func(a, b string) int

	SkipMissing     bool     // a missing condition does not count, unless the caller wants it to
	ReadHealthy     bool     // a merge reads the messages of healthy items
	ReadReasons     bool     // a merge reads the reasons that the target declares
	AlwaysMerge     bool     // a summary is merged even if all that it reads is healthy and says nothing
	EmptyIsAbsent   bool     // a summary of nothing is no condition
	NoGenerations   bool     // conditions have no observedGeneration
	BareHealthy     bool     // a healthy condition needs no reason
	BareReason      bool     // no condition needs one
	NoReason        string   // of a condition that is read without a reason
	Lists           []string // paths of conditions lists that are read in place of status.conditions
	DefaultSeverity string   // of an unhealthy condition without one
	Severities      []string // those that are written; nil: none
	Limits          *Limits  // nil: those of metav1.Condition
}

// Limits are those of a schema that differs from the one of metav1.Condition, in bytes. Any text is a type or a reason.
type Limits struct{ Type, Reason, Message int }

// Weight says how much an item matters: the heavier, the smaller.
type Weight uint8

// The weights.
const (
	Unhealthy Weight = iota
	Unknown
	Healthy
)

// Object names the object that an item belongs to.
type Object struct{ Kind, Group, Namespace, Name string }

// Item is one input of a merge that counts.
type Item struct {
	Type      string
	Object    Object
	Condition *metav1.Condition // nil: missing
	Severity  string            // of the condition itself
	Declared  string            // severity declared for its reason
	Reason    string            // as it counts: a stock reason for a missing or stale condition
	Message   string            // the same
	Weight    Weight            // a missing or stale condition is Unknown
	Negative  bool              // True is bad
	Neutral   bool              // only in a mirror: neither is
	First     bool              // named before others
	Index     int               // position among the inputs; rules may change it
	At        int               // position among the items, before they were sorted
}

// Missing reports whether there is no condition.
func (i *Item) Missing() bool { return i.Condition == nil }

// Merge is one merge: its items, in the order of the inputs, and what else it depends on. Its memory is used again.
type Merge struct {
	Items   []*Item
	Grouped bool // over many objects, whose order does not matter
	// Counted inputs are healthy and have no message that the rules read, so that they are no items; Offered are all inputs; Reported says that a condition exists.
	Counted, Offered int
	Reported         bool

	Target   string
	Negative bool      // polarity of the target
	Reasons  [3]string // with ReadReasons the last reason that the target declares for each weight; empty: none

	Counter   bool   // the message counts completed steps
	Total     int    // number of steps; 0: the inputs
	SourceRef bool   // the reason names the object
	Object    Object // that the result is for
	Exact     bool   // byte for byte as the library
	Entries   func([]string) []string
	MaxNames  int // objects named for one text
	Stored    string
	Buffer    []byte
	Ends      []int
}

// Result is what a merge comes to.
type Result struct {
	Weight                    Weight
	Severity, Reason, Message string
	// Ordered: the items stand in the order in which their causes are listed, within each weight. Otherwise the native order holds.
	Ordered bool
}

// Mirrored is what a mirror comes to.
type Mirrored struct {
	Condition metav1.Condition
	Severity  string
}

// Worst is the smallest weight of the items.
func (m *Merge) Worst() Weight {
	worst := Healthy
	for _, i := range m.Items {
		worst = min(worst, i.Weight)
	}
	return worst
}

// Text is the message in the buffer; it is the stored one, and costs no memory, where the two are equal.
func (m *Merge) Text() string {
	if string(m.Buffer) == m.Stored {
		return m.Stored
	}
	return string(m.Buffer)
}

// CompareContent orders items of equal weight: by type, object, reason and message, and then by what else a result can hold.
func CompareContent(a, b *Item) int {
	for _, pair := range [...][2]string{
		{a.Type, b.Type}, {a.Object.Kind, b.Object.Kind}, {a.Object.Group, b.Object.Group}, {a.Object.Namespace, b.Object.Namespace},
		{a.Object.Name, b.Object.Name}, {a.Reason, b.Reason}, {a.Message, b.Message}, {a.Severity, b.Severity}, {a.Declared, b.Declared},
	} {
		if c := strings.Compare(pair[0], pair[1]); c != 0 {
			return c
		}
	}
	return 0
}

// NewestFirst sorts items by transition time. Of equal times the order of the inputs decides, in an aggregate the content.
func (m *Merge) NewestFirst() {
	slices.SortStableFunc(m.Items, func(a, b *Item) int {
		c := b.changed().Compare(a.changed())
		if c == 0 && m.Grouped {
			c = CompareContent(a, b)
		}
		return c
	})
}

// OldestFirst compares items by transition time; one that was never reported comes first.
func OldestFirst(a, b *Item) int { return a.changed().Compare(b.changed()) }

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
